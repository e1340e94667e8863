import type pg from 'pg';
import { execute, type Queryable, queryRow, queryRows, type Sql, sql } from '../../database/sql.ts';
import { inTransaction } from '../../database/transaction.ts';
import { randomBase62 } from '../../lib/ids.ts';
import {
  type Modification,
  type ModificationNotice,
  type ModificationOutcome,
  ReferenceReused,
  type UnknownAtProcessor,
} from '../../ports/card-processor.ts';
import { disputedAmount, lockCharge } from './test-disputes.ts';

/** The time from the success of a refund to its failure, for cards whose refunds fail. */
const bankWaitMs = 5_000;
const noticesMax = 100;

/** When a refund of such a card fails. */
function failureTimeOf(refundedAt: Date): Date {
  return new Date(refundedAt.getTime() + bankWaitMs);
}

/** Fails the refunds that are due by real time, and returns all failures of which the platform was not notified. */
export async function unnotifiedFailures(pool: pg.Pool, now: Date): Promise<ModificationNotice[]> {
  await failRefunds(pool, sql`c."testClockId" IS NULL`, now);
  // Those that cannot be sent, and those of the tenant with the most, are not ahead of the others.
  return listNotices(pool, sql`true`, sql`random()`);
}

/** Fails the refunds that are due on a test clock, and returns those of which the platform was not notified. */
export async function failRefundsOn(pool: pg.Pool, testClockId: string, now: Date): Promise<ModificationNotice[]> {
  await failRefunds(pool, sql`c."testClockId" = ${testClockId}`, now);
  return listNotices(pool, sql`c."testClockId" = ${testClockId}`, sql`f."failedAt", f.reference`);
}

/** When the next refund on a test clock fails, or failed without the platform being notified. */
export async function nextFailureOn(pool: pg.Pool, testClockId: string): Promise<Date | null> {
  const row = await queryRow<{ at: Date | null }>(
    pool,
    sql`
      SELECT min(f."failsAt") AS at
      FROM test_processor.modifications f
      JOIN test_processor.charges c ON c.reference = f."chargeReference"
      WHERE f."failsAt" IS NOT NULL AND f."reportedAt" IS NULL AND c."testClockId" = ${testClockId}`,
  );
  return row?.at ?? null;
}

export async function markFailureNotified(pool: pg.Pool, reference: string, now: Date): Promise<void> {
  await execute(
    pool,
    sql`UPDATE test_processor.modifications SET "reportedAt" = ${now} WHERE reference = ${reference}`,
  );
}

/** SQL expression: the refunded amount of the charge `c` that the platform was notified of. */
export const reportedRefundedAmount = sql`(
  c."refundedAmount" + (
    SELECT coalesce(sum(f.amount), 0)
    FROM test_processor.modifications f
    WHERE f."chargeReference" = c.reference AND f."failedAt" IS NOT NULL AND f."reportedAt" IS NULL
  )
)`;

/** One statement: the refunds fail, and their amounts are returned to their charges. */
async function failRefunds(pool: pg.Pool, condition: Sql, now: Date): Promise<void> {
  await execute(
    pool,
    sql`
      WITH failed AS (
        UPDATE test_processor.modifications f
        SET "failedAt" = ${now}, refusal = 'The bank of the cardholder has returned the refund.'
        FROM test_processor.charges c
        WHERE c.reference = f."chargeReference" AND f."failsAt" <= ${now} AND f."failedAt" IS NULL AND ${condition}
        RETURNING f."chargeReference", f.amount
      )
      UPDATE test_processor.charges c
      SET "refundedAmount" = c."refundedAmount" - f.amount
      FROM (
        SELECT "chargeReference", sum(amount) AS amount
        FROM failed
        GROUP BY "chargeReference"
      ) f
      WHERE c.reference = f."chargeReference"`,
  );
}

interface FailureRow {
  reference: string;
  processorReference: string;
  authorizationReference: string;
  /** A bigint of PostgreSQL as a string. */
  amount: string;
  currency: string;
  refusal: string;
}

async function listNotices(pool: pg.Pool, condition: Sql, order: Sql): Promise<ModificationNotice[]> {
  const rows = await queryRows<FailureRow>(
    pool,
    sql`
      SELECT
        f.reference, f."processorReference", c."processorReference" AS "authorizationReference",
        f.amount, f.currency, f.refusal
      FROM test_processor.modifications f
      JOIN test_processor.charges c ON c.reference = f."chargeReference"
      WHERE f."failedAt" IS NOT NULL AND f."reportedAt" IS NULL AND ${condition}
      ORDER BY ${order}
      LIMIT ${noticesMax}`,
  );
  return rows.map(({ reference, processorReference, authorizationReference, amount, currency, refusal }) => ({
    about: 'refund',
    authorizationReference,
    reference,
    amount: Number(amount),
    currency,
    outcome: { result: 'refused', message: refusal, processorReference },
  }));
}

export type ModificationType = 'capture' | 'void' | 'refund';

/**
 * Captures, voids or refunds a charge in the test processor's records. The charge is locked, so that its modifications
 * are serialized and a repeated reference finds the first one. A refusal is stored as well, so that the same reference
 * does not succeed after the caller has recorded the refusal. With `fails`, the modification is always refused.
 */
