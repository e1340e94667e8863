import type { Authorization, DeclineCode } from '../ports/card-processor.ts';
import { testCards } from './test-cards.ts';
import type { TestCardBehaviour } from './test-cards.ts';
import { faultsOf, hits } from './test-faults.ts';

/** What the test processor has decided about a charge before it is written down. */
export interface TestVerdict {
  /** Whether the cardholder is asked first; what else stands here is the answer after a passed challenge. */
  challenged: boolean;
  verdict: 'approved' | 'declined' | 'error';
  failureCode: DeclineCode | null;
  answerLost: boolean;
  /** The cardholder disputes the charge a few seconds after the money was taken. */
  disputedLater: boolean;
}

export interface DeclineWords {
  message: string;
  /** Contract 11 calls insufficient funds soft and a lost card hard. The others follow whether the same card can ever pass as it is. */
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

type Asked = Pick<Authorization, 'card' | 'threeDs' | 'merchantInitiated'>;

/** Pure: what the switches of the processor's record make of what the card does. A challenge comes before the decline, as at a bank. */
export function judge(asked: Asked & Pick<Authorization, 'reference' | 'processor'>): TestVerdict {
  const { declineRate, declineCode, errorRate, lostAnswerRate } = faultsOf(asked.processor.options);
  const { reference } = asked;
  if (hits(errorRate, 'error', reference)) return failed;
  const ofCard = verdictOfCard(asked);
  const verdict = hits(declineRate, 'decline', reference)
    ? { ...declined(declineCode), challenged: ofCard.challenged }
    : ofCard;
  return { ...verdict, answerLost: ofCard.answerLost || hits(lostAnswerRate, 'lostAnswer', reference) };
}

/** The table of test cards, and the rules of 3D Secure above it. */
function verdictOfCard(asked: Asked): TestVerdict {
  const behaviour: TestCardBehaviour = testCards.get(asked.card.cardNumber) ?? { does: 'approve' };
  if (asked.threeDs === 'force') return { ...afterChallenge(behaviour, asked), challenged: true };
  // Nobody is there to answer for a charge that the merchant initiates, so it goes as if the challenge were skipped.
  if (behaviour.does === 'challenge' && (asked.threeDs === 'skip' || asked.merchantInitiated))
    return unchallenged(behaviour);
  return { ...afterChallenge(behaviour, asked), challenged: behaviour.does === 'challenge' };
}

function afterChallenge(behaviour: TestCardBehaviour, { merchantInitiated }: Asked): TestVerdict {
  switch (behaviour.does) {
    case 'approve':
    case 'authenticateSilently':
      return approved;
    case 'decline':
      return declined(behaviour.failureCode);
    case 'answerWithError':
      return failed;
    case 'challenge':
      return behaviour.afterwards === 'approve' ? approved : declined('card_declined');
    case 'declineMerchantInitiated':
      return merchantInitiated ? declined('card_declined') : approved;
    case 'loseAnswer':
      return { ...approved, answerLost: true };
    case 'dispute':
      return { ...approved, disputedLater: true };
  }
}

function unchallenged(behaviour: TestCardBehaviour & { does: 'challenge' }): TestVerdict {
  switch (behaviour.unchallenged) {
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
};

const failed: TestVerdict = {
  challenged: false,
  verdict: 'error',
  failureCode: null,
  answerLost: false,
  disputedLater: false,
};

function declined(failureCode: DeclineCode): TestVerdict {
  return { challenged: false, verdict: 'declined', failureCode, answerLost: false, disputedLater: false };
}
