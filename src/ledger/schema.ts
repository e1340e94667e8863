import { builder } from '../graph/builder.ts';
import { type Balance, readBalances } from './operations.ts';
import { ledgerAccounts } from './postings.ts';

const LedgerAccount = builder.enumType('LedgerAccount', { description: 'An account of the books.', values: ledgerAccounts });

const LedgerBalance = builder.objectRef<Balance>('LedgerBalance').implement({
  description: 'What stands in one account of the books.',
  fields: (t) => ({
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    currency: t.expose('currency', { type: 'Currency', description: 'ISO 4217 code.' }),
    account: t.field({ type: LedgerAccount, description: 'Which account.', resolve: ({ account }) => account }),
    balance: t.expose('balance', { type: 'SignedAmount', description: 'What stands there. All accounts of a currency sum to zero.' }),
  }),
});

builder.queryField('ledgerBalances', (t) =>
  t.withAuth({ key: true }).field({
    type: [LedgerBalance],
    description: 'The balances of the books of every account within the reach of the key.',
    resolve: (_root, _args, context) => readBalances(context),
  }),
);
