import { builder } from '../../graph/builder.ts';
import { DateFilter } from '../../graph/list-inputs.ts';
import { DisputeReason, DisputeStatus } from './types.ts';

export const DisputeFilters = builder.inputType('DisputeFilters', {
  description: 'Filters for a list of disputes. A dispute is returned only if it matches every filter given.',
  fields: (t) => ({
    status: t.field({ type: [DisputeStatus], description: 'Returns disputes with any of these statuses.' }),
    paymentId: t.id({ description: 'Returns disputes of this payment, prefix `pay_`.' }),
    storeId: t.idList({ description: 'Returns disputes of any of these stores, prefix `store_`.' }),
    createdAt: t.field({ type: DateFilter, description: 'Compares the time at which the dispute was recorded.' }),
    evidenceDueAt: t.field({ type: DateFilter, description: 'Compares the time until which evidence is accepted.' }),
    reason: t.field({ type: [DisputeReason], description: 'Returns disputes with any of these reasons.' }),
    processorId: t.idList({ description: 'Returns disputes of any of these processors, prefix `proc_`.' }),
    platformAccountId: t.id({ description: 'Returns disputes of this processing account, prefix `tpa_`.' }),
  }),
});

export const OpenTestDisputeInput = builder.inputType('OpenTestDisputeInput', {
  description: 'The test dispute to open.',
  fields: (t) => ({
    paymentId: t.id({
      required: true,
      description: 'The payment to dispute, prefix `pay_`: a captured payment of a test processor.',
    }),
    amount: t.field({
      type: 'Amount',
      description:
        'The amount to dispute in minor units of the currency. By default all that is left of the payment. It may be ' +
        'more, since processors report such disputes: what exceeds the rest is a loss.',
    }),
    reason: t.field({
      type: DisputeReason,
      required: true,
      defaultValue: 'fraudulent',
      description: 'The reason of the dispute.',
    }),
  }),
});

export const AdvancedDisputeStatus = builder.enumType('AdvancedDisputeStatus', {
  description: 'A status to which a test dispute can be advanced.',
  values: {
    under_review: { description: "The cardholder's bank reviews the evidence." },
    won: { description: 'The disputed amount is returned.' },
    lost: { description: 'The disputed amount is lost.' },
  } as const,
});
