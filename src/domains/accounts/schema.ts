import { visible } from '../../auth/visible.ts';
import { builder } from '../../graph/builder.ts';
import { platformAccountIdArgument } from '../../graph/shared-types.ts';
import { objectOfPeople } from '../../lists/inputs.ts';
import { accounts } from './account-list.ts';
import { createAccount, updateAccount } from './change-account.ts';
import { CreateAccountInput, UpdateAccountInput } from './inputs.ts';
import { Account } from './types.ts';

builder.queryFields((t) => ({
  account: t.withAuth({ $any: { suspendedKey: true, directory: true } }).prismaField({
    type: Account,
    description: 'Retrieves a processing account. 404 if the account is not visible to the API key.',
    forPeople: objectOfPeople,
    args: { platformAccountId: t.arg.id(platformAccountIdArgument) },
    resolve: (query, _root, args, context) => visible(context, 'processingAccount', args.platformAccountId, query),
  }),
  accounts: t.withAuth({ $any: { suspendedPartnerKey: true, directory: true } }).field(
    accounts.field("Lists the partner's accounts of the API key's mode, newest first by default.", {
      sortBy: 'The order of the list. Defaults to newest first.',
      filters: 'Conditions that limit the list.',
    }),
  ),
}));

builder.mutationFields((t) => ({
  createAccount: t.withAuth({ partnerKey: true }).field({
    type: Account,
    description:
      'Creates a processing account with its first store, in the mode of the API key. If an account with the same ' +
      '`externalRef` exists, it is returned unchanged.',
    args: { input: t.arg({ type: CreateAccountInput, required: true, description: 'The merchant to provision.' }) },
    // Limited, since each account gets its own bucket: the bucket of the partner does not limit the calls of its
    // accounts.
    rateLimit: {
      max: 120,
      window: '1m',
      by: ({ tenant }) => `${tenant.partnerId}/${tenant.mode}`,
    },
    resolve: (_root, { input }, context) => createAccount(context, input),
  }),
  updateAccount: t.withAuth({ partnerKey: true }).field({
    type: Account,
    description:
      "Updates the fields that are given. 404 if it is not one of the partner's accounts of the API key's mode.",
    args: {
      platformAccountId: t.arg.id(platformAccountIdArgument),
      input: t.arg({ type: UpdateAccountInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, args, context) => updateAccount(context, args.platformAccountId, args.input),
  }),
}));
