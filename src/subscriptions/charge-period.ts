import { createContext, type KeyContext } from '../graph/context.ts';
import { amountMax } from '../graph/scalars.ts';
import type { Env } from '../env.ts';
import { DomainError, Forbidden } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Mode } from '../kit/mode.ts';
import type { Actor } from '../kit/records.ts';
import { write, type Write } from '../kit/write.ts';
import { processPayment } from '../payments/process-payment.ts';
import type { Interval } from '../products/types.ts';
import { boundaryAt, chargeWithBalance, type Rhythm } from './periods.ts';
import { settlePeriod } from './settle-period.ts';
import { lockUnlessTaken, save, type SubscriptionEvent } from './subscription-records.ts';
import type { PeriodRow, SubscriptionRow } from './types.ts';

/** Where a period stands in the line of periods. */
export type PeriodPlace = Pick<PeriodRow, 'index' | 'startsAt' | 'endsAt' | 'anchorAt' | 'cycle'>;

export function rhythmOf({ interval, intervalCount }: Pick<SubscriptionRow, 'interval' | 'intervalCount'>): Rhythm {
  return { interval: interval as Interval, intervalCount }; // a CHECK constraint holds the column to the enum
}

/** The period that begins where the present one ends. */
export function periodAfter(subscription: SubscriptionRow): PeriodPlace {
  const { periodIndex, currentPeriodEnd: startsAt, anchorAt, cycle } = subscription;
  return {
    index: periodIndex + 1,
    startsAt,
    endsAt: boundaryAt(anchorAt, rhythmOf(subscription), cycle + 2),
    anchorAt,
    cycle: cycle + 1,
  };
}

/** A period that begins at a moment of its own, from which the ones after it are counted. */
export function periodFrom(subscription: SubscriptionRow, anchorAt: Date): PeriodPlace {
  return {
    index: subscription.periodIndex + 1,
    startsAt: anchorAt,
    endsAt: boundaryAt(anchorAt, rhythmOf(subscription), 1),
    anchorAt,
    cycle: 0,
  };
}

/** How long whoever opens a period has to begin its charge; then the job does. */
const beginMs = 30_000;

/**
 * Opens a period for its charge, within a change that is under way. The row stands before anybody is asked for money, and with it
 * the payment's id: whoever charges it, and however often, the payment with this id is made once.
 */
export async function openPeriod(
  change: Write,
  subscription: SubscriptionRow,
  place: PeriodPlace,
  events: readonly SubscriptionEvent[] = [],
): Promise<SubscriptionRow> {
  const { tx, now } = change;
  const { id: subscriptionId, partnerId, platformAccountId, mode, currency } = subscription;
  const planAmount = Number(subscription.amount);
  const { amount, balance } = chargeWithBalance(planAmount, Number(subscription.balance), amountMax);
  const opened = {
    ...place,
    planAmount,
    amount,
    status: 'charging',
    paymentId: amount === 0 ? null : newId('payment', now),
    updatedAt: now,
  };
  // A charge ahead of its time that was declined leaves a row behind, which the period takes over when its time has come.
  const period = await tx.subscriptionPeriod.upsert({
    where: { subscriptionId_index: { subscriptionId, index: place.index } },
    create: { subscriptionId, partnerId, platformAccountId, mode, currency, ...opened, attempts: 1, createdAt: now },
    update: { ...opened, attempts: { increment: 1 } },
  });
  const charging = await save(
    change,
    subscription,
    { balance, chargingSince: now, dueAt: new Date(now.getTime() + beginMs) },
    events,
  );
  return amount === 0 ? settlePeriod(change, charging, period, { paid: true, paymentId: null }) : charging;
}

/** Opens a period whose charge failed for another try, by a payment of its own. */
export async function reopenPeriod(change: Write, subscription: SubscriptionRow): Promise<SubscriptionRow> {
  const { tx, now } = change;
  const index = Math.max(1, subscription.periodIndex);
  await tx.subscriptionPeriod.update({
    where: { subscriptionId_index: { subscriptionId: subscription.id, index }, status: 'failed' },
    data: { status: 'charging', paymentId: newId('payment', now), attempts: { increment: 1 }, updatedAt: now },
  });
  return save(change, subscription, { chargingSince: now, dueAt: new Date(now.getTime() + beginMs) }, []);
}

/** Who does something to a subscription, as its records name them. */
export interface Doer {
  env: Env;
  actor: Actor;
  requestId: string;
  ip: string;
}