export async function modify(
  pool: pg.Pool,
  type: ModificationType,
  requested: Modification,
  now: Date,
  fails = false,
): Promise<ModificationOutcome> {
  return await inTransaction(pool, (client) => modifyOn(client, type, requested, now, fails));
}

export async function findModification(
  database: Queryable,
  reference: string,
): Promise<ModificationOutcome | UnknownAtProcessor> {
  const row = await modificationOf(database, reference);
  return row === undefined ? { result: 'unseen' } : outcomeOfModification(row);
}

async function modifyOn(
  client: pg.ClientBase,
  type: ModificationType,
  requested: Modification,
  now: Date,
  fails: boolean,
): Promise<ModificationOutcome> {
  await lockCharge(client, requested.authorizationReference);
  const charge = await queryRow<ChargeMoney>(
    client,
    sql`
      SELECT
        reference, currency, status, amount, "capturedAmount", "refundedAmount", "refundsFail",
        ${disputedAmount} AS "disputedAmount"
      FROM test_processor.charges c
      WHERE "processorReference" = ${requested.authorizationReference}`,
  );
  if (charge === undefined) return { result: 'refused', message: 'Charge not found.', processorReference: null };

  const earlier = await modificationOf(client, requested.reference);
  if (earlier !== undefined) {
    if (!isSameModification(earlier, type, charge, requested)) throw new ReferenceReused(requested.reference);
    return outcomeOfModification(earlier);
  }

  const refusal = refusalOf(type, charge, requested) ?? (fails ? 'The test processor could not process it.' : null);
  const failsAt = type === 'refund' && refusal === null && charge.refundsFail ? failureTimeOf(now) : null;
  const processorReference = `tp_${referenceTypes[type]}_${randomBase62(20)}`;
  await execute(
    client,
    sql`
      INSERT INTO test_processor.modifications
        (reference, "processorReference", "chargeReference", type, amount, currency, refusal, "failsAt", "createdAt")
      VALUES
        (${requested.reference}, ${processorReference}, ${charge.reference}, ${type}, ${requested.amount}, ${requested.currency},
         ${refusal}, ${failsAt}, ${now})`,
  );
  if (refusal === null)
    await execute(
      client,
      sql`
        UPDATE test_processor.charges
        SET "updatedAt" = ${now}, ${changeOf(type, requested.amount, now)}
        WHERE reference = ${charge.reference}`,
    );
  return outcomeOfModification({ processorReference, refusal });
}

interface ChargeMoney {
  reference: string;
  currency: string;
  status: string;
  /** Bigints of PostgreSQL as strings. */
  amount: string;
  capturedAmount: string;
  refundedAmount: string;
  disputedAmount: string;
  refundsFail: boolean;
}

interface ModificationRow {
  processorReference: string;
  chargeReference: string;
  type: ModificationType;
  amount: string;
  currency: string;
  refusal: string | null;
}

const referenceTypes = { capture: 'cap', void: 'void', refund: 're' } as const;

function changeOf(type: ModificationType, amount: number, now: Date): Sql {
  switch (type) {
    case 'capture':
      return sql`"capturedAmount" = ${amount}`;
    case 'void':
      return sql`"voidedAt" = ${now}`;
    case 'refund':
      return sql`"refundedAmount" = "refundedAmount" + ${amount}`;
  }
}

function modificationOf(database: Queryable, reference: string): Promise<ModificationRow | undefined> {
  return queryRow<ModificationRow>(
    database,
    sql`
      SELECT "processorReference", "chargeReference", type, amount, currency, refusal
      FROM test_processor.modifications
      WHERE reference = ${reference}`,
  );
}

function isSameModification(
  row: ModificationRow,
  type: ModificationType,
  charge: ChargeMoney,
  requested: Modification,
): boolean {
  return (
    row.type === type &&
    row.chargeReference === charge.reference &&
    row.amount === String(requested.amount) &&
    row.currency === requested.currency
  );
}

function refusalOf(type: ModificationType, charge: ChargeMoney, { amount, currency }: Modification): string | null {
  if (currency !== charge.currency) return `The charge is in ${charge.currency}.`;
  if (!Number.isSafeInteger(amount) || amount <= 0) return 'The amount must be a positive whole number of minor units.';
  const requested = BigInt(amount);
  switch (type) {
    case 'capture':
      if (charge.status !== 'authorized') return `A charge that is ${charge.status} cannot be captured.`;
      return requested > BigInt(charge.amount) ? 'The amount is above the authorized amount.' : null;
    case 'void':
      if (charge.status !== 'authorized') return `A charge that is ${charge.status} cannot be voided.`;
      return requested === BigInt(charge.amount) ? null : 'A void must be of the whole authorized amount.';
    case 'refund':
      if (charge.status !== 'captured') return `A charge that is ${charge.status} cannot be refunded.`;
      return requested > BigInt(charge.capturedAmount) - BigInt(charge.refundedAmount) - BigInt(charge.disputedAmount)
        ? 'The amount is above the amount that can be refunded.'
        : null;
  }
}

function outcomeOfModification({
  processorReference,
  refusal,
}: Pick<ModificationRow, 'processorReference' | 'refusal'>): ModificationOutcome {
  return refusal === null
    ? { result: 'approved', processorReference }
    : { result: 'refused', message: refusal, processorReference };
}
