import type { Env } from '../../src/env.ts';

const windowMs = 60_000;
const addressesMax = 50_000;

/**
 * Counts the requests of an address in the clock's own minute, in this process alone: it guards the database from a flood of
 * reading, and must not cost a write there for each file of a page. Gives the seconds to wait; 0 when the request may pass.
 */
export function addressLimit({ clock }: Pick<Env, 'clock'>, perMinute: number): (address: string) => number {
  let minute = 0;
  const calls = new Map<string, number>();
  return (address) => {
    const now = clock.now().getTime();
    if (Math.floor(now / windowMs) !== minute) {
      minute = Math.floor(now / windowMs);
      calls.clear();
    }
    const count = (calls.get(address) ?? 0) + 1;
    if (count > perMinute) return Math.ceil((windowMs - (now % windowMs)) / 1000);
    // With that many addresses in a minute it is no address's own doing.
    if (calls.size < addressesMax || calls.has(address)) calls.set(address, count);
    return 0;
  };
}
