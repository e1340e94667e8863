import type { KeyContext } from '../../graph/context.ts';
import { recordKeyOf } from '../../write/write.ts';
import { stateColumns } from './lifecycle.ts';
import { requireAllowed } from './modification-intent.ts';
import { modify } from './modify-payment.ts';
import type { PaymentWithTransactions } from './payment-rows.ts';
import { captureAmount } from './policy.ts';

/** Takes an authorized amount, or part of it. An authorization is captured once; the rest of it is released. */
export function capturePayment(
  context: KeyContext,
  { paymentId, amount }: { paymentId: string; amount?: number | null | undefined },
): Promise<PaymentWithTransactions> {
  return modify(context, recordKeyOf(context, 'capturePayment'), {
    type: 'capture',
    paymentId,
    takesMoney: true,
    intend: ({ payment }, now) => ({
      amount: requireAllowed(captureAmount(payment, amount ?? null, now)),
      payment: stateColumns.processing,
    }),
  });
}
