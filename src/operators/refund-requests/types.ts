import { type RefundAnswer, RefundedPayment, Refunds } from '../../domains/payments/public.ts';
import { builder } from '../../graph/builder.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import { pageType } from '../../lists/inputs.ts';
import type { RefundRequestRow, RefundRequestStatus } from './refund-request-rows.ts';

export const RefundRequestStatusEnum = builder.enumType('RefundRequestStatus', {
  description: 'The status of the refund request.',
  values: {
    pending: { description: 'It is awaiting approval by a second person.' },
    approved: { description: 'A second person approved it. The refund was made; its own status says how it went.' },
    rejected: { description: 'A second person rejected it.' },
    withdrawn: { description: 'The requester withdrew it.' },
    expired: { description: 'Not decided within 72 hours.' },
  } as const satisfies Record<RefundRequestStatus, object>,
});

export const RefundRequest = builder.prismaObject('RefundRequest', {
  description: 'A refund that a person requested and that a second person must approve.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier, prefix `rreq_`.' }),
    partnerId: t.exposeID('partnerId', { description: 'Identifier of the partner, prefix `par_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'Identifier of the processing account, prefix `tpa_`.',
    }),
    paymentId: t.exposeID('paymentId', { description: 'Identifier of the payment, prefix `pay_`.' }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: ({ mode }) => mode === 'live',
    }),
    amount: t.field({
      type: 'Amount',
      description: 'The amount to refund, in minor units of the currency.',
      resolve: ({ amount }) => Number(amount),
    }),
    currency: t.expose('currency', { type: 'Currency', description: 'The ISO 4217 code of the currency.' }),
    cancelSubscription: t.exposeBoolean('cancelSubscription', {
      description: 'Whether the subscription of the payment is canceled with the refund.',
    }),
    reason: t.exposeString('reason', { description: 'The reason of the request.' }),
    status: t.field({
      type: RefundRequestStatusEnum,
      description: 'The status.',
      ...storedColumn('status'),
    }),
    requestedBy: t.exposeID('requestedBy', { description: 'Identifier of the requester.' }),
    requestedByEmail: t.exposeString('requestedByEmail', {
      description: 'The email address of the requester at that time.',
    }),
    isOwn: t.boolean({
      description:
        'Whether the caller requested it. The caller can then withdraw it, and neither approve nor reject it.',
      resolve: ({ requestedBy }, _args, { caller }) => caller.kind === 'session' && caller.userId === requestedBy,
    }),
    decidedByEmail: t.exposeString('decidedByEmail', {
      nullable: true,
      description: 'The email address of who approved, rejected or withdrew it. Null before, and if it expired.',
    }),
    decisionReason: t.exposeString('decisionReason', { nullable: true, description: 'Why, in their words.' }),
    decidedAt: t.expose('decidedAt', { type: 'DateTime', nullable: true, description: 'Time of the decision.' }),
    refundId: t.exposeID('refundId', {
      nullable: true,
      description: 'Identifier of the refund, prefix `ref_`. Null unless it was approved.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Time until which it can be decided, 72 hours after its creation.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the refund was requested.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

export const RefundRequestPage = pageType('RefundRequestPage', RefundRequest, 'requests for refunds');

/** The result of a refund: that of a key's or a person's, or the request that a person's has become. */
type RefundResultValue = RefundAnswer | RefundRequestRow;

export const RefundResult = builder.unionType('RefundResult', {
  description: 'The refund with its payment for `paymentId`; the outcomes of all refunds for `paymentIds`.',
  types: [RefundedPayment, Refunds, RefundRequest],
  resolveType: (value: RefundResultValue) =>
    'results' in value ? 'Refunds' : 'requestedBy' in value ? 'RefundRequest' : 'RefundedPayment',
});
