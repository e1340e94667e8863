import {
  Account,
  KybRequirement,
  type KybReview,
  kybObject,
  type RequirementObject,
} from '../../../domains/accounts/public.ts';
import { Event } from '../../../domains/webhooks/public.ts';
import type { ProcessingAccount } from '../../../generated/prisma/client.ts';
import { builder } from '../../../graph/builder.ts';
import { pageType } from '../../../lists/inputs.ts';
import { AuditEntry } from '../../audit/public.ts';
import type { OperatorKybView } from './kyb-view.ts';

const KybQueueEntry = builder.objectRef<ProcessingAccount>('KybQueueEntry').implement({
  description: 'An account that waits for a review.',
  fields: (t) => ({
    account: t.field({ type: Account, description: 'The account.', resolve: (account) => account }),
    submittedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the KYB became `submitted`.',
      resolve: ({ kybSubmittedAt }) => kybSubmittedAt,
    }),
    waitingSeconds: t.int({
      description: 'Time since `submittedAt` in whole seconds.',
      resolve: ({ kybSubmittedAt }, _args, { services }) => secondsSince(kybSubmittedAt, services.clock.now()),
    }),
  }),
});

function secondsSince(time: Date | null, now: Date): number {
  return time === null ? 0 : Math.max(0, Math.floor((now.getTime() - time.getTime()) / 1000));
}

export const KybQueuePage = pageType('KybQueuePage', KybQueueEntry, 'accounts');

interface SentRequirement {
  requirement: RequirementObject;
  review: KybReview;
}

const OperatorKybRequirement = builder.objectRef<SentRequirement>('OperatorKybRequirement').implement({
  description: 'A requirement with the value sent for it.',
  fields: (t) => ({
    requirement: t.field({
      type: KybRequirement,
      description: 'The requirement and its status.',
      resolve: ({ requirement }) => requirement,
    }),
    value: t.field({
      type: 'KybValue',
      nullable: true,
      description: 'The sent value. Null in every answer but that of `revealKyb`, and if no value was sent.',
      resolve: ({ requirement, review }) => review.values?.get(requirement.code) ?? null,
    }),
  }),
});

export const OperatorKyb = builder.objectRef<OperatorKybView>('OperatorKyb').implement({
  description: 'The KYB of one account with its history.',
  fields: (t) => ({
    account: t.field({
      type: Account,
      description: 'The account with its status and its KYB status.',
      resolve: ({ account }) => account,
    }),
    submittedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time since which the account waits for a review. Null if it does not wait.',
      resolve: ({ account }) => account.kybSubmittedAt,
    }),
    requirements: t.field({
      type: [OperatorKybRequirement],
      description: 'All requirements, always in the same order.',
      resolve: (review) =>
        kybObject(review.account, review.rows).requirements.map((requirement) => ({ requirement, review })),
    }),
    events: t.field({
      type: [Event],
      nullable: true,
      description: 'The latest 100 events of the account, newest first. Null for users of a partner.',
      resolve: ({ events }) => events,
    }),
    auditRows: t.field({
      type: [AuditEntry],
      nullable: true,
      description:
        'The latest 100 audit rows about the account, newest first. Null for a caller who may not read the audit log.',
      resolve: ({ auditRows }) => auditRows?.map((row) => ({ ...row, createdAt: row.at })),
    }),
  }),
});

export const KybDecision = builder.enumType('KybDecision', {
  description: 'The decision of a reviewer about a requirement.',
  values: {
    approved: { description: 'The sent value is accepted.' },
    rejected: { description: 'The sent value is rejected and must be sent again.' },
  } as const,
});
