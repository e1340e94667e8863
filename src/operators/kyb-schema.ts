import { Account, Mode } from '../accounts/schema.ts';
import { AuditEntry } from '../audit/schema.ts';
import type { ProcessingAccount } from '../generated/prisma/client.ts';
import { builder } from '../graph/builder.ts';
import { pageArguments, pageComplexity, pageType } from '../graph/pages.ts';
import { type KybReview, kybView, type RequirementView } from '../kyb/operations.ts';
import { KybRequirement } from '../kyb/schema.ts';
import {
  approveAccountKyb,
  listKybQueue,
  type OperatorKybView,
  rejectAccountKyb,
  revealKyb,
  reviewKybRequirement,
  viewKyb,
} from './kyb.ts';
import { OperatorEvent } from './schema.ts';

const KybQueueEntry = builder.objectRef<ProcessingAccount>('KybQueueEntry').implement({
  description: 'An account that waits for a reviewer.',
  fields: (t) => ({
    account: t.field({ type: Account, description: 'The account.', resolve: (account) => account }),
    submittedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when it waits: when its KYB became `submitted`.',
      resolve: ({ kybSubmittedAt }) => kybSubmittedAt,
    }),
    waitingSeconds: t.int({
      description: 'How long it has waited, in whole seconds.',
      resolve: ({ kybSubmittedAt }, _args, { env }) => secondsSince(kybSubmittedAt, env.clock.now()),
    }),
  }),
});

const KybQueuePage = pageType('KybQueuePage', KybQueueEntry, 'accounts');

interface SentRequirement {
  requirement: RequirementView;
  review: KybReview;
}

const OperatorKybRequirement = builder.objectRef<SentRequirement>('OperatorKybRequirement').implement({
  description: 'A requirement, and what was sent for it.',
  fields: (t) => ({
    requirement: t.field({
      type: KybRequirement,
      description: 'What is asked, and what became of it.',
      resolve: ({ requirement }) => requirement,
    }),
    value: t.field({
      type: 'KybValue',
      nullable: true,
      description:
        'What was sent, in the answer of `revealKyb` alone; null everywhere else, and where nothing was sent.',
      resolve: ({ requirement, review }) => review.values?.get(requirement.code) ?? null,
    }),
  }),
});

const OperatorKyb = builder.objectRef<OperatorKybView>('OperatorKyb').implement({
  description: 'All a reviewer needs about one account.',
  fields: (t) => ({
    account: t.field({
      type: Account,
      description: 'The account, with its standing and how far its KYB has come.',
      resolve: ({ account }) => account,
    }),
    submittedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when it waits for a reviewer; null when it does not.',
      resolve: ({ account }) => account.kybSubmittedAt,
    }),
    requirements: t.field({
      type: [OperatorKybRequirement],
      description: 'All that is asked for, always in the same order.',
      resolve: (review) =>
        kybView(review.account, review.rows).requirements.map((requirement) => ({ requirement, review })),
    }),
    events: t.field({
      type: [OperatorEvent],
      nullable: true,
      description: "What happened to the account, the newest first, at most 100. Null for a partner's own people.",
      resolve: ({ events }) => events,
    }),
    auditRows: t.field({
      type: [AuditEntry],
      nullable: true,
      description:
        'Who decided, sent or read what, the newest first, at most 100. Null for those who may not read the audit log.',
      resolve: ({ auditRows }) => auditRows?.map((row) => ({ ...row, createdAt: row.at })),
    }),
  }),
});

const KybDecision = builder.enumType('KybDecision', {
  description: 'What a reviewer makes of a requirement.',
  values: ['approved', 'rejected'] as const,
});

const accountId = { required: true, description: 'The account, prefix `tpa_`.' } as const;
const submittedAt = {
  type: 'DateTime',
  description: 'The `submittedAt` you read: 409 when the KYB was sent anew since. Left out, this is not looked at.',
} as const;

builder.queryFields((t) => ({
  operatorKybQueue: t.withAuth({ directory: true }).field({
    type: KybQueuePage,
    description:
      "Accounts that wait for a reviewer, the one that waits longest first: all partners' for internal staff, their own partner's for its admins and account managers. Test accounts never wait.",
    args: {
      mode: t.arg({ type: Mode, required: true, defaultValue: 'live', description: 'Test or live.' }),
      partnerSlug: t.arg({
        type: 'Slug',
        description:
          "Of this partner only. A partner's own people see their partner's in any case, and another one is 403.",
      }),
      ...pageArguments,
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listKybQueue(context, args),
  }),
  operatorKyb: t.withAuth({ directory: true }).field({
    type: OperatorKyb,
    description:
      "One account's KYB with its requirements, events and audit rows, in one query; what was sent is not in it (`revealKyb`). 404 outside the partner of a partner's own people.",
    args: { accountId: t.arg.string(accountId) },
    resolve: (_root, args, context) => viewKyb(context, args.accountId),
  }),
}));

builder.mutationFields((t) => ({
  revealKyb: t.withAuth({ hub: true }).field({
    type: OperatorKyb,
    description:
      'The same as `operatorKyb`, with what was sent in the clear. A mutation, since it writes who read it into the audit log.',
    args: { accountId: t.arg.string(accountId) },
    resolve: (_root, args, context) => revealKyb(context, args.accountId),
  }),
  reviewKybRequirement: t.withAuth({ hub: true }).field({
    type: OperatorKyb,
    description:
      'Decides about one requirement. The KYB stays `submitted` until `approveKyb` or `rejectKyb` decides about the whole, and until then this can be decided anew. 409 `invalid_state` when it does not wait for a review.',
    args: {
      accountId: t.arg.string(accountId),
      code: t.arg({ type: 'KybCode', required: true, description: 'Which requirement.' }),
      decision: t.arg({ type: KybDecision, required: true, description: 'What you make of it.' }),
      reason: t.arg({
        type: 'Name',
        description: 'Why it is rejected, as the partner reads it: required to reject, and taken for nothing else.',
      }),
    },
    resolve: (_root, { accountId: id, code, decision, reason }, context) =>
      reviewKybRequirement(context, id, { code, decision, reason: reason ?? null }),
  }),
  approveKyb: t.withAuth({ hub: true }).field({
    type: OperatorKyb,
    description:
      'Approves the KYB with every requirement that is still undecided, and activates an account that waited for that. 409 `invalid_state` when it does not wait for a review, or one of its requirements was rejected. Again: unchanged.',
    args: { accountId: t.arg.string(accountId), submittedAt: t.arg(submittedAt) },
    resolve: (_root, args, context) => approveAccountKyb(context, args.accountId, args.submittedAt ?? null),
  }),
  rejectKyb: t.withAuth({ hub: true }).field({
    type: OperatorKyb,
    description:
      'Rejects the KYB: the partner sends anew what was rejected one by one, or, when nothing was, all of it, for the reason given here. 409 `invalid_state` when it does not wait for a review. Again: unchanged.',
    args: {
      accountId: t.arg.string(accountId),
      reason: t.arg({ type: 'Name', required: true, description: 'Why, as the partner reads it.' }),
      submittedAt: t.arg(submittedAt),
    },
    resolve: (_root, args, context) => rejectAccountKyb(context, args.accountId, args.reason, args.submittedAt ?? null),
  }),
}));

function secondsSince(moment: Date | null, now: Date): number {
  return moment === null ? 0 : Math.max(0, Math.floor((now.getTime() - moment.getTime()) / 1000));
}
