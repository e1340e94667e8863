import { visible } from '../../auth/visible.ts';
import { builder } from '../../graph/builder.ts';
import { byCaller, doneByPeople, isOfPerson, reasonOfPeople } from '../../graph/by-caller.ts';
import { invalid } from '../../lib/errors.ts';
import { objectOfPeople } from '../../lists/inputs.ts';
import { cancelSubscription } from './changes/cancel-subscription.ts';
import { createSubscription } from './changes/create-subscription.ts';
import { pauseSubscription, rebillSubscription, resumeSubscription } from './changes/pause.ts';
import { updateSubscription } from './changes/update-subscription.ts';
import {
  CancelSubscriptionInput,
  CreateSubscriptionInput,
  PauseSubscriptionInput,
  UpdateSubscriptionInput,
} from './inputs.ts';
import { chargedAnswer } from './periods/charge-period.ts';
import { subscriptions } from './subscription-list.ts';
import { CancelSubscriptionResult, Subscription } from './types.ts';

const subscriptionId = { required: true, description: 'The subscription, prefix `sub_`.' } as const;

builder.queryFields((t) => ({
  subscription: t.withAuth({ $any: { suspendedKey: true, directory: true } }).prismaField({
    type: Subscription,
    description: 'Returns a subscription. 404 if the subscription is not visible to the API key.',
    forPeople: objectOfPeople,
    args: { subscriptionId: t.arg.id(subscriptionId) },
    resolve: (query, _root, args, context) => visible(context, 'subscription', args.subscriptionId, query),
  }),
  subscriptions: t.withAuth({ $any: { suspendedKey: true, directory: true } }).field(
    subscriptions.field(
      'Returns a page of the subscriptions visible to the API key: those of the account of a sub-key, or of all ' +
        'accounts of the partner in the mode of a partner key. The newest come first by default. Sorted by ' +
        '`nextBillingDate`, subscriptions without one come last in ascending order and first in descending order.',
      {
        sortBy: 'The sort order. Defaults to `createdAt`, descending.',
        filters: 'The filters to apply. All subscriptions if left out.',
      },
    ),
  ),
}));

builder.mutationFields((t) => ({
  createSubscription: t.withAuth({ key: true }).field({
    type: Subscription,
    description:
      'Creates a subscription of a customer to a recurring price. A declined first charge is not an error: the ' +
      'subscription is `incomplete`. If the card requires 3D Secure, the subscription is `incomplete` with the ' +
      'challenge in `latestPayment`; it becomes `active` when that payment is continued. If the challenge is not ' +
      'answered, the subscription stays `incomplete` and can be charged again by `rebill` until 23 hours after its ' +
      'creation. 403 `account_not_active` if the account must not charge.',
    args: {
      input: t.arg({ type: CreateSubscriptionInput, required: true, description: 'The subscription to create.' }),
    },
    storedAnswer: chargedAnswer('createSubscription'),
    resolve: (_root, { input }, context) => createSubscription(context, input),
  }),
  cancelSubscription: t.withAuth({ $any: { suspendedKey: true, admin: true } }).field({
    type: CancelSubscriptionResult,
    description:
      'Cancels one or several subscriptions permanently, now or at the end of their period. 409 `invalid_state` if ' +
      'the subscription is already canceled, or is `incomplete` and to be canceled at the end of its period. 404 if ' +
      'the subscription is not visible to the API key.',
    forPeople: doneByPeople,
    args: {
      input: t.arg({
        type: CancelSubscriptionInput,
        required: true,
        description: 'The subscriptions to cancel, and whether to cancel at the end of the period.',
      }),
      reason: t.arg(reasonOfPeople),
    },
    resolve: (_root, { input, reason }, context) => {
      if (isOfPerson(context) && input.subscriptionIds != null)
        throw invalid('subscriptionIds', 'is for API keys: people cancel one subscription at a time');
      const target = input.subscriptionId ?? '';
      const change = { field: 'cancelSubscription', kind: 'subscription', target, reason } as const;
      return byCaller(context, change, (own) => cancelSubscription(own, input));
    },
  }),
  pauseSubscription: t.withAuth({ $any: { key: true, hub: true } }).field({
    type: Subscription,
    description:
      'Pauses billing. Periods that would start during the pause are not charged, neither then nor later. 409 ' +
      '`invalid_state` unless the subscription is `active`. 404 if it is not visible to the API key.',
    forPeople: doneByPeople,
    args: {
      input: t.arg({
        type: PauseSubscriptionInput,
        required: true,
        description: 'The subscription to pause, and when to resume it.',
      }),
      reason: t.arg(reasonOfPeople),
    },
    resolve: (_root, { input, reason }, context) => {
      const change = {
        field: 'pauseSubscription',
        kind: 'subscription',
        target: input.subscriptionId,
        reason,
      } as const;
      return byCaller(context, change, (own) => pauseSubscription(own, input));
    },
  }),
  resumeSubscription: t.withAuth({ $any: { key: true, hub: true } }).field({
    type: Subscription,
    description:
      'Ends a pause or revokes a scheduled cancellation. Within the paid period the subscription continues ' +
      'unchanged. After it, a new period starts now and is charged immediately, and later periods are counted from now. ' +
      '409 `invalid_state` if the subscription is neither paused nor to be canceled. 404 if it is not visible to the ' +
      'API key.',
    forPeople: `${doneByPeople} The charge of a new period is deferred while nothing may be charged for the account.`,
    args: { subscriptionId: t.arg.id(subscriptionId), reason: t.arg(reasonOfPeople) },
    storedAnswer: chargedAnswer('resumeSubscription'),
    resolve: (_root, { subscriptionId: id, reason }, context) => {
      const change = { field: 'resumeSubscription', kind: 'subscription', target: id, reason } as const;
      return byCaller(context, change, (own) => resumeSubscription(own, id));
    },
  }),
  updateSubscription: t.withAuth({ key: true }).field({
    type: Subscription,
    description:
      'Updates the price, the quantity or the payment instrument of a subscription. A change to another billing ' +
      'interval is charged before anything of the subscription changes. If it is declined, 409 `payment_failed` with ' +
      '`data.paymentId`. If the card requires 3D Secure, the challenge is in `latestPayment`, and `pendingUpdate` ' +
      'stands until that payment is continued or expires. 409 `invalid_state` if the subscription is canceled, while ' +
      'a charge is in progress, if the price or the quantity of an `incomplete` subscription is to change, or if the ' +
      'balance would be beyond 9000000000000000 minor units. 403 `account_not_active` if the account must not make ' +
      'that charge. 404 if the subscription is not visible to the API key.',
    args: { input: t.arg({ type: UpdateSubscriptionInput, required: true, description: 'The fields to change.' }) },
    storedAnswer: chargedAnswer('updateSubscription'),
    resolve: (_root, { input }, context) => updateSubscription(context, input),
  }),
  rebillSubscription: t.withAuth({ key: true }).field({
    type: Subscription,
    description:
      'Makes the next charge of a subscription now. A failed charge is retried. A trial ends and the first period ' +
      'starts. An `active` subscription is charged for its next period, at most one ahead, and its dates do not ' +
      'change; if that charge is declined, nothing changes. 409 `invalid_state` if the subscription is paused, ' +
      'canceled or to be canceled, while a charge is in progress, or if the next period is already paid. 404 if the ' +
      'subscription is not visible to the API key.',
    args: { subscriptionId: t.arg.id(subscriptionId) },
    storedAnswer: chargedAnswer('rebillSubscription'),
    resolve: (_root, args, context) => rebillSubscription(context, args.subscriptionId),
  }),
}));
