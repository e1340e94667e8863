import type { Env } from '../env.ts';
import { Conflict } from '../kit/errors.ts';
import type { RecordedBy } from '../kit/records.ts';
import type { FollowUpNotice, Outcome } from '../ports/card-processor.ts';
import { challengeUrlOf } from './challenge-url.ts';
import { commitSettlement } from './charge-statements.ts';
import { commitFollowUpEnd } from './follow-up-statements.ts';
import { takeOverFollowUp } from './foreign-follow-up.ts';
import { isChallengeOver, mayTryAnother } from './policy.ts';
import { settleChallenge } from './processor-challenge.ts';
import type { PaymentWithTransactions } from './types.ts';

const attemptsMax = 5;

/**
 * Settles a payment by what its processor says on its own, through the same statements as a call or a worker: whoever is first
 * settles it, and the others find it settled. False when there is nothing to settle.
 */
export async function applyAuthorization(
  env: Env,
  by: RecordedBy,
  processorId: string,
  reference: string,
  outcome: Outcome,
): Promise<boolean> {
  const details = { by, challengeUrl: challengeUrlOf(env.config), answers: true };
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const state = await stateOf(env, processorId, { id: reference });
    const transaction = state?.transactions.at(-1);
    if (!state || transaction?.id !== reference || outcome.result === 'challenge') return false;
    if (transaction.status === 'processing') {
      // A call is under way or a worker will ask, and only they know what follows a decline: perhaps another processor.
      if (outcome.result !== 'approved') return false;
      if (await commitSettlement(env.pool, state, outcome, details)) return true;
    } else if (transaction.status === 'requires_action') {
      if (state.payment.cascade !== null && mayTryAnother(outcome)) return false;
      const isLate = outcome.result !== 'approved' && isChallengeOver(state.payment, by.now);
      if (
        isLate
          ? await commitSettlement(env.pool, state, { result: 'challengeExpired' }, details)
          : await settleChallenge(env, null, state, outcome, details)
      )
        return true;
    } else return false;
  }
  throw new Conflict('invalid_state', 'The payment is being changed: send the event again.');
}

/** Ends a capture, void or refund of ours, or takes one over that was made at the processor. False when there is nothing new in it. */
export async function applyFollowUp(
  env: Env,
  by: RecordedBy,
  processorId: string,
  notice: FollowUpNotice,
): Promise<boolean> {
  const state = await stateOf(env, processorId, {
    processorReference: notice.authorizationReference,
    type: { in: ['purchase', 'authorization'] },
  });
  if (!state) return false;
  const { payment, transactions } = state;
  const ours = transactions.find(
    ({ id, type }) => (notice.reference === null ? false : id === notice.reference) && type === notice.about,
  );
  // A void carries no mark of ours there: the one under way is the one that was done.
  const begun =
    ours ??
    (notice.about === 'void'
      ? transactions.find(({ type, status }) => type === 'void' && status === 'processing')
      : undefined);
  if (!begun) return takeOverFollowUp(env.pool, env.clock, by, payment.id, notice);
  if (begun.status !== 'processing') return false;
  await commitFollowUpEnd(env.pool, by, payment.id, begun.id, notice.outcome);
  return true;
}

/** A payment with its transactions, by one of them. A processor speaks of its own alone. */
async function stateOf(env: Env, processorId: string, of: object): Promise<PaymentWithTransactions | null> {
  const found = await env.prisma.transaction.findFirst({
    where: { processorId, ...of },
    include: { payment: { include: { transactions: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] } } } },
  });
  if (!found) return null;
  const { transactions, ...payment } = found.payment;
  return { payment, transactions };
}
