import type Stripe from 'stripe';
import type { DeclineCode, Declined, ProcessorError } from '../../ports/card-processor.ts';

/**
 * Maps Stripe's decline codes to those of the contract. A decline is hard if the same card data cannot succeed later.
 * Other codes are a soft `card_declined`.
 */
const declines: Readonly<Record<string, { code: DeclineCode; hard: boolean }>> = {
  insufficient_funds: { code: 'insufficient_funds', hard: false },
  withdrawal_count_limit_exceeded: { code: 'insufficient_funds', hard: false },
  lost_card: { code: 'lost_card', hard: true },
  stolen_card: { code: 'lost_card', hard: true },
  pickup_card: { code: 'lost_card', hard: true },
  expired_card: { code: 'expired_card', hard: true },
  invalid_expiry_month: { code: 'expired_card', hard: true },
  invalid_expiry_year: { code: 'expired_card', hard: true },
  incorrect_cvc: { code: 'incorrect_cvc', hard: true },
  invalid_cvc: { code: 'incorrect_cvc', hard: true },
  authentication_required: { code: 'authentication_failed', hard: true },
  payment_intent_authentication_failure: { code: 'authentication_failed', hard: true },
  incorrect_number: { code: 'card_declined', hard: true },
  invalid_number: { code: 'card_declined', hard: true },
  invalid_account: { code: 'card_declined', hard: true },
  restricted_card: { code: 'card_declined', hard: true },
  fraudulent: { code: 'card_declined', hard: true },
  merchant_blacklist: { code: 'card_declined', hard: true },
  security_violation: { code: 'card_declined', hard: true },
  stop_payment_order: { code: 'card_declined', hard: true },
  revocation_of_authorization: { code: 'card_declined', hard: true },
  revocation_of_all_authorizations: { code: 'card_declined', hard: true },
};

/** Stripe's messages are not used, because they address the cardholder. */
const sentences: Readonly<Record<DeclineCode, string>> = {
  card_declined: 'The card was declined by its issuer.',
  insufficient_funds: 'The card has insufficient funds.',
  lost_card: 'The card was reported lost or stolen.',
  expired_card: 'The card has expired.',
  incorrect_cvc: 'The security code of the card is incorrect.',
  authentication_failed: 'The cardholder could not be authenticated.',
};

type CardFault = Pick<Stripe.PaymentIntent.LastPaymentError, 'code' | 'decline_code' | 'advice_code'>;

/**
 * The outcome of an authorization with this card error. A failure to reach the issuer is an error of the processor, so
 * that the payment can cascade to another processor.
 */
export function declineOf(fault: CardFault, processorReference: string | null): Declined | ProcessorError {
  const code = fault.code ?? '';
  const declineCode = fault.decline_code ?? '';
  if (code === 'processing_error' || declineCode === 'processing_error')
    return { result: 'error', message: 'Stripe could not process the card.', processorReference };
  const known = [declineCode, code].find((one) => Object.hasOwn(declines, one)) ?? 'generic_decline';
  const { code: failureCode, hard } = declines[known] ?? { code: 'card_declined' as const, hard: false };
  // The advice of the card network overrides the table.
  return {
    result: 'declined',
    failureCode,
    failureMessage: sentences[failureCode],
    hard: hard || fault.advice_code === 'do_not_try_again',
    processorReference,
  };
}

/**
 * The platform stores amounts as integers in the minor unit of ISO 4217. Stripe differs for three currencies: ISK and
 * UGX have no minor unit, but Stripe requires two decimal digits that are zero; MGA has two digits, but Stripe accepts
 * none.
 */
const extraDigits: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: -2 };

/** Converts an amount to Stripe's unit. Null if Stripe cannot represent it. */
export function toStripe(amount: number, currency: string): number | null {
  const factor = 10 ** (extraDigits[currency] ?? 0);
  const converted = factor < 1 ? amount / Math.round(1 / factor) : amount * factor;
  return Number.isSafeInteger(converted) ? converted : null;
}

/** Converts an amount of Stripe to the minor unit of ISO 4217. */
export function fromStripe(amount: number, currency: string): number {
  const factor = 10 ** -(extraDigits[currency.toUpperCase()] ?? 0);
  return factor < 1 ? Math.round(amount / Math.round(1 / factor)) : amount * factor;
}
