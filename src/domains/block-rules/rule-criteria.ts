import { requireRow } from '../../auth/visible.ts';
import type { TenantContext } from '../../call/context.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { invalid } from '../../lib/errors.ts';
import type { Mode } from '../../lib/ids.ts';
import { presentNumber, shownDigits } from '../instruments/public.ts';
import { type ExactCriterion, exactCriteria, keyOf, type PatternCriterion, patternCriteria } from './rule-match.ts';

export type CriterionName = ExactCriterion | PatternCriterion;
export const criterionNames: readonly CriterionName[] = [...exactCriteria, ...patternCriteria];

/** The values to match, by criterion, as the API returns them. A card number is reduced to its last four digits. */
export type Criteria = Partial<Record<CriterionName, string>>;

/** Criteria in the form in which a row stores them. */
export interface StoredCriteria {
  criteria: Criteria;
  keys: string[];
  hasPatterns: boolean;
}

export type CriteriaInput = Readonly<Partial<Record<CriterionName, string | null | undefined>>>;

const none: StoredCriteria = { criteria: {}, keys: [], hasPatterns: false };

/** Checks that need no rows. They run first, since 400 has precedence over 404 (docs/errors-and-limits.md, 5). */
export function assertCriteria(input: CriteriaInput, isNew: boolean): void {
  if (isNew && criterionNames.every((name) => input[name] == null)) throw noCriterion();
  if (input.pan != null && !/^[0-9]{12,19}$/.test(digitsOf(input.pan)))
    throw invalid('pan', 'must be a card number: 12 to 19 digits, spaces between them are allowed');
}

function noCriterion() {
  return invalid('', `at least one criterion is required: ${criterionNames.join(', ')}`);
}

function digitsOf(pan: string): string {
  return pan.replaceAll(' ', '');
}

/** Whether the input sets a pattern. */
export function setsPattern(input: CriteriaInput): boolean {
  return patternCriteria.some((name) => input[name] != null);
}

/** Counts the number of a `pan` criterion: a charge that it blocks discloses that a stored card has that number. */
export async function presentPan(
  context: TenantContext,
  owner: { partnerId: string; platformAccountId: string; mode: Mode },
  { pan }: CriteriaInput,
): Promise<void> {
  if (pan == null) return;
  const digits = digitsOf(pan);
  const fingerprint = context.services.vault.fingerprint(digits, owner);
  await presentNumber(context, owner, { ...shownDigits(digits), fingerprint });
}

/**
 * Applies `input` to the criteria of `before`: a value sets a criterion, null removes it. At least one must remain.
 */
export async function storedCriteria(
  context: TenantContext,
  tx: Prisma.TransactionClient,
  account: { id: string; mode: Mode },
  input: CriteriaInput,
  before: StoredCriteria = none,
): Promise<StoredCriteria> {
  const named = criterionNames.filter((name) => input[name] !== undefined);
  const criteria: Criteria = { ...before.criteria };
  const keys = before.keys.filter((key) => !named.some((name) => key.startsWith(`${name}:`)));
  for (const name of named) {
    const value = input[name];
    if (value == null) {
      delete criteria[name];
      continue;
    }
    const { shown, key } = await buildCriterion(context, tx, account, name, value);
    criteria[name] = shown;
    if (key !== null) keys.push(key);
  }
  if (Object.keys(criteria).length === 0) throw noCriterion();
  return { criteria, keys, hasPatterns: patternCriteria.some((name) => criteria[name] !== undefined) };
}

async function buildCriterion(
  { services }: TenantContext,
  tx: Prisma.TransactionClient,
  account: { id: string; mode: Mode },
  name: CriterionName,
  value: string,
): Promise<{ shown: string; key: string | null }> {
  switch (name) {
    case 'pan': {
      const digits = digitsOf(value);
      const fingerprint = services.vault.fingerprint(digits, { platformAccountId: account.id, mode: account.mode });
      return { shown: digits.slice(-4), key: keyOf(name, fingerprint) };
    }
    case 'paymentId': {
      const where = { id: value, platformAccountId: account.id };
      const { paymentInstrument } = await requireRow(tx, 'payment', where, { include: { paymentInstrument: true } });
      return { shown: value, key: keyOf(name, paymentInstrument.fingerprint) };
    }
    case 'customerId': {
      await requireRow(tx, 'customer', { id: value, platformAccountId: account.id });
      return { shown: value, key: keyOf(name, value) };
    }
    case 'emailRegex':
    case 'binRegex':
    case 'panRegex':
      return { shown: value, key: null };
    default:
      return { shown: value, key: keyOf(name, value) };
  }
}
