import { exactly } from '../../lib/json.ts';
import { defineScalar, wholeNumber } from './define-scalar.ts';

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
    'An amount of money of one object in minor units, which may be nothing: a whole number from 0 to 99999999999. ' +
    'Fractions and strings are refused.',
  jsonSchema: { type: 'integer', minimum: 0, maximum: amountMax },
  expected: 'must be a whole number of minor units from 0 to 99999999999',
  parse: (value) => wholeNumber(value, 0, amountMax),
  serialize: Number,
  isAmount: true,
});

/**
 * The largest amount of one object that is not a payment: what a processor reports of a dispute, or what is carried
 * over. Sums of a few such amounts and payments stay exact integers in JavaScript and JSON.
 */
export const heldMax = 9_000_000_000_000_000;

defineScalar('DisputedAmount', {
  description:
    'An amount of money in minor units that a processor reports, which no limit of payments bounds: a whole number ' +
    'from 1 to 9000000000000000.',
  jsonSchema: { type: 'integer', minimum: 1, maximum: heldMax },
  expected: 'must be a whole number of minor units from 1 to 9000000000000000',
  parse: (value) => wholeNumber(value, 1, heldMax),
  serialize: Number,
  isAmount: true,
});

defineScalar('Revenue', {
  description:
    'A sum of amounts of many objects, in minor units: a whole number from 0 to 9007199254740991, and beyond it, where ' +
    'JSON readers would round, a decimal text such as `"9007199254740993"`.',
  jsonSchema: {
    anyOf: [
      { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'string', pattern: '^[0-9]{16,}$' },
    ],
  },
  expected: 'must be a whole number of minor units from 0',
  parse: (value) => wholeNumber(value, 0, Number.MAX_SAFE_INTEGER),
  serialize: (value) => exactly(value as bigint), // the type of its output
});

defineScalar('AmountSum', {
  description:
    'A sum of amounts of many objects, in minor units, as a decimal text such as `-1250`: it is unbounded, and a ' +
    'string to avoid loss of precision. Read it as a big integer.',
  jsonSchema: { type: 'string', pattern: '^-?[0-9]+$' },
  expected: 'must be a whole number of minor units as a decimal text',
  parse: (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? value : undefined),
});

defineScalar('SignedAmount', {
  description:
    'An amount of one object in minor units that may be negative: a whole number from -9000000000000000 to ' +
    '9000000000000000. In the ledger debits are positive and credits negative.',
  jsonSchema: { type: 'integer', minimum: -heldMax, maximum: heldMax },
  expected: 'must be a whole number of minor units from -9000000000000000 to 9000000000000000',
  parse: (value) => wholeNumber(value, -heldMax, heldMax),
  serialize: Number,
  isAmount: true,
});
