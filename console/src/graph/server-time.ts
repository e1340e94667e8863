/** Below this the clocks agree: `Date` has whole seconds, and an answer takes time. */
const differenceMin = 60_000;
let ahead = 0;

/** Compares the clock of the browser with the header `Date` of an answer. */
export function noteServerTime(date: string | null): void {
  const difference = date === null ? Number.NaN : Date.parse(date) - Date.now();
  if (!Number.isNaN(difference)) ahead = Math.abs(difference) < differenceMin ? 0 : difference;
}

/** The present time in milliseconds by the clock of the platform, whatever the browser's says. */
export function serverNow(): number {
  return Date.now() + ahead;
}
