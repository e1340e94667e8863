import type { PlatformClock } from '../../kit/clock.ts';
import { newId } from '../../kit/ids.ts';
import type { ChargeRoute } from '../payment-flows/public.ts';
import type { ChargeFacts } from './charge-facts.ts';
import type { ChargeInput } from './inputs.ts';
import { stateColumns } from './lifecycle.ts';
import type { PaymentRow, PaymentWithTransactions, TransactionRow } from './payment-rows.ts';

/** What a charge consists of when its intent is committed. */
export interface PlannedCharge {
  paymentId: string;
  /** What it pays for of a subscription; null if it pays for nothing of one. */
  planned: { period: number; challengeUntil: Date | null } | null;
  facts: ChargeFacts;
  route: ChargeRoute;
  input: ChargeInput;
}

/** The payment and its first attempt as they are before the processor is called. */
export function chargeIntentOf(charge: PlannedCharge, clock: PlatformClock): PaymentWithTransactions {
  const now = clock.now();
  const payment = newPayment(charge, now);
  return { payment, transactions: firstAttempt(charge, payment, clock.real()) };
}

function newPayment(charge: PlannedCharge, now: Date): PaymentRow {
  const { paymentId, planned, facts, route, input } = charge;
  const { partnerId, platformAccountId, mode, storeId, customerId, paymentInstrumentId, orderId } = facts;
  return {
    id: paymentId,
    partnerId,
    platformAccountId,
    mode,
    storeId,
    customerId,
    paymentInstrumentId,
    orderId,
    subscriptionId: facts.subscriptionId,
    subscriptionPeriod: planned?.period ?? null,
    testClockId: facts.testClock?.id ?? null,
    amount: input.amount,
    currency: input.currency,
    ...nothingTaken,
    actionExpiresAt: planned?.challengeUntil ?? null,
    ...stateColumns.processing,
    processorId: route.first?.id ?? null,
    paymentFlowId: facts.flow?.id ?? null,
    cascade: route.first && route.rest.length > 0 ? route.rest : null,
    initiatedBy: input.initiatedBy,
    reasonType: input.reasonType ?? null,
    threeDs: threeDsOf(facts, input),
    returnUrl: input.returnUrl ?? null,
    billingAddress: input.billingAddress ?? null, // an input object is plain JSON
    shippingAddress: input.shippingAddress ?? null, // as above
    metadata: input.metadata ?? {},
    cardLast4: facts.cardLast4,
    customerEmailLower: facts.customerEmailLower,
    sequence: 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** The columns that say what has become of a payment, as they are at its beginning. */
export const nothingTaken = {
  capturedAmount: 0,
  refundedAmount: 0,
  reservedAmount: 0,
  disputedAmount: 0,
  foreignDisputes: 0,
  failureCode: null,
  failureMessage: null,
  requireAction: null,
  requireActionData: null,
  authorizationExpiresAt: null,
  voidedAt: null,
};

/** `force` of a flow does not apply to a charge initiated by the merchant: no cardholder could answer its challenge. */
function threeDsOf(facts: ChargeFacts, input: ChargeInput): 'automatic' | 'force' | 'skip' {
  const ofFlow = facts.flow?.threeDs ?? 'automatic';
  return input.threeDs ?? (ofFlow === 'force' && input.initiatedBy === 'merchant' ? 'automatic' : ofFlow);
}

function firstAttempt(
  { route: { first }, input }: PlannedCharge,
  payment: PaymentRow,
  askedAt: Date,
): TransactionRow[] {
  if (first === null) return [];
  const { id: paymentId, partnerId, platformAccountId, mode, amount, currency, createdAt, updatedAt } = payment;
  return [
    {
      id: newId('txn_', createdAt),
      paymentId,
      partnerId,
      platformAccountId,
      mode,
      type: input.mode === 'auth' ? 'authorization' : 'purchase',
      status: 'processing',
      amount,
      currency,
      processorId: first.id,
      processorType: first.type,
      processorReference: null,
      failureCode: null,
      askedAt,
      createdAt,
      updatedAt,
    },
  ];
}
