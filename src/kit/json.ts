/** JSON of rows: amounts are big integers in the client and plain ones on the wire. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) => (typeof entry === 'bigint' ? Number(entry) : entry));
}
