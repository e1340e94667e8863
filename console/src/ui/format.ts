import { currencyDigits, formatMoney } from '../../../src/theme/money.ts';
import { serverNow } from '../graph/server-time.ts';
import { timeZone } from './time-zone.ts';

/** An amount in minor units, or a sum of them, as text, for example `$25.00`. */
export function moneyText(amount: number | string | bigint, currency: string): string {
  return formatMoney(undefined, amount, currency);
}

/** A decimal text in minor units of the currency; undefined if it is not an amount. */
export function minorUnits(text: string, currency: string): number | undefined {
  const digits = currencyDigits(currency);
  const match = /^(\d{1,11})(?:[.,](\d+))?$/.exec(text.trim());
  if (!match) return undefined;
  const [, whole = '', fraction = ''] = match;
  if (fraction.length > digits) return undefined;
  return Number(whole + fraction.padEnd(digits, '0'));
}

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/** A share of 0 to 1, for example `93.4%`. */
export function percentText(share: number): string {
  return percent.format(share);
}

/** The platform counts the rows of people's lists so far. Pages beyond are not offered: their rows are found by filters. */
export const pagedRowsMax = 10_000;

/** A total as text, for example `1,234`; `10,000+` if the platform stopped counting. */
export function totalText(total: number | null): string {
  return total?.toLocaleString() ?? `${pagedRowsMax.toLocaleString()}+`;
}

const parts = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([timeZone(), options]);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(undefined, { ...options, timeZone: timeZone() });
  formats.set(key, format);
  return format;
}

const yearOf = (moment: Date): string => formatOf({ year: 'numeric' }).format(moment);

/** A moment in the chosen time zone, with its year if that is not the present one. */
export function localTime(iso: string): string {
  const moment = new Date(iso);
  const isThisYear = yearOf(moment) === yearOf(new Date(serverNow()));
  return formatOf(isThisYear ? parts : { ...parts, year: 'numeric' }).format(moment);
}

/** A moment to the second, with the name of the chosen zone. */
export function exactTime(iso: string): string {
  return formatOf({ dateStyle: 'medium', timeStyle: 'long' }).format(new Date(iso));
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** The distance to a moment in words, for example `in 3 days`. */
export function distance(iso: string, now: number): string {
  const ms = new Date(iso).getTime() - now;
  const [unit, size] = units.find(([, size]) => Math.abs(ms) >= size) ?? (['second', 1000] as const);
  return relative.format(Math.trunc(ms / size), unit);
}

/** A value of the API in words, for example `partially refunded`. */
export function humanize(value: string): string {
  return value
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
}

/** How often something recurs, for example `month` or `3 months`. */
export function every({ interval, intervalCount }: { interval: string; intervalCount: number }): string {
  return intervalCount === 1 ? interval : `${intervalCount} ${interval}s`;
}
