import type pg from 'pg';
import type { Sql } from '../../database/sql.ts';
import type { BlockRule } from '../../generated/prisma/client.ts';
import type { PlatformClock } from '../../kit/clock.ts';
import { Conflict, invalid } from '../../kit/errors.ts';
import type { PaymentRow, PaymentWithTransactions, RefundRow, TransactionRow } from './payment-rows.ts';
import { approvedOf } from './payment-with-transactions.ts';
import type { Refusal } from './policy.ts';

export interface Modification {
  type: 'capture' | 'void' | 'refund';
  paymentId: string;
  /** Whether money is taken. Only an account that may charge takes money; every account voids and refunds. */
  takesMoney?: true;
  /** What the payment becomes while the processor is called. Throws if the modification is not allowed. */
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
  also?: AlsoCommitted;
}

/** What else is decided and written with an intent, in its transaction. */
export interface AlsoCommitted {
  /** Throws if the intent must not be committed. Called under the payment's lock; what it locks is locked after it. */
  assert(client: pg.ClientBase, intent: ModificationIntent): Promise<void>;
  /** CTEs that follow `reserved`, which has no row if the idempotency key belongs to an earlier call. */
  parts(intent: ModificationIntent): Sql[];
}

type Shared = ReturnType<typeof sharedOf>;

/**
 * The rows with which a modification starts: its transaction, whose id is the processor's idempotency key, and the
 * payment with what the modification reserves of it.
 */
export interface ModificationIntent {
  payment: PaymentRow;
  transaction: TransactionRow;
  refund: RefundRow | null;
  /** Added in the same statement if the call asks for it. */
  blockRule: BlockRule | null;
  /** The subscription canceled in the same statement if the call asks for it. */
  cancelsSubscription: string | null;
}

/** The transaction, the refund and the payment with which a modification starts. */
export function modificationIntentOf(
  request: Modification,
  before: PaymentWithTransactions,
  transactionId: string,
  clock: Pick<PlatformClock, 'now' | 'passed' | 'real'>,
): ModificationIntent {
  const now = clock.now();
  const { amount, payment, refund, blockRule, cancelsSubscription } = request.intend(before, clock.passed());
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

/** A modification is later than what it modifies, also on a test clock that does not advance. */
function afterAll(transactions: readonly TransactionRow[], now: Date): Date {
  return new Date(Math.max(now.getTime(), ...transactions.map(({ createdAt }) => createdAt.getTime() + 1)));
}

function sharedOf({ payment }: PaymentWithTransactions, now: Date) {
  const { id: paymentId, partnerId, platformAccountId, mode, currency } = payment;
  return { paymentId, partnerId, platformAccountId, mode, currency, amount: 0, createdAt: now, updatedAt: now };
}

/** The amount that the policy allows. Throws its refusal as an error. */
export function requireAllowed(decision: number | Refusal, data: Record<string, string> = {}): number {
  if (typeof decision === 'number') return decision;
  const { refused, message, code } = decision;
  throw refused === 'amount'
    ? invalid('amount', message)
    : new Conflict('invalid_state', message, { ...data, ...(code && { code }) });
}
