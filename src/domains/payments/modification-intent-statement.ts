import { mayChargeSql } from '../../auth/standing.ts';
import { recordset, rowsOf } from '../../database/recordset.ts';
import { empty, type Sql, sql } from '../../database/sql.ts';
import { claimColumns, claimsPart, type IdempotencyRecordKey } from '../../write/idempotency.ts';
import { assign } from '../../write/statement.ts';
import type { ModificationIntent } from './modification-intent.ts';
import type { PaymentRow } from './payment-rows.ts';

/** The intents of one payment, decided one after the other on a version of its row. */
export interface DecidedPayment {
  /** The version of the payment's row that was read; null under its lock. */
  version: string | null;
  takesMoney: boolean;
  /** The payment with what all of them reserve. */
  payment: PaymentRow;
  calls: readonly { recordKey: IdempotencyRecordKey | null; intent: ModificationIntent }[];
}

const reservedColumns = { status: 'text', subStatus: 'text', reservedAmount: 'bigint', updatedAt: 'timestamptz' };
const heldColumns = { id: 'text', version: 'xid', takesMoney: 'boolean', keys: 'int', ...reservedColumns };
const callColumns = { paymentId: 'text', subjectId: 'text', ...claimColumns };

/**
 * The CTEs of the intents of different payments. Keys are claimed last, since a key claimed for an intent that is not
 * written would never get an answer. Of a payment all intents are written or none: each depends on those before it. A
 * row that is locked is left out: a batch waits for no payment.
 */
export function reservedParts(decided: readonly DecidedPayment[]): Sql[] {
  const rows = decided.map(({ version, takesMoney, payment, calls }) => {
    const { id, status, subStatus, reservedAmount, updatedAt } = payment;
    const keys = calls.filter(({ recordKey }) => recordKey !== null).length;
    return { id, version, takesMoney, keys, status, subStatus, reservedAmount, updatedAt };
  });
  const intents = decided.flatMap(({ calls }) => calls.map(({ intent }) => intent));
  const refunds = intents.flatMap(({ refund }) => refund ?? []);
  const isShared = decided.some(({ calls }) => calls.length > 1);
  return [
    sql`called AS (SELECT c.* FROM ${recordset('c', callColumns, 'subjectId', callsOf(decided))})`,
    sql`held AS (
      SELECT r.*
      FROM ${recordset('r', heldColumns, 'id', rows)}
      JOIN payments t ON t.id = r.id AND (r.version IS NULL OR t.xmin = r.version)
      ${decided.some(({ takesMoney }) => takesMoney) ? chargingAccounts : empty}
      ${isShared ? whereKeysAreFree : empty}
      FOR NO KEY UPDATE OF t SKIP LOCKED
    )`,
    sql`asked AS (SELECT called.* FROM held JOIN called ON called."paymentId" = held.id)`,
    sql`claimed AS (${claimsPart('asked')})`,
    sql`reserved AS (
      UPDATE payments t
      SET ${assign(Object.keys(reservedColumns))}
      FROM held r
      CROSS JOIN LATERAL (
        SELECT count(*) AS claims
        FROM asked
        JOIN claimed ON claimed."subjectId" = asked."subjectId"
        WHERE asked."paymentId" = r.id
      ) n
      WHERE t.id = r.id AND ${isShared ? allClaimed : sql`n.claims = r.keys`}
      RETURNING t.id, t.xmin::text AS version
    )`,
    sql`begun AS (
      INSERT INTO transactions
      SELECT r.*
      FROM reserved
      JOIN ${rowsOf(
        'r',
        'transactions',
        intents.map(({ transaction }) => transaction),
      )} ON r."paymentId" = reserved.id
    )`,
    ...(refunds.length > 0
      ? [
          sql`refunding AS (
            INSERT INTO refunds
            SELECT r.*
            FROM reserved
            JOIN ${rowsOf('r', 'refunds', refunds)} ON r."paymentId" = reserved.id
          )`,
        ]
      : []),
  ];
}

function callsOf(decided: readonly DecidedPayment[]): object[] {
  return decided.flatMap(({ payment, calls }) =>
    calls.map(({ recordKey, intent }) => ({
      ...recordKey,
      paymentId: payment.id,
      subjectId: intent.transaction.id,
    })),
  );
}

const chargingAccounts = sql`
  JOIN processing_accounts a ON a.id = t."platformAccountId"
  JOIN partners owner ON owner.id = t."partnerId" AND (NOT r."takesMoney" OR ${mayChargeSql})`;

/** Several calls of a payment are written together only if none of them is a repeat, which claims nothing. */
const whereKeysAreFree = sql`
  WHERE r.keys < 2 OR NOT EXISTS (
    SELECT 1
    FROM called
    JOIN idempotency_records i
      ON i.owner = called.owner AND i.operation = called.operation AND i.key = called.key
    WHERE called."paymentId" = r.id
  )`;

/**
 * A key that was free a moment ago may be taken by a call about another payment. Then the others of its payment must
 * not stay claimed: a division by zero ends the statement, and each call is written alone.
 */
const allClaimed = sql`CASE n.claims WHEN r.keys THEN true WHEN 0 THEN false ELSE 1 / (n.claims - n.claims) > 0 END`;
