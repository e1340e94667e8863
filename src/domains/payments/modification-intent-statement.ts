import type pg from 'pg';
import { mayChargeSql } from '../../auth/standing.ts';
import { recordset, rowsOf } from '../../database/recordset.ts';
import { empty, type Sql, sql } from '../../database/sql.ts';
import type { Turns } from '../../database/together.ts';
import { commitTogether } from '../../write/commit-together.ts';
import { claimColumns, claimsPart, type IdempotencyRecordKey } from '../../write/idempotency.ts';
import { assign, commitPartsOf } from '../../write/statement.ts';
import type { ModificationIntent } from './modification-intent.ts';

/** The intent of a capture, void or refund, decided on a version of its payment. */
export interface DecidedModification {
  recordKey: IdempotencyRecordKey | null;
  takesMoney: boolean;
  intent: ModificationIntent;
  /** The version of the payment's row that was read; null under its lock. */
  version: string | null;
}

/** A payment with what a modification has reserved of it. */
interface ReservedRow {
  id: string;
  version: string;
}

/**
 * Commits an intent if the payment is still as it was read. Returns undefined, and writes nothing, if it is not, if it
 * is locked, if the idempotency key belongs to an earlier call, or if money is taken and the account may not charge.
 */
export type ReserveModification = (decided: DecidedModification) => Promise<ReservedRow | undefined>;

export function modificationReserver(pool: pg.Pool, turns: Turns): ReserveModification {
  return commitTogether<DecidedModification, ReservedRow>(turns, {
    claims: ({ recordKey, intent: { payment } }) => [
      payment.id,
      ...(recordKey ? [`${recordKey.owner} ${recordKey.operation} ${recordKey.key}`] : []),
    ],
    mayBeWrittenAlone: () => false,
    write: (decided) => commitPartsOf(pool, decided, idOf, reservedParts(decided), 'reserved'),
  });
}

const idOf = ({ intent }: DecidedModification) => intent.payment.id;

const reservedColumns = { status: 'text', subStatus: 'text', reservedAmount: 'bigint', updatedAt: 'timestamptz' };
const askedColumns = {
  id: 'text',
  version: 'xid',
  takesMoney: 'boolean',
  subjectId: 'text',
  ...reservedColumns,
  ...claimColumns,
};

/**
 * The CTEs of intents of different payments. The key is claimed last, since a key claimed for an intent that is not
 * written would never get an answer. A row that is locked is left out: a batch waits for no payment.
 */
export function reservedParts(decided: readonly DecidedModification[]): Sql[] {
  const rows = decided.map(({ recordKey, takesMoney, version, intent: { payment, transaction } }) => {
    const { id, status, subStatus, reservedAmount, updatedAt } = payment;
    const reserved = { status, subStatus, reservedAmount, updatedAt };
    return { ...recordKey, id, version, takesMoney, subjectId: transaction.id, ...reserved };
  });
  const transactions = decided.map(({ intent }) => intent.transaction);
  const refunds = decided.flatMap(({ intent }) => intent.refund ?? []);
  return [
    sql`held AS (
      SELECT r.*
      FROM ${recordset('r', askedColumns, 'id', rows)}
      JOIN payments t ON t.id = r.id AND (r.version IS NULL OR t.xmin = r.version)
      ${decided.some(({ takesMoney }) => takesMoney) ? chargingAccounts : empty}
      FOR NO KEY UPDATE OF t SKIP LOCKED
    )`,
    sql`claimed AS (${claimsPart('held')})`,
    sql`reserved AS (
      UPDATE payments t
      SET ${assign(Object.keys(reservedColumns))}
      FROM held r
      LEFT JOIN claimed ON claimed."subjectId" = r."subjectId"
      WHERE t.id = r.id AND (r.key IS NULL OR claimed."subjectId" IS NOT NULL)
      RETURNING t.id, t.xmin::text AS version
    )`,
    sql`begun AS (
      INSERT INTO transactions
      SELECT r.*
      FROM reserved
      JOIN ${rowsOf('r', 'transactions', transactions)} ON r."paymentId" = reserved.id
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

const chargingAccounts = sql`
  JOIN processing_accounts a ON a.id = t."platformAccountId"
  JOIN partners owner ON owner.id = t."partnerId" AND (NOT r."takesMoney" OR ${mayChargeSql})`;
