import { Account, Plan } from '../../domains/accounts/public.ts';
import { builder } from '../../graph/builder.ts';
import { storesWholeAnswer } from '../../graph/plugins.ts';
import { platformAccountIdArgument } from '../../graph/shared-types.ts';
import { activateAccount, closeAccount, setAccountPlan, suspendAccount } from './change-account.ts';

builder.mutationFields((t) => ({
  activateAccount: t.withAuth({ hub: true }).field({
    type: Account,
    description:
      'Lets an account charge, regardless of its KYB. `approveKyb` does so by itself. 409 for a closed account.',
    args: { platformAccountId: t.arg.id(platformAccountIdArgument) },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => activateAccount(context, args.platformAccountId),
  }),
  suspendAccount: t.withAuth({ hub: true }).field({
    type: Account,
    description:
      'Stops an account from charging. Refunds stay possible. 409 for an account that is closed or not active yet.',
    args: {
      platformAccountId: t.arg.id(platformAccountIdArgument),
      reason: t.arg({ type: 'Name', description: 'Reason, recorded in the audit log.' }),
    },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => suspendAccount(context, args.platformAccountId, args.reason ?? null),
  }),
  closeAccount: t.withAuth({ hub: true }).field({
    type: Account,
    description:
      'Closes an account permanently: it can no longer charge, be reviewed or be changed by operators. Refunds ' +
      'remain possible. A repeat changes nothing.',
    args: {
      platformAccountId: t.arg.id(platformAccountIdArgument),
      reason: t.arg({ type: 'Name', required: true, description: 'Reason, recorded in the audit log.' }),
    },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => closeAccount(context, args.platformAccountId, args.reason),
  }),
  setAccountPlan: t.withAuth({ hub: true }).field({
    type: Account,
    description:
      'Sets the plan of an account, which determines its rate limit from the next request on. 409 for a closed ' +
      'account.',
    args: {
      platformAccountId: t.arg.id(platformAccountIdArgument),
      plan: t.arg({ type: Plan, required: true, description: 'The new plan.' }),
    },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => setAccountPlan(context, args.platformAccountId, args.plan),
  }),
}));
