import type pg from 'pg';
import { queryRow, sql } from '../../../database/sql.ts';
import { inQueuedTransaction } from '../../../database/transaction.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { type Due, leaseEachOnce, ofNoTenant, runDueRows } from '../../../jobs/run-due-rows.ts';
import type { PlatformClock } from '../../../lib/clock.ts';
import { Conflict } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import {
  type ModificationNotice,
  NoticeEarly,
  NoticeRefused,
  type ProcessorNotice,
} from '../../../ports/card-processor.ts';
import type { TestProcessor, TestRefundFailures } from '../../../ports/test-processor.ts';
import type { Services } from '../../../services.ts';
import { type RecordedBy, recordParts } from '../../../unit-of-work/records.ts';
import { assign, commitParts, recordOf } from '../../../unit-of-work/statement.ts';
import { postingsPart } from '../../ledger/public.ts';
import { orderAfterPayment, ordersPart } from '../../orders/public.ts';
import { atClockTime } from '../../test-clocks/public.ts';
import { resolveChallenge } from '../challenge/continue-payment.ts';
import { closedColumns, commitOutcome } from '../charge/commit-outcome.ts';
import { mayTryAnother } from '../charge/outcome.ts';
import { commitModificationEnd, modifiedColumns } from '../modification/commit.ts';
import {
  applyTrigger,
  incrementSequence,
  type Modification,
  modificationEndOf,
  modificationIntentOf,
} from '../modification/decide.ts';
import { recordedByJob } from '../payment/follower.ts';
import { stateColumns } from '../payment/lifecycle.ts';
import { journalEntryOf, lossEntryOf, paymentEvent } from '../payment/object.ts';
import { captureAmount, foundRefundAmount, isChallengeOver, type Refusal } from '../payment/policy.ts';
import { challengeUrlOf } from '../payment/processor.ts';
import {
  findPayment,
  isCharge,
  lockPayment,
  type PaymentOfAccount,
  type PaymentRow,
  type PaymentWithTransactions,
  type TransactionRow,
  transactionById,
} from '../payment/rows.ts';

/**
 * Imports a capture, void or refund that was made at the processor and not by the platform. It starts and ends in one
 * database transaction, since it has already happened and must not be requested. A refund that failed is imported too:
 * the notice that it succeeded may arrive later. Returns false if it is already known.
 */
function importModification(
  pool: pg.Pool,
  clock: PlatformClock,
  by: RecordedBy,
  { id: paymentId, platformAccountId }: PaymentOfAccount,
  notice: ModificationNotice,
): Promise<boolean> {
  const { outcome } = notice;
  const isDone = outcome.result === 'approved';
  if (!isDone && (notice.about !== 'refund' || outcome.processorReference === null)) return Promise.resolve(false);
  return inQueuedTransaction(pool, platformAccountId, async (client) => {
    const before = await lockPayment(client, paymentId);
    if (
      before.transactions.some(({ processorReference }) => processorReference === outcome.processorReference) ||
      (isDone && isDoneAlready(before.payment, notice.about))
    )
      return false;
    if (isDone && before.transactions.some(({ status }) => status === 'processing'))
      throw new NoticeEarly('Another operation of the payment is in progress.');
    if (!before.transactions.some(({ type, status }) => isCharge(type) && status === 'succeeded'))
      throw new NoticeEarly('The charge is not approved.');
    const request = modificationRequestOf(notice, paymentId);
    const intent = modificationIntentOf(request, before, newId('txn_', by.now), clock);
    const end = modificationEndOf(intent.payment, intent.transaction, outcome, by.now);
    const order = end.event ? await orderAfterPayment(client, end.payment) : null;
    const parts = [
      sql`resolved AS (
        UPDATE payments t
        SET ${assign(modifiedColumns)}
        FROM ${recordOf('payments', end.payment)}
        WHERE t.id = r.id
        RETURNING t.id
      )`,
      sql`added AS (INSERT INTO transactions SELECT r.* FROM resolved, ${recordOf('transactions', end.transaction)})`,
    ];
    if (intent.refund) {
      const refund = { ...intent.refund, status: end.refundStatus };
      parts.push(sql`refunded AS (INSERT INTO refunds SELECT r.* FROM resolved, ${recordOf('refunds', refund)})`);
    }
    if (end.journalEntry) {
      const journalEntry = journalEntryOf(end.journalEntry, end.payment, end.transaction);
      const loss = lossEntryOf(before.payment, end.payment, end.transaction.id);
      parts.push(postingsPart([journalEntry, ...loss], 'resolved', by.now));
    }
    if (order) parts.push(ordersPart([{ paymentId, order: order.order }], 'resolved'));
    if (end.event) {
      const events = [paymentEvent(end.event, end.payment), ...(order?.events ?? [])];
      parts.push(...recordParts(by, events, [], 'resolved'));
    }
    await commitParts(client, parts, 'resolved');
    return true;
  });
}

