import type { Services } from '../../src/services.ts';

const windowMs = 60_000;
const addressesMax = 50_000;

/**
 * Counts the requests of an address per minute of the clock, in this process only: it protects the database from many
 * reads, and must not write to it for each file of a page. Returns the seconds to wait, or 0 if the request is
 * admitted.
 */
export function addressLimit({ clock }: Pick<Services, 'clock'>, perMinute: number): (address: string) => number {
  let minute = 0;
  const calls = new Map<string, number>();
  return (address) => {
    const now = clock.passed().getTime();
    if (Math.floor(now / windowMs) !== minute) {
      minute = Math.floor(now / windowMs);
      calls.clear();
    }
    const count = (calls.get(address) ?? 0) + 1;
    if (count > perMinute) return Math.ceil((windowMs - (now % windowMs)) / 1000);
    // The map is bounded: with this many addresses in a minute further ones are not counted.
    if (calls.size < addressesMax || calls.has(address)) calls.set(address, count);
    return 0;
  };
}
