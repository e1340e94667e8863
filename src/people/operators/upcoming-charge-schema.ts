import { type UpcomingCharge, upcomingChargeOf } from '../../domains/subscriptions/public.ts';
import { builder } from '../../graph/builder.ts';
import { readOperatorSubscription } from './read-objects.ts';
import { WithheldReasonEnum } from './withheld-charges-schema.ts';

const UpcomingChargeRef = builder.objectRef<UpcomingCharge>('UpcomingCharge').implement({
  description: 'The next charge of a subscription, as it would be made if nothing changed until then.',
  fields: (t) => ({
    dueAt: t.expose('dueAt', {
      type: 'DateTime',
      description: 'Time at which it is due, by the test clock if it has one.',
    }),
    amount: t.expose('amount', {
      type: 'AmountOrZero',
      description:
        'The amount in minor units of the currency, with what is carried over and a change of price that is scheduled ' +
        'for it. 0 if a credit covers it: then no payment is made.',
    }),
    currency: t.expose('currency', { type: 'Currency', description: 'The ISO 4217 code of the currency.' }),
    isRetry: t.exposeBoolean('isRetry', { description: 'Whether it repeats a charge that was declined.' }),
    withheldReason: t.field({
      type: WithheldReasonEnum,
      nullable: true,
      description:
        'Why it would not be made as account and partner are now. Null if it would. It is made when they may charge ' +
        'again.',
      resolve: ({ withheldReason }) => withheldReason,
    }),
  }),
});

builder.queryField('operatorUpcomingCharge', (t) =>
  t.withAuth({ directory: true }).field({
    type: UpcomingChargeRef,
    nullable: true,
    description:
      'Returns the next charge of a subscription of either mode. Null if none is scheduled: it is paused, incomplete or ' +
      'canceled, or ends with its period. 404 for a user of a partner if it belongs to another partner.',
    args: {
      subscriptionId: t.arg.id({ required: true, description: 'Identifier of the subscription, prefix `sub_`.' }),
    },
    resolve: async (_root, { subscriptionId }, context) =>
      upcomingChargeOf(context.services, await readOperatorSubscription(context, subscriptionId)),
  }),
);
