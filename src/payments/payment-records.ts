import type { EventType } from '../kit/event-types.ts';
import type { Mode } from '../kit/mode.ts';
import type { EventDraft } from '../kit/records.ts';
import type { Movement } from '../ledger/operations.ts';
import type { PaymentRow, TransactionRow } from './types.ts';

/** The event of a payment, with the payment as the API shows it. */
export function paymentEvent(type: EventType, payment: PaymentRow): EventDraft {
  const { partnerId, platformAccountId, storeId, sequence } = payment;
  const mode = payment.mode as Mode; // a CHECK constraint holds the column to the two
  return {
    type,
    partnerId,
    platformAccountId,
    mode,
    storeId,
    objectId: payment.id,
    sequence,
    object: paymentObject(payment),
  };
}

function paymentObject(payment: PaymentRow): object {
  const {
    partnerId: _partner,
    mode,
    sequence: _sequence,
    customerEmailLower: _email,
    actionExpiresAt: _expires,
    authorizationExpiresAt: _held,
    reservedAmount: _reserved,
    disputedAmount: _disputed,
    returnUrl: _return,
    threeDs: _threeDs,
    testClockId: _testClock,
    subscriptionPeriod: _period,
    paymentFlowId: _flow,
    cascade: _cascade,
    ...shown
  } = payment;
  return { ...shown, livemode: mode === 'live' };
}

/** The movement of money a transaction made. */
export function movementOf(
  kind: Movement['kind'],
  { id: paymentId, platformAccountId, partnerId, mode }: PaymentRow,
  { id: movementId, currency, amount }: TransactionRow,
): Movement {
  return { kind, movementId, paymentId, platformAccountId, partnerId, mode, currency, amount: Number(amount) };
}
