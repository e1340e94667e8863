import type { Env } from '../env.ts';
import type { RecordedBy } from '../kit/records.ts';
import { atClockTime } from '../test-clocks/operations.ts';
import { authorizeAtProcessor, continueAtProcessor, findAtProcessor } from './ask-processor.ts';
import { nextAttempt } from './cascade.ts';
import { challengeUrlOf } from './challenge-url.ts';
import { commitSettlement, type SettlementDetails } from './charge-statements.ts';
import { settleFollowUp } from './follow-up-jobs.ts';
import type { AttemptEnd } from './lifecycle.ts';
import { endChallenge } from './processor-challenge.ts';
import type { PaymentWithTransactions } from './types.ts';

const batchMax = 50;

/**
 * Settles attempts whose outcome is unknown, by asking the processor: a time-out, a lost answer, a server that died in between.
 * Takes those that have waited longer than any call can still be under way, so that nobody is asked about what is going on.
 */
export async function settleUnknownPayments(env: Env, stopping: AbortSignal = never): Promise<number> {
  const quietMs = env.config.processorTimeoutMs + 1_000;
  for (let settled = 0; ; ) {
    const now = env.clock.real();
    const due = await env.pool.query<DueTransaction>({
      name: 'payments-to-settle',
      text: takeDue,
      values: [new Date(now.getTime() - quietMs), now],
    });
    for (const transaction of due.rows) {
      if (stopping.aborted) return settled;
      if (await settleTransaction(env, transaction)) settled++;
    }
    if (due.rows.length < batchMax) return settled;
  }
}

const never = new AbortController().signal;

/**
 * Those taken count as asked now: another server leaves them alone meanwhile, and one that cannot be settled goes to the end of
 * the line instead of standing in the way of the others.
 */
const takeDue = `UPDATE transactions SET "askedAt" = $2 WHERE id IN (
  SELECT id FROM transactions WHERE status = 'processing' AND "askedAt" < $1 ORDER BY "askedAt" LIMIT ${batchMax} FOR UPDATE SKIP LOCKED)
RETURNING id, type, "paymentId"`;

interface DueTransaction {
  id: string;
  type: string;
  paymentId: string;
}

/** The same at once for the payments on one test clock, which is being advanced. What cannot be settled is thrown. */
export async function settleUnknownOf(env: Env, testClockId: string): Promise<number> {
  const text = `SELECT t.id, t.type, t."paymentId" FROM payments p JOIN transactions t ON t."paymentId" = p.id AND t.status = 'processing' WHERE p."testClockId" = $1 ORDER BY t."createdAt", t.id LIMIT ${batchMax}`;
  const { rows } = await env.pool.query<DueTransaction>({
    name: 'payments-to-settle-on-clock',
    text,
    values: [testClockId],
  });
  for (const transaction of rows) await settle(env, transaction);
  return rows.length;
}

/** Ends payments whose challenge nobody went on from in time. Challenges on test clocks are those clocks' business. */
export function expireChallenges(env: Env): Promise<number> {
  return expireChallengesOf(env, null);
}

/** The same for one test clock, at its time. */
export async function expireChallengesOf(env: Env, testClockId: string | null): Promise<number> {
  const due = await env.prisma.payment.findMany({
    where: { testClockId, status: 'pending', subStatus: 'requires_action', actionExpiresAt: { lte: env.clock.now() } },
    include: { transactions: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] } },
    orderBy: { actionExpiresAt: 'asc' },
    take: batchMax,
  });
  for (const { transactions, ...payment } of due) {
    // Not closed at its processor: it stays open here as well, and the next pass finds it.
    await endChallenge(env, { payment, transactions }, detailsOf(env)).catch((error: unknown) =>
      env.log.warn({ err: error, paymentId: payment.id }, 'a challenge could not be ended yet'),
    );
  }
  return due.length;
}

/** Ends a payment whose challenge nobody is to answer any more, as if its time were over. */
export async function abandonChallenge(env: Env, paymentId: string): Promise<void> {
  const { transactions, ...payment } = await env.prisma.payment.findUniqueOrThrow({
    where: { id: paymentId },
    include: { transactions: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] } },
  });
  if (payment.subStatus === 'requires_action')
    await commitSettlement(env.pool, { payment, transactions }, { result: 'challengeExpired' }, detailsOf(env));
}

async function settleTransaction(env: Env, due: DueTransaction): Promise<boolean> {
  try {
    return await settle(env, due);
  } catch (error) {
    env.log.warn({ err: error, paymentId: due.paymentId }, 'a payment could not be settled yet');
    return false;
  }
}

/** Asks what became of one transaction whose outcome is unknown, and writes it down. Throws when the processor does not answer. */
export async function settle(env: Env, { id: transactionId, type, paymentId }: DueTransaction): Promise<boolean> {
  const { transactions, paymentInstrument, threeDsSessions, ...payment } = await env.prisma.payment.findUniqueOrThrow({
    where: { id: paymentId },
    include: {
      transactions: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
      paymentInstrument: { select: { cardId: true } },
      threeDsSessions: { orderBy: { createdAt: 'desc' }, take: 1 },
    },
  });
  // That nobody knows the outcome is a matter of real time, on test clocks too; what comes of it happens at the clock's.
  return atClockTime(env, payment.testClockId, async () => {
    if (type !== 'purchase' && type !== 'authorization') {
      await settleFollowUp(env, { payment, transactions }, transactionId);
      return true;
    }
    // Whoever was charging has gone on with the cascade meanwhile, and is at it.
    if (transactions.at(-1)?.id !== transactionId) return false;
    const { cardId } = paymentInstrument;
    return settleCharge(
      env,
      { payment, transactions },
      cardId,
      await endOf(env, { payment, transactions }, cardId, threeDsSessions[0]?.status),
    );
  });
}

/** Settles a charge whose attempt is known to have ended so. A cascade goes on from there: the processor has said that it holds nothing. */
async function settleCharge(
  env: Env,
  state: PaymentWithTransactions,
  cardId: string,
  end: AttemptEnd,
): Promise<boolean> {
  const next = await nextAttempt(env, state, end, cardId);
  if (!next) return (await commitSettlement(env.pool, state, end, detailsOf(env))) !== null;
  const attempt = next.state.transactions.at(-1);
  if (!attempt) throw new Error('A next attempt stands last.');
  return settleCharge(
    env,
    next.state,
    cardId,
    await authorizeAtProcessor(env, next.state.payment, attempt, cardId, next.connection),
  );
}

async function endOf(
  env: Env,
  { payment, transactions }: PaymentWithTransactions,
  cardId: string,
  challenge: string | undefined,
): Promise<AttemptEnd> {
  const attempt = transactions.at(-1);
  if (!attempt) return { result: 'noProcessor' };
  const found = await findAtProcessor(env, attempt);
  // It never arrived there. Sending it now is safe however late the first one comes: the reference is booked once.
  if (found.result === 'unseen') return authorizeAtProcessor(env, payment, attempt, cardId);
  // The challenge was answered, and the word of it was lost on its way to the processor.
  if (found.result === 'challenge' && (challenge === 'succeeded' || challenge === 'failed'))
    return continueAtProcessor(env, attempt, challenge);
  return found;
}

function detailsOf(env: Env): SettlementDetails {
  const now = env.clock.now();
  const by: RecordedBy = {
    actor: { kind: 'system', id: 'settle-payments' },
    requestId: `job_settle_${now.getTime()}`,
    ip: null,
    now,
    testClockId: env.clock.testClockId,
  };
  return { by, challengeUrl: challengeUrlOf(env.config), answers: true };
}
