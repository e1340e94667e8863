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
export function captureAmount(payment: ModificationTarget, requested: number | null, now: Date): number | Refusal {
  const refusal = refusalOfHold(payment, now, 'captured');
  if (refusal) return refusal;
  const authorized = Number(payment.amount);
  if (requested !== null && requested > authorized)
    return { refused: 'amount', message: `must be at most the authorized amount, ${authorized}` };
  return requested ?? authorized;
}

/** The amount of a void: the whole authorization. */
export function voidAmount(payment: ModificationTarget, now: Date): number | Refusal {
  return refusalOfHold(payment, now, 'voided') ?? Number(payment.amount);
}

/** The amount of an authorization that expires: only if it is past its time. */
export function expiryAmount(payment: ModificationTarget, now: Date): number | Refusal {
  if (!nextState(payment, 'modificationStarted') || !isPastHold(payment, now))
    return { refused: 'state', message: 'The payment is not an expired authorization.' };
  return Number(payment.amount);
}

/**
 * The amount of a refund: as requested, or the whole rest. The rest excludes amounts that are reserved by pending
 * refunds, disputed, or lost in a dispute. A dispute in another currency cannot be compared and counts as the whole
 * amount.
 */
export function refundAmount(payment: ModificationTarget, requested: number | null): number | Refusal {
  if (!nextState(payment, 'fullyRefunded'))
    return { refused: 'state', message: `A payment that is ${wordsOf(payment)} cannot be refunded.` };
  const rest = payment.foreignDisputes > 0 ? 0 : restOf(payment);
  if (rest === 0)
    return payment.foreignDisputes > 0 || Number(payment.disputedAmount) > 0
      ? {
          refused: 'state',
          message: 'The refundable balance of the payment is disputed: it can be refunded once the dispute is won.',
          code: 'PAYMENT_DISPUTED',
        }
      : { refused: 'state', message: 'The whole refundable balance of the payment is already being refunded.' };
  if (requested !== null && requested > rest)
    return { refused: 'amount', message: `must be at most the refundable balance, ${rest}` };
  return requested ?? rest;
}

/**
 * The amount of a refund that was made at the processor. It has already happened, possibly while the payment is
 * disputed; only an amount above the captured one is impossible.
 */
export function foundRefundAmount(payment: ModificationTarget, amount: number): number | Refusal {
  if (!nextState(payment, 'fullyRefunded'))
    return { refused: 'state', message: `A payment that is ${wordsOf(payment)} cannot be refunded.` };
  const rest = Number(payment.capturedAmount) - Number(payment.refundedAmount) - Number(payment.reservedAmount);
  return amount > rest
    ? { refused: 'amount', message: `must be at most the amount that is not refunded, ${rest}` }
    : amount;
}

/**
 * The amount of a test dispute: as requested, possibly above the rest, as processors report them; or the whole rest.
 */
export function disputeAmount(payment: ModificationTarget, requested: number | null): number | Refusal {
  if (paymentState(payment) !== 'refunded' && !nextState(payment, 'fullyRefunded'))
    return { refused: 'state', message: `A payment that is ${wordsOf(payment)} cannot be disputed.` };
  if (requested !== null) return requested;
  const rest = restOf(payment);
  return rest > 0
    ? rest
    : { refused: 'state', message: 'The payment has no balance left: specify the amount of the dispute.' };
}

/** The amount by which refunds and disputes exceed the captured amount. */
export function disputeLossOf({
  capturedAmount,
  refundedAmount,
  disputedAmount,
}: Pick<ModificationTarget, 'capturedAmount' | 'refundedAmount' | 'disputedAmount'>): number {
  return Math.max(0, Number(refundedAmount) + Number(disputedAmount) - Number(capturedAmount));
}

/** The captured amount that is not refunded, reserved by pending refunds, or disputed. */
function restOf({ capturedAmount, refundedAmount, reservedAmount, disputedAmount }: ModificationTarget): number {
  const taken = Number(refundedAmount) + Number(reservedAmount) + Number(disputedAmount);
  return Math.max(0, Number(capturedAmount) - taken);
}

/**
 * For this time the platform asks the processor for an unknown outcome by itself. After that, an attempt that the
 * processor does not know counts as not sent: an operator may decide so, and the platform does if the account may not
 * charge any more.
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
