import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CardInput, checkCard } from '../../../src/domains/instruments/card.ts';
import { reusableTestTokens, testCards } from '../../../src/ports/test-processor.ts';

const now = new Date('2026-11-21T10:00:00.000Z');
const good: CardInput = {
  cardNumber: '4242424242424242',
  expMonth: 12,
  expYear: 2030,
  cvc: '123',
  cardholderName: 'Ada Lovelace',
};

function issuesOf(change: Partial<CardInput>, at: { mode?: 'test' | 'live'; now?: Date } = {}): string[] {
  const answer = checkCard({ ...good, ...change }, { mode: at.mode ?? 'test', now: at.now ?? now });
  return 'issues' in answer ? answer.issues.map((issue) => `${issue.path} ${issue.message}`) : [];
}

function cardOf(change: Partial<CardInput>) {
  const answer = checkCard({ ...good, ...change }, { mode: 'test', now });
  if ('issues' in answer) throw new Error(inspect(answer.issues));
  return answer.card;
}

/** Adds the check digit that satisfies Luhn, implemented independently of the code under test. */
function withCheckDigit(digits: string): string {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return digits + ((10 - (sum % 10)) % 10);
}

describe('a good card', () => {
  test('passes, with the details that may be shown', () => {
    const { face, cardholderName, clear } = cardOf({});
    expect(face).toMatchInlineSnapshot(`
      {
        "bin": "42424242",
        "brand": "visa",
        "expMonth": 12,
        "expYear": 2030,
        "funding": "credit",
        "last4": "4242",
      }
    `);
    expect(cardholderName).toBe('Ada Lovelace');
    expect([clear.cardNumber, clear.cvc]).toEqual(['4242424242424242', '123']);
  });

  test('may have spaces in its number, which are removed', () => {
    expect(cardOf({ cardNumber: ' 4242 4242 4242 4242 ' }).clear.cardNumber).toBe('4242424242424242');
  });

  test('under 16 digits has a bin of 6', () => {
    expect(cardOf({ cardNumber: '378282246310005', cvc: '1234' }).face.bin).toBe('378282');
  });

  test('outside the test list has unknown funding', () => {
    expect(cardOf({ cardNumber: '4000056655665556' }).face.funding).toBe('unknown');
  });

  test('shows no number or cvc when printed', () => {
    expect(inspect(cardOf({}), { depth: 9 }) + JSON.stringify(cardOf({}))).not.toMatch(/4242424242424242|123/);
  });

  const brands = {
    visa: ['4000', 16],
    mastercard: ['5105', 16],
    amex: ['3714', 15],
    discover: ['6011', 16],
    diners: ['3056', 14],
    jcb: ['3530', 16],
    unionpay: ['6200', 16],
    maestro: ['5018', 13],
  } as const;

  test.each(Object.entries(brands))('%s: any number with a valid check digit passes, any other does not', (brand, [
    prefix,
    length,
  ]) => {
    const rest = length - prefix.length - 1;
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(`^[0-9]{${rest}}$`)), fc.integer({ min: 1, max: 9 }), (digits, off) => {
        const cardNumber = withCheckDigit(prefix + digits);
        const cvc = brand === 'amex' ? '1234' : '123';
        expect(cardOf({ cardNumber, cvc }).face).toMatchObject({ brand, last4: cardNumber.slice(-4) });
        const wrong = cardNumber.slice(0, -1) + ((Number(cardNumber.at(-1)) + off) % 10);
        expect(issuesOf({ cardNumber: wrong, cvc })).toEqual([
          'cardNumber must be a valid card number: its check digit does not fit',
        ]);
      }),
      { numRuns: 50 },
    );
  });
});

const digitsOnly = 'must be a card number: digits only, spaces between them are allowed';

describe('the number', () => {
  test.each([
    ['empty', '', digitsOnly],
    ['with letters', '4242 4242 4242 424x', digitsOnly],
    ['with hyphens', '4242-4242-4242-4242', digitsOnly],
    ['in other digits', '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢', digitsOnly],
    ['of 11 digits', withCheckDigit('5018000000'), 'must have 12 to 19 digits, it has 11'],
    ['of 20 digits', withCheckDigit('5018000000000000000'), 'must have 12 to 19 digits, it has 20'],
    [
      'a visa number of 15 digits',
      withCheckDigit('40000000000000'),
      'must have 16, 18 or 19 digits for visa, it has 15',
    ],
    [
      'a mastercard number of 17 digits',
      withCheckDigit('5105000000000000'),
      'must have 16 digits for mastercard, it has 17',
    ],
    [
      'of no known brand',
      withCheckDigit('999900000000000'),
      'must be of an accepted brand: visa, mastercard, amex, discover, diners, jcb, unionpay, maestro',
    ],
    [
      'of a brand that is not accepted',
      withCheckDigit('220000000000000'),
      'must be of an accepted brand: visa, mastercard, amex, discover, diners, jcb, unionpay, maestro',
    ],
  ])('%s is named', (_, cardNumber, message) => {
    expect(issuesOf({ cardNumber })).toEqual([`cardNumber ${message}`]);
  });

  test.each([
    ['12', withCheckDigit('50180000000')],
    ['19', withCheckDigit('501800000000000000')],
  ])('of %s digits passes', (_, cardNumber) => {
    expect(issuesOf({ cardNumber })).toEqual([]);
  });

  test('of the test list passes in test mode and never in live mode', () => {
    for (const cardNumber of testCards.keys()) {
      const cvc = cardNumber.startsWith('37') ? '1234' : '123';
      expect(issuesOf({ cardNumber, cvc })).toEqual([]);
      expect(issuesOf({ cardNumber: cardNumber.replace(/(.{4})/g, '$1 '), cvc }, { mode: 'live' })).toEqual([
        'cardNumber must be a real card: test card numbers work in test mode only',
      ]);
    }
  });

  test('outside the test list passes in live mode', () => {
    expect(issuesOf({ cardNumber: '4000056655665556' }, { mode: 'live' })).toEqual([]);
  });

  test('is never repeated in an issue', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{12,19}$/), (cardNumber) => {
        expect(issuesOf({ cardNumber, cvc: 'x' }).join()).not.toContain(cardNumber);
      }),
    );
  });
});

