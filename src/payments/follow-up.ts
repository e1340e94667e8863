import { tenantSql } from '../auth/tenancy.ts';
import type { BlockRule } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import type { PlatformClock } from '../kit/clock.ts';
import { Conflict, Forbidden, invalid } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { awaitStoredCall, findStoredCall, type IdempotencyScope } from '../kit/idempotency.ts';
import { recordedBy } from '../kit/write.ts';
import { atCustomersTime } from '../test-clocks/operations.ts';
import { followUpAtProcessor } from './ask-processor.ts';
import {
  commitFollowUpEnd,
  commitFollowUpIntent,
  commitFollowUpUnknown,
  type FollowUpIntent,
} from './follow-up-statements.ts';
import { readPayment } from './operations.ts';
import type { Refusal } from './policy.ts';
import type { FollowUpResult, PaymentWithTransactions, TransactionRow } from './types.ts';

export interface FollowUp {
  type: 'capture' | 'void' | 'refund';
  paymentId: string;
  /** Money is taken, which an account that may not charge may not; giving it back is always open. */
  takesMoney?: true;
  /** What the payment becomes while the processor is asked; throws when it may not be asked. */
  intend(
    before: PaymentWithTransactions,
    now: Date,
  ): {
    amount: number;
    payment: Partial<PaymentWithTransactions['payment']>;
    blockRule?: BlockRule;
    cancelsSubscription?: string | null;
    refund?: Omit<NonNullable<FollowUpIntent['refund']>, keyof Shared | 'transactionId' | 'status'>;
  };
}

type Shared = ReturnType<typeof sharedOf>;

/**
 * Capture, void and refund: intent (committed) → processor → outcome (committed). An outcome that is not known is left to the
 * worker, which asks for it; it is never guessed.
 */
export function followUp(
  context: KeyContext,
  scope: IdempotencyScope | null,
  asked: FollowUp,
): Promise<FollowUpResult> {
  return atCustomersTime(context, { paymentId: asked.paymentId }, () => ask(context, scope, asked));
}

async function ask(context: KeyContext, scope: IdempotencyScope | null, asked: FollowUp): Promise<FollowUpResult> {
  const { env, caller } = context;
  const now = env.clock.now();
  const stored =
    scope &&
    (await findStoredCall(env.pool, scope).catch((conflict: unknown) => refusalBefore(conflict, context, asked)));
  if (stored) return replay(context, stored.answer);
  if (asked.takesMoney) await assertMayCharge(context, asked.paymentId);
  const transactionId = newId('transaction', now);
  const intent = await commitFollowUpIntent(
    env.pool,
    { scope, tenant: (bind) => tenantSql(caller, bind) },
    asked.paymentId,
    transactionId,
    (before) => intentOf(asked, before, transactionId, env.clock),
  );
  if (!intent && scope) return replay(context, await awaitStoredCall(env.pool, scope));
  if (!intent) throw new Error('Without a key an intent is always written.');
  const begun = performance.now();
  try {
    const outcome = await followUpAtProcessor(
      env,
      transactionOf(intent, transactionId),
      authorizationReferenceOf(intent),
    );
    return await commitFollowUpEnd(
      env.pool,
      recordedBy(context, env.clock.now()),
      asked.paymentId,
      transactionId,
      outcome,
    );
  } catch (error) {
    env.log.warn(
      { err: error, paymentId: asked.paymentId, transactionId, requestId: context.requestId },
      `the outcome of a ${asked.type} is unknown`,
    );
    const known = await commitFollowUpUnknown(env.pool, asked.paymentId, transactionId);
    // A worker may have found out meanwhile: then its answer is the one that is kept.
    return scope ? ((await awaitStoredCall(env.pool, scope)) as FollowUpResult) : known; // stored by commitFollowUpEnd or commitFollowUpUnknown
  } finally {
    context.timings.set('processor', performance.now() - begun);
  }
}

