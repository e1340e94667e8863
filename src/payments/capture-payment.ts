import type { KeyContext } from '../graph/context.ts';
import { scopeOf } from '../kit/write.ts';
import { followUp, permitted } from './follow-up.ts';
import { stateColumns } from './lifecycle.ts';
import { captureAmount, voidAmount } from './policy.ts';
import type { PaymentWithTransactions } from './types.ts';

/** Takes money that is held: once, all of it or less. What is left of it is let go of. */
export function capturePayment(
  context: KeyContext,
  { paymentId, amount }: { paymentId: string; amount?: number | null | undefined },
): Promise<PaymentWithTransactions> {
  return followUp(context, scopeOf(context, 'capturePayment'), {
    type: 'capture',
    paymentId,
    takesMoney: true,
    intend: ({ payment }, now) => ({
      amount: permitted(captureAmount(payment, amount ?? null, now)),
      payment: stateColumns.processing,
    }),
  });
}

/** Lets go of money that is held. */
export function voidPayment(context: KeyContext, paymentId: string): Promise<PaymentWithTransactions> {
  return followUp(context, scopeOf(context, 'voidPayment'), {
    type: 'void',
    paymentId,
    intend: ({ payment }, now) => ({
      amount: permitted(voidAmount(payment, now), { code: 'TRANSACTION_NOT_AUTHORIZE' }),
      payment: stateColumns.processing,
    }),
  });
}
