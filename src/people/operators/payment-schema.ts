import { Dispute, disputeObject } from '../../domains/disputes/public.ts';
import { LedgerPosting } from '../../domains/ledger/public.ts';
import {
  Payment,
  PaymentResult,
  Refund,
  type resolutionOutcomes,
  resolvePayment,
  Transaction,
} from '../../domains/payments/public.ts';
import type { BlockedCharge } from '../../generated/prisma/client.ts';
import { asStored } from '../../graph/as-stored.ts';
import { builder } from '../../graph/builder.ts';
import { storedWhole } from '../../graph/first-answers.ts';
import { AuditEntry } from '../audit/public.ts';
import { type PaymentView, readOperatorPayment } from './read-payment.ts';
import { OperatorEvent } from './types.ts';

const PaymentBlock = builder.objectRef<BlockedCharge>('PaymentBlock').implement({
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

export const OperatorPayment = builder.objectRef<PaymentView>('OperatorPayment').implement({
  description: 'A payment with everything that belongs to it. Every list is sorted oldest first.',
  fields: (t) => ({
    partnerId: t.exposeID('partnerId', { description: 'Identifier of the partner, prefix `par_`.' }),
    // whole rows of the database, here and below
    payment: t.field({ type: Payment, description: 'The payment.', ...asStored('payment') }),
    transactions: t.field({
      type: [Transaction],
      description: 'The transactions of the payment.',
      ...asStored('transactions'),
    }),
    refunds: t.field({
      type: [Refund],
      description: 'The refunds of the payment in every status.',
      resolve: ({ refunds }) => refunds,
    }),
    disputes: t.field({
      type: [Dispute],
      description: 'The disputes of the payment.',
      resolve: ({ disputes }) => disputes.map(disputeObject),
    }),
    postings: t.field({
      type: [LedgerPosting],
      description: 'The postings of the payment in the ledger.',
      resolve: ({ postings }) => postings,
    }),
    blockedBy: t.field({
      type: PaymentBlock,
      nullable: true,
      description:
        'The rule that blocked the payment, also if it has a criterion about the card, which no API key can read. ' +
        'Null if none did, for a payment of a version that did not record it, and for users of a partner.',
      resolve: ({ blockedBy }) => blockedBy,
    }),
    events: t.field({
      type: [OperatorEvent],
      nullable: true,
      description: 'The events of the payment. Null for users of a partner.',
      resolve: ({ events }) => events,
    }),
    auditRows: t.field({
      type: [AuditEntry],
      nullable: true,
      description: 'The audit rows about the payment. Null for a caller who may not read the audit log.',
      resolve: ({ auditRows }) => auditRows?.map((row) => ({ ...row, createdAt: row.at })),
    }),
  }),
});

builder.queryField('operatorPayment', (t) =>
  t.withAuth({ directory: true }).field({
    type: OperatorPayment,
    description:
      'Returns one payment of either mode with its transactions, refunds, disputes, postings, events and audit rows. ' +
      '404 `PAYMENT_NOT_FOUND` for a user of a partner if the payment belongs to another partner.',
    args: { paymentId: t.arg.id({ required: true, description: 'Identifier of the payment, prefix `pay_`.' }) },
    resolve: (_root, { paymentId }, context) => readOperatorPayment(context, paymentId),
  }),
);

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
    type: PaymentResult,
    description:
      'Resolves a charge, capture, void or refund that is processing, by querying its processor or by a decision of ' +
      'an operator. A decision is 409 `invalid_state` in the first ten minutes, in which the platform queries the ' +
      'processor itself. 409 if nothing is open. Events, ledger and order are written as usual; the resolution is ' +
      'recorded in the audit log.',
    args: { input: t.arg({ type: ResolvePaymentInput, required: true, description: 'The resolution.' }) },
    storedAnswer: storedWhole,
    resolve: (_root, { input }, context) => resolvePayment(context, input),
  }),
);
