import { type CardOutcome, cardMessages, stripeCards } from './cards.ts';
import {
  type Charge,
  emit,
  type Intent,
  type Ledger,
  newStripeId,
  type PaymentMethod,
  seconds,
  secrets,
} from './ledger.ts';
import { openDispute } from './money.ts';
import { amountOf, badParameter, badRequest, type Form, known, missing, needed, StripeFault, textOf } from './wire.ts';

export function createPaymentMethod(ledger: Ledger, form: Form): PaymentMethod {
  known(form, ['type', 'card']);
  const card = form['card'];
  if (needed(form, 'type') !== 'card' || typeof card !== 'object' || Array.isArray(card))
    throw badParameter('card', 'A card is needed.');
  known(card, ['number', 'exp_month', 'exp_year', 'cvc']);
  const number = needed(card, 'number');
  if (!/^\d{12,19}$/.test(number))
    throw new StripeFault(402, {
      type: 'card_error',
      code: 'incorrect_number',
      message: 'Your card number is incorrect.',
      param: 'number',
    });
  const method: PaymentMethod = {
    id: newStripeId('pm'),
    object: 'payment_method',
    type: 'card',
    card: {
      brand: 'visa',
      exp_month: Number(needed(card, 'exp_month')),
      exp_year: Number(needed(card, 'exp_year')),
      last4: number.slice(-4),
    },
    created: seconds(),
    livemode: ledger.livemode,
  };
  secrets.set(method, stripeCards.get(number) ?? { does: 'approve' });
  ledger.paymentMethods.set(method.id, method);
  return method;
}

const intentParams = [
  'amount',
  'currency',
  'confirm',
  'capture_method',
  'payment_method',
  'allowed_payment_method_types',
  'payment_method_options',
  'off_session',
  'error_on_requires_action',
  'return_url',
  'metadata',
  'description',
];

export function createIntent(ledger: Ledger, form: Form, pageOf: (intentId: string) => string): Intent {
  known(form, intentParams);
  const amount = amountOf(form, 'amount') ?? Number(needed(form, 'amount'));
  const currency = needed(form, 'currency');
  if (!/^[a-z]{3}$/.test(currency)) throw badParameter('currency', `Invalid currency: ${currency}`);
  if (amount < 1 || amount > 99_999_999)
    throw badParameter('amount', 'Amount must be at least 1 and no more than 99999999');
  const method = ledger.paymentMethods.get(needed(form, 'payment_method'));
  if (!method) throw missing('PaymentMethod', needed(form, 'payment_method'));
  const intent: Intent = {
    id: newStripeId('pi'),
    object: 'payment_intent',
    amount,
    amount_capturable: 0,
    amount_received: 0,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: textOf(form, 'capture_method') === 'manual' ? 'manual' : 'automatic',
    client_secret: '',
    created: seconds(),
    currency,
    last_payment_error: null,
    latest_charge: null,
    livemode: ledger.livemode,
    metadata: { ...((form['metadata'] ?? {}) as Record<string, string>) },
    next_action: null,
    payment_method: method.id,
    payment_method_types: ['card'],
    status: 'requires_payment_method',
  };
  intent.client_secret = `${intent.id}_secret_${newStripeId('x').slice(2)}`;
  ledger.intents.set(intent.id, intent);
  emit(ledger, 'payment_intent.created', intent);
  const outcome = secrets.get(method) ?? { does: 'approve' };
  const forced =
    ((form['payment_method_options'] as Form | undefined)?.['card'] as Form | undefined)?.['request_three_d_secure'] ===
    'challenge';
  if (outcome.does === 'challenge' || forced) {
    if (textOf(form, 'off_session') === 'true' || textOf(form, 'error_on_requires_action') === 'true')
      throw declined(ledger, intent, {
        does: 'decline',
        code: 'authentication_required',
        declineCode: 'authentication_required',
      });
    const returnUrl = textOf(form, 'return_url');
    if (returnUrl === undefined) throw badRequest('A return_url is needed to redirect the customer.');
    intent.status = 'requires_action';
    intent.next_action = {
      type: 'redirect_to_url',
      redirect_to_url: { url: pageOf(intent.id), return_url: returnUrl },
    };
    emit(ledger, 'payment_intent.requires_action', intent);
    return intent;
  }
  return charge(ledger, intent, outcome);
}

/** The cardholder has answered on the bank's page; a second answer changes nothing. */
export function answerChallenge(ledger: Ledger, intent: Intent, authentication: 'succeeded' | 'failed'): void {
  if (intent.status !== 'requires_action') return;
  intent.next_action = null;
  const method = ledger.paymentMethods.get(intent.payment_method ?? '');
  const outcome = method && secrets.get(method);
  try {
    if (authentication === 'failed')
      throw declined(ledger, intent, { does: 'decline', code: 'payment_intent_authentication_failure' });
    charge(
      ledger,
      intent,
      outcome?.does === 'challenge'
        ? outcome.then === 'approve'
          ? { does: 'approve' }
          : { does: 'decline', code: 'card_declined', declineCode: 'generic_decline' }
        : (outcome ?? { does: 'approve' }),
    );
  } catch (error) {
    if (!(error instanceof StripeFault)) throw error;
  }
}

