import { createHash } from 'node:crypto';
import Stripe from 'stripe';
import type { Clock } from '../../lib/clock.ts';
import { Conflict } from '../../lib/errors.ts';
import {
  type DisputeReason,
  type DisputeStatus,
  disputeReasons,
  disputeStatuses,
  type NoticeRefusal,
  NoticeRefused,
  type ProcessorEvent,
  type ProcessorNotice,
  type RawEvent,
  UnknownOutcome,
} from '../../ports/card-processor.ts';
import { type StripeSettings, stripeFor } from './client.ts';
import { fromStripe } from './declines.ts';
import { chargeIdOf, outcomeOfIntent, wasHeld } from './outcomes.ts';

// The values of an event are checked, since the library does not: its types describe what Stripe documents.

/** The id of an object that an event names or contains. */
function idOf(value: unknown): string {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : value;
  if (typeof id !== 'string' || !/^[\w-]{1,255}$/.test(id)) throw new NoticeRefused('malformed');
  return id;
}

/** The same where Stripe may send null. */
function idOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : idOf(value);
}

/** An amount and its currency in the platform's units. */
function moneyOf(amount: unknown, currency: unknown): { amount: number; currency: string } {
  if (typeof currency !== 'string' || !/^[a-z]{3}$/i.test(currency)) throw new NoticeRefused('malformed');
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount <= 0) throw new NoticeRefused('malformed');
  const converted = fromStripe(amount, currency);
  if (!Number.isSafeInteger(converted) || converted <= 0) throw new NoticeRefused('malformed');
  return { amount: converted, currency: currency.toUpperCase() };
}

/** A time in seconds since 1970. */
function timeOf(value: unknown): Date {
  // the year 3000, far within what PostgreSQL and Date can hold
  if (typeof value !== 'number' || !(value >= 0 && value < 32_503_680_000)) throw new NoticeRefused('malformed');
  return new Date(value * 1000);
}

const toleranceS = 300;

/**
 * Verifies and translates an event. Null if it was not signed with the processor's secret, or is too old. An event of
 * the other mode, of another account, or not in Stripe's format is rejected with a reason.
 */
