import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { withOutageRetry } from '../../database/outage-retry.ts';
import { openPool } from '../../database/pool.ts';
import { queryRow, sql } from '../../database/sql.ts';
import type { Clock, PlatformClock } from '../../lib/clock.ts';
import {
  type Modification,
  type ModificationOutcome,
  type Question,
  ReferenceReused,
  UnknownOutcome,
} from '../../ports/card-processor.ts';
import {
  faultsOf,
  hits,
  type ProcessorRecords,
  type ProcessorRecordsPage,
  type RecordedCharge,
  type TestProcessor,
} from '../../ports/test-processor.ts';
import { chargeRecorder, continueCharge, findCharge, isSameCharge, outcomeOfCharge } from './test-charges.ts';
import {
  findDispute,
  markNotified,
  moveDispute,
  nextDisputeOn,
  openDispute,
  openDisputesOn,
  unnotifiedDisputes,
} from './test-disputes.ts';
import {
  failRefundsOn,
  findModification,
  type ModificationType,
  markFailureNotified,
  modify,
  nextFailureOn,
  reportedRefundedAmount,
  unnotifiedFailures,
} from './test-modifications.ts';

const pageSizeMax = 10_000;

async function readProcessorRecords(
  pool: pg.Pool,
  { after = '', limit = 1000 }: ProcessorRecordsPage = {},
): Promise<ProcessorRecords> {
  const pageSize = Math.min(limit, pageSizeMax);
  // One statement, so that the totals and the charges are of the same snapshot.
  const row = await queryRow<{ totals: TotalsRow[] | null; charges: RecordedCharge[] | null }>(
    pool,
    sql`
      SELECT
        (
          SELECT json_agg(t ORDER BY t.currency)
          FROM (
            SELECT
              currency,
              count(*) AS charges,
              sum("capturedAmount")::text AS captured,
              sum(${reportedRefundedAmount})::text AS refunded,
              coalesce(sum(amount) FILTER (WHERE status = 'authorized'), 0)::text AS held
            FROM test_processor.charges c
            GROUP BY currency
          ) t
        ) AS totals,
        (
          SELECT json_agg(c ORDER BY c.reference)
          FROM (
            SELECT
              reference, "processorReference", status, currency, amount, "capturedAmount",
              ${reportedRefundedAmount} AS "refundedAmount"
            FROM test_processor.charges c
            WHERE reference > ${after}
            ORDER BY reference
            LIMIT ${pageSize}
          ) c
        ) AS charges`,
  );
  const charges = row?.charges ?? [];
  const totals = (row?.totals ?? []).map(({ currency, charges: count, captured, refunded, held }) => ({
    currency,
    charges: count,
    captured: BigInt(captured),
    refunded: BigInt(refunded),
    held: BigInt(held),
  }));
  return { totals, charges, next: charges.length < pageSize ? null : (charges.at(-1)?.reference ?? null) };
}

interface TotalsRow {
  currency: string;
  charges: number;
  captured: string;
  refunded: string;
  held: string;
}

const connectionsMax = 4;
const waitMaxMs = 10_000;

