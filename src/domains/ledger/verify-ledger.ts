import { type Queryable, queryRow, queryRows, type Sql, sql } from '../../database/sql.ts';
import type { Mode } from '../../lib/ids.ts';
import type { Services } from '../../services.ts';
import { compareWithTestProcessor } from './compare-processor-records.ts';

/** A difference found in the ledger or between the ledger and a processor's records. */
export interface Difference {
  /** What differs: the id of an object, or an account with its currency. */
  about: string;
  message: string;
}

/** The postings of a mode and currency sum to zero. */
const unbalancedPostings = sql`
  SELECT
    mode,
    mode || ' ' || currency AS about,
    'the postings sum to ' || sum(amount) AS message
  FROM ledger.postings
  GROUP BY mode, currency
  HAVING sum(amount) <> 0`;

/** A balance is the sum of its postings. */
const wrongBalances = sql`
  SELECT
    k.mode,
    k."platformAccountId" || ' ' || k.currency || ' ' || k.account AS about,
    'the balance is ' || coalesce(b.balance, 0) || ', its postings sum to ' || coalesce(p.amount, 0) AS message
  FROM (
    SELECT "platformAccountId", mode, currency, account FROM ledger.balances
    UNION
    SELECT "platformAccountId", mode, currency, account FROM ledger.postings
  ) k
  LEFT JOIN (
    SELECT "platformAccountId", mode, currency, account, sum(balance) AS balance
    FROM ledger.balances
    GROUP BY 1, 2, 3, 4
  ) b USING ("platformAccountId", mode, currency, account)
  LEFT JOIN (
    SELECT "platformAccountId", mode, currency, account, sum(amount) AS amount
    FROM ledger.postings
    GROUP BY 1, 2, 3, 4
  ) p USING ("platformAccountId", mode, currency, account)
  WHERE coalesce(b.balance, 0) <> coalesce(p.amount, 0)`;

/**
 * A journal entry belongs to the transaction or dispute that its id begins with, and every transaction that moves money
 * has one.
 */
const wrongJournalEntries = sql`
  SELECT
    p.mode,
    p."journalEntryId" AS about,
    'it moves ' || p.amount || ' ' || p.currency || ' for ' || p."paymentId" || ', which has no such journal entry'
      AS message
  FROM ledger.postings p
  LEFT JOIN transactions t ON t.id = split_part(p."journalEntryId", ':', 1) AND t."paymentId" = p."paymentId"
  LEFT JOIN disputes d ON d.id = split_part(p."journalEntryId", ':', 1) AND d."paymentId" = p."paymentId"
  WHERE p.amount > 0
    AND (
      (t.id IS NULL AND d.id IS NULL)
      OR (t.id = p."journalEntryId" AND (t.amount, t.currency) IS DISTINCT FROM (p.amount, p.currency))
    )
  UNION ALL
  SELECT t.mode, t.id AS about, 'the ' || t.type || ' has no postings' AS message
  FROM transactions t
  WHERE t.status = 'succeeded' AND t.type IN ('purchase', 'capture', 'refund')
    AND NOT EXISTS (SELECT 1 FROM ledger.postings p WHERE p."journalEntryId" = t.id)`;

