import { defineScalar, wholeNumber } from '../define-scalar.ts';

/** The largest amount of one payment: 99,999,999,999 minor units. */
export const amountMax = 99_999_999_999;

defineScalar('Amount', {
  description:
    'An amount of money in minor units (cents for USD): a whole number from 1 to 99999999999. Fractions and strings ' +
    'are refused.',
  jsonSchema: { type: 'integer', minimum: 1, maximum: amountMax },
  expected: 'must be a whole number of minor units from 1 to 99999999999',
  parse: (value) => wholeNumber(value, 1, amountMax),
  serialize: Number,
  isAmount: true,
});

defineScalar('AmountOrZero', {
  description:
    'An amount of money, or a sum of amounts, in minor units: a whole number from 0. A sum beyond 9007199254740991, ' +
    'which JSON readers would round, is a decimal text such as `"9007199254740993"`.',
  jsonSchema: { type: 'integer', minimum: 0 },
  expected: 'must be a whole number of minor units from 0',
  parse: (value) => wholeNumber(value, 0, Number.MAX_SAFE_INTEGER),
  serialize: exactly,
  isAmount: true,
});

defineScalar('AmountSum', {
  description:
    'A sum of amounts of many objects, in minor units, as a decimal text such as `-1250`: it has no bound, and is exact ' +
    'beyond the whole numbers that JSON readers keep. Read it as a big integer.',
  jsonSchema: { type: 'string', pattern: '^-?[0-9]+$' },
  expected: 'must be a whole number of minor units as a decimal text',
  parse: (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? value : undefined),
});

defineScalar('SignedAmount', {
  description: 'An amount of the ledger in minor units: a whole number. Debits are positive and credits negative.',
  jsonSchema: { type: 'integer' },
  expected: 'must be a whole number of minor units',
  parse: (value) => wholeNumber(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  serialize: Number,
  isAmount: true,
});

/** A number while readers of JSON keep it whole, and beyond that a decimal text. */
function exactly(value: unknown): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
