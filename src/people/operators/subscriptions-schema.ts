import { chargedAnswer, Subscription } from '../../domains/subscriptions/public.ts';
import { builder } from '../../graph/builder.ts';
import { operatorCancel, operatorPause, operatorResume } from './act-on-subscription.ts';
import { always, reason } from './reason-argument.ts';

const subscriptionId = {
  required: true,
  description: 'Identifier of the subscription of either mode, prefix `sub_`.',
} as const;

builder.mutationFields((t) => ({
  operatorCancelSubscription: t.withAuth({ hub: true }).field({
    type: Subscription,
    description:
      'Cancels a subscription of any account, like `cancelSubscription`: 404 if there is none, 409 `invalid_state` ' +
      'if it is canceled already. ' +
      always,
    args: {
      subscriptionId: t.arg.id(subscriptionId),
      cancelAtPeriodEnd: t.arg.boolean({
        defaultValue: false,
        description: 'Whether it ends with its current period instead of now.',
      }),
      reason: t.arg(reason),
    },
    storedAnswer: { operation: 'cancelSubscription' },
    resolve: (_root, args, context) => operatorCancel(context, args),
  }),
  operatorPauseSubscription: t.withAuth({ hub: true }).field({
    type: Subscription,
    description:
      'Pauses the billing of a subscription of any account, like `pauseSubscription`: 404 if there is none, 409 ' +
      '`invalid_state` unless it is `active`. ' +
      always,
    args: {
      subscriptionId: t.arg.id(subscriptionId),
      resumeAt: t.arg({
        type: 'DateTime',
        description:
          'Time at which it is resumed, in the future and at most 1,096 days from now. By default it stays paused.',
      }),
      reason: t.arg(reason),
    },
    storedAnswer: { operation: 'pauseSubscription' },
    resolve: (_root, args, context) => operatorPause(context, args),
  }),
  operatorResumeSubscription: t.withAuth({ hub: true }).field({
    type: Subscription,
    description:
      'Ends a pause of a subscription of any account, or revokes its scheduled cancellation, like ' +
      '`resumeSubscription`: 404 if there is none, 409 `invalid_state` if it is neither paused nor to be canceled. ' +
      'If its paid period is over, a new one is charged now; the charge is withheld while nothing may be charged ' +
      'for the account. ' +
      always,
    args: { subscriptionId: t.arg.id(subscriptionId), reason: t.arg(reason) },
    storedAnswer: chargedAnswer('resumeSubscription'),
    resolve: (_root, args, context) => operatorResume(context, args),
  }),
}));
