import { sql } from '../../database/sql.ts';
import { builder } from '../../graph/builder.ts';
import { type Link, linkedRows } from '../../graph/linked-rows.ts';
import { Account } from '../accounts/public.ts';
import type { LedgerAccount as LedgerAccountName } from './postings.ts';

/** The balance of one ledger account in one currency. */
interface Balance {
  currency: string;
  account: LedgerAccountName;
  /** Debits positive, credits negative. */
  balance: string;
}

/** One posting. */
export interface PostingRow {
  journalEntryId: string;
  account: LedgerAccountName;
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
        'What disputes debited beyond the captured amount that was not refunded, or in another currency than that ' +
        'of the payment.',
    },
  } as const satisfies Readonly<Record<LedgerAccountName, { description: string }>>,
});

const LedgerBalance = builder.objectRef<Balance>('LedgerBalance').implement({
  description: 'The balance of one ledger account in one currency.',
  fields: (t) => ({
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

const balancesOfAccounts: Link = {
  name: 'ledger balances',
  statement: (ids) => sql`
    SELECT currency, account, sum(balance)::text AS balance, "platformAccountId" AS "linkedTo"
    FROM ledger.balances
    WHERE "platformAccountId" = ANY(${[...ids]})
    GROUP BY "platformAccountId", currency, account
    ORDER BY currency, account`,
};

builder.objectField(Account, 'ledgerBalances', (t) =>
  t.field({
    type: [LedgerBalance],
    nullable: true,
    authScopes: { $any: { suspendedKey: true, platformStaff: true } },
    description: 'The ledger balances of the account, by currency. For API keys and internal staff.',
    resolve: ({ id }, _args, context) => linkedRows<Balance>(context, balancesOfAccounts, id),
  }),
);
