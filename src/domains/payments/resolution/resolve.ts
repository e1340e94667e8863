import { chargingStatusOf, isPartnerBlocked, mayCharge } from '../../../auth/charging-status.ts';
import { servedModes } from '../../../auth/modes.ts';
import { constant, join, queryRow, queryRows, sql } from '../../../database/sql.ts';
import { dueColumns, isTooLate, notSaturated } from '../../../jobs/leases.ts';
import { type Due, runDueRows, type Saturated } from '../../../jobs/run-due-rows.ts';
import type { ModificationOutcome } from '../../../ports/card-processor.ts';
import type { Services } from '../../../services.ts';
import { atClockTime } from '../../test-clocks/public.ts';
import { nextAttempt } from '../charge/cascade.ts';
import { commitOutcome, outcomeDetailsOf } from '../charge/commit-outcome.ts';
import type { AttemptEnd } from '../charge/outcome.ts';
import { commitModificationEnd } from '../modification/commit.ts';
import { recordedByJob } from '../payment/follower.ts';
import { isUnknownTooLong } from '../payment/policy.ts';
import {
  authorizeAtProcessor,
  continueAtProcessor,
  findAtProcessor,
  findModificationAtProcessor,
  modifyAtProcessor,
  type RevealedCard,
} from '../payment/processor.ts';
import {
  authorizationReferenceOf,
  isCharge,
  lastAttemptOf,
  type PaymentWithTransactions,
  requirePayment,
  type TransactionRow,
  transactionById,
} from '../payment/rows.ts';

/**
 * Resolves the unknown outcome of a capture, void or refund by asking the processor. Returns false if there is none
 * yet.
 */
async function resolveModification(
  services: Services,
  state: PaymentWithTransactions,
  transactionId: string,
): Promise<boolean> {
  const outcome = await resolvedOutcome(services, state, transactionById(state, transactionId));
  if (outcome === null) return false;
  const by = recordedByJob(services, 'resolve-payments');
  await commitModificationEnd(services.pool, by, state.payment, transactionId, outcome);
  return true;
}

async function resolvedOutcome(
  services: Services,
  state: PaymentWithTransactions,
  transaction: TransactionRow,
): Promise<ModificationOutcome | null> {
  const authorizationReference = authorizationReferenceOf(state);
  const found = await findModificationAtProcessor(services, transaction, authorizationReference);
  if (found.result !== 'unseen') return found;
  // The request never arrived. It is safe to send it now, even if the first one arrives later: a reference is booked
  // once.
  if (
    transaction.type !== 'capture' ||
    mayCharge(await chargingStatusOf(services.pool, state.payment.platformAccountId))
  )
    return modifyAtProcessor(services, transaction, authorizationReference);
  return isUnknownTooLong(transaction, services.clock.earliest()) ? modificationNeverSent : null;
}

/** The outcome of a capture that was not sent because its account may not charge any more. */
const modificationNeverSent: ModificationOutcome = {
  result: 'refused',
  message: 'The account can no longer charge, and the processor did not receive the capture.',
  processorReference: null,
};

