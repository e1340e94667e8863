import type { AttemptEnd } from './lifecycle.ts';
import { nextState } from './lifecycle.ts';
import type { PaymentRow } from './types.ts';

/** Why something may not be done to a payment: the state stands against it, or the amount asked for is too much. */
export type Refusal = { refused: 'state' | 'amount'; message: string };

type FollowUpTarget = Pick<
  PaymentRow,
  | 'status'
  | 'subStatus'
  | 'amount'
  | 'capturedAmount'
  | 'refundedAmount'
  | 'reservedAmount'
  | 'disputedAmount'
  | 'authorizationExpiresAt'
>;

/** How much a capture takes: what is asked for, or all that is held. Once, and while it is held. */
export function captureAmount(payment: FollowUpTarget, asked: number | null, now: Date): number | Refusal {
  const refusal = refusalOfHold(payment, now, 'captured');
  if (refusal) return refusal;
  const held = Number(payment.amount);
  if (asked !== null && asked > held)
    return { refused: 'amount', message: `must be at most the authorized amount, ${held}` };
  return asked ?? held;
}

/** A void lets go of all that is held. */
export function voidAmount(payment: FollowUpTarget, now: Date): number | Refusal {
  return refusalOfHold(payment, now, 'voided') ?? Number(payment.amount);
}

/** How much the end of a hold lets go of: only what is past its time. */
export function expiryAmount(payment: FollowUpTarget, now: Date): number | Refusal {
  if (!nextState(payment, 'followUpBegun') || !isPastHold(payment, now))
    return { refused: 'state', message: 'The payment is not an authorization past its time.' };
  return Number(payment.amount);
}

/** How much a refund gives back: what is asked for, or all that is left. What others are refunding right now is not left, nor is what is in dispute or lost to one. */
export function refundAmount(payment: FollowUpTarget, asked: number | null): number | Refusal {
  if (!nextState(payment, 'fullyRefunded'))
    return { refused: 'state', message: `A payment that is ${wordsOf(payment)} cannot be refunded.` };
  const rest = restOf(payment);
  if (asked !== null && asked > rest)
    return { refused: 'amount', message: `must be at most what is left to refund, ${rest}` };
  if (rest === 0)
    return { refused: 'state', message: 'All that is left of the payment is disputed or being refunded already.' };
  return asked ?? rest;
}

/** How much a dispute may take back: what is asked for, or all that is left. */
export function disputeAmount(payment: FollowUpTarget, asked: number | null): number | Refusal {
  if (!nextState(payment, 'fullyRefunded'))
    return { refused: 'state', message: `A payment that is ${wordsOf(payment)} cannot be disputed.` };
  const rest = restOf(payment);
  if (asked !== null && asked > rest)
    return { refused: 'amount', message: `must be at most what is left of the payment, ${rest}` };
  if (rest === 0) return { refused: 'state', message: 'Nothing is left of the payment to dispute.' };
  return asked ?? rest;
}

/** How much a dispute took that was won before anybody heard of it: the money went and came back, and may have been refunded since. */
export function pastDisputeAmount(
  { capturedAmount }: Pick<FollowUpTarget, 'capturedAmount'>,
  amount: number,
): number | Refusal {
  const captured = Number(capturedAmount);
  return amount > captured ? { refused: 'amount', message: `must be at most what was captured, ${captured}` } : amount;
}

/** What was captured and is neither given back, nor being given back, nor taken back by the cardholder's bank. */
function restOf({ capturedAmount, refundedAmount, reservedAmount, disputedAmount }: FollowUpTarget): number {
  return Number(capturedAmount) - Number(refundedAmount) - Number(reservedAmount) - Number(disputedAmount);
}

/** Whether another processor may be asked after this end: only where it is certain that this one holds no money, and where another may help. */
export function mayTryAnother(end: AttemptEnd): boolean {
  return end.result === 'error' || (end.result === 'declined' && !end.hard);
}

/** Whether money that was held must be let go of at this moment. */
export function isPastHold({ authorizationExpiresAt }: Pick<PaymentRow, 'authorizationExpiresAt'>, at: Date): boolean {
  return authorizationExpiresAt !== null && authorizationExpiresAt <= at;
}

/** Whether the time in which a challenge may be answered is over. */
export function isChallengeOver({ actionExpiresAt }: Pick<PaymentRow, 'actionExpiresAt'>, at: Date): boolean {
  return actionExpiresAt !== null && actionExpiresAt <= at;
}

function refusalOfHold(payment: FollowUpTarget, now: Date, done: string): Refusal | null {
  if (!nextState(payment, 'followUpBegun'))
    return { refused: 'state', message: `A payment that is ${wordsOf(payment)} cannot be ${done}.` };
  return isPastHold(payment, now)
    ? { refused: 'state', message: `The authorization has expired: it cannot be ${done}.` }
    : null;
}

function wordsOf({ status, subStatus }: Pick<PaymentRow, 'status' | 'subStatus'>): string {
  return (subStatus ?? status).replaceAll('_', ' ');
}
