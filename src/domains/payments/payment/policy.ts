import { nextState, paymentState } from './lifecycle.ts';
import type { PaymentRow, TransactionRow } from './rows.ts';

/** Why a modification or dispute is not allowed: because of the payment's state, or of the amount. */
export type Refusal = { refused: 'state' | 'amount'; message: string; code?: 'PAYMENT_DISPUTED' };

type ModificationTarget = Pick<
  PaymentRow,
  | 'status'
  | 'subStatus'
  | 'amount'
  | 'capturedAmount'
  | 'refundedAmount'
  | 'reservedAmount'
  | 'disputedAmount'
  | 'foreignDisputes'
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
 * what is disputed or was lost in a dispute. A dispute in another currency cannot be compared and takes everything.
 */
export function refundAmount(payment: ModificationTarget, asked: number | null): number | Refusal {
  if (!nextState(payment, 'fullyRefunded'))
    return { refused: 'state', message: `A payment that is ${wordsOf(payment)} cannot be refunded.` };
  const rest = payment.foreignDisputes > 0 ? 0 : restOf(payment);
  if (rest === 0)
    return payment.foreignDisputes > 0 || Number(payment.disputedAmount) > 0
      ? {
          refused: 'state',
          message: 'All that is left of the payment is disputed: it can be refunded once the dispute is won.',
          code: 'PAYMENT_DISPUTED',
        }
      : { refused: 'state', message: 'All that is left of the payment is being refunded already.' };
  if (asked !== null && asked > rest)
    return { refused: 'amount', message: `must be at most what is left to refund, ${rest}` };
  return asked ?? rest;
}

/**
 * The amount of a refund that was made at the processor. It has happened, also while the payment is disputed; only more
 * than was captured cannot be.
 */
export function foundRefundAmount(payment: ModificationTarget, amount: number): number | Refusal {
  if (!nextState(payment, 'fullyRefunded'))
    return { refused: 'state', message: `A payment that is ${wordsOf(payment)} cannot be refunded.` };
  const rest = Number(payment.capturedAmount) - Number(payment.refundedAmount) - Number(payment.reservedAmount);
  return amount > rest ? { refused: 'amount', message: `must be at most what is not refunded, ${rest}` } : amount;
}

/**
 * The amount of a test dispute: as requested, also above what is left, as processors report them; or all that is left.
 */
export function disputeAmount(payment: ModificationTarget, asked: number | null): number | Refusal {
  if (paymentState(payment) !== 'refunded' && !nextState(payment, 'fullyRefunded'))
    return { refused: 'state', message: `A payment that is ${wordsOf(payment)} cannot be disputed.` };
  if (asked !== null) return asked;
  const rest = restOf(payment);
  return rest > 0
    ? rest
    : { refused: 'state', message: 'Nothing is left of the payment: name the amount of the dispute.' };
}

/** What refunds and disputes have taken beyond the captured amount. */
export function disputeLossOf({
  capturedAmount,
  refundedAmount,
  disputedAmount,
}: Pick<ModificationTarget, 'capturedAmount' | 'refundedAmount' | 'disputedAmount'>): number {
  return Math.max(0, Number(refundedAmount) + Number(disputedAmount) - Number(capturedAmount));
}

/** What was captured and is not refunded, reserved by pending refunds, or disputed. */
function restOf({ capturedAmount, refundedAmount, reservedAmount, disputedAmount }: ModificationTarget): number {
  const taken = Number(refundedAmount) + Number(reservedAmount) + Number(disputedAmount);
  return Math.max(0, Number(capturedAmount) - taken);
}

/**
 * The platform asks the processor for an unknown outcome by itself. When that has had no result for this long, what the
 * processor has not seen counts as not sent: an operator may decide so, and the platform does for an account that may
 * not charge any more.
 */
const askByOurselvesMs = 10 * 60_000;

export function isUnknownTooLong({ createdAt }: Pick<TransactionRow, 'createdAt'>, now: Date): boolean {
  return now.getTime() - createdAt.getTime() >= askByOurselvesMs;
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
