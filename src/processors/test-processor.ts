import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Clock, PlatformClock } from '../kit/clock.ts';
import { randomBase62 } from '../kit/ids.ts';
import { openPool } from '../kit/pool.ts';
import { ReferenceReused, UnknownOutcome } from '../ports/card-processor.ts';
import type {
  Authorization,
  CardProcessor,
  DeclineCode,
  DisputeNotice,
  DisputeStatus,
  FollowUp,
  FollowUpOutcome,
  Outcome,
  Question,
} from '../ports/card-processor.ts';
import { readBooks } from './test-books.ts';
import type { Books, BooksPage } from './test-books.ts';
import {
  type AskedDispute,
  findDispute,
  markTold,
  moveDispute,
  nextDisputeOn,
  openDispute,
  openDisputesOn,
  untoldDisputes,
} from './test-disputes.ts';
import { faultsOf, hits } from './test-faults.ts';
import { findFollowUp, followUp, type FollowUpType } from './test-follow-ups.ts';
import { declineWords, judge } from './test-verdict.ts';

/** The built-in processor: behaves by test card and keeps its own books, apart from ours, through its own connections. */
export interface TestProcessor extends CardProcessor {
  /** What it has on record, for reconciliation with ours. */
  books(page?: BooksPage): Promise<Books>;
  disputes: TestDisputes;
  close(): Promise<void>;
}

/** The switch by which integrators rehearse disputes. Whoever throws it is told at once; `untold` are those nobody was told of. */
export interface TestDisputes {
  /** A text says why the charge cannot be disputed. */
  open(asked: AskedDispute): Promise<DisputeNotice | string>;
  find(reference: string): Promise<DisputeNotice | null>;
  move(processorReference: string, status: DisputeStatus): Promise<DisputeNotice | null>;
  untold(): Promise<DisputeNotice[]>;
  told(notice: DisputeNotice): Promise<void>;
  /** When a cardholder on a test clock disputes next. */
  nextOn(testClockId: string): Promise<Date | null>;
  /** Has those on a test clock dispute whose time has come. */
  openOn(testClockId: string): Promise<DisputeNotice[]>;
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
  const limits = { max: connectionsMax, connectionTimeoutMillis: waitMaxMs, statement_timeout: waitMaxMs };
  const pool = openPool({ application_name: 'test-processor', ...limits, ...config });

  async function chargeOf(reference: string): Promise<ChargeRow | undefined> {
    const { rows } = await pool.query<ChargeRow>({
      name: 'test-processor-find',
      text: `SELECT ${chargeColumns} FROM test_processor.charges WHERE "reference" = $1`,
      values: [reference],
    });
    return rows[0];
  }

  return {
    authorize: (authorization) =>
      unknownUnlessAnswered(authorization, async () => {
        const row = await book(pool, authorization, clock.now(), clock.testClockId ?? null);
        if (!sameCharge(row, authorization)) throw new ReferenceReused(authorization.reference);
        await latency(authorization);
        if (row.fresh && row.answerLost && row.status !== 'challenged') throw lostAnswer(authorization.reference);
        return outcomeOf(row);
      }),

    continueAuthorization: (continuation) =>
      unknownUnlessAnswered(continuation, async () => {
        const { reference, authentication } = continuation;
        const { rows } = await pool.query<ChargeRow>({
          name: 'test-processor-continue',
          text: `UPDATE test_processor.charges
                 SET "challenge" = $2, "updatedAt" = $3,
                     "capturedAmount" = CASE WHEN $2 = 'succeeded' AND "verdict" = 'approved' AND "capture" THEN "amount" ELSE 0 END
                 WHERE "reference" = $1 AND "challenge" = 'pending' RETURNING ${chargeColumns}`,
          values: [reference, authentication, clock.now()],
        });
        await latency(continuation);
        const [decided] = rows;
        if (decided?.answerLost && decided.status !== 'declined') throw lostAnswer(reference);
        // No row: the challenge was answered before, and what was decided then stays.
        const row = decided ?? (await chargeOf(reference));
        if (row === undefined) throw new Error(`The test processor has no charge ${reference} to continue.`);
        return outcomeOf(row);
      }),

    find: (question) =>
      unknownUnlessAnswered(question, async () => {
        const row = await chargeOf(question.reference);
        return row === undefined ? { result: 'unseen' } : outcomeOf(row);
      }),

    capture: (asked) => unknownUnlessAnswered(asked, () => followUpWithFaults(pool, 'capture', asked, clock.now())),
    void: (asked) => unknownUnlessAnswered(asked, () => followUpWithFaults(pool, 'void', asked, clock.now())),
    refund: (asked) => unknownUnlessAnswered(asked, () => followUpWithFaults(pool, 'refund', asked, clock.now())),
    findFollowUp: (question) => unknownUnlessAnswered(question, () => findFollowUp(pool, question.reference)),

    books: (page) => readBooks(pool, page),
    disputes: {
      open: (asked) => openDispute(pool, asked, clock.now()),
      find: (reference) => findDispute(pool, reference),
      move: (processorReference, status) => moveDispute(pool, processorReference, status, clock.now()),
      untold: () => untoldDisputes(pool, clock.now()),
      told: (notice) => markTold(pool, notice),
      nextOn: (testClockId) => nextDisputeOn(pool, testClockId),
      openOn: (testClockId) => openDisputesOn(pool, testClockId, clock.now()),
    },
    close: () => pool.end(),
  };
}

