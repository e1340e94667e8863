import type { PaymentRow, RequiredAction } from './payment-rows.ts';

/** A payment as the API answers it (rest/public/payments/payment.graphql). */
export interface PaymentObject {
  id: string;
  storeId: string;
  platformAccountId: string;
  customerId: string;
  paymentInstrumentId: string;
  orderId: string | null;
  subscriptionId: string | null;
  amount: number;
  currency: string;
  capturedAmount: number;
  refundedAmount: number;
  status: string;
  subStatus: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  requireAction: string | null;
  requireActionData: RequiredAction | null;
  processorId: string | null;
  metadata: unknown;
  livemode: boolean;
  /** Absent unless the authorization was voided. */
  voidedAt?: Date;
  createdAt: Date;
  updatedAt: Date;
}

export function paymentObject(payment: PaymentRow): PaymentObject {
  return {
    id: payment.id,
    storeId: payment.storeId,
    platformAccountId: payment.platformAccountId,
    customerId: payment.customerId,
    paymentInstrumentId: payment.paymentInstrumentId,
    orderId: payment.orderId,
    subscriptionId: payment.subscriptionId,
    amount: Number(payment.amount),
    currency: payment.currency,
    capturedAmount: Number(payment.capturedAmount),
    refundedAmount: Number(payment.refundedAmount),
    status: payment.status,
    subStatus: payment.subStatus,
    failureCode: payment.failureCode,
    failureMessage: payment.failureMessage,
    requireAction: payment.requireAction,
    requireActionData: payment.requireActionData as RequiredAction | null, // always written as RequiredAction
    processorId: payment.processorId,
    metadata: payment.metadata,
    livemode: payment.mode === 'live',
    ...(payment.voidedAt !== null && { voidedAt: payment.voidedAt }),
    createdAt: payment.createdAt,
    updatedAt: payment.updatedAt,
  };
}
