/**
 * The outcome of each card at the stand-in. The test numbers are Stripe's; the others look real, for live mode, which
 * rejects test numbers.
 */
export type CardOutcome =
  | { does: 'approve' }
  | { does: 'decline'; code: string; declineCode?: string; adviceCode?: string }
  | { does: 'challenge'; then: 'approve' | 'decline' }
  | { does: 'dispute' };

const decline = (code: string, declineCode?: string, adviceCode?: string): CardOutcome => ({
  does: 'decline',
  code,
  ...(declineCode && { declineCode }),
  ...(adviceCode && { adviceCode }),
});

export const stripeCards: ReadonlyMap<string, CardOutcome> = new Map<string, CardOutcome>([
  ['4000000000000002', decline('card_declined', 'generic_decline', 'try_again_later')],
  ['4000000000009995', decline('card_declined', 'insufficient_funds', 'try_again_later')],
  ['4000000000009987', decline('card_declined', 'lost_card', 'do_not_try_again')],
  ['4000000000009979', decline('card_declined', 'stolen_card', 'do_not_try_again')],
  ['4100000000000019', decline('card_declined', 'fraudulent')],
  ['4000000000000069', decline('expired_card', 'expired_card')],
  ['4000000000000127', decline('incorrect_cvc', 'incorrect_cvc')],
  ['4000000000000119', decline('processing_error', 'processing_error')],
  ['4000000000003220', { does: 'challenge', then: 'approve' }],
  ['4000002760003184', { does: 'challenge', then: 'approve' }],
  ['4000008400001629', { does: 'challenge', then: 'decline' }],
  ['4000000000000259', { does: 'dispute' }],
  ['5105105105105100', decline('card_declined', 'insufficient_funds')],
  ['6011000990139424', decline('card_declined', 'lost_card')],
  ['4012888888881881', { does: 'challenge', then: 'approve' }],
  ['5425233430109903', { does: 'dispute' }],
]);

/** The message of each code. */
export const cardMessages: Readonly<Record<string, string>> = {
  card_declined: 'Your card was declined.',
  insufficient_funds: 'Your card has insufficient funds.',
  expired_card: 'Your card has expired.',
  incorrect_cvc: "Your card's security code is incorrect.",
  processing_error: 'An error occurred while processing your card. Try again in a little bit.',
  authentication_required: 'Your card was declined. This transaction requires authentication.',
  payment_intent_authentication_failure:
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
};
