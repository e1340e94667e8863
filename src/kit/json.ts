/** JSON of rows: amounts are big integers in the client and plain ones on the wire. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // There is a big integer in it. Only then is every value looked at, which costs several times as much.
    return JSON.stringify(value, (_key, entry: unknown) => (typeof entry === 'bigint' ? Number(entry) : entry));
  }
}
