import { visible } from '../../auth/visible.ts';
import { builder } from '../../graph/builder.ts';
import { byCaller, doneByPeople, reasonOfPeople } from '../../graph/by-caller.ts';
import { objectOfPeople } from '../../lists/inputs.ts';
import { continuePayment } from './challenge/continue-payment.ts';
import { earlierAnswer } from './charge/answer.ts';
import { processPayment } from './charge/process-payment.ts';
import { CapturePaymentInput, ProcessPaymentInput } from './inputs.ts';
import { payments } from './list-payments.ts';
import { modificationAnswer } from './modification/answer.ts';
import { capturePayment, voidPayment } from './modification/modify-payment.ts';
import { asPayment } from './payment/rows.ts';
import { Payment } from './types.ts';

const paymentId = { required: true, description: 'The identifier of the payment, prefix `pay_`.' } as const;

builder.queryFields((t) => ({
  payment: t.withAuth({ $any: { suspendedKey: true, directory: true } }).prismaField({
    type: Payment,
    description:
      'Returns one payment with its transactions. 404 `PAYMENT_NOT_FOUND` if it is not visible to the API key.',
    forPeople: objectOfPeople,
    args: { paymentId: t.arg.id(paymentId) },
    resolve: (query, _root, args, context) => visible(context, 'payment', args.paymentId, query),
  }),
  payments: t
    .withAuth({ $any: { suspendedKey: true, directory: true } })
    .field(
      payments.field(
        "Lists the payments of a sub-key's account, or with a partner key those of all accounts of the partner in its " +
          'mode. Default order: the newest first.',
        { sortBy: 'The order of the list. Default: `createdAt`, descending.', filters: 'The filters of the list.' },
      ),
    ),
}));

builder.mutationFields((t) => ({
  processPayment: t.withAuth({ key: true }).field({
    type: Payment,
    description:
      'Charges a payment instrument. A declined charge is not an error: it returns a payment with the status ' +
      '`declined` and a `failureCode`. A payment whose outcome is not known yet has the status `pending` and the ' +
      'substatus `processing` until it is. 403 `account_not_active` if the account is not `active`, ' +
      '`partner_not_active` if its partner is suspended or offboarded.',
    args: { input: t.arg({ type: ProcessPaymentInput, required: true, description: 'The charge.' }) },
    storedAnswer: { answerOf: async (stored, { services }) => asPayment(await earlierAnswer(services, stored)) },
    resolve: async (_root, { input }, context) => asPayment(await processPayment(context, input)),
  }),
  continuePayment: t.withAuth({ key: true }).field({
    type: Payment,
    description:
      'Continues a payment after its challenge was answered. A payment whose challenge is unanswered, or that is ' +
      'final, is returned unchanged. A charge that has started is completed even if its account was suspended in the ' +
      'meantime.',
    args: { paymentId: t.arg.id(paymentId) },
    storedAnswer: { answerOf: async (stored, { services }) => asPayment(await earlierAnswer(services, stored)) },
    resolve: async (_root, args, context) => asPayment(await continuePayment(context, args.paymentId)),
  }),
  capturePayment: t.withAuth({ $any: { key: true, admin: true } }).field({
    type: Payment,
    description:
      'Captures an authorization. 409 `invalid_state` unless the payment is `pending`/`authorized`. 403 ' +
      '`account_not_active` if the account is not `active`: then the authorization can be voided, or expires.',
    forPeople: `${doneByPeople} A capture is 403 while nothing may be charged for the account.`,
    args: {
      input: t.arg({ type: CapturePaymentInput, required: true, description: 'The capture.' }),
      reason: t.arg(reasonOfPeople),
    },
    storedAnswer: modificationAnswer('capturePayment'),
    resolve: async (_root, { input, reason }, context) => {
      const change = { field: 'capturePayment', kind: 'payment', target: input.paymentId, reason } as const;
      return asPayment(await byCaller(context, change, (own) => capturePayment(own, input)));
    },
  }),
  voidPayment: t.withAuth({ $any: { suspendedKey: true, admin: true } }).field({
    type: Payment,
    description:
      'Voids an authorization. 409 `invalid_state`, `data.code` `TRANSACTION_NOT_AUTHORIZE`, unless the payment is ' +
      '`pending`/`authorized`. Allowed for every account, including one that is suspended or closed.',
    forPeople: doneByPeople,
    args: { paymentId: t.arg.id(paymentId), reason: t.arg(reasonOfPeople) },
    storedAnswer: modificationAnswer('voidPayment'),
    resolve: async (_root, { paymentId: id, reason }, context) => {
      const change = { field: 'voidPayment', kind: 'payment', target: id, reason } as const;
      return asPayment(await byCaller(context, change, (own) => voidPayment(own, id)));
    },
  }),
}));
