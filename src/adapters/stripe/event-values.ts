import { NoticeRefused } from '../../ports/card-processor.ts';
import { fromStripe } from './money.ts';

// The values of an event are checked, since the library does not: its types describe what Stripe documents.

/** The id of an object that an event names or contains. */
export function idOf(value: unknown): string {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : value;
  if (typeof id !== 'string' || !/^[\w-]{1,255}$/.test(id)) throw new NoticeRefused('malformed');
  return id;
}

/** The same where Stripe may send null. */
export function idOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : idOf(value);
}

/** An amount and its currency in the platform's units. */
export function moneyOf(amount: unknown, currency: unknown): { amount: number; currency: string } {
  if (typeof currency !== 'string' || !/^[a-z]{3}$/i.test(currency)) throw new NoticeRefused('malformed');
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount <= 0) throw new NoticeRefused('malformed');
  const converted = fromStripe(amount, currency);
  if (!Number.isSafeInteger(converted) || converted <= 0) throw new NoticeRefused('malformed');
  return { amount: converted, currency: currency.toUpperCase() };
}

/** A time in seconds since 1970. */
export function timeOf(value: unknown): Date {
  // the year 3000, far within what PostgreSQL and Date can hold
  if (typeof value !== 'number' || !(value >= 0 && value < 32_503_680_000)) throw new NoticeRefused('malformed');
  return new Date(value * 1000);
}