function isDoneAlready(payment: PaymentRow, about: ModificationNotice['about']): boolean {
  if (about === 'capture') return Number(payment.capturedAmount) > 0;
  return about === 'void' && payment.status === 'failed';
}

function modificationRequestOf({ about: type, amount, outcome }: ModificationNotice, paymentId: string): Modification {
  return {
    type,
    paymentId,
    intend({ payment }, now) {
      if (type === 'capture')
        return { amount: requireFitting(captureAmount(payment, amount, now)), payment: stateColumns.processing };
      // Whether the authorization counts as voided or as expired depends on the time at which the notice arrives.
      if (type === 'void') return { amount: Number(payment.amount), payment: stateColumns.processing };
      const refunded = outcome.result === 'approved' ? requireFitting(foundRefundAmount(payment, amount)) : amount;
      return {
        amount: refunded,
        payment: { reservedAmount: Number(payment.reservedAmount) + refunded },
        refund: { id: newId('ref_', now), reason: null, metadata: {}, requestedBy: null },
      };
    },
  };
}

/** An amount that does not match now will never match. A state may change, since notices arrive in any order. */
function requireFitting(decision: number | Refusal): number {
  if (typeof decision === 'number') return decision;
  throw decision.refused === 'amount' ? new NoticeRefused('amount_mismatch') : new NoticeEarly(decision.message);
}

/**
 * Reverts a refund that failed after it succeeded: its amount is captured again and can be refunded again. Payment,
 * transaction, refund, order, the reversed postings and the events change in one statement. Returns false if the refund
 * has already failed.
 */
export function failRefund(
  pool: pg.Pool,
  by: RecordedBy,
  { id: paymentId, platformAccountId }: PaymentOfAccount,
  transactionId: string,
): Promise<boolean> {
  return inQueuedTransaction(pool, platformAccountId, async (client) => {
    const before = await lockPayment(client, paymentId);
    const transaction = transactionById(before, transactionId);
    if (transaction.status !== 'succeeded') return false;
    const failed: TransactionRow = {
      ...transaction,
      status: 'failed',
      failureCode: 'processing_error',
      updatedAt: by.now,
    };
    const payment = paymentWithoutRefund(before.payment, Number(transaction.amount), by.now);
    const order = await orderAfterPayment(client, payment, 'order/refundFailed');
    const causeId = `${transaction.id}:failed`;
    const refunded = journalEntryOf('refund', payment, transaction);
    const reversed = { ...refunded, journalEntryId: causeId, amount: -refunded.amount };
    const parts = [
      sql`resolved AS (
        UPDATE payments t
        SET ${assign(modifiedColumns)}
        FROM ${recordOf('payments', payment)}
        WHERE t.id = r.id
        RETURNING t.id
      )`,
      sql`closed AS (
        UPDATE transactions t
        SET ${assign(closedColumns)}
        FROM ${recordOf('transactions', failed)}
        WHERE t.id = r.id
      )`,
      sql`refunded AS (
        UPDATE refunds
        SET status = 'failed', "updatedAt" = ${by.now}
        WHERE "transactionId" = ${transaction.id}
      )`,
      postingsPart([reversed, ...lossEntryOf(before.payment, payment, causeId)], 'resolved', by.now),
    ];
    if (order) parts.push(ordersPart([{ paymentId, order: order.order }], 'resolved'));
    const events = [paymentEvent('payment/refundFailed', payment), ...(order?.events ?? [])];
    parts.push(...recordParts(by, events, [], 'resolved'));
    return commitParts(client, parts, 'resolved');
  });
}

