import type pg from 'pg';
import { randomBase62 } from '../kit/ids.ts';
import { inTransaction } from '../kit/transaction.ts';
import type { DisputeNotice, DisputeReason, DisputeStatus } from '../ports/card-processor.ts';

/** What the cardholder's bank is made to do. The same reference again is the same dispute. */
export interface AskedDispute {
  reference: string;
  /** The processor's own reference of the charge. */
  authorizationReference: string;
  amount: number;
  reason: DisputeReason;
}

const evidenceTimeMs = 7 * 24 * 60 * 60_000;
const noticesMax = 100;

/** Books a dispute; a text says why there is none. The charge is locked, so that a refund at the same time takes what is left or nothing. */
export function openDispute(pool: pg.Pool, asked: AskedDispute, now: Date): Promise<DisputeNotice | string> {
  return inTransaction(pool, async (client) => {
    await lockCharge(client, asked.authorizationReference);
    const { rows } = await client.query<{ reference: string; currency: string; rest: string }>(
      `SELECT c."reference", c."currency", c."capturedAmount" - c."refundedAmount" - ${disputedOf('c')} AS rest FROM test_processor.charges c WHERE c."processorReference" = $1`,
      [asked.authorizationReference],
    );
    const [charge] = rows;
    if (!charge) return 'There is no such charge.';
    const earlier = await findDispute(client, asked.reference);
    if (earlier) return earlier;
    if (BigInt(asked.amount) > BigInt(charge.rest)) return 'The amount is above what is left of the charge.';
    const values = [
      asked.reference,
      `tp_du_${randomBase62(20)}`,
      charge.reference,
      asked.amount,
      charge.currency,
      asked.reason,
      new Date(now.getTime() + evidenceTimeMs),
      now,
    ];
    await client.query(
      `INSERT INTO test_processor.disputes ("reference", "processorReference", "chargeReference", "amount", "currency", "reason", "status", "evidenceDueAt", "createdAt", "updatedAt") VALUES ($1, $2, $3, $4, $5, $6, 'needs_response', $7, $8, $8)`,
      values,
    );
    const made = await findDispute(client, asked.reference);
    if (!made) throw new Error('A dispute just written is not there.');
    return made;
  });
}

export async function findDispute(
  database: Pick<pg.ClientBase, 'query'>,
  reference: string,
): Promise<DisputeNotice | null> {
  return (await noticesOf(database, 'd."reference" = $1', [reference]))[0] ?? null;
}

/** Moves a dispute on; what is decided stays. Gives it as it is then. */
export async function moveDispute(
  pool: pg.Pool,
  processorReference: string,
  status: DisputeStatus,
  now: Date,
): Promise<DisputeNotice | null> {
  await pool.query(
    `UPDATE test_processor.disputes SET "status" = $2, "updatedAt" = $3 WHERE "processorReference" = $1 AND "status" NOT IN ('won', 'lost')`,
    [processorReference, status, now],
  );
  return (await noticesOf(pool, 'd."processorReference" = $1', [processorReference]))[0] ?? null;
}

/** What we have not been told of yet. Before that, the cardholders whose cards dispute every charge do so, but for those on test clocks. */
export async function untoldDisputes(pool: pg.Pool, now: Date): Promise<DisputeNotice[]> {
  await disputeAll(pool, '"testClockId" IS NULL', [], now);
  return noticesOf(
    pool,
    `d."toldStatus" IS DISTINCT FROM d."status" ORDER BY d."createdAt", d."reference" LIMIT ${noticesMax}`,
    [],
  );
}

/** When a cardholder on a test clock disputes next. */
export async function nextDisputeOn(pool: pg.Pool, testClockId: string): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date | null }>(
    `SELECT min(c."updatedAt") AS at FROM test_processor.charges c WHERE ${isToBeDisputed} AND c."testClockId" = $1`,
    [testClockId],
  );
  const at = rows[0]?.at;
  return at ? new Date(at.getTime() + cardholderWaitMs) : null;
}

/** Has those on a test clock dispute whose time has come. */
export function openDisputesOn(pool: pg.Pool, testClockId: string, now: Date): Promise<DisputeNotice[]> {
  return disputeAll(
    pool,
    '"testClockId" = $1 AND c."updatedAt" <= $2',
    [testClockId, new Date(now.getTime() - cardholderWaitMs)],
    now,
  );
}

/** How long after the money was taken; in real time it is as long as the sweep takes to come by. */
const cardholderWaitMs = 5_000;
const isToBeDisputed = `c."isDisputedLater" AND c."capturedAmount" > c."refundedAmount" AND NOT EXISTS (SELECT 1 FROM test_processor.disputes d WHERE d."chargeReference" = c."reference")`;

async function disputeAll(pool: pg.Pool, which: string, values: unknown[], now: Date): Promise<DisputeNotice[]> {
  const { rows } = await pool.query<{ reference: string; processorReference: string; rest: string }>(
    `SELECT c."reference", c."processorReference", c."capturedAmount" - c."refundedAmount" AS rest FROM test_processor.charges c WHERE ${isToBeDisputed} AND c.${which} LIMIT ${noticesMax}`,
    values,
  );
  const opened: DisputeNotice[] = [];
  for (const { reference, processorReference, rest } of rows) {
    const notice = await openDispute(
      pool,
      {
        reference: `of_${reference}`,
        authorizationReference: processorReference,
        amount: Number(rest),
        reason: 'fraudulent',
      },
      now,
    );
    await pool.query('UPDATE test_processor.charges SET "isDisputedLater" = false WHERE "reference" = $1', [reference]);
    if (typeof notice !== 'string') opened.push(notice);
  }
  return opened;
}

/** We have been told of a dispute as it was in this notice. */
export async function markTold(pool: pg.Pool, { processorReference, status }: DisputeNotice): Promise<void> {
  await pool.query('UPDATE test_processor.disputes SET "toldStatus" = $2 WHERE "processorReference" = $1', [
    processorReference,
    status,
  ]);
}

/** Waits for whatever else happens to a charge. What is left of it is read by a later statement: the one that waits still sees the disputes of before. */
export async function lockCharge(client: pg.ClientBase, processorReference: string): Promise<void> {
  await client.query('SELECT 1 FROM test_processor.charges WHERE "processorReference" = $1 FOR UPDATE', [
    processorReference,
  ]);
}

/** What of a charge is in dispute or lost, as an expression. */
export function disputedOf(charge: string): string {
  return `(SELECT coalesce(sum(d."amount"), 0) FROM test_processor.disputes d WHERE d."chargeReference" = ${charge}."reference" AND d."status" <> 'won')`;
}

interface DisputeRow extends Omit<DisputeNotice, 'amount'> {
  /** PostgreSQL's bigint, as text. */
  amount: string;
}

async function noticesOf(
  database: Pick<pg.ClientBase, 'query'>,
  where: string,
  values: unknown[],
): Promise<DisputeNotice[]> {
  const { rows } = await database.query<DisputeRow>(
    `SELECT d."processorReference", c."processorReference" AS "authorizationReference", d."amount", d."currency", d."reason", d."status", d."evidenceDueAt"
     FROM test_processor.disputes d JOIN test_processor.charges c ON c."reference" = d."chargeReference" WHERE ${where}`,
    values,
  );
  return rows.map((row) => ({ ...row, amount: Number(row.amount) }));
}
