import { identifier, type Sql, sql } from '../../database/sql.ts';
import { toJson } from '../../kit/json.ts';

/** The ledger accounts. Each processing account has one of each for every currency, in the account's own mode. */
const ledgerAccounts = ['processor_receivable', 'merchant_balance', 'refunds', 'fees', 'disputes'] as const;
export type LedgerAccount = (typeof ledgerAccounts)[number];

/** One balanced change of the ledger. */
export interface JournalEntry {
  kind: 'capture' | 'refund' | 'disputeOpened' | 'disputeWon';
  /** The transaction or dispute that caused the entry. Each is posted once. */
  movementId: string;
  paymentId: string;
  platformAccountId: string;
  partnerId: string;
  mode: string;
  currency: string;
  amount: number;
}

export interface Posting extends Omit<JournalEntry, 'kind'> {
  account: LedgerAccount;
}

/**
 * Debit and credit of each kind of entry. A capture makes the processor owe the platform what the platform owes the
 * merchant. A refund reduces what the processor owes and is charged to the merchant. So is a dispute until it is won; a
 * lost dispute remains there.
 */
const sides: Readonly<Record<JournalEntry['kind'], readonly [debit: LedgerAccount, credit: LedgerAccount]>> = {
  capture: ['processor_receivable', 'merchant_balance'],
  refund: ['refunds', 'processor_receivable'],
  disputeOpened: ['disputes', 'processor_receivable'],
  disputeWon: ['processor_receivable', 'disputes'],
};

/** The postings of a journal entry. They sum to zero: debits are positive and credits negative. */
export function postingsOf({ kind, ...journalEntry }: JournalEntry): Posting[] {
  const [debit, credit] = sides[kind];
  return [
    { ...journalEntry, account: debit },
    { ...journalEntry, account: credit, amount: -journalEntry.amount },
  ];
}

const columns = sql`
  "movementId", account, "paymentId", "platformAccountId", "partnerId", mode, currency, amount`;

/**
 * The CTE that adds postings, so that the ledger changes in the statement that changes the payment. `guard` names a CTE
 * that must have found a row.
 */
export function postingPart(journalEntries: readonly JournalEntry[], now: Date, guard: string): Sql {
  return sql`posted AS (
    INSERT INTO ledger.postings (${columns}, "createdAt")
    SELECT ${columns}, ${now}::timestamptz
    FROM jsonb_to_recordset(${toJson(journalEntries.flatMap(postingsOf))}::jsonb) AS l(
      "movementId" text, account text, "paymentId" text, "platformAccountId" text, "partnerId" text, mode text,
      currency text, amount bigint
    )
    WHERE EXISTS (SELECT 1 FROM ${identifier(guard)})
  )`;
}
