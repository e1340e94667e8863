import { builder } from '../graph/builder.ts';
import { type Balance, type PostingRow, readBalances } from './operations.ts';
import { ledgerAccounts } from './postings.ts';

const LedgerAccount = builder.enumType('LedgerAccount', {
  description: 'An account of the books.',
  values: ledgerAccounts,
});

const LedgerBalance = builder.objectRef<Balance>('LedgerBalance').implement({
  description: 'What stands in one account of the books.',
  fields: (t) => ({
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    currency: t.expose('currency', { type: 'Currency', description: 'ISO 4217 code.' }),
    account: t.field({ type: LedgerAccount, description: 'Which account.', resolve: ({ account }) => account }),
    balance: t.expose('balance', {
      type: 'SignedAmount',
      description: 'What stands there. All accounts of a currency sum to zero.',
    }),
  }),
});

export const LedgerPosting = builder.objectRef<PostingRow>('LedgerPosting').implement({
  description: 'One line of the books. The lines of a movement sum to zero, and none is ever changed.',
  fields: (t) => ({
    movementId: t.exposeString('movementId', {
      description: 'What moved the money: a transaction, prefix `txn_`, or a dispute.',
    }),
    account: t.field({ type: LedgerAccount, description: 'Which account.', resolve: ({ account }) => account }),
    currency: t.expose('currency', { type: 'Currency', description: 'ISO 4217 code.' }),
    amount: t.expose('amount', {
      type: 'SignedAmount',
      description: 'Minor units: debits positive, credits negative.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was posted.' }),
  }),
});

builder.queryField('ledgerBalances', (t) =>
  t.withAuth({ key: true }).field({
    type: [LedgerBalance],
    description: 'The balances of the books of every account within the reach of the key.',
    resolve: (_root, _args, context) => readBalances(context),
  }),
);
