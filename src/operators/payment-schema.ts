import { AuditEntry } from '../audit/schema.ts';
import { Dispute } from '../disputes/schema.ts';
import { builder } from '../graph/builder.ts';
import { LedgerPosting } from '../ledger/schema.ts';
import { resolutionOutcomes, resolvePayment } from '../payments/operations.ts';
import { Refund } from '../payments/schema.ts';
import { Payment, PaymentResult, Transaction } from '../payments/types.ts';
import { type PaymentView, viewPayment } from './payment-view.ts';
import { OperatorEvent } from './schema.ts';

const OperatorPayment = builder.objectRef<PaymentView>('OperatorPayment').implement({
  description: 'A payment with everything that hangs on it, each list the oldest first.',
  fields: (t) => ({
    partnerId: t.exposeString('partnerId', { description: 'The partner, prefix `par_`.' }),
    payment: t.field({ type: Payment, description: 'The payment.', resolve: ({ payment }) => payment as never }), // read whole from the database
    transactions: t.field({
      type: [Transaction],
      description: 'What was asked of processors.',
      resolve: ({ transactions }) => transactions as never,
    }), // as above
    refunds: t.field({
      type: [Refund],
      description: 'What was given back, or was to be.',
      resolve: ({ refunds }) => refunds,
    }),
    disputes: t.field({
      type: [Dispute],
      description: "What the cardholder's bank took back.",
      resolve: ({ disputes }) => disputes,
    }),
    postings: t.field({
      type: [LedgerPosting],
      description: 'What it did to the books.',
      resolve: ({ postings }) => postings,
    }),
    events: t.field({
      type: [OperatorEvent],
      nullable: true,
      description: "What happened to it. Null for a partner's own people.",
      resolve: ({ events }) => events,
    }),
    auditRows: t.field({
      type: [AuditEntry],
      nullable: true,
      description: 'Which people did something about it by hand. Null for those who may not read the audit log.',
      resolve: ({ auditRows }) => auditRows?.map((row) => ({ ...row, createdAt: row.at })),
    }),
  }),
});

builder.queryField('operatorPayment', (t) =>
  t.withAuth({ directory: true }).field({
    type: OperatorPayment,
    description:
      "One payment of either mode with its transactions, refunds, postings, events and audit rows, in one query. 404 `PAYMENT_NOT_FOUND` outside the partner of a partner's own people.",
    args: { paymentId: t.arg.string({ required: true, description: 'Identifier, prefix `pay_`.' }) },
    resolve: (_root, { paymentId }, context) => viewPayment(context, paymentId),
  }),
);

const ResolutionOutcome = builder.enumType('ResolutionOutcome', {
  description: 'How a stuck payment is resolved.',
  values: {
    ask: { description: 'Ask the processor once more, now. Always safe.' },
    approved: { description: 'The processor has it on record as done.' },
    failed: { description: 'The processor has no record of it, or one of a failure, and never will have another.' },
  } satisfies Record<(typeof resolutionOutcomes)[number], unknown>,
});

const ResolvePaymentInput = builder.inputType('ResolvePaymentInput', {
  description: 'What a person knows of a payment that waits for its processor.',
  fields: (t) => ({
    paymentId: t.string({ required: true, description: 'Identifier, prefix `pay_`.' }),
    outcome: t.field({
      type: ResolutionOutcome,
      required: true,
      description: 'What to do, or what was seen at the processor.',
    }),
    processorReference: t.field({
      type: 'ShortText',
      description: "The processor's own name of what was approved; with `approved` alone, and required there.",
    }),
    note: t.field({ type: 'ShortText', required: true, description: 'How one knows. It stands in the audit log.' }),
  }),
});

builder.mutationField('resolvePayment', (t) =>
  t.withAuth({ hub: true }).field({
    type: PaymentResult,
    description:
      'Ends a charge, capture, void or refund that is stuck in processing, by asking its processor or by hand. By hand: 409 `invalid_state` in the first ten minutes, while the platform asks by itself. 409 when nothing is open. Events, books and order follow as always; audited with what was said.',
    args: { input: t.arg({ type: ResolvePaymentInput, required: true, description: 'The resolution.' }) },
    resolve: (_root, { input }, context) => resolvePayment(context, input),
  }),
);
