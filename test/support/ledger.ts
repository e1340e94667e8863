import type pg from 'pg';
import { expect } from 'vitest';

/** One attempt in the records of both sides. A side without a record has nulls. */
interface Line {
  reference: string | null;
  ours: string | null;
  payment: string | null;
  /** Whether this attempt decides the payment; in a cascade it follows others. */
  decides: boolean | null;
  ourAmount: number | null;
  ourCaptured: number | null;
  ourReference: string | null;
  charge: string | null;
  theirs: string | null;
  theirAmount: number | null;
  theirCaptured: number | null;
  theirReference: string | null;
}

/** The platform's state of a charge for each of the processor's. */
const meaning: Record<string, { transaction: string; payments: string[] }> = {
  captured: { transaction: 'succeeded', payments: ['succeeded/captured'] },
  declined: { transaction: 'declined', payments: ['declined/-'] },
  error: { transaction: 'failed', payments: ['failed/processing_error'] },
  challenged: { transaction: 'requires_action', payments: ['pending/requires_action'] },
};

/**
 * Compares the platform's transactions with the test processor's records, by reference, once every outcome is known.
 */
export async function expectLedgersToAgree(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<Line>(`SELECT
        t.id AS reference, t.status AS ours,
        p.status || '/' || coalesce(p."subStatus", '-') AS payment,
        t."processorId" = p."processorId" AS decides, t.amount AS "ourAmount",
        p."capturedAmount" AS "ourCaptured", t."processorReference" AS "ourReference",
        c.reference AS charge, c.status AS theirs, c.amount AS "theirAmount",
        c."capturedAmount" AS "theirCaptured", c."processorReference" AS "theirReference"
      FROM transactions t
      JOIN payments p ON p.id = t."paymentId"
      FULL JOIN test_processor.charges c ON c.reference = t.id`);
  const differences = rows.filter((line) => {
    const meant = meaning[line.theirs ?? ''];
    if (line.reference === null || meant === undefined) return true;
    if (line.payment === 'failed/authentication_expired') return line.theirCaptured !== 0;
    if (line.decides === false)
      return (
        line.ours !== meant.transaction ||
        line.theirCaptured !== 0 ||
        !['declined', 'error'].includes(line.theirs ?? '')
      );
    const same = line.ours === meant.transaction && meant.payments.includes(line.payment ?? '');
    return (
      !same ||
      line.ourAmount !== line.theirAmount ||
      line.ourCaptured !== line.theirCaptured ||
      line.ourReference !== line.theirReference
    );
  });
  expect(differences).toEqual([]);
}

/**
 * The events of every payment count from 1 without gaps, start with its creation, report each outcome of the
 * charge once, and end in its current state.
 */
export async function expectEventsToBeWhole(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{
    id: string;
    status: string;
    subStatus: string | null;
    sequence: number;
    sequences: number[];
    types: string[];
  }>(
    `SELECT
        p.id, p.status, p."subStatus", p.sequence,
        array_agg(e.sequence ORDER BY e.sequence) AS sequences,
        array_agg(e.type ORDER BY e.sequence) AS types
      FROM payments p
      LEFT JOIN events e ON e."objectId" = p.id
      GROUP BY p.id`,
  );
  const outcome: Record<string, string> = {
    succeeded: 'payment/succeeded',
    declined: 'payment/rejected',
    failed: 'payment/failed',
    pending: 'payment/actionRequired',
    refunded: 'payment/refunded',
    partially_refunded: 'payment/refunded',
  };
  const broken = rows.filter(({ status, sequence, sequences, types }) => {
    const gapless = sequences.length === sequence && sequences.every((number, index) => number === index + 1);
    const outcomes = types.filter((type) => type !== 'payment/refunded');
    const once = new Set(outcomes).size === outcomes.length;
    return !gapless || !once || types[0] !== 'payment/created' || types.at(-1) !== outcome[status];
  });
  expect(broken).toEqual([]);
}

/** The events of every dispute count from 1 without gaps, start with its creation, and end in its current state. */
export async function expectDisputeEventsToBeWhole(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{
    id: string;
    status: string;
    sequence: number;
    sequences: number[];
    types: string[];
    last: string;
  }>(
    `SELECT
        d.id, d.status, d.sequence, array_agg(e.sequence ORDER BY e.sequence) AS sequences,
        array_agg(e.type ORDER BY e.sequence) AS types,
        (array_agg(e.data #>> '{object,status}' ORDER BY e.sequence DESC))[1] AS last
      FROM disputes d
      LEFT JOIN events e ON e."objectId" = d.id
      GROUP BY d.id`,
  );
  const broken = rows.filter(
    ({ status, sequence, sequences, types, last }) =>
      sequences.length !== sequence ||
      !sequences.every((number, index) => number === index + 1) ||
      types[0] !== 'dispute/created' ||
      types.slice(1).some((type) => type !== 'dispute/updated') ||
      last !== status,
  );
  expect(broken).toEqual([]);
}

/** No attempt waits for the processor's answer. */
export async function unresolvedCount(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{
    n: number;
  }>(`SELECT
      (SELECT count(*) FROM payments WHERE "subStatus" = 'processing')
      + (SELECT count(*) FROM transactions WHERE status = 'processing')
      + (SELECT count(*) FROM idempotency_records WHERE answer IS NULL) AS n`);
  return rows[0]?.n ?? 0;
}

/** The stored totals of the lists equal the counted ones. */
export async function expectCountersToBeTrue(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(
    `SELECT
        (SELECT coalesce(sum(n), 0) FROM counters.row_counts WHERE relation = 'payments') AS kept,
        (SELECT count(*) FROM payments) AS counted`,
  );
  expect(Number(rows[0].kept)).toBe(rows[0].counted);
}

/** The sums of the postings of a payment: `account amount`, by account. */
export async function postingSums(pool: pg.Pool, paymentId: string): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(
    `SELECT account || ' ' || sum(amount) AS line
    FROM ledger.postings
    WHERE "paymentId" = $1
    GROUP BY account
    ORDER BY account`,
    [paymentId],
  );
  return rows.map(({ line }) => line);
}
