import { Account } from '../../domains/accounts/public.ts';
import { builder } from '../../graph/builder.ts';
import { pageType } from '../../lists/inputs.ts';

const KybQueueEntry = builder.prismaObject('ProcessingAccount', {
  variant: 'KybQueueEntry',
  description: 'An account awaiting review.',
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

export const KybDecision = builder.enumType('KybDecision', {
  description: 'The decision of a reviewer about a requirement.',
  values: {
    approved: { description: 'The sent value is accepted.' },
    rejected: { description: 'The sent value is rejected and must be sent again.' },
  } as const,
});
