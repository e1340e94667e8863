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
    '\t=1',
    '\r=1',
    '\n=1',
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

  test('every text is one cell again for a reader of CSV', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', ' ', '\t', '\r', '\n', '=', '@', 'é', '￿') });
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 4 }), (texts) => {
        const escaped = texts.map((one) => (/^[=@\t\r\n]/.test(one) ? `'${one}` : one));
        expect(parse(csvRow(texts))).toEqual(escaped);
      }),
    );
  });
});

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
