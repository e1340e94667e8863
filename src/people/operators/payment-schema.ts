import { isHub, isPlatformReader } from '../../auth/roles.ts';
import { visiblePartnerId } from '../../auth/visibility.ts';
import type { SessionContext } from '../../call/context.ts';
import { Dispute, disputeObject } from '../../domains/disputes/public.ts';
import { LedgerPosting, type PostingRow, postingsOfPayment } from '../../domains/ledger/public.ts';
import {
  modificationAnswer,
  noSuchPayment,
  Payment,
  PaymentResult,
  type PaymentWithTransactions,
  Refund,
  type resolutionOutcomes,
  resolvePayment,
  Transaction,
} from '../../domains/payments/public.ts';
import type {
  AuditRow,
  BlockedCharge,
  Dispute as DisputeRecord,
  Event,
  Refund as RefundRecord,
} from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { storesWholeAnswer } from '../../graph/plugins.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import { AuditEntry } from '../audit/public.ts';
import { always, operatorCapture, operatorVoid, reason } from './on-behalf.ts';
import { OperatorEvent } from './types.ts';

/** A payment with everything that belongs to it. Null means that the caller may not read it, unlike an empty list. */
interface PaymentView extends PaymentWithTransactions {
  partnerId: string;
  refunds: RefundRecord[];
  disputes: DisputeRecord[];
  postings: PostingRow[];
  /** The rule that blocked it; null if there was none, or if the caller may not see it. */
  blockedBy: BlockedCharge | null;
  events: Event[] | null;
  auditRows: AuditRow[] | null;
}

/** Far more rows than a payment has. */
const rowsMax = 500;

/** A payment of either mode with everything that belongs to it. 404 if it is not visible to the caller. */
async function readOperatorPayment(context: SessionContext, paymentId: string): Promise<PaymentView> {
  const { prisma, pool } = context.services;
  const partnerId = await visiblePartnerId(context);
  const oldestFirst = { orderBy: [{ createdAt: 'asc' as const }, { id: 'asc' as const }], take: rowsMax };
  const found = await prisma.payment.findFirst({
    where: { id: paymentId, ...(partnerId !== null && { partnerId }) },
    include: { transactions: oldestFirst, refunds: oldestFirst, disputes: oldestFirst, blockedCharge: true },
  });
  if (!found) throw noSuchPayment();
  const [postings, events, auditRows] = await Promise.all([
    postingsOfPayment(pool, paymentId),
    isPlatformReader(context.caller)
      ? prisma.event.findMany({ where: { objectId: paymentId }, orderBy: { sequence: 'asc' }, take: rowsMax })
      : null,
    isHub(context.caller)
      ? prisma.auditRow.findMany({ where: { target: paymentId }, orderBy: { sequence: 'asc' }, take: rowsMax })
      : null,
  ]);
  const { transactions, refunds, disputes, blockedCharge, ...payment } = found;
  const blockedBy = isPlatformReader(context.caller) ? blockedCharge : null;
  const { partnerId: owner } = payment;
  return { partnerId: owner, payment, transactions, refunds, disputes, postings, blockedBy, events, auditRows };
}

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
    payment: t.field({ type: Payment, description: 'The payment.', ...storedColumn('payment') }),
    transactions: t.field({
      type: [Transaction],
      description: 'The transactions of the payment.',
      ...storedColumn('transactions'),
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
    storedAnswer: storesWholeAnswer,
    resolve: (_root, { input }, context) => resolvePayment(context, input),
  }),
);

const paymentId = { required: true, description: 'Identifier of the payment of either mode, prefix `pay_`.' } as const;
builder.mutationFields((t) => ({
  operatorVoidPayment: t.withAuth({ hub: true }).field({
    type: PaymentResult,
    description:
      'Voids an authorization of any account, like `voidPayment`: 404 `PAYMENT_NOT_FOUND`, 409 `invalid_state` ' +
      'unless the payment is `pending`/`authorized`. ' +
      always,
    args: { paymentId: t.arg.id(paymentId), reason: t.arg(reason) },
    storedAnswer: modificationAnswer('voidPayment'),
    resolve: (_root, args, context) => operatorVoid(context, args),
  }),
  operatorCapturePayment: t.withAuth({ hub: true }).field({
    type: PaymentResult,
    description:
      'Captures an authorization of any account, like `capturePayment`: 400 above the authorized amount, 404 ' +
      '`PAYMENT_NOT_FOUND`, 409 `invalid_state` unless the payment is `pending`/`authorized`. 403 ' +
      '`partner_not_active` or `account_not_active` while nothing may be charged for the account. The partner gets ' +
      'the usual events. The change is recorded in the audit log. An `Idempotency-Key` belongs to the user.',
    args: {
      paymentId: t.arg.id(paymentId),
      amount: t.arg({
        type: 'Amount',
        description: 'The amount in minor units of the currency. Default: the authorized amount.',
      }),
      reason: t.arg(reason),
    },
    storedAnswer: modificationAnswer('capturePayment'),
    resolve: (_root, args, context) => operatorCapture(context, args),
  }),
}));
