import { type Dispute, emit, type Ledger, newStripeId, type Refund, seconds } from './ledger.ts';
import { amountOf, badRequest, type Form, known, missing, needed } from './wire.ts';

export function createRefund(ledger: Ledger, form: Form, status: Refund['status'] = 'succeeded'): Refund {
  known(form, ['payment_intent', 'amount', 'metadata', 'reason']);
  const intent = ledger.intents.get(needed(form, 'payment_intent'));
  if (!intent) throw missing('payment_intent', needed(form, 'payment_intent'));
  const charge = ledger.charges.get(intent.latest_charge ?? '');
  if (!charge?.captured)
    throw badRequest(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`);
  const left = charge.amount_captured - charge.amount_refunded;
  const amount = amountOf(form, 'amount') ?? left;
  if (left === 0)
    throw badRequest(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' });
  if (charge.disputed)
    throw badRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, { code: 'charge_disputed' });
  if (amount > left)
    throw badRequest(`Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, {
      param: 'amount',
    });
  const refund: Refund = {
    id: newStripeId('re'),
    object: 'refund',
    amount,
    charge: charge.id,
    created: seconds(),
    currency: charge.currency,
    metadata: { ...((form['metadata'] ?? {}) as Record<string, string>) },
    payment_intent: intent.id,
    reason: null,
    status,
  };
  ledger.refunds.set(refund.id, refund);
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount_captured;
  emit(ledger, 'refund.created', refund);
  emit(ledger, 'charge.refunded', charge);
  return refund;
}

/** Opens a dispute, as the cardholder's bank does. */
export function openDispute(
  ledger: Ledger,
  intentId: string,
  { amount, reason = 'fraudulent', status = 'needs_response' }: { amount?: number; reason?: string; status?: string },
): Dispute {
  const intent = ledger.intents.get(intentId);
  const charge = ledger.charges.get(intent?.latest_charge ?? '');
  if (!intent || !charge) throw missing('payment_intent', intentId);
  const created = seconds();
  const dispute: Dispute = {
    id: newStripeId('du'),
    object: 'dispute',
    amount: amount ?? charge.amount_captured,
    charge: charge.id,
    created,
    currency: charge.currency,
    evidence_details: { due_by: created + 7 * 86_400 },
    livemode: ledger.livemode,
    payment_intent: intent.id,
    reason,
    status,
  };
  ledger.disputes.set(dispute.id, dispute);
  charge.disputed = true;
  emit(ledger, 'charge.dispute.created', dispute);
  return dispute;
}

export function moveDispute(ledger: Ledger, id: string, status: string): void {
  const dispute = ledger.disputes.get(id);
  if (!dispute) throw missing('dispute', id);
  dispute.status = status;
  emit(ledger, status === 'won' || status === 'lost' ? 'charge.dispute.closed' : 'charge.dispute.updated', dispute);
}