describe('the expiry', () => {
  test.each([
    ['to its last millisecond', '2026-11-30T23:59:59.999Z', []],
    [
      'and not a millisecond longer',
      '2026-12-01T00:00:00.000Z',
      ['expMonth must not be in the past: the card has expired'],
    ],
  ])('a card of 11/2026 is valid %s', (_, at, issues) => {
    expect(issuesOf({ expMonth: 11, expYear: 2026 }, { now: new Date(at) })).toEqual(issues);
  });

  test('a card of December expires with the year', () => {
    expect(issuesOf({ expMonth: 12, expYear: 2026 }, { now: new Date('2026-12-31T23:59:59.999Z') })).toEqual([]);
    expect(issuesOf({ expMonth: 12, expYear: 2026 }, { now: new Date('2027-01-01T00:00:00.000Z') })).toEqual([
      'expYear must not be in the past: the card has expired',
    ]);
  });

  test.each([[1], [12]])('month %s passes', (expMonth) => {
    expect(issuesOf({ expMonth })).toEqual([]);
  });

  test.each([[0], [13], [1.5], [Number.NaN], [-1]])('month %s is named', (expMonth) => {
    expect(issuesOf({ expMonth })).toEqual(['expMonth must be a whole number from 1 to 12']);
  });

  test.each([[30], [999], [10000], [2030.5], [Number.NaN]])('year %s is named', (expYear) => {
    expect(issuesOf({ expYear })).toEqual(['expYear must be a year of four digits, such as 2030']);
  });

  test('20 years ahead pass, 21 do not', () => {
    expect(issuesOf({ expYear: 2046 })).toEqual([]);
    expect(issuesOf({ expYear: 2047 })).toEqual(['expYear must be at most 20 years ahead']);
  });
});

describe('the cvc', () => {
  test.each([
    ['visa', good.cardNumber, '123', []],
    ['visa', good.cardNumber, '12', ['cvc must be 3 digits for visa']],
    ['visa', good.cardNumber, '1234', ['cvc must be 3 digits for visa']],
    ['visa', good.cardNumber, '12a', ['cvc must be 3 digits for visa']],
    ['amex', '378282246310005', '1234', []],
    ['amex', '378282246310005', '123', ['cvc must be 4 digits for amex']],
    ['amex', '378282246310005', '12345', ['cvc must be 4 digits for amex']],
  ])('%s %s with %s: %j', (_, cardNumber, cvc, issues) => {
    expect(issuesOf({ cardNumber, cvc })).toEqual(issues);
  });
});

describe('the name', () => {
  test('100 characters pass, 101 do not; a character counts once in any encoding', () => {
    expect(issuesOf({ cardholderName: '𝒜'.repeat(100) })).toEqual([]);
    expect(issuesOf({ cardholderName: 'a'.repeat(101) })).toEqual(['cardholderName must have at most 100 characters']);
  });

  test.each([[null], [undefined], [''], ['  ']])('%j is none', (cardholderName) => {
    expect(cardOf({ cardholderName }).cardholderName).toBeNull();
  });

  test('with a card number in it is named', () => {
    expect(issuesOf({ cardholderName: 'Ada 4242-4242 4242-4242' })).toEqual([
      'cardholderName must be a name, not a card number',
    ]);
    expect(issuesOf({ cardholderName: 'Ada 12345678901' })).toEqual([]);
  });
});

test('every wrong field is named at once', () => {
  expect(
    issuesOf({ cardNumber: '1', expMonth: 13, expYear: 1999, cvc: '', cardholderName: 'x'.repeat(101) }),
  ).toMatchInlineSnapshot(`
    [
      "cardNumber must have 12 to 19 digits, it has 1",
      "expMonth must be a whole number from 1 to 12",
      "expYear must not be in the past: the card has expired",
      "cvc must be 3 digits (4 for amex)",
      "cardholderName must have at most 100 characters",
    ]
  `);
});

test('every reusable token refers to a card of the test list', () => {
  for (const number of reusableTestTokens.values()) expect(testCards.has(number)).toBe(true);
});
