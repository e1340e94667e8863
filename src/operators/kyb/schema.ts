import { Kyb } from '../../domains/accounts/public.ts';
import { builder } from '../../graph/builder.ts';
import { reason } from '../../graph/by-caller.ts';
import { storesWholeAnswer } from '../../graph/plugins.ts';
import { Mode, platformAccountIdArgument } from '../../graph/shared-types.ts';
import { pageArguments, pageComplexity, visibilityArgs } from '../../lists/inputs.ts';
import { approveAccountKyb, listKybQueue, rejectAccountKyb, revealKyb, reviewKybRequirement } from './review-kyb.ts';
import { KybDecision, KybQueuePage } from './types.ts';

const submittedAt = {
  type: 'DateTime',
  description:
    'The `submittedAt` the decision is based on: 409 if the KYB was sent again since. Without it this is not checked.',
} as const;

builder.queryField('kybQueue', (t) =>
  t.withAuth({ directory: true }).field({
    type: KybQueuePage,
    description:
      'Lists the accounts awaiting review, oldest first. Internal staff see all partners. Admins and account ' +
      'managers of a partner see their own partner. Test accounts are never listed.',
    args: {
      mode: t.arg({ type: Mode, required: true, defaultValue: 'live', description: 'The mode.' }),
      partnerSlug: visibilityArgs.partnerSlug,
      ...pageArguments,
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listKybQueue(context, args),
  }),
);

builder.mutationFields((t) => ({
  revealKyb: t.withAuth({ hub: true }).field({
    type: Kyb,
    description:
      'Returns what `kyb` returns, with the submitted values in clear text. It is a mutation because it records the ' +
      'reader and the reason in the audit log.',
    args: {
      platformAccountId: t.arg.id(platformAccountIdArgument),
      reason: t.arg(reason),
    },
    freshSecondFactor: true,
    resolve: (_root, args, context) => revealKyb(context, args),
  }),
  reviewKybRequirement: t.withAuth({ hub: true }).field({
    type: Kyb,
    description:
      'Approves or rejects one requirement. The KYB stays `submitted` until `approveKyb` or `rejectKyb`, and the ' +
      'decision can be changed until then. 409 `invalid_state` if the account is not awaiting review.',
    args: {
      platformAccountId: t.arg.id(platformAccountIdArgument),
      code: t.arg({ type: 'KybCode', required: true, description: 'Code of the requirement.' }),
      decision: t.arg({ type: KybDecision, required: true, description: 'The decision.' }),
      reason: t.arg({
        type: 'Name',
        description:
          'Reason of the rejection, shown to the partner. Required with `rejected`, refused with `approved`.',
      }),
    },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, { platformAccountId: id, code, decision, reason }, context) =>
      reviewKybRequirement(context, id, { code, decision, reason: reason ?? null }),
  }),
  approveKyb: t.withAuth({ hub: true }).field({
    type: Kyb,
    description:
      'Approves the KYB with every undecided requirement, and activates an account that was awaiting it. 409 ' +
      '`invalid_state` if the account is not awaiting review, or if one of its requirements is rejected. A repeat ' +
      'changes nothing.',
    args: { platformAccountId: t.arg.id(platformAccountIdArgument), submittedAt: t.arg(submittedAt) },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => approveAccountKyb(context, args.platformAccountId, args.submittedAt ?? null),
  }),
  rejectKyb: t.withAuth({ hub: true }).field({
    type: Kyb,
    description:
      'Rejects the KYB. The partner sends the rejected requirements again, or all of them for the given reason if ' +
      'none is rejected. 409 `invalid_state` if the account is not awaiting review. A repeat changes nothing.',
    args: {
      platformAccountId: t.arg.id(platformAccountIdArgument),
      reason: t.arg({ type: 'Name', required: true, description: 'Reason of the rejection, shown to the partner.' }),
      submittedAt: t.arg(submittedAt),
    },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) =>
      rejectAccountKyb(context, args.platformAccountId, args.reason, args.submittedAt ?? null),
  }),
}));
