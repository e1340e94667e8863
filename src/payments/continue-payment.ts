import type { KeyContext } from '../graph/context.ts';
import { findStoredCall } from '../kit/idempotency.ts';
import { recordedBy, scopeOf } from '../kit/write.ts';
import { continueAtProcessor } from './ask-processor.ts';
import { challengeUrlOf } from './challenge-url.ts';
import { commitContinuation, commitSettlement, commitUnknown, type SettlementDetails } from './charge-statements.ts';
import type { AttemptEnd } from './lifecycle.ts';
import { readPayment } from './operations.ts';
import type { PaymentWithTransactions } from './types.ts';

/**
 * Goes on after a challenge. Unanswered, final, or being continued by another call: the payment as it is. Of several calls at
 * once one moves it, since moving it back into processing succeeds once.
 */
export async function continuePayment(context: KeyContext, paymentId: string): Promise<PaymentWithTransactions> {
  const { env } = context;
  const scope = scopeOf(context, 'continuePayment');
  const stored = scope && (await findStoredCall(env.pool, scope));
  if (stored) {
    context.replayed = true;
    return stored.answer as PaymentWithTransactions; // stored by commitSettlement or commitUnknown
  }
  const found = await readPayment(context, paymentId);
  const attempt = found.transactions.at(-1);
  if (found.payment.subStatus !== 'requires_action' || !attempt) return found;
  const now = env.clock.now();
  const details: SettlementDetails = { by: recordedBy(context, now), challengeUrl: challengeUrlOf(env.config), answers: scope !== null };
  if (found.payment.actionExpiresAt && found.payment.actionExpiresAt <= now) {
    return (await commitSettlement(env.pool, found, { result: 'challengeExpired' }, { ...details, answers: false })) ?? readPayment(context, paymentId);
  }
  const session = await env.prisma.threeDsSession.findFirst({ where: { paymentId, transactionId: attempt.id } });
  if (!session || session.status === 'pending') return found;

  if (!(await commitContinuation(env.pool, details.by, scope, found.payment, attempt))) return readPayment(context, paymentId);
  const moved = { payment: { ...found.payment, subStatus: 'processing', requireAction: null, requireActionData: null }, transactions: [...found.transactions.slice(0, -1), { ...attempt, status: 'processing', askedAt: now }] };
  const end = await endOf(context, moved, session.status === 'succeeded' ? 'succeeded' : 'failed');
  if (end === 'unknown') {
    await commitUnknown(env.pool, moved);
    return moved;
  }
  return (await commitSettlement(env.pool, moved, end, details)) ?? readPayment(context, paymentId);
}

async function endOf(context: KeyContext, { payment, transactions }: PaymentWithTransactions, authentication: 'succeeded' | 'failed'): Promise<AttemptEnd | 'unknown'> {
  const attempt = transactions.at(-1);
  if (!attempt) return 'unknown';
  const begun = performance.now();
  try {
    return await continueAtProcessor(context.env, attempt, authentication);
  } catch (error) {
    context.env.log.warn({ err: error, paymentId: payment.id, transactionId: attempt.id, requestId: context.requestId }, 'the outcome of a continued charge is unknown');
    return 'unknown';
  } finally {
    context.timings.set('processor', performance.now() - begun);
  }
}
