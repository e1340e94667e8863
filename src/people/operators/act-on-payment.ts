import {
  capturePayment,
  noSuchPayment,
  type PaymentWithTransactions,
  voidPayment,
} from '../../domains/payments/public.ts';
import type { KeyContext, SessionContext } from '../../graph/context.ts';
import { actOnBehalf } from './act-on-behalf.ts';

interface Act {
  paymentId: string;
  reason: string;
}

/** Voids an authorization of any account. */
export function operatorVoid(context: SessionContext, act: Act): Promise<PaymentWithTransactions> {
  return onPayment(context, 'operatorVoidPayment', act, (own) => voidPayment(own, act.paymentId));
}

/** Captures an authorization of an account that may charge. */
export function operatorCapture(
  context: SessionContext,
  { amount, ...act }: Act & { amount?: number | null | undefined },
): Promise<PaymentWithTransactions> {
  const { paymentId } = act;
  return onPayment(context, 'operatorCapturePayment', act, (own) => capturePayment(own, { paymentId, amount }));
}

/** Runs the operation of an account on a payment of any account. */
export function onPayment<Result>(
  context: SessionContext,
  action: string,
  { paymentId, reason }: Act,
  run: (own: KeyContext) => Promise<Result>,
): Promise<Result> {
  const find = async () => {
    const payment = await context.services.prisma.payment.findUnique({ where: { id: paymentId } });
    if (!payment) throw noSuchPayment();
    return payment;
  };
  return actOnBehalf(context, { action, target: paymentId, reason }, find, run);
}
