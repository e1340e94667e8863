import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { formatMoney } from '../../../src/theme/money.ts';

// Intl shows 12345 of the minor unit of HUF as 12,345 and in other versions as 123.45.
test.each([
  ['USD', '$123.45', '123,45 $'],
  ['HUF', 'HUF 123.45', '123,45 HUF'],
  ['IDR', 'IDR 123.45', '123,45 IDR'],
  ['JPY', '¥12,345', '12.345 ¥'],
  ['KWD', 'KWD 12.345', '12,345 KWD'],
  ['CLF', 'CLF 1.2345', '1,2345 CLF'],
])('an amount of minor units is shown with the digits of ISO 4217: %s', (currency, english, german) => {
  const shown = ['en', 'de'].map((language) => formatMoney(language, 12_345n, currency).replaceAll('\u00a0', ' '));
  expect(shown).toEqual([english, german]);
});

test.each([
  ['9007199254740993', 'USD', '$90,071,992,547,409.93'],
  ['-922337203685477580912', 'JPY', '-¥922,337,203,685,477,580,912'],
  ['92233720368547758091', 'KWD', 'KWD 92,233,720,368,547,758.091'],
  [3, 'USD', '$0.03'],
])('a sum is shown exactly, however large: %s %s', (amount, currency, shown) => {
  expect(formatMoney('en', amount, currency).replaceAll('\u00a0', ' ')).toBe(shown);
});

test('pages in the browser of a shopper show every currency as mail and pages of the server do', () => {
  const page = createContext({ Intl });
  const script = readFileSync(join(import.meta.dirname, '../../../src/domains/card-fields/browser/money.js'), 'utf8');
  const moneyText = runInContext(`${script}; moneyText`, page) as typeof formatMoney; // what is set there
  const currencies = Intl.supportedValuesOf('currency');
  expect(currencies.filter((each) => moneyText('de', 12_345, each) !== formatMoney('de', 12_345, each))).toEqual([]);
  expect(currencies.length).toBeGreaterThan(100);
});
