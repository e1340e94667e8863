import type { KeyContext } from '../../graph/context.ts';
import { recordKeyOf } from '../../write/write.ts';
import { stateColumns } from './lifecycle.ts';
import { requireAllowed } from './modification-intent.ts';
import { modify } from './modify-payment.ts';
import type { PaymentWithTransactions } from './payment-rows.ts';
import { voidAmount } from './policy.ts';

/** Releases an authorization. */
export function voidPayment(context: KeyContext, paymentId: string): Promise<PaymentWithTransactions> {
  return modify(context, recordKeyOf(context, 'voidPayment'), {
    type: 'void',
    paymentId,
    intend: ({ payment }, now) => ({
      amount: requireAllowed(voidAmount(payment, now), { code: 'TRANSACTION_NOT_AUTHORIZE' }),
      payment: stateColumns.processing,
    }),
  });
}
