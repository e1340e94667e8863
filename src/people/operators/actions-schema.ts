import { modificationAnswer, PaymentResult } from '../../domains/payments/public.ts';
import { builder } from '../../graph/builder.ts';
import { operatorCapture, operatorVoid } from './act-on-payment.ts';
import { always, reason } from './reason-argument.ts';

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
