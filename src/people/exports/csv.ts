/**
 * The rows of a CSV file (RFC 4180): commas, `"` around a cell that needs it, and CR LF. Numbers, `true` and `false`
 * are written as they are, times as ISO 8601 in UTC, objects and lists as JSON, and null as an empty cell.
 */
export function csvRow(values: readonly unknown[]): string {
  return `${values.map((value) => cellOf(value)).join(',')}\r\n`;
}

/** Tells spreadsheets that a file is UTF-8; other readers skip it. */
export const byteOrderMark = '\uFEFF';

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return value.toISOString();
  return textCell(typeof value === 'string' ? value : JSON.stringify(value));
}

/** What a spreadsheet takes for the begin of a formula, also in its full-width form. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/** A text that begins as a formula gets an apostrophe before it, so that no spreadsheet runs what a stranger typed. */
function textCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
