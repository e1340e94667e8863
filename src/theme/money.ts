/**
 * The currencies of ISO 4217 whose minor unit is not a hundredth, by the digits after the separator. `Intl` uses the
 * digits in practice instead, which differ for some currencies (none for HUF and IDR) and between versions: an amount
 * in minor units would be shown a hundred times too high. Pages that cannot import this use `money.js` of the card
 * fields.
 */
const unlikeHundredths: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const digits = new Map(
  Object.entries(unlikeHundredths).flatMap(([count, codes]) => codes.split(' ').map((code) => [code, Number(count)])),
);

/** The number of digits after the separator, for example 2 for USD and 0 for JPY. */
export function currencyDigits(currency: string): number {
  return digits.get(currency) ?? 2;
}

/** An amount of minor units, 0 or more, as a decimal text without its currency: `25.00`. Exact for every size. */
export function decimalText(amount: bigint | number | string, currency: string): string {
  const count = currencyDigits(currency);
  const text = String(amount).padStart(count + 1, '0');
  return count === 0 ? text : `${text.slice(0, -count)}.${text.slice(-count)}`;
}

/**
 * An amount of minor units in the format of a language; that of the browser if it is undefined. Exact for every size.
 */
export function formatMoney(language: string | undefined, amount: bigint | number | string, currency: string): string {
  const count = currencyDigits(currency);
  const format = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: count,
    maximumFractionDigits: count,
  });
  // A decimal text is formatted exactly. The type of the template does not say that it is a number.
  return format.format(`${BigInt(amount)}E-${count}` as `${number}`);
}
