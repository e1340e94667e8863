import { recordset } from '../../database/recordset.ts';
import { columnList, identifier, type Sql, sql } from '../../database/sql.ts';
import type { Link } from '../../graph/linked-rows.ts';

/** The ledger accounts. Each processing account has one of each for every currency, in the account's own mode. */
const ledgerAccounts = [
  'processor_receivable',
  'merchant_balance',
  'refunds',
  'fees',
  'disputes',
  'dispute_losses',
] as const;
export type LedgerAccount = (typeof ledgerAccounts)[number];

/** One balanced change of the ledger. */
export interface JournalEntry {
  kind: 'capture' | 'refund' | 'dispute' | 'foreignDispute' | 'disputeLoss';
  /** The cause of the entry: a transaction, or a change of a dispute. Each is posted once. */
  journalEntryId: string;
  paymentId: string;
  platformAccountId: string;
  partnerId: string;
  mode: string;
  currency: string;
  /** Not zero. A negative amount reverses an entry of its kind: the debit is credited and the credit debited. */
  amount: number;
}

export interface Posting extends Omit<JournalEntry, 'kind'> {
  account: LedgerAccount;
}

/**
 * Debit and credit of each kind of entry. A capture makes the processor owe the platform what the platform owes the
 * merchant. A refund reduces what the processor owes and is charged to the merchant, and so is a dispute until it is
 * won; a lost dispute stays charged. The amount by which disputes and refunds exceed the captured amount is a loss, and
 * so is a dispute in another currency than its payment.
 */
const sides: Readonly<Record<JournalEntry['kind'], readonly [debit: LedgerAccount, credit: LedgerAccount]>> = {
  capture: ['processor_receivable', 'merchant_balance'],
  refund: ['refunds', 'processor_receivable'],
  dispute: ['disputes', 'processor_receivable'],
  foreignDispute: ['dispute_losses', 'processor_receivable'],
  disputeLoss: ['dispute_losses', 'disputes'],
};

/** The postings of a journal entry. They sum to zero: debits are positive and credits negative. */
export function postingsOf({ kind, ...journalEntry }: JournalEntry): Posting[] {
  const [debit, credit] = sides[kind];
  return [
    { ...journalEntry, account: debit },
    { ...journalEntry, account: credit, amount: -journalEntry.amount },
  ];
}

const columns = {
  journalEntryId: 'text',
  account: 'text',
  paymentId: 'text',
  platformAccountId: 'text',
  partnerId: 'text',
  mode: 'text',
  currency: 'text',
  amount: 'bigint',
  createdAt: 'timestamptz',
};

/**
 * The CTE that adds postings, so that the ledger changes in the statement that changes the payments. `guard` names a CTE
 * with the ids of those that changed. An entry without a time of its own has that of the change.
 */
export function postingsPart(
  journalEntries: readonly (JournalEntry & { createdAt?: Date })[],
  guard: string,
  now?: Date,
): Sql {
  const rows = journalEntries.flatMap(({ createdAt = now, ...entry }) =>
    postingsOf(entry).map((posting) => ({ ...posting, createdAt })),
  );
  return sql`posted AS (
    INSERT INTO ledger.postings (${columnList(Object.keys(columns))})
    SELECT l.*
    FROM ${identifier(guard)} g
    JOIN ${recordset('l', columns, 'journalEntryId', rows)} ON l."paymentId" = g.id
  )`;
}

/** The postings of payments, each's the oldest first. */
export const postingsOfPayments: Link = {
  name: 'postings',
  statement: (ids) => sql`
    SELECT "journalEntryId", account, currency, amount, "createdAt", "paymentId" AS "linkedTo"
    FROM ledger.postings
    WHERE "paymentId" = ANY(${[...ids]})
    ORDER BY "createdAt", "journalEntryId", account`,
};
