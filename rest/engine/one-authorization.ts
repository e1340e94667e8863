import type { IncomingMessage } from 'node:http';
import { NotAuthorized } from '../../src/kit/errors.ts';

/**
 * Rejects a request with several Authorization headers. Node uses the first and drops the others, but a proxy may have
 * authorized the request by another one.
 */
export function assertOneAuthorization({ rawHeaders }: IncomingMessage): void {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 'authorization'.length && name.toLowerCase() === 'authorization') count += 1;
  }
  if (count > 1) throw new NotAuthorized('The header Authorization was sent more than once: send one credential.');
}