interface ChargeRow {
  reference: string;
  processorReference: string;
  /** PostgreSQL's bigint, as text. */
  amount: string;
  currency: string;
  capture: boolean;
  cardLast4: string;
  failureCode: DeclineCode | null;
  challenge: 'none' | 'pending' | 'succeeded' | 'failed';
  answerLost: boolean;
  status: 'challenged' | 'declined' | 'error' | 'voided' | 'captured' | 'authorized';
}

const chargeColumns = `"reference", "processorReference", "amount", "currency", "capture", "cardLast4", "failureCode", "challenge", "answerLost", "status"`;

/**
 * One statement: the new charge, or the one that stands under this reference. The update changes nothing; it is there because
 * `DO NOTHING` would return no row to the loser of a race, which cannot see the winner's yet.
 */
async function book(
  pool: pg.Pool,
  asked: Authorization,
  now: Date,
  testClockId: string | null,
): Promise<ChargeRow & { fresh: boolean }> {
  const { challenged, verdict, failureCode, answerLost, disputedLater } = judge(asked);
  const capturedAmount = verdict === 'approved' && asked.capture && !challenged ? asked.amount : 0;
  const { rows } = await pool.query<ChargeRow & { fresh: boolean }>({
    name: 'test-processor-authorize',
    text: `INSERT INTO test_processor.charges AS c ("reference", "processorReference", "amount", "currency", "capture", "cardLast4",
             "verdict", "failureCode", "challenge", "answerLost", "capturedAmount", "createdAt", "updatedAt", "isDisputedLater", "testClockId")
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $14)
           ON CONFLICT ("reference") DO UPDATE SET "reference" = c."reference"
           RETURNING ${chargeColumns}, xmax = 0 AS fresh`,
    values: [
      asked.reference,
      `tp_ch_${randomBase62(20)}`,
      asked.amount,
      asked.currency,
      asked.capture,
      asked.card.cardNumber.slice(-4),
      verdict,
      failureCode,
      challenged ? 'pending' : 'none',
      answerLost,
      capturedAmount,
      now,
      disputedLater,
      testClockId,
    ],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('An upsert returned no row.');
  return row;
}

function sameCharge(row: ChargeRow, asked: Authorization): boolean {
  return (
    row.amount === String(asked.amount) &&
    row.currency === asked.currency &&
    row.capture === asked.capture &&
    row.cardLast4 === asked.card.cardNumber.slice(-4)
  );
}

function outcomeOf({ status, challenge, failureCode, processorReference }: ChargeRow): Outcome {
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
    // What was done with the money later does not change how the authorization went.
    case 'authorized':
    case 'captured':
    case 'voided':
      return { result: 'approved', processorReference };
  }
}

/** An answer is lost each time the same call is sent; `findFollowUp` tells what was booked. */
async function followUpWithFaults(
  pool: pg.Pool,
  type: FollowUpType,
  asked: FollowUp,
  now: Date,
): Promise<FollowUpOutcome> {
  const { errorRate, lostAnswerRate } = faultsOf(asked.processor.options);
  const outcome = await followUp(pool, type, asked, now, hits(errorRate, 'error', asked.reference));
  await latency(asked);
  if (hits(lostAnswerRate, 'lostAnswer', asked.reference)) throw lostAnswer(asked.reference);
  return outcome;
}

/** What was asked is booked by now: who stops waiting must ask what became of it. */
async function latency({ processor, signal }: Question): Promise<void> {
  const { latencyMs } = faultsOf(processor.options);
  if (latencyMs > 0) await delay(latencyMs, undefined, { ...(signal && { signal }) });
}

function lostAnswer(reference: string): UnknownOutcome {
  return new UnknownOutcome(reference, 'the answer was lost on its way');
}

/** A processor that is down, a broken connection, a database that restarts, a caller who stopped waiting: it may have been booked all the same. */
async function unknownUnlessAnswered<T>(asked: Question, answer: () => Promise<T>): Promise<T> {
  try {
    if (faultsOf(asked.processor.options).down)
      throw new UnknownOutcome(asked.reference, 'the test processor is switched off');
    asked.signal?.throwIfAborted();
    return await answer();
  } catch (error) {
    if (error instanceof UnknownOutcome || error instanceof ReferenceReused) throw error;
    throw new UnknownOutcome(asked.reference, 'the test processor did not answer', error);
  }
}
