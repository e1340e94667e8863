import { builder } from '../../graph/builder.ts';
import { listBalances } from './list-balances.ts';
import { LedgerBalance } from './types.ts';

builder.queryField('ledgerBalances', (t) =>
  t.withAuth({ key: true }).field({
    type: [LedgerBalance],
    description: 'Lists the ledger balances of every account that is visible to the API key.',
    resolve: (_root, _args, context) => listBalances(context),
  }),
);
