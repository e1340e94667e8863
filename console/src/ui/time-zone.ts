import { useSyncExternalStore } from 'react';

/** The time zone of this browser. */
export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

const key = 'platform.time-zone';
const listeners = new Set<() => void>();
let chosen = stored();

/** UTC, in which figures and exports are, unless the person has chosen another zone in this browser. */
function stored(): string {
  try {
    const zone = localStorage.getItem(key) ?? 'UTC';
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    // No storage, or no such zone.
    return 'UTC';
  }
}

/** The time zone of all times, filters by day and fields of the console. */
export function timeZone(): string {
  return chosen;
}

export function setTimeZone(zone: string): void {
  chosen = zone;
  try {
    localStorage.setItem(key, zone);
  } catch {
    // It then holds until the page is left.
  }
  for (const listener of listeners) listener();
}

export function useTimeZone(): string {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, timeZone);
}

/** The name of a zone as people say it, for example `Los Angeles`. */
export function zoneName(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}

/** The milliseconds that the clocks of a zone are ahead of UTC at a moment. */
function offsetAt(ms: number, zone: string): number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}

/** The moment of a text such as `2026-01-31` or `2026-01-31T10:00` on the clocks of the zone; undefined if it is none. */
export function momentOf(text: string, zone = timeZone()): Date | undefined {
  const local = Date.parse(text.includes('T') ? `${text}Z` : `${text}T00:00Z`);
  if (Number.isNaN(local)) return undefined;
  // Near a change of the clocks the first offset may be that of its other side.
  const near = local - offsetAt(local, zone);
  return new Date(local - offsetAt(near, zone));
}

/** A moment as a field for day and time has it, for example `2026-01-31T10:00`. */
export function fieldText(moment: Date, zone = timeZone()): string {
  return new Date(moment.getTime() + offsetAt(moment.getTime(), zone)).toISOString().slice(0, 16);
}

/** The first and the last moment of days in the zone, as the filters of the platform take them. */
export function daysBetween(from: string, to: string, zone = timeZone()): [string, string] {
  const nextDay = new Date(Date.parse(`${to}T00:00Z`) + 86_400_000).toISOString().slice(0, 10);
  const begin = momentOf(from, zone);
  const end = momentOf(nextDay, zone);
  // What is no day is sent as it stands: the platform says what is wrong with it.
  if (zone === 'UTC' || !begin || !end) return [from, to];
  return [begin.toISOString(), new Date(end.getTime() - 1).toISOString()];
}
