import { randomInt } from 'node:crypto';
import { freePort as freePortNear } from '../../src/local/postgres-programs.ts';

/**
 * A free port below those that Linux gives to servers and connections that ask for any. A server that listens there later
 * finds it free, whatever the other tests have opened meanwhile.
 */
export function freePort(): Promise<number> {
  return freePortNear(randomInt(10_000, 32_768));
}