export async function readEvent(settings: StripeSettings, clock: Clock, raw: RawEvent): Promise<ProcessorEvent | null> {
  const { processor, body, headers, livemode } = raw;
  const secret = processor.secrets['webhookSecret'];
  const { signature } = Stripe.webhooks;
  if (secret === undefined || signature === null) return null;
  try {
    signature.verifyHeader(
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
  const event = eventOf(body);
  if (!event) return refused(body, 'malformed');
  const { id, type } = event;
  if (event.livemode !== livemode) return { id, type, notices: [], refusal: 'mode_mismatch' };
  // An endpoint of the connected account itself sends no account.
  if (event.account !== undefined && event.account !== processor.options['accountId'])
    return { id, type, notices: [], refusal: 'account_mismatch' };
  try {
    return { id, type, notices: await noticesOf(event, () => stripeFor(settings, processor)), refusal: null };
  } catch (error) {
    if (error instanceof UnknownOutcome) return { id, type, notices: [], refusal: null };
    if (error instanceof Stripe.errors.StripeError)
      throw new Conflict('invalid_state', 'Stripe was unavailable: send the event again.');
    if (error instanceof NoticeRefused) return { id, type, notices: [], refusal: error.reason };
    if (error instanceof TypeError) return { id, type, notices: [], refusal: 'malformed' };
    throw error;
  }
}

/** The fields of the event in a body that all events have. Null if it is no event. */
function eventOf(body: string): Stripe.Event | null {
  let event: Partial<Stripe.Event> | null;
  try {
    event = JSON.parse(body) as Partial<Stripe.Event> | null; // checked below
  } catch {
    return null;
  }
  const { id, type, data } = event ?? {};
  const object: unknown = data?.object;
  const isEvent =
    typeof id === 'string' &&
    /^[\w:-]{1,255}$/.test(id) &&
    typeof type === 'string' &&
    type.length <= 255 &&
    typeof object === 'object' &&
    object !== null;
  return isEvent ? (event as Stripe.Event) : null;
}

/** An event without an id is identified by its bytes. */
function refused(body: string, refusal: NoticeRefusal): ProcessorEvent {
  const id = `sha256:${createHash('sha256').update(body).digest('hex')}`;
  return { id, type: 'unknown', notices: [], refusal };
}

/** The notices of an event. Each states a fact that later events do not change, so events may arrive in any order. */
async function noticesOf(event: Stripe.Event, stripe: () => Stripe): Promise<ProcessorNotice[]> {
  switch (event.type) {
    case 'payment_intent.succeeded':
      return [...authorization(event.data.object), ...captures(event.data.object)];
    case 'payment_intent.amount_capturable_updated':
    case 'payment_intent.payment_failed':
      return authorization(event.data.object);
    case 'payment_intent.canceled':
      return wasHeld(event.data.object) ? voided(event.data.object) : authorization(event.data.object);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return refund(event.data.object);
    case 'charge.refunded': {
      const intentId = idOrNull(event.data.object.payment_intent);
      if (intentId === null) return [];
      const { data } = await stripe().refunds.list({ payment_intent: intentId, limit: 100 });
      return data.flatMap(refund);
    }
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return dispute(event.data.object, timeOf(event.created));
    default:
      return [];
  }
}

/** The outcome of a payment intent that the platform has created. */
function authorization(intent: Stripe.PaymentIntent): ProcessorNotice[] {
  const reference = intent.metadata['reference'];
  if (typeof reference !== 'string') return [];
  const money = moneyOf(intent.amount, intent.currency);
  // An automatic capture takes the whole amount.
  if (intent.status === 'succeeded' && intent.capture_method !== 'manual' && intent.amount_received !== intent.amount)
    throw new NoticeRefused('amount_mismatch');
  return [
    {
      about: 'authorization',
      reference,
      ...money,
      outcome: outcomeOfIntent({ ...intent, id: idOf(intent) }, reference),
    },
  ];
}

function captures(intent: Stripe.PaymentIntent): ProcessorNotice[] {
  if (intent.capture_method !== 'manual' || typeof intent.metadata['reference'] !== 'string') return [];
  return [
    {
      about: 'capture',
      authorizationReference: idOf(intent),
      reference: intent.metadata['capture'] ?? null,
      ...moneyOf(intent.amount_received, intent.currency),
      outcome: { result: 'approved', processorReference: chargeIdOf(intent) },
    },
  ];
}

function voided(intent: Stripe.PaymentIntent): ProcessorNotice[] {
  if (typeof intent.metadata['reference'] !== 'string') return [];
  return [
    {
      about: 'void',
      authorizationReference: idOf(intent),
      reference: null,
      ...moneyOf(intent.amount, intent.currency),
      outcome: { result: 'approved', processorReference: chargeIdOf(intent) },
    },
  ];
}

function refund(object: Stripe.Refund): ProcessorNotice[] {
  const authorizationReference = idOrNull(object.payment_intent);
  // A pending refund has no outcome yet. A later event reports it.
  if (
    authorizationReference === null ||
    (object.status !== 'succeeded' && object.status !== 'failed' && object.status !== 'canceled')
  )
    return [];
  const processorReference = idOf(object);
  const outcome =
    object.status === 'succeeded'
      ? ({ result: 'approved', processorReference } as const)
      : ({ result: 'refused', message: 'Stripe could not refund the payment.', processorReference } as const);
  return [
    {
      about: 'refund',
      authorizationReference,
      reference: object.metadata?.['reference'] ?? null,
      ...moneyOf(object.amount, object.currency),
      outcome,
    },
  ];
}

function dispute(
  { id, payment_intent: intent, amount, currency, reason, status, evidence_details: evidence }: Stripe.Dispute,
  reportedAt: Date,
): ProcessorNotice[] {
  const authorizationReference = idOrNull(intent);
  // An inquiry (`warning_…`) and a prevented dispute withdraw no funds.
  const knownStatus = disputeStatuses.find((one): one is DisputeStatus => one === status);
  if (authorizationReference === null || knownStatus === undefined) return [];
  const knownReason = disputeReasons.find((one): one is DisputeReason => one === reason) ?? 'general';
  const dueBy: unknown = evidence?.due_by ?? null;
  return [
    {
      about: 'dispute',
      dispute: {
        processorReference: idOf(id),
        authorizationReference,
        ...moneyOf(amount, currency),
        reason: knownReason,
        status: knownStatus,
        evidenceDueAt: dueBy === null ? null : timeOf(dueBy),
        reportedAt,
      },
    },
  ];
}
