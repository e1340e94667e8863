/** The behavior of the test processor for a test card of the contract. Any other card number is approved. */
export type TestCardBehavior =
  | { does: 'approve' }
  | { does: 'decline'; failureCode: TestDeclineCode }
  | { does: 'answerWithError' }
  /** Requires a challenge. `unchallenged` applies if the charge does not permit one. */
  | {
      does: 'challenge';
      outcomeAfterChallenge: 'approve' | 'decline';
      unchallenged: 'approve' | 'decline' | 'failAuthentication';
    }
  /** The issuer authenticates the cardholder without a challenge. */
  | { does: 'authenticateSilently' }
  /** Approves the cardholder's own charges and declines those that the merchant initiates. */
  | { does: 'declineMerchantInitiated'; failureCode: TestDeclineCode }
  /** The charge is recorded and its answer does not arrive. */
  | { does: 'loseAnswer' }
  /** The charge is approved, and disputed as fraudulent soon after its capture. */
  | { does: 'dispute' }
  /** The charge is approved. A refund of it succeeds, and fails soon after. */
  | { does: 'failRefund' };

type TestDeclineCode = 'card_declined' | 'insufficient_funds' | 'lost_card' | 'expired_card' | 'incorrect_cvc';

export const testCards: ReadonlyMap<string, TestCardBehavior> = new Map<string, TestCardBehavior>([
  ['4242424242424242', { does: 'approve' }],
  ['5555555555554444', { does: 'approve' }],
  ['378282246310005', { does: 'approve' }],
  ['4000000000000002', { does: 'decline', failureCode: 'card_declined' }],
  ['4000000000009995', { does: 'decline', failureCode: 'insufficient_funds' }],
  ['4000000000009987', { does: 'decline', failureCode: 'lost_card' }],
  ['4000000000000069', { does: 'decline', failureCode: 'expired_card' }],
  ['4000000000000127', { does: 'decline', failureCode: 'incorrect_cvc' }],
  ['4000000000000119', { does: 'answerWithError' }],
  ['4000000000003220', { does: 'challenge', outcomeAfterChallenge: 'approve', unchallenged: 'approve' }],
  ['4000002760003184', { does: 'challenge', outcomeAfterChallenge: 'approve', unchallenged: 'failAuthentication' }],
  ['4000008400001629', { does: 'challenge', outcomeAfterChallenge: 'decline', unchallenged: 'decline' }],
  ['4000000000003063', { does: 'authenticateSilently' }],
  ['4000000000000341', { does: 'declineMerchantInitiated', failureCode: 'card_declined' }],
  ['4000000000000697', { does: 'declineMerchantInitiated', failureCode: 'expired_card' }],
  ['4000000000006975', { does: 'loseAnswer' }],
  ['4000000000000259', { does: 'dispute' }],
  ['4000000000005126', { does: 'failRefund' }],
]);

/** Tokens of test mode that exist without tokenizing and can be used repeatedly, with their card numbers. */
export const reusableTestTokens: ReadonlyMap<string, string> = new Map([
  ['tok_visa', '4242424242424242'],
  ['tok_mastercard', '5555555555554444'],
  ['tok_amex', '378282246310005'],
  ['tok_visa_declined', '4000000000000002'],
  ['tok_visa_insufficient', '4000000000009995'],
  ['tok_visa_3ds', '4000000000003220'],
]);
