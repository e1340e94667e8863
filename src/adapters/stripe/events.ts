import Stripe from 'stripe';
import type { Clock } from '../../kit/clock.ts';
import {
  type DisputeReason,
  type DisputeStatus,
  disputeReasons,
  disputeStatuses,
  type ProcessorEvent,
  type ProcessorNotice,
  type RawEvent,
} from '../../ports/card-processor.ts';
import { type StripeSettings, stripeFor } from './client.ts';
import { fromStripe } from './money.ts';
import { chargeIdOf, outcomeOf, wasHeld } from './outcomes.ts';

const toleranceS = 300;

/** Verifies and translates an event. Null if it was not signed with the processor's secret, or is too old. */
export async function readEvent(
  settings: StripeSettings,
  clock: Clock,
  { processor, body, headers }: RawEvent,
): Promise<ProcessorEvent | null> {
  const secret = processor.secrets['webhookSecret'];
  if (secret === undefined) return null;
  let event: Stripe.Event;
  try {
    event = Stripe.webhooks.constructEvent(
      body,
      headers['stripe-signature'] ?? '',
      secret,
      toleranceS,
      undefined,
      clock.now().getTime(),
    );
  } catch {
    return null;
  }
  const account = processor.options['accountId'];
  const isOfOtherAccount = typeof account === 'string' && event.account !== undefined && event.account !== account;
  return {
    id: event.id,
    type: event.type,
    notices: isOfOtherAccount ? [] : await noticesOf(event, () => stripeFor(settings, processor)),
  };
}

/**
 * The notices of an event. Each states a fact that later events do not change, so events may arrive in any order. A
 * `refund.failed` of a refund that had succeeded has no effect: the refund remains in the ledger.
 */
async function noticesOf(event: Stripe.Event, stripe: () => Stripe): Promise<ProcessorNotice[]> {
  switch (event.type) {
    case 'payment_intent.succeeded':
      return [...authorization(event.data.object), ...captures(event.data.object)];
    case 'payment_intent.amount_capturable_updated':
    case 'payment_intent.payment_failed':
      return authorization(event.data.object);
    case 'payment_intent.canceled':
      return wasHeld(event.data.object) ? [voided(event.data.object)] : authorization(event.data.object);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return refund(event.data.object);
    case 'charge.refunded': {
      const intentId = idOf(event.data.object.payment_intent);
      if (intentId === null) return [];
      const { data } = await stripe().refunds.list({ payment_intent: intentId, limit: 100 });
      return data.flatMap(refund);
    }
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return dispute(event.data.object, new Date(event.created * 1000));
    default:
      return [];
  }
}

function authorization(intent: Stripe.PaymentIntent): ProcessorNotice[] {
  const reference = intent.metadata['reference'];
  return reference === undefined ? [] : [{ about: 'authorization', reference, outcome: outcomeOf(intent, reference) }];
}

function captures(intent: Stripe.PaymentIntent): ProcessorNotice[] {
  if (intent.capture_method !== 'manual') return [];
  const amount = fromStripe(intent.amount_received, intent.currency);
  return [
    {
      about: 'capture',
      authorizationReference: intent.id,
      reference: intent.metadata['capture'] ?? null,
      amount,
      outcome: { result: 'approved', processorReference: chargeIdOf(intent) },
    },
  ];
}

function voided(intent: Stripe.PaymentIntent): ProcessorNotice {
  return {
    about: 'void',
    authorizationReference: intent.id,
    reference: null,
    amount: fromStripe(intent.amount, intent.currency),
    outcome: { result: 'approved', processorReference: chargeIdOf(intent) },
  };
}

function refund(object: Stripe.Refund): ProcessorNotice[] {
  const authorizationReference = idOf(object.payment_intent);
  // A pending refund has no outcome yet. A later event reports it.
  if (
    authorizationReference === null ||
    (object.status !== 'succeeded' && object.status !== 'failed' && object.status !== 'canceled')
  )
    return [];
  const outcome =
    object.status === 'succeeded'
      ? ({ result: 'approved', processorReference: object.id } as const)
      : ({
          result: 'refused',
          message: 'Stripe could not give the money back.',
          processorReference: object.id,
        } as const);
  return [
    {
      about: 'refund',
      authorizationReference,
      reference: object.metadata?.['reference'] ?? null,
      amount: fromStripe(object.amount, object.currency),
      outcome,
    },
  ];
}

function dispute(
  { id, payment_intent: intent, amount, currency, reason, status, evidence_details: evidence }: Stripe.Dispute,
  reportedAt: Date,
): ProcessorNotice[] {
  const authorizationReference = idOf(intent);
  // An inquiry (`warning_…`) and a prevented dispute withdraw no funds.
  const knownStatus = disputeStatuses.find((one): one is DisputeStatus => one === status);
  if (authorizationReference === null || knownStatus === undefined) return [];
  const knownReason = disputeReasons.find((one): one is DisputeReason => one === reason) ?? 'general';
  const evidenceDueAt = evidence.due_by === null ? null : new Date(evidence.due_by * 1000);
  return [
    {
      about: 'dispute',
      dispute: {
        processorReference: id,
        authorizationReference,
        amount: fromStripe(amount, currency),
        currency: currency.toUpperCase(),
        reason: knownReason,
        status: knownStatus,
        evidenceDueAt,
        reportedAt,
      },
    },
  ];
}

function idOf(object: string | { id: string } | null): string | null {
  return typeof object === 'string' ? object : (object?.id ?? null);
}
