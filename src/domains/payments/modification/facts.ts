import type pg from 'pg';
import type { ChargingStatus } from '../../../auth/charging-status.ts';
import {
  requestedTenant,
  requestedTenantColumns,
  requestedTenantCondition,
  type Tenant,
} from '../../../auth/tenancy.ts';
import { batched } from '../../../database/batched.ts';
import { recordset } from '../../../database/recordset.ts';
import { queryRows, type Sql, sql } from '../../../database/sql.ts';
import type { TestClockTime } from '../../../lib/clock.ts';
import type { ConnectionRow } from '../../processors/public.ts';
import type { PaymentRow, PaymentWithTransactions, TransactionRow } from '../payment/rows.ts';

/** The data on which a capture, void or refund depends. */
export interface ModificationFacts {
  state: PaymentWithTransactions;
  /** The version of the payment's row. If the row has another version, it was changed since it was read. */
  version: string;
  chargingStatus: ChargingStatus;
  /** The processor that approved the payment. */
  processor: ConnectionRow | null;
  testClock: TestClockTime | null;
}

/** Reads the facts of a modification; undefined if the caller has no such payment. */
export type ReadModificationFacts = (tenant: Tenant, paymentId: string) => Promise<ModificationFacts | undefined>;

const questionColumns = { at: 'text', paymentId: 'text', known: 'xid', ...requestedTenantColumns };
type Question = Record<keyof typeof questionColumns, string | null>;

interface FactsRow extends ChargingStatus, PaymentRow {
  at: string;
  version: string;
  /** Null if the payment still has the version whose transactions are known. */
  transactions: Stored<TransactionRow>[] | null;
  processor: ConnectionRow | null;
  testClockNow: Date | null;
}

/** A row as JSON of the database, in which times are texts. */
type Stored<Row> = { [Name in keyof Row]: Row[Name] extends Date ? string : Row[Name] };

const questionsMax = 32;

/**
 * Reads the facts of modifications that arrive together by one statement. The transactions of a payment are not read
 * again if its row has the version that another call of this process has written: there may be hundreds of them.
 */
export function modificationFactsReader(
  pool: pg.Pool,
  { latest }: Pick<PaymentsInFlight, 'latest'>,
): ReadModificationFacts {
  const load = batched<Requested, ModificationFacts | undefined>(
    async (questions) => {
      // The same question of several calls is read once.
      const requested = new Map(
        questions.map((question) => [keyOf(question), { ...question, latest: latest(question.paymentId) }]),
      );
      const rows = await queryRows<FactsRow>(
        pool,
        factsStatement(
          [...requested].map(([at, { latest: known, ...question }]) => ({
            ...question,
            at,
            known: known?.version ?? null,
          })),
        ),
      );
      const byQuestion = new Map(rows.map((row) => [row.at, factsOf(row, requested.get(row.at)?.latest?.state)]));
      return questions.map((question) => byQuestion.get(keyOf(question)));
    },
    { most: questionsMax },
  );
  return (tenant, paymentId) => load({ paymentId, ...requestedTenant(tenant) });
}

type Requested = Omit<Question, 'at' | 'known'> & { paymentId: string };

const keyOf = (question: Requested): string => JSON.stringify(Object.values(question));

function factsStatement(questions: readonly Question[]): Sql {
  return sql`
    SELECT
      q.at, t.*, t.xmin::text AS version, a.status AS "accountStatus", owner.status AS "partnerStatus",
      c.now AS "testClockNow",
      CASE WHEN p.id IS NOT NULL
        THEN json_build_object('id', p.id, 'options', p.options, 'secrets', p.secrets)
      END AS processor,
      CASE WHEN q.known IS NULL OR t.xmin <> q.known
        THEN (
          SELECT coalesce(json_agg(x ORDER BY x."createdAt", x.id), '[]')
          FROM transactions x
          WHERE x."paymentId" = t.id
        )
      END AS transactions
    FROM ${recordset('q', questionColumns, 'at', questions)}
    JOIN payments t ON t.id = q."paymentId" AND ${requestedTenantCondition('t')}
    JOIN processing_accounts a ON a.id = t."platformAccountId"
    JOIN partners owner ON owner.id = t."partnerId"
    LEFT JOIN processors p ON p.id = t."processorId"
    LEFT JOIN test_clocks c ON c.id = t."testClockId"`;
}

/** `known`: the payment in the version that the question named. */
function factsOf(row: FactsRow, known: PaymentWithTransactions | undefined): ModificationFacts {
  const { at: _at, version, accountStatus, partnerStatus, processor, testClockNow, transactions, ...payment } = row;
  return {
    state: { payment, transactions: transactions?.map(parseTransaction) ?? known?.transactions ?? [] },
    version,
    chargingStatus: { accountStatus, partnerStatus },
    processor,
    testClock: payment.testClockId !== null && testClockNow ? { id: payment.testClockId, now: testClockNow } : null,
  };
}

function parseTransaction({ askedAt, createdAt, updatedAt, ...row }: Stored<TransactionRow>): TransactionRow {
  return { ...row, askedAt: new Date(askedAt), createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}

/** A payment as it was read or written, and the version of its row (`xmin`) at that time. */
export interface VersionedPayment {
  state: PaymentWithTransactions;
  version: string;
}

/**
 * The payments that calls of this process are changing, each as its last statement has left it. So a call that waited
 * for another is decided on the result of that one without reading the payment again. The state may be out of date,
 * since other processes change payments too: a decision is written only if the row has that version.
 */
export interface PaymentsInFlight {
  /** Keeps the payment until the returned function is called. */
  enter(paymentId: string): () => void;
  latest(paymentId: string): VersionedPayment | null;
  /** Sets the state after a statement; null if the row was found to have another version. */
  note(paymentId: string, latest: VersionedPayment | null): void;
}

export function paymentsInFlight(): PaymentsInFlight {
  const entries = new Map<string, { calls: number; latest: VersionedPayment | null }>();
  return {
    enter(paymentId) {
      const entry = entries.get(paymentId) ?? { calls: 0, latest: null };
      entry.calls += 1;
      entries.set(paymentId, entry);
      return () => {
        entry.calls -= 1;
        if (entry.calls === 0) entries.delete(paymentId);
      };
    },
    latest: (paymentId) => entries.get(paymentId)?.latest ?? null,
    note(paymentId, latest) {
      const entry = entries.get(paymentId);
      if (entry) entry.latest = latest;
    },
  };
}
