import { toJson } from '../kit/records.ts';

/** The accounts of the books. Each processing account has one of each for every currency; its mode is the account's own. */
export const ledgerAccounts = ['processor_receivable', 'merchant_balance', 'refunds', 'fees', 'disputes'] as const;
export type LedgerAccount = (typeof ledgerAccounts)[number];

/** Money that moved, once, at a processor. */
export interface Movement {
  kind: 'capture' | 'refund' | 'disputeOpened' | 'disputeWon';
  /** The transaction or the dispute that moved it; the books take each only once. */
  movementId: string;
  paymentId: string;
  platformAccountId: string;
  partnerId: string;
  mode: string;
  currency: string;
  amount: number;
}

export interface Posting extends Omit<Movement, 'kind'> {
  account: LedgerAccount;
}

/**
 * Debit and credit of each movement. A capture makes the processor owe us what we owe the merchant; a refund takes from what the
 * processor owes, and stands against the merchant. So does a dispute, until it is won: what is lost stays there for good.
 */
const sides: Readonly<Record<Movement['kind'], readonly [debit: LedgerAccount, credit: LedgerAccount]>> = {
  capture: ['processor_receivable', 'merchant_balance'],
  refund: ['refunds', 'processor_receivable'],
  disputeOpened: ['disputes', 'processor_receivable'],
  disputeWon: ['processor_receivable', 'disputes'],
};

/** What a movement does to the books: postings that sum to zero, debits positive and credits negative. */
export function postingsOf({ kind, ...movement }: Movement): Posting[] {
  const [debit, credit] = sides[kind];
  return [
    { ...movement, account: debit },
    { ...movement, account: credit, amount: -movement.amount },
  ];
}

/**
 * The part of a statement that posts movements, so that the books change in the statement that changes the payment. `guard`
 * names a part that must have found a row.
 */
export function postingPart(
  movements: readonly Movement[],
  now: Date,
  bind: (value: unknown) => string,
  guard: string,
): string {
  return `posted AS (INSERT INTO ledger.postings (${columns}, "createdAt") SELECT ${columns}, ${bind(now)}::timestamptz FROM jsonb_to_recordset(${bind(toJson(movements.flatMap(postingsOf)))}::jsonb)
AS l("movementId" text, account text, "paymentId" text, "platformAccountId" text, "partnerId" text, mode text, currency text, amount bigint) WHERE EXISTS (SELECT 1 FROM ${guard}))`;
}

const columns = '"movementId", account, "paymentId", "platformAccountId", "partnerId", mode, currency, amount';
