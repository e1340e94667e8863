import type pg from 'pg';
import type { Sql } from '../../../database/sql.ts';
import type { BlockRule } from '../../../generated/prisma/client.ts';
import type { PlatformClock } from '../../../lib/clock.ts';
import { Conflict, invalid } from '../../../lib/errors.ts';
import type { ModificationOutcome } from '../../../ports/card-processor.ts';
import type { RecordedBy } from '../../../unit-of-work/records.ts';
import { nextState, type PaymentTrigger, stateColumns } from '../payment/lifecycle.ts';
import { isPastHold, type Refusal } from '../payment/policy.ts';
import {
  approvedOf,
  type ModificationResult,
  type PaymentRow,
  type PaymentWithTransactions,
  type RefundRow,
  type TransactionRow,
  transactionById,
} from '../payment/rows.ts';
import type { EndedModification } from './commit.ts';

export interface Modification {
  type: 'capture' | 'void' | 'refund';
  paymentId: string;
  /**
   * Whether the modification takes money, which only an account that may charge can do. Every account can void and
   * refund.
   */
  needsChargeRight?: true;
  /** The state of the payment while the processor is called. Throws if the modification is not allowed. */
  intend(
    before: PaymentWithTransactions,
    now: Date,
  ): {
    amount: number;
    payment: Partial<PaymentWithTransactions['payment']>;
    blockRule?: BlockRule;
    cancelsSubscription?: string | null;
    refund?: Omit<NonNullable<ModificationIntent['refund']>, keyof Shared | 'transactionId' | 'status'>;
  };
  withIntent?: CommittedWithIntent;
}

/** Further checks and changes in the transaction of an intent. */
export interface CommittedWithIntent {
  /**
   * Throws if the intent must not be committed. Called under the payment's lock; its own locks are taken after that
   * one.
   */
  assert(client: pg.ClientBase, intent: ModificationIntent): Promise<void>;
  /** CTEs that come after `reserved`, which has no row if the idempotency key belongs to an earlier call. */
  parts(intent: ModificationIntent): Sql[];
}

type Shared = ReturnType<typeof sharedOf>;

/**
 * The rows with which a modification starts: its transaction, whose id is the processor's idempotency key, and the
 * payment with the reserved amount.
 */
export interface ModificationIntent {
  payment: PaymentRow;
  transaction: TransactionRow;
  refund: RefundRow | null;
  /** Added in the same statement if the call requests it. */
  blockRule: BlockRule | null;
  /** The subscription canceled in the same statement if the call requests it. */
  cancelsSubscription: string | null;
}

/** The transaction, the refund and the payment with which a modification starts. */
export function modificationIntentOf(
  request: Modification,
  before: PaymentWithTransactions,
  transactionId: string,
  clock: Pick<PlatformClock, 'now' | 'earliest' | 'real'>,
): ModificationIntent {
  const now = clock.now();
  const { amount, payment, refund, blockRule, cancelsSubscription } = request.intend(before, clock.earliest());
  const { processorId, processorType } = approvedOf(before);
  const shared = { ...sharedOf(before, afterAll(before.transactions, now)), amount };
  return {
    payment: { ...before.payment, ...payment, updatedAt: now },
    transaction: {
      ...shared,
      id: transactionId,
      type: request.type,
      status: 'processing',
      processorId,
      processorType,
      processorReference: null,
      failureCode: null,
      askedAt: clock.real(),
    },
    refund: refund ? { ...shared, ...refund, transactionId, status: 'pending' } : null,
    blockRule: blockRule ?? null,
    cancelsSubscription: cancelsSubscription ?? null,
  };
}

/** The time of a modification is later than that of what it modifies, also on a test clock that does not advance. */
function afterAll(transactions: readonly TransactionRow[], now: Date): Date {
  return new Date(Math.max(now.getTime(), ...transactions.map(({ createdAt }) => createdAt.getTime() + 1)));
}

function sharedOf({ payment }: PaymentWithTransactions, now: Date) {
  const { id: paymentId, partnerId, platformAccountId, mode, currency } = payment;
  return { paymentId, partnerId, platformAccountId, mode, currency, amount: 0, createdAt: now, updatedAt: now };
}

/** The amount that the policy allows. Throws the policy's refusal as an error. */
export function requireAllowed(decision: number | Refusal, data: Record<string, string> = {}): number {
  if (typeof decision === 'number') return decision;
  const { refused, message, code } = decision;
  throw refused === 'amount'
    ? invalid('amount', message)
    : new Conflict('invalid_state', message, { ...data, ...(code && { code }) });
}

