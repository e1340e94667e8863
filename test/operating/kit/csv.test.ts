import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvRow } from '../../../src/operators/exports/csv.ts';

describe('a row of CSV', () => {
  test('numbers, booleans and times as they are, JSON for the rest, and nothing for null', () => {
    const row = csvRow([2500, -5, 7n, true, new Date('2026-01-02T03:04:05.678Z'), null, undefined, '', { a: ['b'] }]);
    expect(row).toBe('2500,-5,7,true,2026-01-02T03:04:05.678Z,,,,"{""a"":[""b""]}"\r\n');
  });

  test.each([
    '=1+1',
    '+15550100',
    '-1',
    '@SUM(A1)',
    '\ta',
    '\ra',
    '\na',
    '＝1',
    '＋1',
    '－1',
    '＠x',
  ])('an apostrophe before %j, which a spreadsheet would run', (text) => {
    expect(parse(csvRow([text, 'x']))).toEqual([`'${text}`, 'x']);
  });

  test('a text with a formula further on is left alone', () => {
    expect(csvRow(['a=1', '1+1', 'x@example.com'])).toBe('a=1,1+1,x@example.com\r\n');
  });

  test.each([
    ['Ada;=1+1', "Ada;'=1+1"],
    ['Ada;""=1', `Ada;""'=1`],
    ['Ada; @SUM(A1)', "Ada; '@SUM(A1)"],
    ['Ada\t-1', "Ada\t'-1"],
    ['Ada\r\n\n+1', "Ada\r\n\n'+1"],
    ['\t=1', "'\t'=1"],
    [' =1', " '=1"],
    ['a,=1', 'a,=1'],
  ])('%j is written as %j, so that no part of it is a formula where a spreadsheet splits it', (text, written) => {
    expect(parse(csvRow([text, 'x']))).toEqual([written, 'x']);
  });

  test('every text is one cell again for a reader of CSV, but for the apostrophes before formulas', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 4 }), (texts) => {
        expect(parse(csvRow(texts)).map((cell) => cell.replaceAll("'", ''))).toEqual(texts);
      }),
    );
  });

  test.each([
    ['commas, as English Excel splits', ','],
    ['semicolons, as German Excel splits', ';'],
    ['tabs', '\t'],
  ])('no cell of a file begins with a formula where it is split at %s', (_, separator) => {
    const rows = fc.array(fc.array(text, { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(rows, (file) => {
        const cells = spreadsheetCells(file.map((row) => csvRow(row)).join(''), separator);
        expect(cells.filter((cell) => /^\s*[=+\-@＝＋－＠]/.test(cell))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});

const text = fc.string({
  unit: fc.constantFrom('a', '"', ',', ';', ' ', '\t', '\r', '\n', '=', '@', '-', '＋', 'é', '￿'),
});

/**
 * The cells of a file as Excel reads them: a quote opens a quoted part only at the start of a cell, what follows the
 * closing quote is text, and a line break outside quotes ends the line.
 */
function spreadsheetCells(file: string, separator: string): string[] {
  const ends = new Set([separator, '\r', '\n']);
  const cells: string[] = [];
  for (let at = 0; at <= file.length; at += 1) {
    const quoted = /^"((?:[^"]|"")*)"?/.exec(file.slice(at));
    at += quoted?.[0].length ?? 0;
    const from = at;
    while (at < file.length && !ends.has(file.charAt(at))) at += 1;
    cells.push((quoted?.[1]?.replaceAll('""', '"') ?? '') + file.slice(from, at));
  }
  return cells;
}

/** The cells of one record, by RFC 4180. */
function parse(record: string): string[] {
  expect(record.endsWith('\r\n')).toBe(true);
  const cells: string[] = [];
  for (let rest = record.slice(0, -2); ; rest = rest.slice(1)) {
    const [cell = '', quoted] = /^(?:"((?:[^"]|"")*)"|[^",]*)/.exec(rest) ?? [];
    cells.push(quoted?.replaceAll('""', '"') ?? cell);
    rest = rest.slice(cell.length);
    if (rest === '') return cells;
    expect(rest[0]).toBe(',');
  }
}