function paymentWithoutRefund(payment: PaymentRow, amount: number, now: Date): PaymentRow {
  const refundedAmount = Number(payment.refundedAmount) - amount;
  const trigger = refundedAmount === 0 ? 'allRefundsFailed' : 'refundFailed';
  return incrementSequence({ ...applyTrigger(payment, trigger, now), refundedAmount });
}

const attemptsMax = 5;

type AuthorizationNotice = Extract<ProcessorNotice, { about: 'authorization' }>;

/**
 * Records the outcome of a payment that its processor reports, with the same statements as a call or a job: the first
 * of them records it, and the others find it recorded. Returns false if there is nothing to record. Throws
 * `NoticeRefused` if amount, currency or charge are not those of the request.
 */
export async function applyAuthorization(
  services: Services,
  by: RecordedBy,
  processorId: string,
  { reference, outcome, amount, currency }: AuthorizationNotice,
): Promise<boolean> {
  const details = { by, challengeUrl: challengeUrlOf(services.config), answers: true };
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const state = await paymentOfTransaction(services, processorId, { id: reference });
    const transaction = state?.transactions.at(-1);
    if (!state || transaction?.id !== reference || outcome.result === 'challenge') return false;
    if (transaction.currency !== currency) throw new NoticeRefused('currency_mismatch');
    if (Number(transaction.amount) !== amount) throw new NoticeRefused('amount_mismatch');
    if (isOther(transaction.processorReference, outcome.processorReference)) throw new NoticeRefused('charge_mismatch');
    if (transaction.status === 'processing') {
      // A call is in flight or a job will ask. Those decide what follows a decline: perhaps another processor.
      if (outcome.result !== 'approved') return false;
      if (await commitOutcome(services, state, outcome, details)) return true;
    } else if (transaction.status === 'requires_action') {
      if (state.payment.cascade !== null && mayTryAnother(outcome)) return false;
      const isLate = outcome.result !== 'approved' && isChallengeOver(state.payment, by.now);
      const recorded = isLate
        ? await commitOutcome(services, state, { result: 'challengeExpired' }, details)
        : await resolveChallenge(services, null, state, outcome, details);
      if (recorded) return true;
    } else return false;
  }
  throw new Conflict('invalid_state', 'The payment is being changed: send the event again.');
}

/**
 * Records the outcome of a capture, void or refund of the platform, or imports one that was made at the processor.
 * Returns false if it is already known. Throws `NoticeEarly` if the charge is not known yet, and `NoticeRefused` if
 * amount, currency or charge are not those of the transaction.
 */
export async function applyModification(
  services: Services,
  by: RecordedBy,
  processorId: string,
  notice: ModificationNotice,
): Promise<boolean> {
  const state = await paymentOfTransaction(services, processorId, {
    processorReference: notice.authorizationReference,
    type: { in: ['purchase', 'authorization'] },
  });
  if (!state) throw new NoticeEarly('No charge of this processor has this reference.');
  const { payment, transactions } = state;
  if (payment.currency !== notice.currency) throw new NoticeRefused('currency_mismatch');
  const started = transactionNamedBy(notice, transactions);
  if (started) assertSame(started, notice);
  else if (notice.reference?.startsWith('txn_')) throw new NoticeRefused('charge_mismatch'); // of another payment
  if (!started) return importModification(services.pool, services.clock, by, payment, notice);
  if (notice.about === 'refund' && notice.outcome.result !== 'approved' && started.status === 'succeeded')
    return failRefund(services.pool, by, payment, started.id);
  if (started.status !== 'processing') return false;
  await commitModificationEnd(services.pool, by, payment, started.id, notice.outcome);
  return true;
}