/** Charges the period that is open, if there is one, and lets the subscription follow. Doing it twice charges once. False when it could not be charged now, and is later. */
export async function chargeOpenPeriod(by: Doer, subscriptionId: string): Promise<boolean> {
  const { prisma, log } = by.env;
  const open = await prisma.subscriptionPeriod.findFirst({
    where: { subscriptionId, status: 'charging' },
    include: { subscription: true },
  });
  if (!open || open.paymentId === null || open.subscription.status === 'canceled') return true;
  const { subscription, paymentId, ...period } = open;
  try {
    await processPayment(contextOf(by, subscription), inputOf(subscription, period), {
      paymentId,
      period: period.index,
    });
  } catch (error) {
    if (error instanceof Forbidden) {
      await postpone(by, subscriptionId);
      return false;
    }
    if (error instanceof DomainError) {
      await refused(by, subscriptionId, error);
      return true;
    }
    // Somebody else has begun this very charge: it is theirs to end, and the subscription follows it.
    if (!isTaken(error)) {
      log.warn({ err: error, subscriptionId, paymentId }, 'A period could not be charged yet.');
      return false;
    }
  }
  await followPayment(by, subscriptionId);
  return true;
}

/** Lets a subscription follow the payment of its open period: to its end, or to waiting for it. */
export function followPayment(by: Doer, subscriptionId: string): Promise<void> {
  return write(writerOf(by), 'followPayment', async (change) => {
    const { tx } = change;
    await tx.$queryRaw`SELECT id FROM subscriptions WHERE id = ${subscriptionId} FOR NO KEY UPDATE`;
    const subscription = await tx.subscription.findUniqueOrThrow({ where: { id: subscriptionId } });
    const period = await tx.subscriptionPeriod.findFirst({ where: { subscriptionId, status: 'charging' } });
    if (!period || period.paymentId === null || subscription.chargingSince === null) return;
    const payment = await tx.payment.findUnique({ where: { id: period.paymentId } });
    if (!payment) return;
    const { id: paymentId, status, subStatus, failureCode } = payment;
    // The statement that settles the payment says that there is something to do here.
    if (status === 'pending') await save(change, subscription, { latestPaymentId: paymentId, dueAt: null }, []);
    else if (status === 'declined' || status === 'failed')
      await settlePeriod(change, subscription, period, {
        paid: false,
        paymentId,
        failureCode,
        isAbandoned: subStatus === 'authentication_expired',
      });
    else await settlePeriod(change, subscription, period, { paid: true, paymentId });
  });
}

export function writerOf({ env, actor, requestId, ip }: Doer) {
  return { env, actor, requestId, ip, idempotency: null, replayed: false };
}

/** A charge of ours is made as the account's own server would make it. */
function contextOf(
  { env, actor, requestId, ip }: Doer,
  { partnerId, platformAccountId, mode }: SubscriptionRow,
): KeyContext {
  const caller = {
    kind: 'subKey',
    keyId: actor.id,
    keyPrefix: '',
    mode: mode as Mode,
    partnerId,
    platformAccountId,
  } as const; // a CHECK constraint holds mode to the two
  return { ...createContext({ env, caller, requestId, ip }), caller, actor };
}

/** For the first charge, and when it is mended, the customer is there; for all others nobody could answer a challenge. */
function inputOf(
  { id: subscriptionId, storeId, paymentInstrumentId, status, returnUrl }: SubscriptionRow,
  { amount, currency }: Pick<PeriodRow, 'amount' | 'currency'>,
): Parameters<typeof processPayment>[1] {
  const initiated =
    status === 'incomplete'
      ? ({ initiatedBy: 'customer', threeDs: 'automatic', returnUrl } as const)
      : ({ initiatedBy: 'merchant', reasonType: 'recurring', threeDs: 'skip' } as const);
  return {
    storeId,
    paymentInstrumentId,
    amount: Number(amount),
    currency,
    subscriptionId,
    mode: 'purchase',
    ...initiated,
  };
}

const postponeMs = 6 * 3_600_000;

/** An account that may not charge now may again: its subscriptions wait, and nothing is counted against them. */
async function postpone(by: Doer, subscriptionId: string): Promise<void> {
  await write(writerOf(by), 'postponeCharge', async (change) => {
    const subscription = await lockUnlessTaken(change.tx, subscriptionId);
    if (subscription?.chargingSince)
      await save(change, subscription, { dueAt: new Date(change.now.getTime() + postponeMs) }, []);
  });
}

/** A charge that could not even be begun (a card that is gone, a currency the store no longer takes) has failed. */
async function refused(by: Doer, subscriptionId: string, error: DomainError): Promise<void> {
  by.env.log.warn({ err: error, subscriptionId }, 'A charge of a subscription was refused.');
  await write(writerOf(by), 'refuseCharge', async (change) => {
    const subscription = await lockUnlessTaken(change.tx, subscriptionId);
    const period = await change.tx.subscriptionPeriod.findFirst({ where: { subscriptionId, status: 'charging' } });
    if (subscription?.chargingSince && period)
      await settlePeriod(change, subscription, period, {
        paid: false,
        paymentId: null,
        failureCode: null,
        isAbandoned: false,
      });
  });
}

function isTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint === 'payments_pkey';
}
