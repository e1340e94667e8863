import { hash } from 'node:crypto';

/**
 * One text for one JSON value: keys sorted, no white space, so that two requests with the same meaning have the same
 * text. RFC 8785, except for two inputs that it rejects and a request may contain: a number beyond the range of a
 * double is `null`, and half of a surrogate pair is escaped, both as `JSON.stringify` writes them.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item: unknown) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, entry]) => entry !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`).join(',')}}`;
}

/** The request hash of an idempotency key: another request under the same key is a conflict. */
export function requestHashOf(request: unknown): string {
  return hash('sha256', canonicalJson(request), 'hex');
}

/**
 * JSON of rows: amounts are bigints in the database client and numbers in JSON. One that a number would round becomes a
 * decimal text, which PostgreSQL also reads as a number.
 */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // The value contains a bigint. Only then is every value inspected, which takes several times as long.
    return JSON.stringify(value, (_key, entry: unknown) => (typeof entry === 'bigint' ? exactly(entry) : entry));
  }
}

/** A number if JSON readers keep it exact, otherwise a decimal text. */
export function exactly(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