/** The rows that the outcome of a capture, void or refund changes, with their new values. */
export interface ModificationEnd {
  payment: PaymentRow;
  transaction: TransactionRow;
  refundStatus: 'succeeded' | 'failed' | null;
  /** The event of the change; null if the state of the payment does not change. */
  event: 'payment/captured' | 'payment/voided' | 'payment/refunded' | 'payment/failed' | null;
  journalEntry: 'capture' | 'refund' | null;
}

/** Applies the outcome of a modification to a payment and its transaction. Pure: called under the payment's lock. */
export function modificationEndOf(
  payment: PaymentRow,
  transaction: TransactionRow,
  outcome: ModificationOutcome,
  now: Date,
): ModificationEnd {
  const done = outcome.result === 'approved';
  const closed: TransactionRow = {
    ...transaction,
    status: done ? 'succeeded' : 'failed',
    processorReference: outcome.processorReference,
    failureCode: done ? null : 'processing_error',
    updatedAt: now,
  };
  const amount = Number(transaction.amount);
  const end = { transaction: closed, refundStatus: null, event: null, journalEntry: null } as const;
  switch (transaction.type) {
    case 'capture':
      if (!done) return { ...end, payment: applyTrigger(payment, 'modificationFailed', now) };
      return {
        ...end,
        payment: incrementSequence({
          ...applyTrigger(payment, 'captured', now),
          capturedAmount: amount,
          authorizationExpiresAt: null,
        }),
        event: 'payment/captured',
        journalEntry: 'capture',
      };
    case 'void':
      // An authorization past its time has expired, even if the processor rejects the void.
      if (isPastHold(payment, transaction.createdAt))
        return {
          ...end,
          payment: incrementSequence({
            ...applyTrigger(payment, 'authorizationExpired', now),
            failureMessage: 'The authorization was not captured in time.',
          }),
          event: 'payment/failed',
        };
      if (!done) return { ...end, payment: applyTrigger(payment, 'modificationFailed', now) };
      return {
        ...end,
        payment: incrementSequence({ ...applyTrigger(payment, 'voided', now), voidedAt: now }),
        event: 'payment/voided',
      };
    case 'refund': {
      const released = { ...payment, reservedAmount: Number(payment.reservedAmount) - amount };
      if (!done) return { ...end, payment: { ...released, updatedAt: now }, refundStatus: 'failed' };
      const refundedAmount = Number(payment.refundedAmount) + amount;
      const trigger = refundedAmount === Number(payment.capturedAmount) ? 'fullyRefunded' : 'partlyRefunded';
      return {
        ...end,
        payment: incrementSequence({ ...applyTrigger(released, trigger, now), refundedAmount }),
        refundStatus: 'succeeded',
        event: 'payment/refunded',
        journalEntry: 'refund',
      };
    }
    default:
      throw new Error(`A ${transaction.type} is not a modification.`);
  }
}

export function applyTrigger(payment: PaymentRow, trigger: PaymentTrigger, now: Date): PaymentRow {
  const state = nextState(payment, trigger);
  if (!state)
    throw new Error(`${trigger} is not allowed for a payment that is ${payment.status}/${payment.subStatus}.`);
  return { ...payment, ...stateColumns[state], updatedAt: now };
}

export function incrementSequence(payment: PaymentRow): PaymentRow {
  return { ...payment, sequence: payment.sequence + 1 };
}

/** The outcome of a modification applied to its payment, without its order. Throws if it has already ended. */
export function endedOf(
  by: RecordedBy,
  before: ModificationResult,
  transactionId: string,
  outcome: ModificationOutcome,
): EndedModification {
  const transaction = transactionById(before, transactionId);
  if (transaction.status !== 'processing') throw new Error(`Transaction ${transactionId} has ended.`);
  const end = modificationEndOf(before.payment, transaction, outcome, by.now);
  const { refund } = before;
  const result: ModificationResult = {
    payment: end.payment,
    transactions: before.transactions.map((other) => (other === transaction ? end.transaction : other)),
    refund: refund && end.refundStatus ? { ...refund, status: end.refundStatus, updatedAt: by.now } : refund,
  };
  return { by, before: before.payment, end, result, order: null };
}
