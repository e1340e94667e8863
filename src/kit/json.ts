/** JSON of rows: amounts are bigints in the database client and numbers in JSON. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // The value contains a bigint. Only then is every value inspected, which takes several times as long.
    return JSON.stringify(value, (_key, entry: unknown) => (typeof entry === 'bigint' ? Number(entry) : entry));
  }
}
