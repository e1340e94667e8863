import { builder } from '../../graph/builder.ts';
import { ErrorCode } from '../../graph/error-code.ts';
import type { ErrorCode as ErrorCodeName } from '../../kit/errors.ts';
import { Subscription, type SubscriptionRow } from './types.ts';

/** The result of one of several cancellations. */
export interface CancellationOutcome {
  subscriptionId: string;
  subscription: SubscriptionRow | null;
  error: { code: ErrorCodeName; message: string } | null;
}

const CancellationError = builder.objectRef<{ code: ErrorCodeName; message: string }>('CancellationError').implement({
  description: 'The error for which one of several subscriptions was not canceled.',
  fields: (t) => ({
    code: t.expose('code', {
      type: ErrorCode,
      description: 'The error code, the same as of a cancellation of this subscription alone.',
    }),
    message: t.exposeString('message', { description: 'A description of the error in one sentence.' }),
  }),
});

const CancellationOutcomeRef = builder.objectRef<CancellationOutcome>('CancellationOutcome').implement({
  description: 'The result of one of several cancellations.',
  fields: (t) => ({
    subscriptionId: t.exposeID('subscriptionId', {
      description: 'The subscription as named in the request, prefix `sub_`.',
    }),
    subscription: t.field({
      type: Subscription,
      nullable: true,
      description: 'The canceled subscription. Null if the cancellation failed.',
      resolve: ({ subscription }) => subscription,
    }),
    error: t.field({
      type: CancellationError,
      nullable: true,
      description: 'The error. Null if the cancellation succeeded.',
      resolve: ({ error }) => error,
    }),
  }),
});

const Cancellations = builder.objectRef<{ results: CancellationOutcome[] }>('Cancellations').implement({
  description: 'The results of several cancellations.',
  fields: (t) => ({
    results: t.field({
      type: [CancellationOutcomeRef],
      description: 'One result for each of `subscriptionIds`.',
      resolve: ({ results }) => results,
    }),
  }),
});

export const CancelSubscriptionResult = builder.unionType('CancelSubscriptionResult', {
  description:
    'The canceled subscription for `subscriptionId`; the results of all cancellations for `subscriptionIds`.',
  types: [Subscription, Cancellations],
  resolveType: (value) => ('results' in value ? 'Cancellations' : 'CustomerSubscription'),
});
