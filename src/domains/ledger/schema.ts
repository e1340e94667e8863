import { tenantCondition } from '../../auth/tenancy.ts';
import type { KeyContext } from '../../call/context.ts';
import { constant, queryRows, sql } from '../../database/sql.ts';
import { builder } from '../../graph/builder.ts';
import type { LedgerAccount as Account } from './postings.ts';

/** The balance of one ledger account in one currency. */
interface Balance {
  platformAccountId: string;
  currency: string;
  account: Account;
  /** Debits positive, credits negative. */
  balance: string;
}

/** One posting. */
export interface PostingRow {
  journalEntryId: string;
  account: Account;
  currency: string;
  amount: number;
  createdAt: Date;
}

const LedgerAccount = builder.enumType('LedgerAccount', {
  description: 'A ledger account. Each processing account has one of each kind for every currency.',
  values: {
    processor_receivable: { description: 'What processors owe the platform: captured and not refunded or disputed.' },
    merchant_balance: { description: 'What the platform owes the merchant. Captures credit it.' },
    refunds: { description: 'Amounts that were refunded to cardholders.' },
    fees: { description: 'Fees. No journal entry uses this account yet.' },
    disputes: { description: 'Amounts that are disputed or were lost in disputes, up to the captured amount.' },
    dispute_losses: {
      description:
        'What disputes took beyond the captured amount that was not refunded, or in another currency than that of ' +
        'the payment.',
    },
  } as const satisfies Readonly<Record<Account, { description: string }>>,
});

const LedgerBalance = builder.objectRef<Balance>('LedgerBalance').implement({
  description: 'The balance of one ledger account in one currency.',
  fields: (t) => ({
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'The identifier of the processing account, prefix `tpa_`.',
    }),
    currency: t.expose('currency', { type: 'Currency', description: 'The ISO 4217 code of the currency.' }),
    account: t.field({
      type: LedgerAccount,
      description: 'The ledger account.',
      resolve: ({ account }) => account,
    }),
    balance: t.expose('balance', {
      type: 'AmountSum',
      description:
        'The balance in minor units of the currency: debits positive, credits negative. The balances of all ledger ' +
        'accounts in a currency sum to zero.',
    }),
  }),
});

export const LedgerPosting = builder.objectRef<PostingRow>('LedgerPosting').implement({
  description: 'One line of a journal entry. The lines of an entry sum to zero. A posting never changes.',
  fields: (t) => ({
    journalEntryId: t.exposeID('journalEntryId', {
      description:
        'The identifier of the journal entry. It begins with that of the transaction, prefix `txn_`, or of the ' +
        'dispute, prefix `dp_`, that caused the entry.',
    }),
    account: t.field({
      type: LedgerAccount,
      description: 'The ledger account.',
      resolve: ({ account }) => account,
    }),
    currency: t.expose('currency', { type: 'Currency', description: 'The ISO 4217 code of the currency.' }),
    amount: t.expose('amount', {
      type: 'SignedAmount',
      description: 'The amount in minor units of the currency: debits positive, credits negative.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The time at which the posting was added.' }),
  }),
});

const balancesMax = 10_000;

/** The balances visible to an API key, read without scanning postings. */
function listBalances({ services, caller }: KeyContext): Promise<Balance[]> {
  return queryRows(
    services.pool,
    sql`
      SELECT t."platformAccountId", t.currency, t.account, sum(t.balance)::text AS balance
      FROM ledger.balances t
      WHERE ${tenantCondition(caller)}
      GROUP BY 1, 2, 3
      ORDER BY 1, 2, 3
      LIMIT ${constant(balancesMax)}`,
  );
}

builder.queryField('ledgerBalances', (t) =>
  t.withAuth({ key: true }).field({
    type: [LedgerBalance],
    description: 'Lists the ledger balances of every account that is visible to the API key.',
    resolve: (_root, _args, context) => listBalances(context),
  }),
);