export function createTestProcessor({
  database,
  clock,
}: {
  database: string | pg.PoolConfig;
  clock: Clock & Partial<Pick<PlatformClock, 'testClockId'>>;
}): TestProcessor {
  const config = typeof database === 'string' ? { connectionString: database } : database;
  const limits = { max: connectionsMax, connectionTimeoutMillis: waitMaxMs };
  const pool = openPool({ application_name: 'test-processor', ...limits, ...config });
  const recordCharge = chargeRecorder(pool);

  return {
    authorize: (authorization) =>
      rejectAsUnknownUnlessAnswered(authorization, async () => {
        const now = clock.now();
        const row = await recordCharge({ requested: authorization, now, testClockId: clock.testClockId ?? null });
        if (!isSameCharge(row, authorization)) throw new ReferenceReused(authorization.reference);
        await latency(authorization);
        if (row.fresh && row.answerLost && row.status !== 'challenged') throw lostAnswerError(authorization.reference);
        return outcomeOfCharge(row);
      }),

    continueAuthorization: (continuation) =>
      rejectAsUnknownUnlessAnswered(continuation, async () => {
        const { reference } = continuation;
        const decided = await continueCharge(pool, continuation, clock.now());
        await latency(continuation);
        if (decided?.answerLost && decided.status !== 'declined') throw lostAnswerError(reference);
        // If no challenge is pending, the stored result applies.
        const row = decided ?? (await findCharge(pool, reference));
        if (row === undefined) throw new Error(`The test processor has no charge ${reference} to continue.`);
        return outcomeOfCharge(row);
      }),

    find: (question) =>
      rejectAsUnknownUnlessAnswered(question, async () => {
        const row = await findCharge(pool, question.reference);
        return row === undefined ? { result: 'unseen' } : outcomeOfCharge(row);
      }),

    capture: (requested) =>
      rejectAsUnknownUnlessAnswered(requested, () => modifyWithFaults(pool, 'capture', requested, clock.now())),
    void: (requested) =>
      rejectAsUnknownUnlessAnswered(requested, () => modifyWithFaults(pool, 'void', requested, clock.now())),
    refund: (requested) =>
      rejectAsUnknownUnlessAnswered(requested, () => modifyWithFaults(pool, 'refund', requested, clock.now())),
    findModification: (question) =>
      rejectAsUnknownUnlessAnswered(question, () => findModification(pool, question.reference)),

    processorRecords: (page) => readProcessorRecords(pool, page),
    disputes: {
      open: (requested) => openDispute(pool, requested, clock.now()),
      find: (reference) => findDispute(pool, reference),
      move: (processorReference, status) => moveDispute(pool, processorReference, status, clock.now()),
      listUnnotified: () => unnotifiedDisputes(pool, clock.now()),
      markNotified: (notice) => markNotified(pool, notice),
      nextOn: (testClockId) => nextDisputeOn(pool, testClockId),
      openOn: (testClockId) => openDisputesOn(pool, testClockId, clock.now()),
    },
    refundFailures: {
      listUnnotified: () => unnotifiedFailures(pool, clock.now()),
      markNotified: ({ reference }) => markFailureNotified(pool, reference ?? '', clock.now()),
      nextOn: (testClockId) => nextFailureOn(pool, testClockId),
      failOn: (testClockId) => failRefundsOn(pool, testClockId, clock.now()),
    },
    close: () => pool.end(),
  };
}

/** A lost answer is lost on every retry as well. `findModification` returns the recorded outcome. */
async function modifyWithFaults(
  pool: pg.Pool,
  type: ModificationType,
  requested: Modification,
  now: Date,
): Promise<ModificationOutcome> {
  const { errorRate, lostAnswerRate } = faultsOf(requested.processor.options);
  const outcome = await modify(pool, type, requested, now, hits(errorRate, 'error', requested.reference));
  await latency(requested);
  if (hits(lostAnswerRate, 'lostAnswer', requested.reference)) throw lostAnswerError(requested.reference);
  return outcome;
}

/** Runs after the charge or modification was recorded, so a caller that times out must query the outcome. */
async function latency({ processor, signal }: Question): Promise<void> {
  const { latencyMs } = faultsOf(processor.options);
  if (latencyMs > 0) await delay(latencyMs, undefined, { ...(signal && { signal }) });
}

function lostAnswerError(reference: string): UnknownOutcome {
  return new UnknownOutcome(reference, 'the answer was lost');
}

/** Any other failure, such as a broken connection, a restarting database or an abort, may leave a recorded charge. */
async function rejectAsUnknownUnlessAnswered<T>(requested: Question, answer: () => Promise<T>): Promise<T> {
  try {
    if (faultsOf(requested.processor.options).down)
      throw new UnknownOutcome(requested.reference, 'the test processor is switched off');
    return await withOutageRetry({
      run() {
        requested.signal?.throwIfAborted();
        return answer();
      },
    });
  } catch (error) {
    if (error instanceof UnknownOutcome || error instanceof ReferenceReused) throw error;
    throw new UnknownOutcome(requested.reference, 'the test processor did not answer', error);
  }
}
