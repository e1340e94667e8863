import type { Language } from './languages.ts';

/** An amount of minor units in the way of a language. */
export function formatMoney(language: Language, amount: bigint | number, currency: string): string {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  return format.format(Number(amount) / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** Day and time in UTC, which it says: the time zone of the reader is not known. */
export function formatDate(language: Language, at: Date): string {
  return new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(at);
}
