/**
 * JSON of rows: amounts are bigints in the database client and numbers in JSON. One that a number would round is a
 * decimal text, which PostgreSQL reads as a number too.
 */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // The value contains a bigint. Only then is every value inspected, which takes several times as long.
    return JSON.stringify(value, (_key, entry: unknown) => (typeof entry === 'bigint' ? exactly(entry) : entry));
  }
}

/** A number while readers of JSON keep it whole, and beyond that a decimal text. */
export function exactly(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
