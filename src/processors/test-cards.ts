/** The test cards of the contract, as a table: what the test processor does with each number. Any other number is approved. */
export type TestCardBehaviour =
  | { does: 'approve' }
  | { does: 'decline'; failureCode: TestDeclineCode }
  | { does: 'answerWithError' }
  /** Asks for a challenge. `afterwards` once it succeeded; `unchallenged` when the charge may not ask. */
  | { does: 'challenge'; afterwards: 'approve' | 'decline'; unchallenged: 'approve' | 'decline' | 'failAuthentication' }
  /** The cardholder's bank recognizes the cardholder without asking. */
  | { does: 'authenticateSilently' }
  | { does: 'declineMerchantInitiated' }
  /** The charge is booked and its answer never arrives. */
  | { does: 'loseAnswer' }
  /** The charge is approved, and disputed as fraudulent soon after its money was taken. */
  | { does: 'dispute' };

export type TestDeclineCode = 'card_declined' | 'insufficient_funds' | 'lost_card' | 'expired_card' | 'incorrect_cvc';

export const testCards: ReadonlyMap<string, TestCardBehaviour> = new Map<string, TestCardBehaviour>([
  ['4242424242424242', { does: 'approve' }],
  ['5555555555554444', { does: 'approve' }],
  ['378282246310005', { does: 'approve' }],
  ['4000000000000002', { does: 'decline', failureCode: 'card_declined' }],
  ['4000000000009995', { does: 'decline', failureCode: 'insufficient_funds' }],
  ['4000000000009987', { does: 'decline', failureCode: 'lost_card' }],
  ['4000000000000069', { does: 'decline', failureCode: 'expired_card' }],
  ['4000000000000127', { does: 'decline', failureCode: 'incorrect_cvc' }],
  ['4000000000000119', { does: 'answerWithError' }],
  ['4000000000003220', { does: 'challenge', afterwards: 'approve', unchallenged: 'approve' }],
  ['4000002760003184', { does: 'challenge', afterwards: 'approve', unchallenged: 'failAuthentication' }],
  ['4000008400001629', { does: 'challenge', afterwards: 'decline', unchallenged: 'decline' }],
  ['4000000000003063', { does: 'authenticateSilently' }],
  ['4000000000000341', { does: 'declineMerchantInitiated' }],
  ['4000000000006975', { does: 'loseAnswer' }],
  ['4000000000000259', { does: 'dispute' }],
]);

/** Tokens that need no tokenize in test mode and are never used up, by the card they stand for. */
export const reusableTestTokens: ReadonlyMap<string, string> = new Map([
  ['tok_visa', '4242424242424242'],
  ['tok_mastercard', '5555555555554444'],
  ['tok_amex', '378282246310005'],
  ['tok_visa_declined', '4000000000000002'],
  ['tok_visa_insufficient', '4000000000009995'],
  ['tok_visa_3ds', '4000000000003220'],
]);
