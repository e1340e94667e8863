import { peopleVisibility } from '../../auth/visibility.ts';
import { earlierModification, Payment } from '../../domains/payments/public.ts';
import { builder } from '../../graph/builder.ts';
import { DateFilter, pageArguments, pageComplexity } from '../../lists/inputs.ts';
import { always, reason, visibilityArgs } from '../operators/public.ts';
import { approvedBefore, approveRefundRequest } from './approve-refund-request.ts';
import { rejectRefundRequest, withdrawRefundRequest } from './end-refund-request.ts';
import { refundAsPerson, refundableWithoutApproval } from './refund-as-person.ts';
import { listRefundRequestsWithin } from './refund-request-rows.ts';
import { OperatorRefund, RefundRequest, RefundRequestPage, RefundRequestStatusEnum } from './types.ts';

const RefundRequestFilters = builder.inputType('RefundRequestFilters', {
  description: 'Filters of a list of requests for refunds. A request must match every given filter.',
  fields: (t) => ({
    status: t.field({ type: [RefundRequestStatusEnum], description: 'Only requests with one of these statuses.' }),
    platformAccountId: t.id({ description: 'Only requests of this account.' }),
    paymentId: t.id({ description: 'Only requests about this payment.' }),
    createdAt: t.field({ type: DateFilter, description: 'Only requests made at this time.' }),
  }),
});

builder.queryField('operatorRefundRequests', (t) =>
  t.withAuth({ hub: true }).field({
    type: RefundRequestPage,
    description: 'Lists the refunds that people asked for and that a second person must approve, newest first.',
    args: {
      ...visibilityArgs,
      ...pageArguments,
      filters: t.arg({ type: RefundRequestFilters, description: 'Filters of the list.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listRefundRequestsWithin(context, await peopleVisibility(context, { mode, partnerSlug }), args),
  }),
);

const decided =
  '404 if there is none, 409 `invalid_state` if it is decided already or has expired. The change is recorded in the ' +
  'audit log. An `Idempotency-Key` belongs to the user.';
const requestId = { required: true, description: 'Identifier of the request, prefix `rreq_`.' } as const;

builder.mutationFields((t) => ({
  operatorRefundPayment: t.withAuth({ hub: true }).field({
    type: OperatorRefund,
    description:
      'Refunds a payment of any account, like `refundPayment`: 400 for more than what is left, 404 ' +
      '`PAYMENT_NOT_FOUND`, 409 `invalid_state` if the payment cannot be refunded. If the amount, with what people ' +
      'refunded of the payment before, reaches the limit of its currency (`refundLimits`), nothing is refunded: the ' +
      'answer has a `request`, which a second person must approve within 72 hours. 409 `already_exists` if such a ' +
      'request of the payment waits already. ' +
      always,
    args: {
      paymentId: t.arg.id({
        required: true,
        description: 'Identifier of the payment of either mode, prefix `pay_`.',
      }),
      amount: t.arg({
        type: 'Amount',
        description: 'The amount in minor units of the currency. Default: everything that is left.',
      }),
      cancelSubscription: t.arg.boolean({
        defaultValue: false,
        description: 'Also cancels the subscription of the payment, if there is one.',
      }),
      refundedBefore: t.arg({
        type: 'AmountOrZero',
        description:
          'The amount refunded of the payment when the caller decided, in minor units of its currency: 409 ' +
          '`invalid_state` if it is another by now, as after a refund by another person. Default: not compared.',
      }),
      reason: t.arg(reason),
    },
    storedAnswer: {
      operation: 'refundPayment',
      answerOf: (stored, { services }) => earlierModification(services, stored),
    },
    resolve: (_root, args, context) => refundAsPerson(context, args),
  }),
  approveRefundRequest: t.withAuth({ hub: true }).field({
    type: OperatorRefund,
    description:
      'Approves a refund that another person asked for, and makes it. 403 `second_person_required` for the person ' +
      'who asked, in any session. 409 `invalid_state` if the payment can no longer be refunded by the amount, or the ' +
      'person who asked may not refund any more; the request then stays as it is. ' +
      decided,
    args: { requestId: t.arg.id(requestId), reason: t.arg(reason) },
    storedAnswer: { answerOf: approvedBefore },
    resolve: (_root, args, context) => approveRefundRequest(context, args),
  }),
  rejectRefundRequest: t.withAuth({ hub: true }).field({
    type: RefundRequest,
    description:
      'Rejects a refund that another person asked for. Nothing is refunded. 403 `second_person_required` for the ' +
      `person who asked. ${decided}`,
    args: { requestId: t.arg.id(requestId), reason: t.arg(reason) },
    resolve: (_root, args, context) => rejectRefundRequest(context, args),
  }),
  withdrawRefundRequest: t.withAuth({ hub: true }).field({
    type: RefundRequest,
    description:
      'Withdraws a refund that the caller asked for. Nothing is refunded. 403 `not_the_requester` for other people. ' +
      decided,
    args: { requestId: t.arg.id(requestId), reason: t.arg(reason) },
    resolve: (_root, args, context) => withdrawRefundRequest(context, args),
  }),
}));

builder.objectField(Payment, 'refundableWithoutApproval', (t) =>
  t.field({
    type: 'AmountOrZero',
    nullable: true,
    authScopes: { hub: true },
    description:
      'The largest refund that a person may make of the payment now without a second person, in minor units of its ' +
      'currency; it may be more than what is left. Null without a limit. For those who may refund.',
    complexity: 20,
    resolve: (payment, _args, { services }) => refundableWithoutApproval(services.pool, payment),
  }),
);
