import { setTimeout as delay } from 'node:timers/promises';
import { contextFor, type TenantContext } from '../../../call/context.ts';
import { lockRow } from '../../../database/lock-row.ts';
import { waitsOf } from '../../../database/waits.ts';
import type { StoredAnswer } from '../../../graph/plugins.ts';
import { Conflict, DomainError, Forbidden, Unavailable } from '../../../lib/errors.ts';
import { shortestAddress } from '../../../lib/network.ts';
import type { Services } from '../../../services.ts';
import { answerOperation, inUse } from '../../../unit-of-work/idempotency.ts';
import { writeInSteps } from '../../../unit-of-work/multi-step-call.ts';
import { type Write, write } from '../../../unit-of-work/write.ts';
import { countDecline } from '../../instruments/public.ts';
import { processPayment } from '../../payments/public.ts';
import { linkIdOf, pageReturnUrl } from '../cardholder/link.ts';
import { deferCharge } from '../deferred/defer-charge.ts';
import { paysForChange } from '../subscription/object.ts';
import { type ActorContext, lockOrSkip, save, writerOf } from '../subscription/rows.ts';
import type { PeriodRow, SubscriptionRow } from '../types.ts';
import { applyPeriodOutcome } from './open-period.ts';

/**
 * Charges the open period, if there is one, and applies the outcome to the subscription. A second call does not charge
 * again. Returns false if the period could not be charged now; the job charges it later.
 */
export async function chargeOpenPeriod(by: ActorContext, subscriptionId: string): Promise<boolean> {
  try {
    return (await chargePeriod(by, subscriptionId)) !== 'deferred';
  } catch (error) {
    by.services.log.warn({ err: error, subscriptionId }, 'A period could not be charged yet.');
    return false;
  }
}

/** The result for a period. `taken`: another process has started its charge, and records the outcome. */
type ChargedPeriod = 'ended' | 'deferred' | 'taken';

/** As `chargeOpenPeriod`. Throws if the period could not be charged now. */
async function chargePeriod(by: ActorContext, subscriptionId: string): Promise<ChargedPeriod> {
  const open = await by.services.prisma.subscriptionPeriod.findFirst({
    where: { subscriptionId, status: 'charging' },
    include: { subscription: true },
  });
  if (!open || open.paymentId === null || open.subscription.status === 'canceled') return 'ended';
  let charged: ChargedPeriod = 'ended';
  const { subscription, paymentId, ...period } = open;
  const isChange = paysForChange(subscription, open);
  // An idempotency key of the call that opened the period is not one of the charge.
  const { services, actor, requestId, ip } = by;
  const context = contextFor(subscription, { services, actor, requestId, ip });
  try {
    await processPayment(context, inputOf(by, subscription, period, isChange), {
      paymentId,
      period: period.index,
      challengeUntil: isChange ? subscription.pendingExpiresAt : null,
    });
  } catch (error) {
    // The cardholder may no longer be there when the account may charge again.
    if (error instanceof Forbidden && !isChange && subscription.payingInstrumentId === null) {
      await deferCharge(by, subscriptionId);
      return 'deferred';
    }
    // If something is unavailable, the outcome of the charge is not known.
    if (error instanceof DomainError && !(error instanceof Unavailable)) {
      await failRefusedCharge(by, { subscriptionId, paymentId }, error);
      return 'ended';
    }
    if (!paymentExists(error)) throw error;
    charged = 'taken';
  }
  await followPayment(by, subscriptionId);
  return charged;
}

/** Applies the outcome of the payment of the open period, or waits for it if there is none yet. */
export function followPayment(by: ActorContext, subscriptionId: string): Promise<void> {
  return write(writerOf(by), 'followPayment', async (change) => {
    const { tx } = change;
    await lockRow(tx, 'subscriptions', subscriptionId);
    const subscription = await tx.subscription.findUniqueOrThrow({ where: { id: subscriptionId } });
    const period = await tx.subscriptionPeriod.findFirst({ where: { subscriptionId, status: 'charging' } });
    if (!period || period.paymentId === null || subscription.chargingSince === null) return;
    const payment = await tx.payment.findUnique({ where: { id: period.paymentId } });
    if (!payment) return;
    const { id: paymentId, status, failureCode } = payment;
    // The statement that records the outcome of the payment sets `dueAt` (followers.ts).
    if (status === 'pending') await awaitPayment(change, subscription, payment);
    else if (status === 'declined' || status === 'failed') {
      if (status === 'declined' && subscription.payingInstrumentId !== null)
        await countDecline(change, by.services, linkIdOf(subscription), payment);
      await applyPeriodOutcome(change, subscription, period, {
        paid: false,
        paymentId,
        failureCode,
      });
    } else await applyPeriodOutcome(change, subscription, period, { paid: true, paymentId });
  });
}