function assertSame(transaction: TransactionRow, { about, amount, outcome }: ModificationNotice): void {
  if (Number(transaction.amount) !== amount) throw new NoticeRefused('amount_mismatch');
  if (about === 'refund' && isOther(transaction.processorReference, outcome.processorReference))
    throw new NoticeRefused('charge_mismatch');
}

function isOther(known: string | null, named: string | null): boolean {
  return known !== null && named !== null && known !== named;
}

/**
 * The transaction of the platform that a notice is about: by the platform's reference, or by the processor's for an
 * imported refund. A void has neither at the processor: it is the one in flight.
 */
function transactionNamedBy(
  { about, reference, outcome }: ModificationNotice,
  transactions: readonly TransactionRow[],
): TransactionRow | undefined {
  const ofType = transactions.filter(({ type }) => type === about);
  return (
    ofType.find(({ id }) => id === reference) ??
    (about === 'void' ? ofType.find(({ status }) => status === 'processing') : undefined) ??
    (about === 'refund' && outcome.processorReference !== null
      ? ofType.find(({ processorReference }) => processorReference === outcome.processorReference)
      : undefined)
  );
}

/** The payment of a transaction of this processor. A processor reports only its own transactions. */
async function paymentOfTransaction(
  { prisma }: Services,
  processorId: string,
  of: Prisma.TransactionWhereInput,
): Promise<PaymentWithTransactions | null> {
  const transaction = await prisma.transaction.findFirst({
    where: { processorId, ...of },
    select: { paymentId: true },
  });
  return transaction && findPayment(prisma, { id: transaction.paymentId });
}

/** Fails the due refunds of test cards whose refunds fail, and notifies the platform as a real processor does. */
export function failTestRefunds(services: Services, stopping: AbortSignal = never): Promise<number> {
  return runDueRows<Due & { notice: ModificationNotice; refund: Refund | undefined }>({
    lease: leaseEachOnce(async () => {
      const notices = (await failuresOf(services)?.listUnnotified()) ?? [];
      return Promise.all(notices.map((notice) => dueOf(services, notice)));
    }),
    run: ({ notice, refund }) => notify(services, notice, refund),
    failed: (error) =>
      services.log.warn({ err: error }, 'The platform could not be notified of a failed test refund yet.'),
    stopping,
  });
}

const never = new AbortController().signal;

async function dueOf(services: Services, notice: ModificationNotice) {
  const refund = await refundByReference(services, notice);
  return { ...ofNoTenant, ...refund, id: notice.reference ?? '', notice, refund };
}

/** The same on a test clock. */
export async function failTestRefundsOn(services: Services, testClockId: string): Promise<number> {
  const notices = (await failuresOf(services)?.failOn(testClockId)) ?? [];
  for (const notice of notices) await notify(services, notice, await refundByReference(services, notice));
  return notices.length;
}

export function nextTestRefundFailureOn(services: Services, testClockId: string): Promise<Date | null> {
  return failuresOf(services)?.nextOn(testClockId) ?? Promise.resolve(null);
}

function failuresOf({ processors }: Services): TestRefundFailures | null {
  const processor = processors.get('test');
  // only the test processor has refunds that fail later
  return processor && 'refundFailures' in processor ? (processor as TestProcessor).refundFailures : null;
}

interface Refund {
  partnerId: string;
  platformAccountId: string;
  mode: string;
  processorId: string;
  testClockId: string | null;
}

function refundByReference({ pool }: Services, { reference }: ModificationNotice): Promise<Refund | undefined> {
  return queryRow<Refund>(
    pool,
    sql`
      SELECT t."partnerId", t."platformAccountId", t.mode, t."processorId", p."testClockId"
      FROM transactions t
      JOIN payments p ON p.id = t."paymentId"
      WHERE t.id = ${reference}`,
  );
}

async function notify(services: Services, notice: ModificationNotice, refund: Refund | undefined): Promise<void> {
  if (refund)
    await atClockTime(services, refund.testClockId, () =>
      applyModification(services, recordedByJob(services, 'fail-test-refunds'), refund.processorId, notice),
    );
  await failuresOf(services)?.markNotified(notice);
}
