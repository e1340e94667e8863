import { hash } from 'node:crypto';

/**
 * One text for one JSON value: keys sorted, no white space, so that two requests with the same meaning have the same
 * text. RFC 8785 but for two inputs that a request may contain and RFC 8785 refuses: a number beyond the range of a
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

/** The hash that an idempotency key is bound to: another request under the same key is a conflict. */
export function requestHashOf(request: unknown): string {
  return hash('sha256', canonicalJson(request), 'hex');
}