/** Waits for the outcome of a payment. A pending change is shown from now on. */
async function awaitPayment(
  change: Write,
  before: SubscriptionRow,
  { id, actionExpiresAt }: { id: string; actionExpiresAt: Date | null },
): Promise<void> {
  const waits = { latestPaymentId: id, dueAt: null };
  if (before.pendingPaymentId !== id) await save(change, before, waits, null);
  else if (before.latestPaymentId === id) await save(change, before, { dueAt: null }, null);
  else {
    const pendingExpiresAt = actionExpiresAt ?? before.pendingExpiresAt;
    await save(change, before, { ...waits, pendingExpiresAt }, 'subscription/updated');
  }
}

/**
 * The input of the charge. The customer can answer a challenge of the first charge, of its retries, of a change, and on
 * the hosted page. Renewals must not require one.
 */
function inputOf(
  { services: { config }, ip }: ActorContext,
  subscription: SubscriptionRow,
  { amount, currency }: Pick<PeriodRow, 'amount' | 'currency'>,
  isChange: boolean,
): Parameters<typeof processPayment>[1] {
  const { id: subscriptionId, storeId, status, payingInstrumentId } = subscription;
  const pending = isChange ? subscription.pendingInstrumentId : payingInstrumentId;
  const atPage = payingInstrumentId !== null;
  const returnUrl = atPage ? pageReturnUrl(config, subscription) : subscription.returnUrl;
  const initiated =
    isChange || atPage || status === 'incomplete'
      ? ({ initiatedBy: 'customer', threeDs: 'automatic', returnUrl } as const)
      : ({ initiatedBy: 'merchant', reasonType: 'recurring', threeDs: 'skip' } as const);
  return {
    storeId,
    paymentInstrumentId: pending ?? subscription.paymentInstrumentId,
    amount: Number(amount),
    currency,
    subscriptionId,
    mode: 'purchase',
    ...(atPage && ip !== '' && { payerIp: shortestAddress(ip) }),
    ...initiated,
  };
}

/**
 * A charge that is rejected before it starts (a deleted card, a currency that the store no longer accepts) has failed.
 * If another process has started a charge, that one is followed. If the period was closed meanwhile, nothing is
 * recorded.
 */
async function failRefusedCharge(
  by: ActorContext,
  { subscriptionId, paymentId }: { subscriptionId: string; paymentId: string },
  error: DomainError,
): Promise<void> {
  by.services.log.warn({ err: error, subscriptionId }, 'A charge of a subscription was refused.');
  await write(writerOf(by), 'refuseCharge', async (change) => {
    const subscription = await lockOrSkip(change.tx, subscriptionId);
    const period = await change.tx.subscriptionPeriod.findFirst({
      where: { subscriptionId, paymentId, status: 'charging' },
    });
    if (!subscription?.chargingSince || !period) return;
    if (await change.tx.payment.findUnique({ where: { id: paymentId }, select: { id: true } }))
      await save(change, subscription, { dueAt: subscription.chargingSince }, null);
    else
      await applyPeriodOutcome(change, subscription, period, {
        paid: false,
        paymentId: null,
        failureCode: null,
      });
  });
}

function paymentExists(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint === 'payments_pkey';
}

/** The failed charge of a change. `paymentId` is null if it was rejected before there was a payment. */
interface FailedCharge {
  paymentId: string | null;
  failureCode: string | null;
}

