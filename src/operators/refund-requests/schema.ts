import { peopleVisibility } from '../../auth/visibility.ts';
import {
  earlierModification,
  earlierRefund,
  Payment,
  type RefundAnswer,
  RefundedPayment,
  type RefundInput,
  RefundPaymentInput,
  refundPayment,
} from '../../domains/payments/public.ts';
import { builder } from '../../graph/builder.ts';
import { byCaller, doneByPeople, isOfPerson, reason, reasonOfPeople } from '../../graph/by-caller.ts';
import { InvalidInput, invalid } from '../../lib/errors.ts';
import { DateFilter, pageArguments, pageComplexity, visibilityArgs } from '../../lists/inputs.ts';
import { approveRefundRequest } from './approve-refund-request.ts';
import { rejectRefundRequest, withdrawRefundRequest } from './end-refund-request.ts';
import { refundableWithoutApproval } from './limits.ts';
import { type PersonsRefundResult, refundOrRequest } from './refund-as-person.ts';
import { listRefundRequestsWithin } from './refund-request-rows.ts';
import { RefundRequest, RefundRequestPage, RefundRequestStatusEnum, RefundResult } from './types.ts';

const RefundRequestFilters = builder.inputType('RefundRequestFilters', {
  description: 'Filters of a list of requests for refunds. A request must match every given filter.',
  fields: (t) => ({
    status: t.field({ type: [RefundRequestStatusEnum], description: 'Only requests with one of these statuses.' }),
    platformAccountId: t.id({ description: 'Only requests of this account.' }),
    paymentId: t.id({ description: 'Only requests about this payment.' }),
    createdAt: t.field({ type: DateFilter, description: 'Only requests made at this time.' }),
  }),
});

builder.queryField('refundRequests', (t) =>
  t.withAuth({ directory: true }).field({
    type: RefundRequestPage,
    description:
      'Lists the refunds that people requested and that a second person must approve, newest first. Users of a ' +
      'partner see those that people of the partner requested.',
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
  '404 if there is none, 409 `invalid_state` if it is already decided or has expired. The change is recorded in ' +
  'the audit log. An `Idempotency-Key` belongs to the user.';
const requestId = { required: true, description: 'Identifier of the request, prefix `rreq_`.' } as const;

/** Several payments, block rules, and a text and data for the partner are for keys. */
function assertOfPerson({ paymentIds, reason, metadata, blacklistCustomer }: RefundInput): void {
  const ofKeys = Object.entries({ paymentIds, reason, metadata, blacklistCustomer: blacklistCustomer || null });
  const issues = ofKeys
    .filter(([, value]) => value != null)
    .map(([name]) => ({ path: `input.${name}`, message: 'is for API keys' }));
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** A refund that waits for a second person is answered as its request. */
const refundOrItsRequest = (answer: RefundAnswer | PersonsRefundResult) =>
  'request' in answer && answer.request ? answer.request : answer;

builder.mutationFields((t) => ({
  refundPayment: t.withAuth({ $any: { suspendedKey: true, admin: true } }).field({
    type: RefundResult,
    description:
      'Refunds a captured amount, in whole or in part. 400 if the amount exceeds the refundable balance; 409 ' +
      '`invalid_state` if the payment cannot be refunded. A refund that the processor refuses is returned with the ' +
      'status `failed`. Allowed for every account, including one that is suspended or closed.',
    forPeople:
      `${doneByPeople} They refund one payment, and give its \`amount\` and \`cancelSubscription\` alone. If the ` +
      'amount, with what people refunded of the payment before, reaches the limit of its currency (`refundLimits`), ' +
      'nothing is refunded: the answer is a request, which a second person must approve within 72 hours. 409 ' +
      '`already_exists` if such a request of the payment waits already. Where people need a second factor, such a ' +
      'request is 403 `second_factor_too_old` unless it was verified in the last ten minutes.',
    args: {
      input: t.arg({ type: RefundPaymentInput, required: true, description: 'The refund.' }),
      refundedBefore: t.arg({
        type: 'AmountOrZero',
        description:
          'For people: the amount refunded of the payment when they decided, in minor units of its currency. 409 ' +
          '`invalid_state` if it has changed, as after a refund by another person. Default: not compared.',
      }),
      reason: t.arg(reasonOfPeople),
    },
    storedAnswer: {
      answerOf: async (stored, context) => refundOrItsRequest(await earlierRefund(stored, context)),
    },
    resolve: async (_root, { input, refundedBefore, reason }, context) => {
      if (isOfPerson(context)) assertOfPerson(input);
      else if (refundedBefore != null) throw invalid('refundedBefore', 'is for people');
      const change = { field: 'refundPayment', kind: 'payment', target: input.paymentId ?? '', reason } as const;
      return refundOrItsRequest(
        await byCaller(context, change, (own) =>
          isOfPerson(context)
            ? refundOrRequest(own, context.caller, { ...input, refundedBefore }, reason ?? '')
            : refundPayment(own, input),
        ),
      );
    },
  }),
  approveRefundRequest: t.withAuth({ admin: true }).field({
    type: RefundedPayment,
    description:
      'Approves and executes a refund requested by another person. 403 `second_person_required` for the requester, ' +
      'in any session, and `second_person_not_independent` for one who gave them access, or got it from them, in ' +
      'the last 24 hours. 409 `invalid_state` if the payment can no longer be refunded by the amount, or the ' +
      'requester can no longer refund; the request is then unchanged. ' +
      decided,
    args: { requestId: t.arg.id(requestId), reason: t.arg(reason) },
    freshSecondFactor: true,
    storedAnswer: { answerOf: (stored, { services }) => earlierModification(services, stored) },
    resolve: (_root, args, context) => approveRefundRequest(context, args),
  }),
  rejectRefundRequest: t.withAuth({ admin: true }).field({
    type: RefundRequest,
    description:
      'Rejects a refund requested by another person. Nothing is refunded. 403 `second_person_required` for the ' +
      `requester. ${decided}`,
    args: { requestId: t.arg.id(requestId), reason: t.arg(reason) },
    resolve: (_root, args, context) => rejectRefundRequest(context, args),
  }),
  withdrawRefundRequest: t.withAuth({ admin: true }).field({
    type: RefundRequest,
    description:
      'Withdraws a refund that the caller requested. Nothing is refunded. 403 `not_the_requester` for other people. ' +
      decided,
    args: { requestId: t.arg.id(requestId), reason: t.arg(reason) },
    resolve: (_root, args, context) => withdrawRefundRequest(context, args),
  }),
}));

builder.objectField(Payment, 'refundableWithoutApproval', (t) =>
  t.field({
    type: 'AmountOrZero',
    nullable: true,
    authScopes: { admin: true },
    description:
      'The largest refund of the payment that a person may make now without a second approver, in minor units of ' +
      'its currency; it may exceed the refundable balance. Null without a limit. For those who may refund.',
    // A statement for each payment.
    complexity: 100,
    resolve: (payment, _args, { services }) =>
      refundableWithoutApproval(services.pool, payment, services.clock.earliestReal()),
  }),
);
