/** The first day of the oldest month that stays. Months are those of UTC. */
export function oldestKept(now: Date, keepMonths: number): string {
  return dayOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - keepMonths, 1)));
}

/** The first day of the month after this one. */
export function monthAfter(month: string): string {
  const day = new Date(month);
  return dayOf(new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1)));
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
