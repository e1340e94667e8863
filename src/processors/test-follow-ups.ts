import type pg from 'pg';
import { randomBase62 } from '../kit/ids.ts';
import { inTransaction } from '../kit/transaction.ts';
import { ReferenceReused } from '../ports/card-processor.ts';
import type { FollowUp, FollowUpOutcome, Unseen } from '../ports/card-processor.ts';
import { disputedOf, lockCharge } from './test-disputes.ts';

export type FollowUpType = 'capture' | 'void' | 'refund';

/**
 * Capture, void and refund on the test processor's books. The charge is locked first, so that all that happens to one charge
 * happens one after the other, and a repeated reference finds what the first one left. A refusal is written down, too: the
 * same reference must not succeed later, when its asker has long taken it for refused. `fails` makes it one in any case.
 */
export async function followUp(
  pool: pg.Pool,
  type: FollowUpType,
  asked: FollowUp,
  now: Date,
  fails = false,
): Promise<FollowUpOutcome> {
  return await inTransaction(pool, (client) => followUpOn(client, type, asked, now, fails));
}

export async function findFollowUp(
  db: Pick<pg.ClientBase, 'query'>,
  reference: string,
): Promise<FollowUpOutcome | Unseen> {
  const row = await followUpOf(db, reference);
  return row === undefined ? { result: 'unseen' } : outcomeOf(row);
}

async function followUpOn(
  client: pg.ClientBase,
  type: FollowUpType,
  asked: FollowUp,
  now: Date,
  fails: boolean,
): Promise<FollowUpOutcome> {
  await lockCharge(client, asked.authorizationReference);
  const { rows } = await client.query<ChargeMoney>(
    `SELECT "reference", "currency", "status", "amount", "capturedAmount", "refundedAmount", ${disputedOf('c')} AS "disputedAmount"
     FROM test_processor.charges c WHERE "processorReference" = $1`,
    [asked.authorizationReference],
  );
  const [charge] = rows;
  if (charge === undefined) return { result: 'refused', message: 'There is no such charge.', processorReference: null };

  const earlier = await followUpOf(client, asked.reference);
  if (earlier !== undefined) {
    if (!sameFollowUp(earlier, type, charge, asked)) throw new ReferenceReused(asked.reference);
    return outcomeOf(earlier);
  }

  const refusal = refusalOf(type, charge, asked) ?? (fails ? 'The test processor could not process it.' : null);
  const processorReference = `tp_${referenceWords[type]}_${randomBase62(20)}`;
  await client.query(
    `INSERT INTO test_processor.follow_ups ("reference", "processorReference", "chargeReference", "type", "amount", "currency", "refusal", "createdAt")
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [asked.reference, processorReference, charge.reference, type, asked.amount, asked.currency, refusal, now],
  );
  if (refusal === null)
    await client.query(bookings[type], [charge.reference, now, ...(type === 'void' ? [] : [asked.amount])]);
  return outcomeOf({ processorReference, refusal });
}

interface ChargeMoney {
  reference: string;
  currency: string;
  status: string;
  /** PostgreSQL's bigints, as text. */
  amount: string;
  capturedAmount: string;
  refundedAmount: string;
  disputedAmount: string;
}

interface FollowUpRow {
  processorReference: string;
  chargeReference: string;
  type: FollowUpType;
  amount: string;
  currency: string;
  refusal: string | null;
}

const referenceWords = { capture: 'cap', void: 'void', refund: 're' } as const;

const bookings: Readonly<Record<FollowUpType, string>> = {
  capture: `UPDATE test_processor.charges SET "capturedAmount" = $3, "updatedAt" = $2 WHERE "reference" = $1`,
  void: `UPDATE test_processor.charges SET "voidedAt" = $2, "updatedAt" = $2 WHERE "reference" = $1`,
  refund: `UPDATE test_processor.charges SET "refundedAmount" = "refundedAmount" + $3, "updatedAt" = $2 WHERE "reference" = $1`,
};

async function followUpOf(db: Pick<pg.ClientBase, 'query'>, reference: string): Promise<FollowUpRow | undefined> {
  const { rows } = await db.query<FollowUpRow>(
    `SELECT "processorReference", "chargeReference", "type", "amount", "currency", "refusal" FROM test_processor.follow_ups WHERE "reference" = $1`,
    [reference],
  );
  return rows[0];
}

function sameFollowUp(row: FollowUpRow, type: FollowUpType, charge: ChargeMoney, asked: FollowUp): boolean {
  return (
    row.type === type &&
    row.chargeReference === charge.reference &&
    row.amount === String(asked.amount) &&
    row.currency === asked.currency
  );
}

function refusalOf(type: FollowUpType, charge: ChargeMoney, { amount, currency }: FollowUp): string | null {
  if (currency !== charge.currency) return `The charge is in ${charge.currency}.`;
  if (!Number.isSafeInteger(amount) || amount <= 0) return 'The amount must be a positive whole number of minor units.';
  const asked = BigInt(amount);
  switch (type) {
    case 'capture':
      if (charge.status !== 'authorized') return `A charge that is ${charge.status} cannot be captured.`;
      return asked > BigInt(charge.amount) ? 'The amount is above what was authorized.' : null;
    case 'void':
      if (charge.status !== 'authorized') return `A charge that is ${charge.status} cannot be voided.`;
      return asked === BigInt(charge.amount) ? null : 'A void lets go of the whole authorized amount.';
    case 'refund':
      if (charge.status !== 'captured') return `A charge that is ${charge.status} cannot be refunded.`;
      return asked > BigInt(charge.capturedAmount) - BigInt(charge.refundedAmount) - BigInt(charge.disputedAmount)
        ? 'The amount is above what is left to refund.'
        : null;
  }
}

function outcomeOf({
  processorReference,
  refusal,
}: Pick<FollowUpRow, 'processorReference' | 'refusal'>): FollowUpOutcome {
  return refusal === null
    ? { result: 'approved', processorReference }
    : { result: 'refused', message: refusal, processorReference };
}
