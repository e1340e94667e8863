import type { Authorization, DeclineCode } from '../../ports/card-processor.ts';
import { faultsOf, hits, type TestCardBehavior, testCards } from '../../ports/test-processor.ts';

/** The decision of the test processor about a charge, before the charge is recorded. */
export interface TestVerdict {
  /** Whether a challenge is required. The other fields then apply after a successful challenge. */
  challenged: boolean;
  verdict: 'approved' | 'declined' | 'error';
  failureCode: DeclineCode | null;
  answerLost: boolean;
  /** Whether the cardholder disputes the charge a few seconds after the capture. */
  disputedLater: boolean;
  /** Whether a refund of the charge fails a few seconds after it succeeded. */
  refundsFail: boolean;
}

export interface DeclineWords {
  message: string;
  /**
   * Contract 11 defines insufficient funds as soft and a lost card as hard. The other codes are hard if the same card
   * data cannot succeed later.
   */
  hard: boolean;
}

export const declineWords: Readonly<Record<DeclineCode, DeclineWords>> = {
  card_declined: { message: 'The card was declined by its issuer.', hard: false },
  insufficient_funds: { message: 'The card has insufficient funds.', hard: false },
  lost_card: { message: 'The card was reported lost.', hard: true },
  expired_card: { message: 'The card has expired.', hard: true },
  incorrect_cvc: { message: 'The security code of the card is incorrect.', hard: true },
  authentication_failed: { message: 'The cardholder could not be authenticated.', hard: true },
};

type Requested = Pick<Authorization, 'card' | 'threeDs' | 'merchantInitiated'>;

/**
 * Decides a charge by its test card and the fault options of the processor, without side effects. A challenge precedes
 * a decline, as at an issuer.
 */
export function decideVerdict(requested: Requested & Pick<Authorization, 'reference' | 'processor'>): TestVerdict {
  const { declineRate, declineCode, errorRate, lostAnswerRate } = faultsOf(requested.processor.options);
  const { reference } = requested;
  if (hits(errorRate, 'error', reference)) return failed;
  const ofCard = verdictOfCard(requested);
  const verdict = hits(declineRate, 'decline', reference)
    ? { ...declined(declineCode), challenged: ofCard.challenged }
    : ofCard;
  return { ...verdict, answerLost: ofCard.answerLost || hits(lostAnswerRate, 'lostAnswer', reference) };
}

/** Decides by the table of test cards and the rules of 3D Secure. */
function verdictOfCard(requested: Requested): TestVerdict {
  const behavior: TestCardBehavior = testCards.get(requested.card.cardNumber) ?? { does: 'approve' };
  if (requested.threeDs === 'force') return { ...afterChallenge(behavior, requested), challenged: true };
  // A merchant-initiated charge has no cardholder present, so it is treated as if the challenge was skipped.
  if (behavior.does === 'challenge' && (requested.threeDs === 'skip' || requested.merchantInitiated))
    return unchallenged(behavior);
  return { ...afterChallenge(behavior, requested), challenged: behavior.does === 'challenge' };
}

function afterChallenge(behavior: TestCardBehavior, { merchantInitiated }: Requested): TestVerdict {
  switch (behavior.does) {
    case 'approve':
    case 'authenticateSilently':
      return approved;
    case 'decline':
      return declined(behavior.failureCode);
    case 'answerWithError':
      return failed;
    case 'challenge':
      return behavior.outcomeAfterChallenge === 'approve' ? approved : declined('card_declined');
    case 'declineMerchantInitiated':
      return merchantInitiated ? declined(behavior.failureCode) : approved;
    case 'loseAnswer':
      return { ...approved, answerLost: true };
    case 'dispute':
      return { ...approved, disputedLater: true };
    case 'failRefund':
      return { ...approved, refundsFail: true };
  }
}

function unchallenged(behavior: TestCardBehavior & { does: 'challenge' }): TestVerdict {
  switch (behavior.unchallenged) {
    case 'approve':
      return approved;
    case 'decline':
      return declined('card_declined');
    case 'failAuthentication':
      return declined('authentication_failed');
  }
}

const approved: TestVerdict = {
  challenged: false,
  verdict: 'approved',
  failureCode: null,
  answerLost: false,
  disputedLater: false,
  refundsFail: false,
};

const failed: TestVerdict = {
  challenged: false,
  verdict: 'error',
  failureCode: null,
  answerLost: false,
  disputedLater: false,
  refundsFail: false,
};

function declined(failureCode: DeclineCode): TestVerdict {
  return {
    challenged: false,
    verdict: 'declined',
    failureCode,
    answerLost: false,
    disputedLater: false,
    refundsFail: false,
  };
}