function charge(ledger: Ledger, intent: Intent, outcome: CardOutcome): Intent {
  if (outcome.does === 'decline') throw declined(ledger, intent, outcome);
  const taken = intent.capture_method === 'automatic';
  const made = chargeOf(ledger, intent, 'succeeded');
  intent.latest_charge = made.id;
  if (taken) recordCapture(ledger, intent, made, intent.amount);
  else {
    intent.status = 'requires_capture';
    intent.amount_capturable = intent.amount;
    emit(ledger, 'payment_intent.amount_capturable_updated', intent);
  }
  if (taken && outcome.does === 'dispute') openDispute(ledger, intent.id, {});
  return intent;
}

function recordCapture(ledger: Ledger, intent: Intent, made: Charge, amount: number): void {
  Object.assign(made, { amount_captured: amount, captured: true });
  Object.assign(intent, { status: 'succeeded', amount_capturable: 0, amount_received: amount });
  emit(ledger, 'charge.captured', made);
  emit(ledger, 'payment_intent.succeeded', intent);
}

function declined(
  ledger: Ledger,
  intent: Intent,
  { code, declineCode, adviceCode }: CardOutcome & { does: 'decline' },
): StripeFault {
  const made = chargeOf(ledger, intent, 'failed');
  const message = cardMessages[declineCode ?? ''] ?? cardMessages[code] ?? 'Your card was declined.';
  const error = {
    type: 'card_error' as const,
    code,
    message,
    ...(declineCode && { decline_code: declineCode }),
    ...(adviceCode && { advice_code: adviceCode }),
    charge: made.id,
  };
  Object.assign(intent, {
    status: 'requires_payment_method',
    latest_charge: made.id,
    last_payment_error: error,
    next_action: null,
  });
  emit(ledger, 'payment_intent.payment_failed', intent);
  return new StripeFault(402, { ...error, payment_intent: structuredClone(intent) });
}

function chargeOf(ledger: Ledger, intent: Intent, status: Charge['status']): Charge {
  const made: Charge = {
    id: newStripeId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    captured: false,
    created: seconds(),
    currency: intent.currency,
    disputed: false,
    livemode: ledger.livemode,
    payment_intent: intent.id,
    refunded: false,
    status,
  };
  ledger.charges.set(made.id, made);
  return made;
}

export function intentOf(ledger: Ledger, id: string): Intent {
  const intent = ledger.intents.get(id);
  if (!intent) throw missing('payment_intent', id);
  return intent;
}

function unexpected(intent: Intent, verb: string, needs: string): StripeFault {
  return badRequest(`This PaymentIntent could not be ${verb} because it has a status of ${intent.status}. ${needs}`, {
    code: 'payment_intent_unexpected_state',
    payment_intent: structuredClone(intent),
  });
}

export function captureIntent(ledger: Ledger, id: string, form: Form): Intent {
  known(form, ['amount_to_capture', 'metadata']);
  const intent = intentOf(ledger, id);
  const amount = amountOf(form, 'amount_to_capture') ?? intent.amount_capturable;
  if (intent.status !== 'requires_capture')
    throw unexpected(
      intent,
      'captured',
      'Only a PaymentIntent with one of the following statuses may be captured: requires_capture.',
    );
  if (amount > intent.amount_capturable)
    throw badRequest('The amount to capture is greater than the amount you can capture for this charge.', {
      code: 'amount_too_large',
      param: 'amount_to_capture',
    });
  Object.assign(intent.metadata, form['metadata'] ?? {});
  const made = ledger.charges.get(intent.latest_charge ?? '');
  if (made) recordCapture(ledger, intent, made, amount);
  return intent;
}

export function cancelIntent(ledger: Ledger, id: string, form: Form): Intent {
  known(form, ['cancellation_reason']);
  const intent = intentOf(ledger, id);
  if (intent.status === 'succeeded' || intent.status === 'canceled')
    throw unexpected(
      intent,
      'canceled',
      'Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, ' +
        'requires_capture, requires_confirmation, requires_action, processing.',
    );
  Object.assign(intent, {
    status: 'canceled',
    amount_capturable: 0,
    canceled_at: seconds(),
    cancellation_reason: textOf(form, 'cancellation_reason') ?? null,
    next_action: null,
  });
  emit(ledger, 'payment_intent.canceled', intent);
  return intent;
}

export function updateIntent(ledger: Ledger, id: string, form: Form): Intent {
  known(form, ['metadata']);
  const intent = intentOf(ledger, id);
  Object.assign(intent.metadata, form['metadata'] ?? {});
  return intent;
}
