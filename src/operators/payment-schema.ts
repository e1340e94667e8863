import { LedgerPosting, type PostingRow, postingsOfPayments } from '../domains/ledger/public.ts';
import { asPayment, Payment, type resolutionOutcomes, resolvePayment } from '../domains/payments/public.ts';
import { builder } from '../graph/builder.ts';
import { linkedRows } from '../graph/linked-rows.ts';
import { storesWholeAnswer } from '../graph/plugins.ts';

const PaymentBlock = builder.prismaObject('BlockedCharge', {
  name: 'PaymentBlock',
  description:
    'The block rule that blocked a payment, as it was then. The rule may have been changed or deleted since.',
  fields: (t) => ({
    blockRuleId: t.exposeID('blockRuleId', { description: 'Identifier of the rule, prefix `rule_`.' }),
    name: t.exposeString('ruleName', { description: 'Name of the rule.' }),
    criteria: t.exposeStringList('criteria', {
      description: 'The criteria that the rule has, such as `panRegex`, without their values.',
    }),
  }),
});

builder.prismaObjectFields(Payment, (t) => ({
  postings: t.field({
    type: [LedgerPosting],
    nullable: true,
    authScopes: { directory: true },
    description: 'The postings of the payment in the ledger, the oldest first. For people.',
    resolve: ({ id }, _args, context) => linkedRows<PostingRow>(context, postingsOfPayments, id),
  }),
  blockedBy: t.relation('blockedCharge', {
    type: PaymentBlock,
    nullable: true,
    authScopes: { platformStaff: true },
    description:
      'The rule that blocked the payment, also if it has a criterion about the card, which no API key can read. ' +
      'Null if none did, and for a payment created before this field existed. For internal staff.',
  }),
}));

const ResolutionOutcome = builder.enumType('ResolutionOutcome', {
  description: 'How an unknown outcome is resolved.',
  values: {
    ask: { description: 'Query the processor once more, at once. Always safe.' },
    approved: { description: 'The records of the processor contain the transaction as approved.' },
    failed: {
      description:
        'The records of the processor contain no such transaction, or a failed one, and this will not change.',
    },
  } satisfies Record<(typeof resolutionOutcomes)[number], unknown>,
});

const ResolvePaymentInput = builder.inputType('ResolvePaymentInput', {
  description: 'A resolution of a payment whose outcome at the processor is unknown.',
  fields: (t) => ({
    paymentId: t.id({ required: true, description: 'Identifier of the payment, prefix `pay_`.' }),
    outcome: t.field({
      type: ResolutionOutcome,
      required: true,
      description: 'The action to take, or the outcome seen at the processor.',
    }),
    processorReference: t.field({
      type: 'ShortText',
      description:
        "The processor's reference of the approved transaction. Required with `approved`, refused with any other " +
        'outcome.',
    }),
    note: t.field({
      type: 'ShortText',
      required: true,
      description: 'How the outcome is known. Recorded in the audit log.',
    }),
  }),
});

builder.mutationField('resolvePayment', (t) =>
  t.withAuth({ hub: true }).field({
    type: Payment,
    description:
      'Resolves a charge, capture, void or refund that is processing, by querying its processor or by a decision of ' +
      'an operator. A decision is 409 `invalid_state` in the first ten minutes, in which the platform queries the ' +
      'processor itself. 409 if nothing is open. Events, ledger and order are written as usual; the resolution is ' +
      'recorded in the audit log.',
    args: { input: t.arg({ type: ResolvePaymentInput, required: true, description: 'The resolution.' }) },
    storedAnswer: storesWholeAnswer,
    resolve: async (_root, { input }, context) => asPayment(await resolvePayment(context, input)),
  }),
);
