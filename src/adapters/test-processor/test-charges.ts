import type pg from 'pg';
import { batched } from '../../database/batched.ts';
import { recordset } from '../../database/recordset.ts';
import { columnList, queryRow, queryRows, sql } from '../../database/sql.ts';
import { tenantQueue, withLockTimeout } from '../../database/tenant-queue.ts';
import { randomBase62 } from '../../lib/ids.ts';
import type { Authorization, CardProcessor, DeclineCode, Outcome } from '../../ports/card-processor.ts';
import { decideVerdict, declineWords } from './test-verdict.ts';

export interface ChargeRow {
  reference: string;
  processorReference: string;
  /** A bigint of PostgreSQL as a string. */
  amount: string;
  currency: string;
  capture: boolean;
  cardLast4: string;
  failureCode: DeclineCode | null;
  challenge: 'none' | 'pending' | 'succeeded' | 'failed';
  answerLost: boolean;
  status: 'challenged' | 'declined' | 'error' | 'voided' | 'captured' | 'authorized';
}

const chargeColumns = columnList([
  'reference',
  'processorReference',
  'amount',
  'currency',
  'capture',
  'cardLast4',
  'failureCode',
  'challenge',
  'answerLost',
  'status',
]);

/** A requested charge, and its time. */
interface RequestedCharge {
  requested: Authorization;
  now: Date;
  testClockId: string | null;
}

type RecordedCharge = ChargeRow & { fresh: boolean };

const recordColumns = {
  reference: 'text',
  processorReference: 'text',
  amount: 'bigint',
  currency: 'text',
  capture: 'boolean',
  cardLast4: 'text',
  verdict: 'text',
  failureCode: 'text',
  challenge: 'text',
  answerLost: 'boolean',
  capturedAmount: 'bigint',
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
  isDisputedLater: 'boolean',
  refundsFail: 'boolean',
  testClockId: 'text',
};

const chargesMax = 32;

/**
 * Inserts a charge, or returns the existing charge with this reference. Charges that arrive together are batched in one
 * statement. The update changes nothing: `DO NOTHING` would return no row if a concurrent statement has inserted the
 * charge.
 */
export function chargeRecorder(pool: pg.Pool): (charge: RequestedCharge) => Promise<RecordedCharge> {
  return batched((charges) => record(pool, charges), {
    most: chargesMax,
    async alone(charge) {
      const alone = () => record(pool, [charge]);
      const [recorded] = await tenantQueue(pool).runWaiting(charge.requested.reference, alone);
      return recorded as RecordedCharge; // of one charge
    },
  });
}

async function record(pool: pg.Pool, charges: readonly RequestedCharge[]): Promise<RecordedCharge[]> {
  const rows = await queryRows<RecordedCharge>(
    pool,
    sql`
      INSERT INTO test_processor.charges AS c (${columnList(Object.keys(recordColumns))})
      SELECT r.*
      FROM ${recordset('r', recordColumns, 'reference', charges.map(newCharge))}
      WHERE ${withLockTimeout}
      ORDER BY r.reference
      ON CONFLICT (reference) DO UPDATE SET reference = c.reference
      RETURNING ${chargeColumns}, xmax = 0 AS fresh`,
  );
  const byReference = new Map(rows.map((row) => [row.reference, row]));
  return charges.map(({ requested }) => {
    const row = byReference.get(requested.reference);
    if (!row) throw new Error('An upsert returned no row.');
    return row;
  });
}

function newCharge({ requested, now, testClockId }: RequestedCharge): Record<keyof typeof recordColumns, unknown> {
  const { reference, amount, currency, capture, card } = requested;
  const { challenged, verdict, failureCode, answerLost, disputedLater, refundsFail } = decideVerdict(requested);
  return {
    reference,
    processorReference: `tp_ch_${randomBase62(20)}`,
    amount,
    currency,
    capture,
    cardLast4: card.cardNumber.slice(-4),
    verdict,
    failureCode,
    challenge: challenged ? 'pending' : 'none',
    answerLost,
    capturedAmount: verdict === 'approved' && capture && !challenged ? amount : 0,
    createdAt: now,
    updatedAt: now,
    isDisputedLater: disputedLater,
    refundsFail,
    testClockId,
  };
}

/** Stores the result of a challenge. Undefined if no challenge is pending. */
export function continueCharge(
  pool: pg.Pool,
  { reference, authentication }: Parameters<CardProcessor['continueAuthorization']>[0],
  now: Date,
): Promise<ChargeRow | undefined> {
  return queryRow<ChargeRow>(
    pool,
    sql`
      UPDATE test_processor.charges
      SET
        challenge = ${authentication},
        "updatedAt" = ${now},
        "capturedAmount" = CASE
          WHEN ${authentication}::text = 'succeeded' AND verdict = 'approved' AND capture THEN amount
          ELSE 0
        END
      WHERE reference = ${reference} AND challenge = 'pending'
      RETURNING ${chargeColumns}`,
  );
}

export function findCharge(pool: pg.Pool, reference: string): Promise<ChargeRow | undefined> {
  return queryRow<ChargeRow>(
    pool,
    sql`SELECT ${chargeColumns} FROM test_processor.charges WHERE reference = ${reference}`,
  );
}

export function isSameCharge(row: ChargeRow, requested: Authorization): boolean {
  return (
    row.amount === String(requested.amount) &&
    row.currency === requested.currency &&
    row.capture === requested.capture &&
    row.cardLast4 === requested.card.cardNumber.slice(-4)
  );
}

export function outcomeOfCharge({ status, challenge, failureCode, processorReference }: ChargeRow): Outcome {
  switch (status) {
    case 'challenged':
      return { result: 'challenge', processorReference, url: null };
    case 'error':
      return { result: 'error', message: 'The test processor could not process the charge.', processorReference };
    case 'declined': {
      const code = challenge === 'failed' || failureCode === null ? 'authentication_failed' : failureCode;
      const { message, hard } = declineWords[code];
      return { result: 'declined', failureCode: code, failureMessage: message, hard, processorReference };
    }
    // A later capture or void does not change the outcome of the authorization.
    case 'authorized':
    case 'captured':
    case 'voided':
      return { result: 'approved', processorReference };
  }
}
