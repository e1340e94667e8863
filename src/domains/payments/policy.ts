import { nextState } from './lifecycle.ts';
import type { AttemptEnd } from './payment-outcome.ts';
import type { PaymentRow } from './payment-rows.ts';

/** Why a modification or dispute is not allowed: because of the payment's state, or of the amount. */
export type Refusal = { refused: 'state' | 'amount'; message: string };

type ModificationTarget = Pick<
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

/** The amount of a capture: as requested, or the whole authorization. */
export function captureAmount(payment: ModificationTarget, asked: number | null, now: Date): number | Refusal {
  const refusal = refusalOfHold(payment, now, 'captured');
  if (refusal) return refusal;
  const authorized = Number(payment.amount);
  if (asked !== null && asked > authorized)
    return { refused: 'amount', message: `must be at most the authorized amount, ${authorized}` };
  return asked ?? authorized;
}

/** The amount of a void: the whole authorization. */
export function voidAmount(payment: ModificationTarget, now: Date): number | Refusal {
  return refusalOfHold(payment, now, 'voided') ?? Number(payment.amount);
}

/** The amount of an authorization that expires: only if it is past its time. */
export function expiryAmount(payment: ModificationTarget, now: Date): number | Refusal {
  if (!nextState(payment, 'modificationStarted') || !isPastHold(payment, now))
    return { refused: 'state', message: 'The payment is not an authorization past its time.' };
  return Number(payment.amount);
}

/**
 * The amount of a refund: as requested, or all that is left. What is reserved by pending refunds is not left, nor is
 * what is disputed or was lost in a dispute.
 */
export function refundAmount(payment: ModificationTarget, asked: number | null): number | Refusal {
  if (!nextState(payment, 'fullyRefunded'))
    return { refused: 'state', message: `A payment that is ${wordsOf(payment)} cannot be refunded.` };
  const rest = restOf(payment);
  if (asked !== null && asked > rest)
    return { refused: 'amount', message: `must be at most what is left to refund, ${rest}` };
  if (rest === 0)
    return { refused: 'state', message: 'All that is left of the payment is disputed or being refunded already.' };
  return asked ?? rest;
}

/** The amount of a dispute: as requested, or all that is left. */
export function disputeAmount(payment: ModificationTarget, asked: number | null): number | Refusal {
  if (!nextState(payment, 'fullyRefunded'))
    return { refused: 'state', message: `A payment that is ${wordsOf(payment)} cannot be disputed.` };
  const rest = restOf(payment);
  if (asked !== null && asked > rest)
    return { refused: 'amount', message: `must be at most what is left of the payment, ${rest}` };
  if (rest === 0) return { refused: 'state', message: 'Nothing is left of the payment to dispute.' };
  return asked ?? rest;
}

/**
 * The amount of a dispute that was won before the platform learned of it: it left the balance and returned, and may
 * have been refunded since.
 */
export function pastDisputeAmount(
  { capturedAmount }: Pick<ModificationTarget, 'capturedAmount'>,
  amount: number,
): number | Refusal {
  const captured = Number(capturedAmount);
  return amount > captured ? { refused: 'amount', message: `must be at most what was captured, ${captured}` } : amount;
}

/** What was captured and is not refunded, reserved by pending refunds, or disputed. */
function restOf({ capturedAmount, refundedAmount, reservedAmount, disputedAmount }: ModificationTarget): number {
  return Number(capturedAmount) - Number(refundedAmount) - Number(reservedAmount) - Number(disputedAmount);
}

/**
 * Whether another processor may be called after this end: only if it is certain that this one took no money, and if
 * another could approve.
 */
export function mayTryAnother(end: AttemptEnd): boolean {
  return end.result === 'error' || (end.result === 'declined' && !end.hard);
}

/** Whether an authorization is past its time. */
export function isPastHold({ authorizationExpiresAt }: Pick<PaymentRow, 'authorizationExpiresAt'>, at: Date): boolean {
  return authorizationExpiresAt !== null && authorizationExpiresAt <= at;
}

/** Whether a challenge has expired. */
export function isChallengeOver({ actionExpiresAt }: Pick<PaymentRow, 'actionExpiresAt'>, at: Date): boolean {
  return actionExpiresAt !== null && actionExpiresAt <= at;
}

function refusalOfHold(payment: ModificationTarget, now: Date, done: string): Refusal | null {
  if (!nextState(payment, 'modificationStarted'))
    return { refused: 'state', message: `A payment that is ${wordsOf(payment)} cannot be ${done}.` };
  return isPastHold(payment, now)
    ? { refused: 'state', message: `The authorization has expired: it cannot be ${done}.` }
    : null;
}

function wordsOf({ status, subStatus }: Pick<PaymentRow, 'status' | 'subStatus'>): string {
  return (subStatus ?? status).replaceAll('_', ' ');
}
