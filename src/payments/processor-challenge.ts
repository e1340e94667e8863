import type { Env } from '../env.ts';
import type { IdempotencyScope } from '../kit/idempotency.ts';
import { continueAtProcessor } from './ask-processor.ts';
import { commitContinuation, commitSettlement, type SettlementDetails } from './charge-statements.ts';
import type { AttemptEnd } from './lifecycle.ts';
import type { PaymentWithTransactions } from './types.ts';

/*
 * Challenges that the cardholder answers at the processor, which the processor therefore knows of first. Those of the platform's
 * own page are told to the processor instead (`continue-payment.ts`).
 */

/** Takes a challenged payment back into processing and settles it. Null when another call did. */
export async function settleChallenge(
  env: Env,
  scope: IdempotencyScope | null,
  { payment, transactions }: PaymentWithTransactions,
  end: AttemptEnd,
  details: SettlementDetails,
): Promise<PaymentWithTransactions | null> {
  const attempt = transactions.at(-1);
  const askedAt = env.clock.real();
  if (!attempt || !(await commitContinuation(env.pool, details.by, scope, payment, attempt, askedAt))) return null;
  const moved = {
    payment: { ...payment, subStatus: 'processing', requireAction: null, requireActionData: null },
    transactions: [...transactions.slice(0, -1), { ...attempt, status: 'processing', askedAt }],
  };
  return commitSettlement(env.pool, moved, end, details);
}

/**
 * Ends a challenge that nobody answered in time. One at the processor is closed there first, since an answer that came later would
 * take money for a payment that has failed; an answer that was faster counts. Null when another call settled it.
 */
export async function endChallenge(
  env: Env,
  state: PaymentWithTransactions,
  details: SettlementDetails,
): Promise<PaymentWithTransactions | null> {
  const attempt = state.transactions.at(-1);
  const session =
    attempt &&
    (await env.prisma.threeDsSession.findFirst({
      where: { paymentId: state.payment.id, transactionId: attempt.id },
      orderBy: { createdAt: 'desc' },
      select: { url: true },
    }));
  if (attempt && session && session.url !== null) {
    const outcome = await continueAtProcessor(env, attempt, 'failed');
    if (outcome.result === 'challenge')
      throw new Error(`The challenge of ${attempt.id} could not be closed at its processor.`);
    if (outcome.result === 'approved') return settleChallenge(env, null, state, outcome, details);
  }
  return commitSettlement(env.pool, state, { result: 'challengeExpired' }, details);
}