/** The amounts of a payment equal those of its postings. Disputed amounts are mentioned only if there are any. */
const wrongPayments = sql`
  SELECT
    p.mode,
    p.id AS about,
    'captured ' || p."capturedAmount" || ' and refunded ' || p."refundedAmount"
      || CASE
        WHEN p."disputedAmount" + coalesce(l.disputed, 0) > 0 THEN ' and disputed ' || p."disputedAmount"
        ELSE ''
      END
      || ' ' || p.currency || ', by its postings ' || coalesce(l.captured, 0) || ' and ' || coalesce(l.refunded, 0)
      || CASE
        WHEN p."disputedAmount" + coalesce(l.disputed, 0) > 0 THEN ' and ' || coalesce(l.disputed, 0)
        ELSE ''
      END
      || ', owed by the processor ' || coalesce(l.receivable, 0) AS message
  FROM payments p
  LEFT JOIN (
    SELECT
      "paymentId",
      currency,
      -coalesce(sum(amount) FILTER (WHERE account = 'merchant_balance'), 0) AS captured,
      coalesce(sum(amount) FILTER (WHERE account = 'refunds'), 0) AS refunded,
      coalesce(sum(amount) FILTER (WHERE account IN ('disputes', 'dispute_losses')), 0) AS disputed,
      coalesce(sum(amount) FILTER (WHERE account = 'dispute_losses'), 0) AS lost,
      coalesce(sum(amount) FILTER (WHERE account = 'processor_receivable'), 0) AS receivable
    FROM ledger.postings
    GROUP BY "paymentId", currency
  ) l ON l."paymentId" = p.id AND l.currency = p.currency
  WHERE p."capturedAmount" <> coalesce(l.captured, 0)
    OR p."refundedAmount" <> coalesce(l.refunded, 0)
    OR p."disputedAmount" <> coalesce(l.disputed, 0)
    OR coalesce(l.receivable, 0) <> coalesce(l.captured, 0) - coalesce(l.refunded, 0) - coalesce(l.disputed, 0)
    OR coalesce(l.lost, 0) <> greatest(0, p."refundedAmount" + p."disputedAmount" - p."capturedAmount")`;

/** In another currency than its own, a payment has only the losses of its disputes in that currency. */
const wrongForeignPostings = sql`
  SELECT
    coalesce(l.mode, d.mode) AS mode,
    coalesce(l."paymentId", d."paymentId") AS about,
    'disputed ' || coalesce(d.disputed, 0) || ' ' || coalesce(l.currency, d.currency) || ', by its postings '
      || coalesce(l.lost, 0) || ', owed by the processor ' || coalesce(l.receivable, 0) AS message
  FROM (
    SELECT
      s."paymentId",
      s.mode,
      s.currency,
      coalesce(sum(s.amount) FILTER (WHERE s.account = 'dispute_losses'), 0) AS lost,
      coalesce(sum(s.amount) FILTER (WHERE s.account <> 'dispute_losses'), 0) AS receivable,
      bool_or(s.account NOT IN ('dispute_losses', 'processor_receivable')) AS "isStray"
    FROM ledger.postings s
    JOIN payments p ON p.id = s."paymentId" AND p.currency <> s.currency
    GROUP BY s."paymentId", s.mode, s.currency
  ) l
  FULL JOIN (
    SELECT d."paymentId", d.mode, d.currency, sum(d.amount) AS disputed
    FROM disputes d
    JOIN payments p ON p.id = d."paymentId" AND p.currency <> d.currency
    WHERE d.status <> 'won'
    GROUP BY d."paymentId", d.mode, d.currency
  ) d ON d."paymentId" = l."paymentId" AND d.currency = l.currency
  WHERE coalesce(d.disputed, 0) <> coalesce(l.lost, 0)
    OR coalesce(l.receivable, 0) <> -coalesce(l.lost, 0)
    OR l."isStray"`;

/** The refunded and reserved amounts of a payment equal those of its refunds. */
const wrongRefunds = sql`
  SELECT
    p.mode,
    p.id AS about,
    'refunded ' || p."refundedAmount" || ' and reserved ' || p."reservedAmount" || ', by its refunds '
      || coalesce(r.succeeded, 0) || ' and ' || coalesce(r.pending, 0) AS message
  FROM payments p
  LEFT JOIN (
    SELECT
      "paymentId",
      coalesce(sum(amount) FILTER (WHERE status = 'succeeded'), 0) AS succeeded,
      coalesce(sum(amount) FILTER (WHERE status = 'pending'), 0) AS pending
    FROM refunds
    GROUP BY "paymentId"
  ) r ON r."paymentId" = p.id
  WHERE p."refundedAmount" <> coalesce(r.succeeded, 0) OR p."reservedAmount" <> coalesce(r.pending, 0)`;

/**
 * The disputed amount of a payment equals that of its disputes that are not won; those in another currency are counted.
 */
