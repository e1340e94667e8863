import { builder } from '../graph/builder.ts';
import { DateFilter } from '../graph/list-inputs.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { type DisputeReason as Reason, disputeReasons } from '../ports/card-processor.ts';
import { listDisputes, readDispute } from './operations.ts';
import { advanceTestDispute, openTestDispute } from './test-disputes.ts';

const DisputeStatus = builder.enumType('DisputeStatus', {
  description: 'How a dispute stands.',
  values: {
    needs_response: { description: 'The money was taken back; evidence counts until `evidenceDueAt`.' },
    under_review: { description: "The cardholder's bank looks at the evidence." },
    won: { description: 'The money came back. Final.' },
    lost: { description: 'The money is gone. Final.' },
  } as const,
});

const DisputeReason = builder.enumType('DisputeReason', {
  description: "What the cardholder's bank gives as its reason; `general` for whatever has no word of its own.",
  values: disputeReasons,
});

export const Dispute = builder.prismaObject('Dispute', {
  description:
    "Captured money that the cardholder's bank has taken back, until it is decided whose it is. While it is open, and for good once it is lost, it is not there to be refunded. Kept whatever became of the account or its partner meanwhile.",
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `dp_`.' }),
    paymentId: t.exposeString('paymentId', { description: 'The payment, prefix `pay_`.' }),
    storeId: t.exposeString('storeId', { description: 'The store, prefix `store_`.' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    processorId: t.exposeString('processorId', { description: 'The processor it came through, prefix `proc_`.' }),
    processorReference: t.exposeString('processorReference', { description: "The processor's own reference of it." }),
    amount: t.expose('amount', {
      type: 'Amount',
      description:
        'How much of the payment, in minor units of the currency: at most what was captured and not refunded.',
    }),
    currency: t.expose('currency', { type: 'Currency', description: 'ISO 4217 code, that of the payment.' }),
    status: t.field({
      type: DisputeStatus,
      description: 'How it stands.',
      resolve: (dispute) => dispute.status as never,
    }), // a CHECK constraint holds the column to the enum
    reason: t.field({ type: DisputeReason, description: 'Why.', resolve: (dispute) => dispute.reason as Reason }), // written as DisputeReason only
    evidenceDueAt: t.expose('evidenceDueAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when evidence counts; it is given at the processor. Null when the processor does not say.',
    }),
    closedAt: t.expose('closedAt', { type: 'DateTime', nullable: true, description: 'When it was won or lost.' }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: (dispute) => dispute.mode === 'live' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When we heard of it.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

export const DisputePage = pageType('DisputePage', Dispute, 'disputes');
export const DisputeSort = sortInput('DisputeSort', ['createdAt']);

export const DisputeFilters = builder.inputType('DisputeFilters', {
  description: 'Which disputes. All that are given must hold.',
  fields: (t) => ({
    status: t.field({ type: [DisputeStatus], description: 'Any of these statuses.' }),
    paymentId: t.string({ description: 'Of this payment.' }),
    storeId: t.stringList({ description: 'Any of these stores.' }),
    createdAt: t.field({ type: DateFilter, description: 'When we heard of it.' }),
  }),
});

export const OpenTestDisputeInput = builder.inputType('OpenTestDisputeInput', {
  description: 'A dispute to rehearse.',
  fields: (t) => ({
    paymentId: t.string({ required: true, description: 'A captured payment of a test processor, prefix `pay_`.' }),
    amount: t.field({
      type: 'Amount',
      description: 'How much, in minor units: at most what is left of the payment, which it is when left out.',
    }),
    reason: t.field({ type: DisputeReason, required: true, defaultValue: 'fraudulent', description: 'Why.' }),
  }),
});

const AdvancedDisputeStatus = builder.enumType('AdvancedDisputeStatus', {
  description: 'Where a dispute can be moved.',
  values: ['under_review', 'won', 'lost'] as const,
});

const disputeId = { required: true, description: 'Identifier, prefix `dp_`.' } as const;

builder.queryFields((t) => ({
  dispute: t.withAuth({ key: true }).field({
    type: Dispute,
    description: 'One dispute. 404 when it is not within the reach of the key.',
    args: { disputeId: t.arg.string(disputeId) },
    resolve: (_root, args, context) => readDispute(context, args.disputeId),
  }),
  disputes: t.withAuth({ key: true }).field({
    type: DisputePage,
    description: "The disputes of the key's account, or of all the partner's accounts of its mode, the newest first.",
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: DisputeSort, description: 'The order.' }),
      filters: t.arg({ type: DisputeFilters, description: 'Which disputes.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listDisputes(context, args),
  }),
}));

builder.mutationFields((t) => ({
  openTestDispute: t.withAuth({ testKey: true }).field({
    type: Dispute,
    description:
      'Has the cardholder of a test payment dispute it, as the test processor then tells. 409 `invalid_state` when nothing of the payment is left, 400 above what is left or when the payment was not made at a test processor.',
    args: { input: t.arg({ type: OpenTestDisputeInput, required: true, description: 'The dispute.' }) },
    resolve: async (_root, { input }, context) => (await openTestDispute(context, input)) as never, // the Amount scalar takes both kinds of number
  }),
  advanceTestDispute: t.withAuth({ testKey: true }).field({
    type: Dispute,
    description:
      'Moves a dispute of a test processor on: to `under_review`, or to its end. 409 `invalid_state` when it is won or lost already; the status it has is 200, unchanged.',
    args: {
      disputeId: t.arg.string(disputeId),
      status: t.arg({ type: AdvancedDisputeStatus, required: true, description: 'Where to.' }),
    },
    resolve: async (_root, args, context) => (await advanceTestDispute(context, args.disputeId, args.status)) as never, // as above
  }),
}));
