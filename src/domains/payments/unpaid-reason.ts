import type { TextKey } from '../../look/words.ts';

/** What a payer is told of a payment that failed, by the reasons that a payer can do something about. */
export const unpaidTexts = {
  insufficient_funds: 'decline.insufficientFunds',
  expired_card: 'decline.expiredCard',
  incorrect_cvc: 'decline.incorrectCvc',
  authentication_failed: 'decline.authenticationFailed',
  authentication_expired: 'decline.authenticationExpired',
  card_declined: 'decline.cardDeclined',
  processing_failed: 'decline.processingFailed',
} as const satisfies Record<string, TextKey>;

export type UnpaidReason = keyof typeof unpaidTexts;

/**
 * Why a payment was not paid, as its payer may know it: not which block rule declined it, and not that a card is reported
 * lost. Null if it was paid or waits for its outcome.
 */
export function unpaidReasonOf({
  status,
  subStatus,
  failureCode,
}: {
  status: string;
  subStatus: string | null;
  failureCode: string | null;
}): UnpaidReason | null {
  if (status === 'failed')
    return subStatus === 'authentication_expired' ? 'authentication_expired' : 'processing_failed';
  if (status !== 'declined') return null;
  switch (failureCode) {
    case 'insufficient_funds':
    case 'expired_card':
    case 'incorrect_cvc':
    case 'authentication_failed':
      return failureCode;
    default:
      return 'card_declined';
  }
}