const wrongDisputes = sql`
  SELECT
    p.mode,
    p.id AS about,
    'disputed ' || p."disputedAmount" || ' and ' || p."foreignDisputes" || ' times in another currency, by its ' ||
    'disputes '
      || coalesce(d.disputed, 0) || ' and ' || coalesce(d."foreign", 0) AS message
  FROM payments p
  LEFT JOIN (
    SELECT
      d."paymentId",
      sum(d.amount) FILTER (WHERE d.currency = p.currency) AS disputed,
      count(*) FILTER (WHERE d.currency <> p.currency) AS "foreign"
    FROM disputes d
    JOIN payments p ON p.id = d."paymentId"
    WHERE d.status <> 'won'
    GROUP BY d."paymentId"
  ) d ON d."paymentId" = p.id
  WHERE p."disputedAmount" <> coalesce(d.disputed, 0) OR p."foreignDisputes" <> coalesce(d."foreign", 0)`;

/**
 * A dispute of the test processor has the state that the platform was last notified of. Unnotified ones are excluded.
 */
const wrongTestDisputes = sql`
  SELECT
    'test' AS mode,
    coalesce(o.id, t."processorReference") AS about,
    'the dispute is ' || coalesce(o.status || ' over ' || o.amount || ' ' || o.currency, 'unknown')
      || ', at the processor ' || coalesce(t.status || ' over ' || t.amount || ' ' || t.currency, 'unknown') AS message
  FROM (SELECT * FROM test_processor.disputes WHERE "reportedStatus" = status) t
  FULL JOIN (
    SELECT d.*
    FROM disputes d
    JOIN processors p ON p.id = d."processorId" AND p.type = 'test'
    WHERE NOT EXISTS (
      SELECT 1
      FROM test_processor.disputes u
      WHERE u."processorReference" = d."processorReference" AND u."reportedStatus" IS DISTINCT FROM u.status
    )
  ) o USING ("processorReference")
  WHERE (o.status, o.amount, o.currency) IS DISTINCT FROM (t.status, t.amount, t.currency)`;

export interface LedgerReport {
  postings: number;
  payments: number;
  /** Charges compared with the records of the test processor. */
  charges: number;
  /** Charges excluded from that comparison, since their outcome is unknown. */
  unresolved: number;
  differences: Difference[];
}

const checks = [
  unbalancedPostings,
  wrongBalances,
  wrongJournalEntries,
  wrongPayments,
  wrongForeignPostings,
  wrongRefunds,
  wrongDisputes,
  wrongTestDisputes,
];

/**
 * Verifies the ledger of a mode, or of both: postings sum to zero in every currency, balances are the sums of their
 * postings, journal entries belong to transactions and disputes, the amounts of payments equal those of their postings,
 * and the records of the test processor agree with the ledger.
 */
export async function verifyLedger(services: Services, mode: Mode | null = null): Promise<LedgerReport> {
  const { pool } = services;
  const [found, counts, processor] = await Promise.all([
    ledgerDifferences(pool, mode),
    queryRow<{ postings: number; payments: number }>(
      pool,
      sql`
        SELECT
          (SELECT count(*) FROM ledger.postings WHERE ${mode}::text IS NULL OR mode = ${mode}) AS postings,
          (SELECT count(*) FROM payments WHERE ${mode}::text IS NULL OR mode = ${mode}) AS payments`,
    ),
    mode === 'live' ? nothingCompared : compareWithTestProcessor(services),
  ]);
  return {
    postings: counts?.postings ?? 0,
    payments: counts?.payments ?? 0,
    charges: processor.charges,
    unresolved: processor.unresolved,
    differences: [...found, ...processor.differences],
  };
}

/** The differences within the ledger and its payments, without a processor's records. The checks run in sequence. */
export async function ledgerDifferences(database: Queryable, mode: Mode | null = null): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const check of checks) found.push(...(await queryRows<Difference>(database, ofMode(check, mode))));
  return found;
}

/** There is no test processor in live mode. */
const nothingCompared = { charges: 0, unresolved: 0, differences: [] };

function ofMode(check: Sql, mode: Mode | null): Sql {
  return sql`
    SELECT about, message
    FROM (${check}) found
    WHERE ${mode}::text IS NULL OR mode = ${mode}`;
}
