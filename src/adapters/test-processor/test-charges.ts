import type pg from 'pg';
import { columnList, queryRow, sql } from '../../database/sql.ts';
import { randomBase62 } from '../../kit/ids.ts';
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

/**
 * Inserts a charge, or returns the existing charge with this reference, in one statement. The update changes nothing:
 * `DO NOTHING` would return no row if a concurrent statement has inserted the charge.
 */
export async function recordCharge(
  pool: pg.Pool,
  asked: Authorization,
  now: Date,
  testClockId: string | null,
): Promise<ChargeRow & { fresh: boolean }> {
  const { challenged, verdict, failureCode, answerLost, disputedLater, refundsFail } = decideVerdict(asked);
  const capturedAmount = verdict === 'approved' && asked.capture && !challenged ? asked.amount : 0;
  const row = await queryRow<ChargeRow & { fresh: boolean }>(
    pool,
    sql`
      INSERT INTO test_processor.charges AS c
        (reference, "processorReference", amount, currency, capture, "cardLast4", verdict, "failureCode", challenge,
         "answerLost", "capturedAmount", "createdAt", "updatedAt", "isDisputedLater", "refundsFail", "testClockId")
      VALUES
        (${asked.reference}, ${`tp_ch_${randomBase62(20)}`}, ${asked.amount}, ${asked.currency}, ${asked.capture},
         ${asked.card.cardNumber.slice(-4)}, ${verdict}, ${failureCode}, ${challenged ? 'pending' : 'none'},
         ${answerLost}, ${capturedAmount}, ${now}, ${now}, ${disputedLater}, ${refundsFail}, ${testClockId})
      ON CONFLICT (reference) DO UPDATE SET reference = c.reference
      RETURNING ${chargeColumns}, xmax = 0 AS fresh`,
  );
  if (row === undefined) throw new Error('An upsert returned no row.');
  return row;
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

export function isSameCharge(row: ChargeRow, asked: Authorization): boolean {
  return (
    row.amount === String(asked.amount) &&
    row.currency === asked.currency &&
    row.capture === asked.capture &&
    row.cardLast4 === asked.card.cardNumber.slice(-4)
  );
}

export function outcomeOf({ status, challenge, failureCode, processorReference }: ChargeRow): Outcome {
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
