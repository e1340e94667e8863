/**
 * The rows of a CSV file (RFC 4180): commas, `"` around a cell that needs it, and CR LF. Numbers, `true` and `false`
 * are written as they are, times as ISO 8601 in UTC, objects and lists as JSON, and null as an empty cell.
 */
export function csvRow(values: readonly unknown[]): string {
  return `${values.map((value) => cellOf(value)).join(',')}\r\n`;
}

/** Marks a file as UTF-8 for spreadsheets; other readers skip it. */
export const byteOrderMark = '\uFEFF';

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return value.toISOString();
  return textCell(typeof value === 'string' ? value : JSON.stringify(value));
}

/**
 * What a spreadsheet reads as the start of a formula, including full-width forms: at the start of a text, and after a
 * semicolon, a tab or a line break. A spreadsheet that splits at semicolons or tabs ignores the quotes of a cell that
 * is not the first of its line, so that the rest of the text is a cell of its own there.
 */
const formula = /(?=[=+\-@＝＋－＠])(?<=(?:^|[;\t\r\n])[\s"]*)/g;

/**
 * A text gets an apostrophe before each start of a formula, and before a tab or line break that it begins with, so that
 * no spreadsheet runs a text that a user entered.
 */
function textCell(text: string): string {
  const safe = text.replace(/^(?=[\t\r\n])/, "'").replaceAll(formula, "'");
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
