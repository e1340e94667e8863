/**
 * An amount of minor units in the way of a language. The digits are those of ISO 4217, as in `src/theme/money.ts`:
 * browsers know the digits in use instead, and would show 100.00 HUF as 10,000.
 */
globalThis.moneyText = (() => {
  const unlikeHundredths = {
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW',
  };

  return (language, amount, currency) => {
    const [found = '2'] = Object.entries(unlikeHundredths).find(([, codes]) => codes.includes(currency)) ?? [];
    const count = Number(found);
    const format = new Intl.NumberFormat(language, {
      style: 'currency',
      currency,
      minimumFractionDigits: count,
      maximumFractionDigits: count,
    });
    return format.format(amount / 10 ** count);
  };
})();
