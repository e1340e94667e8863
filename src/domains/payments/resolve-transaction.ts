import { isCutOff, mayCharge, standingOf } from '../../auth/standing.ts';
import { join, queryRow, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';
import { atClockTime } from '../test-clocks/public.ts';
import { authorizeAtProcessor, continueAtProcessor, findAtProcessor, type RevealedCard } from './ask-processor.ts';
import { nextAttempt } from './cascade.ts';
import { challengeUrlOf } from './challenge-url.ts';
import { commitOutcome, type OutcomeDetails } from './commit-charge-outcome.ts';
import type { AttemptEnd } from './payment-outcome.ts';
import type { PaymentWithTransactions } from './payment-rows.ts';
import { isCharge, lastAttemptOf, requirePayment } from './payment-with-transactions.ts';
import { hasHadItsTime } from './policy.ts';
import { recordedByJob } from './recorded-by-job.ts';
import { resolveModification } from './resolve-modification.ts';

/** A transaction whose outcome is to be resolved. */
export interface DueTransaction {
  id: string;
  type: string;
  paymentId: string;
}

/**
 * Asks the processor for the unknown outcome of one transaction and records it. Throws if the processor does not
 * answer. Returns false if another process has recorded the outcome, or if there is none yet.
 */
export async function resolveTransaction(
  services: Services,
  { id: transactionId, type, paymentId }: DueTransaction,
): Promise<boolean> {
  const state = await requirePayment(services.prisma, { id: paymentId });
  // How long an outcome is unknown is measured in real time, on test clocks too. It is recorded at the clock's time.
  return atClockTime(services, state.payment.testClockId, async () => {
    if (!isCharge(type)) return resolveModification(services, state, transactionId);
    // The process that charges has continued with the next processor in the meantime.
    if (lastAttemptOf(state).id !== transactionId) return false;
    const cardId = await cardOf(services, state);
    const end = await endOf(services, state, cardId);
    return end !== null && resolveCharge(services, state, cardId, end);
  });
}

async function cardOf({ prisma }: Services, { payment }: PaymentWithTransactions): Promise<string> {
  const { cardId } = await prisma.paymentInstrument.findUniqueOrThrow({
    where: { id: payment.paymentInstrumentId },
    select: { cardId: true },
  });
  return cardId;
}

async function reveal({ vault }: Services, { payment }: PaymentWithTransactions, id: string): Promise<RevealedCard> {
  return { id, clear: await vault.reveal(id, payment) };
}

/** Null if the outcome stays open. */
async function endOf(services: Services, state: PaymentWithTransactions, cardId: string): Promise<AttemptEnd | null> {
  const attempt = lastAttemptOf(state);
  const found = await findAtProcessor(services, attempt);
  if (found.result !== 'unseen' && found.result !== 'challenge') return found;
  const standing = await standingOf(services.pool, state.payment.platformAccountId);
  if (found.result === 'unseen') {
    // The call never arrived. Sending it now is safe however late the first one arrives: a reference is booked once.
    if (mayCharge(standing) && (await mayStillBegin(services, state)))
      return authorizeAtProcessor(services, state.payment, attempt, await reveal(services, state, cardId));
    return hasHadItsTime(attempt, services.clock.passed()) ? neverSent : null;
  }
  // The challenge was answered, and the call that reports it to the processor was lost.
  const challenge = await services.prisma.threeDsSession.findFirst({
    where: { paymentId: state.payment.id },
    orderBy: { createdAt: 'desc' },
    select: { status: true },
  });
  if (challenge?.status !== 'succeeded' && challenge?.status !== 'failed') return found;
  return continueAtProcessor(services, attempt, isCutOff(standing.partnerStatus) ? 'failed' : challenge.status);
}

/** Whether the period that a payment pays may still be charged. True for a payment of no period. */
async function mayStillBegin({ pool, followers }: Services, { payment }: PaymentWithTransactions): Promise<boolean> {
  if (payment.subscriptionPeriod === null) return true;
  const conditions = followers.payments.flatMap(({ beginConditions }) => beginConditions(sql`${payment.id}`));
  return (
    conditions.length === 0 || (await queryRow(pool, sql`SELECT 1 WHERE ${join(conditions, ' AND ')}`)) !== undefined
  );
}

/** The end of an attempt that was not sent because its account may not charge any more, or its period was closed. */
const neverSent: AttemptEnd = {
  result: 'error',
  message: 'The charge may not be made any more, and the processor has not seen it.',
  processorReference: null,
};

/** Records how an attempt has ended, or continues its cascade: the processor has said that it took no money. */
async function resolveCharge(
  services: Services,
  state: PaymentWithTransactions,
  cardId: string,
  end: AttemptEnd,
): Promise<boolean> {
  // What may not be sent is not sent to another processor either.
  const next = end === neverSent ? null : await nextAttempt(services, state, end, cardId);
  if (!next) return (await commitOutcome(services, state, end, outcomeDetailsOf(services))) !== null;
  const { payment } = next.state;
  const attempt = lastAttemptOf(next.state);
  const card = await reveal(services, next.state, cardId);
  const nextEnd = await authorizeAtProcessor(services, payment, attempt, card, next.connection);
  return resolveCharge(services, next.state, cardId, nextEnd);
}

/** The details of an outcome that a job records; the call that waits for it gets it as its answer. */
export function outcomeDetailsOf(services: Services): OutcomeDetails {
  return {
    by: recordedByJob(services, 'resolve-payments'),
    challengeUrl: challengeUrlOf(services.config),
    answers: true,
  };
}
