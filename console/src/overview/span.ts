import { serverNow } from '../graph/server-time.ts';
import type { Search } from '../ui/list-definition.ts';

const dayMs = 86_400_000;
/** As many as the platform gives figures of at once. */
const daysMax = 366;
const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The values of `days` in the URL. With `from` or `to` in it, the span is a custom one. */
export const spans = [
  { value: 'today', label: 'Today' },
  { value: 'yesterday', label: 'Yesterday' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: 'month', label: 'This month' },
] as const;

export interface Span {
  /** One of `spans`, or `custom`. */
  name: string;
  /** Days in UTC, at least one. */
  days: string[];
  /** As many days directly before them. */
  before: string[];
}

/** The days that the URL names, or the last 30. */
export function spanOf({ from = '', to = '', days = '30' }: Search): Span {
  const isCustom = from !== '' || to !== '';
  const name = isCustom ? 'custom' : spans.some(({ value }) => value === days) ? days : '30';
  const today = Date.parse(dayText(serverNow()));
  const last = Date.parse(to) || (name === 'yesterday' ? today - dayMs : today);
  const first = Date.parse(name === 'month' ? `${dayText(last).slice(0, 7)}-01` : from);
  const requested = first ? Math.floor((last - first) / dayMs) + 1 : Number(name) || 1;
  const count = Math.min(Math.max(requested, 1), daysMax);
  const daysUntil = (end: number): string[] =>
    Array.from({ length: count }, (_, index) => dayText(end - (count - 1 - index) * dayMs));
  return { name, days: daysUntil(last), before: daysUntil(last - count * dayMs) };
}

const format = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const formatWithYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** A day in UTC, for example `Nov 27`; with its year if that is not the present one. */
export function dayName(day: string): string {
  const isThisYear = day.slice(0, 4) === dayText(serverNow()).slice(0, 4);
  return (isThisYear ? format : formatWithYear).format(new Date(day));
}

/** The first and the last of some days. */
export function daysName(days: readonly string[]): string {
  const [first = '', last = first] = [days[0], days.at(-1)];
  return first === last ? dayName(first) : `${dayName(first)} – ${dayName(last)}`;
}
