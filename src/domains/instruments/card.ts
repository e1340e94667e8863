import cardValidator from 'card-validator';
import type { InputIssue } from '../../lib/errors.ts';
import type { Mode } from '../../lib/ids.ts';
import { type ClearCard, clearCard } from '../../ports/card-processor.ts';
import { testCards } from '../../ports/test-processor.ts';

const cardBrands = ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay', 'maestro'] as const;
export type CardBrand = (typeof cardBrands)[number];

export type CardFunding = 'credit' | 'debit' | 'prepaid' | 'unknown';

export interface CardInput {
  cardNumber: string;
  expMonth: number;
  expYear: number;
  cvc: string;
  cardholderName?: string | null | undefined;
}

/** The part of a card that may be returned to any caller to whom the instrument is visible. */
interface CardFace {
  brand: CardBrand;
  last4: string;
  bin: string;
  expMonth: number;
  expYear: number;
  funding: CardFunding;
}

export interface CheckedCard {
  /** Only the vault may receive it. */
  clear: ClearCard;
  face: CardFace;
  cardholderName: string | null;
}

/** Reports all invalid fields together. No message repeats the input, since messages are logged. */
export function checkCard(
  input: CardInput,
  { mode, now }: { mode: Mode; now: Date },
): { issues: InputIssue[] } | { card: CheckedCard } {
  const number = readNumber(input.cardNumber, mode);
  const cardholderName = input.cardholderName?.trim() || null;
  const issues = [
    ...('issue' in number ? [number.issue] : []),
    ...expiryIssues(input, now),
    ...cvcIssues(input.cvc, number),
    ...cardholderNameIssues(cardholderName),
  ];
  if ('issue' in number || issues.length > 0) return { issues };
  const { digits, brand } = number;
  const { expMonth, expYear, cvc } = input;
  return {
    card: {
      clear: clearCard({ cardNumber: digits, expMonth, expYear, cvc }),
      face: {
        brand: brand.name,
        ...shownDigits(digits),
        expMonth,
        expYear,
        // Only the issuer of a real card knows its funding.
        funding: testCards.has(digits) ? 'credit' : 'unknown',
      },
      cardholderName,
    },
  };
}

/** The digits of a number that may be shown. Only the vault knows the others. */
export function shownDigits(digits: string): { bin: string; last4: string } {
  // The issuer identification of a number under 16 digits has 6 digits. Two more would reveal the account.
  return { bin: digits.slice(0, digits.length < 16 ? 6 : 8), last4: digits.slice(-4) };
}

interface Brand {
  name: CardBrand;
  cvcLength: number;
}

/** The validator's name of each accepted brand. */
const brandNames: ReadonlyMap<string, CardBrand> = new Map<string, CardBrand>([
  ['visa', 'visa'],
  ['mastercard', 'mastercard'],
  ['american-express', 'amex'],
  ['discover', 'discover'],
  ['diners-club', 'diners'],
  ['jcb', 'jcb'],
  ['unionpay', 'unionpay'],
  ['maestro', 'maestro'],
]);

/**
 * The digits and their brand, or the issue. An issue contains the brand if it is known, for the validation of the CVC.
 */
function readNumber(
  cardNumber: string,
  mode: Mode,
): { digits: string; brand: Brand } | { issue: InputIssue; brand?: Brand } {
  const wrong = (message: string, brand?: Brand) => ({
    issue: { path: 'cardNumber', message },
    ...(brand && { brand }),
  });
  if (!/^[0-9 ]{1,40}$/.test(cardNumber))
    return wrong('must be a card number: digits only, spaces between them are allowed');
  const digits = cardNumber.replaceAll(' ', '');
  if (digits.length < 12 || digits.length > 19) return wrong(`must have 12 to 19 digits, it has ${digits.length}`);

  // The validator does not check the check digit of UnionPay by default, which
  // docs/contract/11-instruments-and-test-cards.md requires.
  const { card: type, isValid } = cardValidator.number(digits, { luhnValidateUnionPay: true });
  const name = type === null ? undefined : brandNames.get(type.type);
  if (type === null || name === undefined) return wrong(`must be of an accepted brand: ${cardBrands.join(', ')}`);
  const brand = { name, cvcLength: type.code.size };
  if (!type.lengths.includes(digits.length))
    return wrong(`must have ${formatLengths(type.lengths)} digits for ${name}, it has ${digits.length}`, brand);
  if (!isValid) return wrong('must be a valid card number: its check digit does not fit', brand);
  if (mode === 'live' && testCards.has(digits))
    return wrong('must be a real card: test card numbers work in test mode only', brand);
  return { digits, brand };
}

const yearsAheadMax = 20;

function expiryIssues({ expMonth, expYear }: CardInput, now: Date): InputIssue[] {
  const monthIsReal = Number.isInteger(expMonth) && expMonth >= 1 && expMonth <= 12;
  const monthIssues = monthIsReal ? [] : [{ path: 'expMonth', message: 'must be a whole number from 1 to 12' }];
  const thisYear = now.getUTCFullYear();
  const yearIssue = (message: string) => [...monthIssues, { path: 'expYear', message }];
  if (!Number.isInteger(expYear) || expYear < 1000 || expYear > 9999)
    return yearIssue('must be a year of four digits, such as 2030');
  if (expYear < thisYear) return yearIssue('must not be in the past: the card has expired');
  if (expYear > thisYear + yearsAheadMax) return yearIssue(`must be at most ${yearsAheadMax} years ahead`);
  // A card is valid through the last day of its month.
  if (monthIsReal && expYear === thisYear && expMonth < now.getUTCMonth() + 1) {
    return [{ path: 'expMonth', message: 'must not be in the past: the card has expired' }];
  }
  return monthIssues;
}

function cvcIssues(cvc: string, { brand }: { brand?: Brand }): InputIssue[] {
  if (brand === undefined)
    return /^[0-9]{3,4}$/.test(cvc) ? [] : [{ path: 'cvc', message: 'must be 3 digits (4 for amex)' }];
  const fits = /^[0-9]+$/.test(cvc) && cvc.length === brand.cvcLength;
  return fits ? [] : [{ path: 'cvc', message: `must be ${brand.cvcLength} digits for ${brand.name}` }];
}

const nameLengthMax = 100;

function cardholderNameIssues(name: string | null): InputIssue[] {
  if (name === null) return [];
  if ([...name].length > nameLengthMax)
    return [{ path: 'cardholderName', message: `must have at most ${nameLengthMax} characters` }];
  // The name is stored outside the vault, so it must not contain a card number that was typed into the wrong field.
  return /[0-9](?:[ -]?[0-9]){11}/.test(name)
    ? [{ path: 'cardholderName', message: 'must be a name, not a card number' }]
    : [];
}

/** "16", "16 or 19", "14, 16 or 19". */
function formatLengths(lengths: readonly number[]): string {
  return lengths.length < 2 ? lengths.join() : `${lengths.slice(0, -1).join(', ')} or ${lengths.at(-1)}`;
}