/** A transaction whose outcome is to be resolved. */
interface DueTransaction {
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
  // How long an outcome is unknown is measured in real time, also on test clocks. It is recorded at the clock's time.
  return atClockTime(services, state.payment.testClockId, async () => {
    if (!isCharge(type)) return resolveModification(services, state, transactionId);
    // The process that charges has continued with the next processor in the meantime.
    if (lastAttemptOf(state).id !== transactionId) return false;
    const cardId = await cardOf(services, state);
    const end = await resolveAttempt(services, state, cardId);
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

/** Null if the outcome remains unknown. */
async function resolveAttempt(
  services: Services,
  state: PaymentWithTransactions,
  cardId: string,
): Promise<AttemptEnd | null> {
  const attempt = lastAttemptOf(state);
  const found = await findAtProcessor(services, attempt);
  if (found.result !== 'unseen' && found.result !== 'challenge') return found;
  const chargingStatus = await chargingStatusOf(services.pool, state.payment.platformAccountId);
  if (found.result === 'unseen') {
    // The request never arrived. It is safe to send it now, even if the first one arrives later: a reference is booked
    // once.
    if (mayCharge(chargingStatus) && (await mayStillBegin(services, state)))
      return authorizeAtProcessor(services, state.payment, attempt, await reveal(services, state, cardId));
    return isUnknownTooLong(attempt, services.clock.earliest()) ? neverSent : null;
  }
  // The challenge was answered, and the request that reports the answer to the processor was lost.
  const challenge = await services.prisma.threeDsSession.findFirst({
    where: { paymentId: state.payment.id },
    orderBy: { createdAt: 'desc' },
    select: { status: true },
  });
  if (challenge?.status !== 'succeeded' && challenge?.status !== 'failed') return found;
  return continueAtProcessor(
    services,
    attempt,
    isPartnerBlocked(chargingStatus.partnerStatus) ? 'failed' : challenge.status,
  );
}

/** Whether the period that a payment pays may still be charged. True for a payment without a period. */
async function mayStillBegin(
  { pool, paymentFollowers }: Services,
  { payment }: PaymentWithTransactions,
): Promise<boolean> {
  if (payment.subscriptionPeriod === null) return true;
  const conditions = paymentFollowers.flatMap(({ beginConditions }) => beginConditions?.(sql`${payment.id}`) ?? []);
  return (
    conditions.length === 0 || (await queryRow(pool, sql`SELECT 1 WHERE ${join(conditions, ' AND ')}`)) !== undefined
  );
}

/** The end of an attempt that was not sent because its account may not charge any more, or its period was closed. */
const neverSent: AttemptEnd = {
  result: 'error',
  message: 'The charge is no longer allowed, and the processor did not receive it.',
  processorReference: null,
};

/** Records how an attempt has ended, or continues its cascade if the processor has said that it took no money. */
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

const batchMax = 50;
const processor = sql`t."processorId"`;

/**
 * Resolves unknown outcomes by asking the processor: of calls that timed out, whose answer was lost, or whose process
 * stopped. Only transactions that are older than a call can be in flight.
 */
export function resolveUnknownPayments(services: Services, stopping: AbortSignal = never): Promise<number> {
  return runDueRows<DueTransaction & Due>({
    lease: (full) => leaseDue(services, full),
    run: (transaction) => resolveTransaction(services, transaction),
    failed: (error, { paymentId }) =>
      services.log.warn({ err: error, paymentId }, 'The outcome of a payment could not be resolved yet.'),
    stopping,
  });
}

const never = new AbortController().signal;

/**
 * Leases due transactions by setting the time at which they were asked, so that no other process gets them, and one
 * that cannot be resolved does not delay the others.
 */
function leaseDue({ pool, clock, config }: Services, full: Saturated): Promise<(DueTransaction & Due)[]> {
  const now = clock.real();
  const quietMs = config.processorTimeoutMs + 1_000;
  return queryRows(
    pool,
    sql`
      UPDATE transactions t
      SET "askedAt" = ${now}
      WHERE t.id IN (
        SELECT t.id
        FROM transactions t
        WHERE t.status = 'processing'
          AND (t."askedAt" < ${new Date(now.getTime() - quietMs)} OR ${isTooLate(sql`t."askedAt"`, now, 0)})
          AND ${notSaturated(full, 't', processor)}
          ${servedModes(config, sql`t.mode`)}
        ORDER BY t."askedAt"
        LIMIT ${constant(batchMax)}
        FOR NO KEY UPDATE SKIP LOCKED
      )
      RETURNING ${dueColumns('t', processor)}, t.type, t."paymentId"`,
  );
}

/** Resolves immediately the payments of one test clock that is being advanced. Throws if one cannot be resolved. */
export async function resolveUnknownPaymentsOfClock(services: Services, testClockId: string): Promise<number> {
  const due = await queryRows<DueTransaction>(
    services.pool,
    sql`
      SELECT t.id, t.type, t."paymentId"
      FROM payments p
      JOIN transactions t ON t."paymentId" = p.id AND t.status = 'processing'
      WHERE p."testClockId" = ${testClockId}
      ORDER BY t."createdAt", t.id
      LIMIT ${constant(batchMax)}`,
  );
  let resolvedCount = 0;
  for (const transaction of due) if (await resolveTransaction(services, transaction)) resolvedCount++;
  return resolvedCount;
}