/** The failed charge of the change that a call has opened; null if it was paid, is pending, or nothing was charged. */
export async function failedChange(
  { prisma }: Services,
  { pendingPaymentId: paymentId }: SubscriptionRow,
): Promise<FailedCharge | null> {
  if (paymentId === null) return null;
  const payment = await prisma.payment.findUnique({
    where: { id: paymentId },
    select: { status: true, failureCode: true },
  });
  if (payment) {
    const hasFailed = payment.status === 'declined' || payment.status === 'failed';
    return hasFailed ? { paymentId, failureCode: payment.failureCode } : null;
  }
  const period = await prisma.subscriptionPeriod.findUnique({ where: { paymentId }, select: { status: true } });
  return period?.status === 'charging' ? null : { paymentId: null, failureCode: null };
}

function paymentFailedError({ paymentId, failureCode }: FailedCharge): Conflict {
  const why = paymentId === null ? 'was refused' : failureCode === null ? 'failed' : `failed with ${failureCode}`;
  return new Conflict(
    'payment_failed',
    `The charge of the change ${why}: the subscription is unchanged.`,
    paymentId === null ? {} : { paymentId },
  );
}

/**
 * A call that may charge changes the database before and after it calls a processor: the period is opened and committed
 * first, then it is charged. A repeat after a crash finds the open period and charges it if no process has. The answer
 * is stored once the charge has ended.
 */
export async function chargedCall(
  context: TenantContext,
  operation: string,
  open: (change: Write) => Promise<SubscriptionRow>,
  failureOf: (services: Services, opened: SubscriptionRow) => Promise<FailedCharge | null> = async () => null,
): Promise<SubscriptionRow> {
  const { services } = context;
  const charge = async (opened: SubscriptionRow): Promise<StoredCharge> => {
    const { id } = opened;
    const startedAt = performance.now();
    // A call without a key cannot be repeated: the job charges what could not be charged now.
    if (context.idempotency) await chargeToItsEnd(context, id);
    else await chargeOpenPeriod(context, id);
    context.answer.timings.set('processor', performance.now() - startedAt);
    const failed = await failureOf(services, opened);
    return failed
      ? { failed }
      : withPayment(services, await services.prisma.subscription.findUniqueOrThrow({ where: { id } }));
  };
  const answer = await writeInSteps(context, operation, open, charge, ({ id }) => id);
  return chargedSubscription(answer);
}

/** How the mutation of such a call finds its answer. */
export function chargedAnswer(operation: string): StoredAnswer {
  return { operation: answerOperation(operation), answerOf: (stored) => chargedSubscription(stored as StoredCharge) };
}

/** An answer as stored. A repeat of a call whose charge failed is rejected again. */
type StoredCharge = SubscriptionRow | { failed: FailedCharge };

function chargedSubscription(answer: StoredCharge): SubscriptionRow {
  if ('failed' in answer) throw paymentFailedError(answer.failed);
  return answer;
}

/**
 * If the charge cannot be made now, this throws. The call then has no answer, and its repeat continues with the open
 * period.
 */
async function chargeToItsEnd(context: TenantContext, subscriptionId: string): Promise<void> {
  if ((await chargePeriod(context, subscriptionId)) === 'taken') await awaitCharge(context, subscriptionId);
}

const pollMs = 50;

/** Waits briefly for the charge that another process has started, which may have died, then throws 409. */
async function awaitCharge(context: TenantContext, subscriptionId: string): Promise<void> {
  const { prisma, pool } = context.services;
  for (const until = performance.now() + waitsOf(pool).runningCallMs; ; await delay(pollMs)) {
    const open = await prisma.subscriptionPeriod.findFirst({ where: { subscriptionId, status: 'charging' } });
    const id = open?.paymentId ?? null;
    const payment = id === null ? null : await prisma.payment.findUnique({ where: { id } });
    if (payment?.subStatus !== 'processing') return followPayment(context, subscriptionId);
    if (performance.now() >= until) throw inUse();
  }
}

/** Adds the latest payment as it is now, so that a repeat of the call returns the same. */
async function withPayment({ prisma }: Services, subscription: SubscriptionRow): Promise<SubscriptionRow> {
  const { latestPaymentId: id } = subscription;
  return { ...subscription, latestPayment: id === null ? null : await prisma.payment.findUnique({ where: { id } }) };
}