/** A conflict comes last (contract 5): what this call would be refused for by itself is what its sender hears. */
async function refusalBefore(
  conflict: unknown,
  context: KeyContext,
  { paymentId, takesMoney, intend }: FollowUp,
): Promise<never> {
  if (!(conflict instanceof Conflict) || conflict.data['reason'] !== 'idempotency_key_reused') throw conflict;
  const before = await readPayment(context, paymentId);
  if (takesMoney) await assertMayCharge(context, paymentId);
  intend(before, context.env.clock.now());
  throw conflict;
}

/** Says nothing of a payment that is not there: whoever locks it does. */
async function assertMayCharge({ env, caller }: KeyContext, paymentId: string): Promise<void> {
  const values: unknown[] = [paymentId];
  const tenant = tenantSql(caller, (value) => `$${values.push(value)}`);
  const { rows } = await env.pool.query<{ status: string }>(
    `SELECT a.status FROM payments t JOIN processing_accounts a ON a.id = t."platformAccountId" WHERE t.id = $1 AND ${tenant}`,
    values,
  );
  if (rows[0] && rows[0].status !== 'active')
    throw new Forbidden(
      'account_not_active',
      'The account is not active: it cannot take money. What it holds can be voided, and what it took refunded.',
    );
}

/** The transaction, refund and state a follow-up begins with. */
export function intentOf(
  asked: FollowUp,
  before: PaymentWithTransactions,
  transactionId: string,
  clock: PlatformClock,
): FollowUpIntent {
  const now = clock.now();
  const { amount, payment, refund, blockRule, cancelsSubscription } = asked.intend(before, now);
  const { processorId, processorType } = approvedOf(before);
  const shared = { ...sharedOf(before, afterAll(before.transactions, now)), amount };
  return {
    payment: { ...before.payment, ...payment, updatedAt: now },
    transaction: {
      ...shared,
      id: transactionId,
      type: asked.type,
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

/** Follow-ups stand after what they follow, also while a test's clock stands still. */
function afterAll(transactions: readonly TransactionRow[], now: Date): Date {
  return new Date(Math.max(now.getTime(), ...transactions.map(({ createdAt }) => createdAt.getTime() + 1)));
}

function sharedOf({ payment }: PaymentWithTransactions, now: Date) {
  const { id: paymentId, partnerId, platformAccountId, mode, currency } = payment;
  return { paymentId, partnerId, platformAccountId, mode, currency, amount: 0, createdAt: now, updatedAt: now };
}

/** The processor's own name of what is captured, let go of or given back. */
export function authorizationReferenceOf(state: PaymentWithTransactions): string {
  const { id, processorReference } = approvedOf(state);
  if (processorReference === null)
    throw new Error(`Transaction ${id} was approved without a reference of the processor.`);
  return processorReference;
}

function approvedOf({ payment, transactions }: PaymentWithTransactions): TransactionRow {
  const approved = transactions.find(
    ({ type, status }) => (type === 'purchase' || type === 'authorization') && status === 'succeeded',
  );
  if (!approved) throw new Error(`Payment ${payment.id} has no approved authorization.`);
  return approved;
}

export function transactionOf({ transactions }: PaymentWithTransactions, transactionId: string): TransactionRow {
  const transaction = transactions.find(({ id }) => id === transactionId);
  if (!transaction) throw new Error(`There is no transaction ${transactionId}.`);
  return transaction;
}

function replay(context: KeyContext, answer: unknown): FollowUpResult {
  context.replayed = true;
  return answer as FollowUpResult; // stored by commitFollowUpEnd or commitFollowUpUnknown
}

/** What a policy gave, or the error for its refusal. */
export function permitted(decision: number | Refusal, data: Record<string, string> = {}): number {
  if (typeof decision === 'number') return decision;
  throw decision.refused === 'amount'
    ? invalid('amount', decision.message)
    : new Conflict('invalid_state', decision.message, data);
}
