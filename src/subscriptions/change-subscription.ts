import type { KeyContext } from '../graph/context.ts';
import { Conflict, Forbidden, invalid } from '../kit/errors.ts';
import { write, type Write } from '../kit/write.ts';
import { openPeriod, periodAfter, periodFrom, reopenPeriod } from './charge-period.ts';
import { chargedCall } from './charged-call.ts';
import { instrumentFor, pricedFor } from './create-subscription.ts';
import { nextStatus } from './lifecycle.ts';
import { proratedDifference, unusedCredit } from './periods.ts';
import type { PauseSubscriptionInput, UpdateSubscriptionInput } from './schema.ts';
import { atSubscriptionsTime, chargeUnderWay, lockSubscription, save } from './subscription-records.ts';
import type { PeriodRow, SubscriptionRow } from './types.ts';

const pauseDaysMax = 1_096;

/** Stops billing until it is resumed. */
export function pauseSubscription(
  context: KeyContext,
  { subscriptionId, resumeAt }: typeof PauseSubscriptionInput.$inferInput,
): Promise<SubscriptionRow> {
  return atSubscriptionsTime(context, subscriptionId, () =>
    write(context, 'pauseSubscription', async (change) => {
      const before = await lockSubscription(change.tx, context.caller, subscriptionId);
      const latest = new Date(change.now.getTime() + pauseDaysMax * 86_400_000);
      if (resumeAt != null && (resumeAt <= change.now || resumeAt > latest))
        throw invalid('resumeAt', `must be in the future, at most ${pauseDaysMax} days from now`);
      const status = nextStatus(before.status, 'paused');
      if (!status) throw wrongState(before, 'paused');
      if (before.chargingSince !== null) throw chargeUnderWay();
      return save(change, before, { status, pausedAt: change.now, resumeAt: resumeAt ?? null }, [
        'subscription/paused',
      ]);
    }),
  );
}

/** Lifts a pause and a scheduled cancel. When the paid period is over by then, a new one begins and is charged. */
export function resumeSubscription(context: KeyContext, subscriptionId: string): Promise<SubscriptionRow> {
  return atSubscriptionsTime(context, subscriptionId, () =>
    chargedCall(context, 'resumeSubscription', async (change) => {
      const before = await lockSubscription(change.tx, context.caller, subscriptionId);
      if (before.status === 'paused') return resume(change, before, change.now);
      if (before.status === 'canceled' || !before.cancelAtPeriodEnd) throw wrongState(before, 'resumed');
      return save(change, before, { cancelAtPeriodEnd: false }, ['subscription/resumed']);
    }),
  );
}

/** Resumes at a moment: now, or the one that was appointed when it was paused. */
export async function resume(change: Write, before: SubscriptionRow, at: Date): Promise<SubscriptionRow> {
  const resumed = await save(
    change,
    before,
    { status: 'active', pausedAt: null, resumeAt: null, cancelAtPeriodEnd: false },
    ['subscription/resumed'],
  );
  return before.currentPeriodEnd > at ? resumed : openPeriod(change, resumed, periodFrom(resumed, at));
}

/** Charges now what would be charged next. */
export function rebillSubscription(context: KeyContext, subscriptionId: string): Promise<SubscriptionRow> {
  return atSubscriptionsTime(context, subscriptionId, () =>
    chargedCall(context, 'rebillSubscription', async (change) => {
      const { tx, now } = change;
      const before = await lockSubscription(tx, context.caller, subscriptionId);
      const { status, currentPeriodStart, currentPeriodEnd, anchorAt, cycle, periodIndex } = before;
      if (before.chargingSince !== null) throw chargeUnderWay();
      if (status === 'paused' || status === 'canceled' || before.cancelAtPeriodEnd) throw wrongState(before, 'charged');
      const account = await tx.processingAccount.findUniqueOrThrow({
        where: { id: before.platformAccountId },
        select: { status: true },
      });
      if (account.status !== 'active')
        throw new Forbidden('account_not_active', 'The account is not active: it cannot charge.');
      if (status === 'incomplete' || status === 'past_due') return reopenPeriod(change, before);
      if (status === 'trialing') return openPeriod(change, before, periodFrom(before, now));
      // Its first period was not charged when it began.
      if (periodIndex === 0)
        return openPeriod(change, before, {
          index: 1,
          startsAt: currentPeriodStart,
          endsAt: currentPeriodEnd,
          anchorAt,
          cycle,
        });
      if (await tx.subscriptionPeriod.findFirst({ where: { subscriptionId, status: 'paid', startsAt: { gt: now } } }))
        throw new Conflict('invalid_state', 'The next period is paid already.');
      return openPeriod(change, before, periodAfter(before));
    }),
  );
}

/** Changes price, quantity or card. */
export function updateSubscription(
  context: KeyContext,
  input: typeof UpdateSubscriptionInput.$inferInput,
): Promise<SubscriptionRow> {
  return atSubscriptionsTime(context, input.subscriptionId, () =>
    chargedCall(context, 'updateSubscription', async (change) => {
      const { tx } = change;
      const before = await lockSubscription(tx, context.caller, input.subscriptionId);
      const { priceId = null, quantity = null, paymentInstrumentId = null } = input;
      const customer = { id: before.customerId, platformAccountId: before.platformAccountId };
      if (paymentInstrumentId !== null)
        await tx.$queryRaw`SELECT id FROM customers WHERE id = ${before.customerId} FOR NO KEY UPDATE`;
      const instrument = paymentInstrumentId === null ? null : await instrumentFor(tx, customer, paymentInstrumentId);
      const plan =
        priceId === null && quantity === null
          ? null
          : await pricedFor(tx, before, { priceId: priceId ?? before.priceId, quantity: quantity ?? before.quantity });
      if (plan && plan.price.currency !== before.currency)
        throw invalid('priceId', `must be in the currency of the subscription, ${before.currency}`);
      if (before.status === 'canceled') throw wrongState(before, 'changed');
      if (before.chargingSince !== null) throw chargeUnderWay();
      const card = instrument ? { paymentInstrumentId: instrument.id } : {};
      if (plan && isOther(plan, before, quantity))
        return changePlan(
          change,
          before,
          { ...card, quantity: quantity ?? before.quantity },
          plan,
          input.prorate ?? true,
        );
      return instrument && instrument.id !== before.paymentInstrumentId
        ? save(change, before, card, ['subscription/updated'])
        : before;
    }),
  );
}

type Plan = Awaited<ReturnType<typeof pricedFor>>;

function isOther({ price }: Plan, before: SubscriptionRow, quantity: number | null): boolean {
  return price.id !== before.priceId || (quantity !== null && quantity !== before.quantity);
}

/**
 * In the same rhythm, the difference for the rest of what is paid goes onto the balance and is settled with the next charge. In
 * another rhythm a new period begins now and is charged at once, less what was paid and is not used.
 */
async function changePlan(
  change: Write,
  before: SubscriptionRow,
  changes: { quantity: number; paymentInstrumentId?: string },
  { price, amount }: Plan,
  prorate: boolean,
): Promise<SubscriptionRow> {
  const { now, tx } = change;
  if (before.status === 'incomplete') throw wrongState(before, 'changed to another price or quantity');
  const { id: priceId, interval, intervalCount } = price;
  const planned = { ...changes, priceId, amount, interval, intervalCount };
  const balance = Number(before.balance);
  const inForce = prorate ? await paidPeriods(change, before) : [];
  const isSameRhythm = interval === before.interval && intervalCount === before.intervalCount;
  if (isSameRhythm || before.status === 'trialing') {
    const { id: subscriptionId } = before;
    for (const { index } of inForce)
      await tx.subscriptionPeriod.update({
        where: { subscriptionId_index: { subscriptionId, index } },
        data: { planAmount: amount, updatedAt: now },
      });
    return save(change, before, { ...planned, balance: balance + proratedDifference(inForce, amount, now) }, [
      'subscription/updated',
    ]);
  }
  if (before.status !== 'active') throw wrongState(before, 'changed to another interval');
  const updated = await save(change, before, { ...planned, balance: balance - unusedCredit(inForce, now) }, [
    'subscription/updated',
  ]);
  return openPeriod(change, updated, periodFrom(updated, now));
}

/** What was paid for and is not over: the present period, and one that was charged ahead of its time. */
function paidPeriods({ tx, now }: Write, { id: subscriptionId, anchorAt }: SubscriptionRow): Promise<PeriodRow[]> {
  return tx.subscriptionPeriod.findMany({
    where: { subscriptionId, status: 'paid', anchorAt, endsAt: { gt: now } },
    orderBy: { index: 'asc' },
  });
}

function wrongState({ status, cancelAtPeriodEnd }: SubscriptionRow, done: string): Conflict {
  const words =
    status !== 'canceled' && status !== 'paused' && cancelAtPeriodEnd
      ? 'to be canceled at the end of its period'
      : status.replaceAll('_', ' ');
  return new Conflict('invalid_state', `A subscription that is ${words} cannot be ${done}.`);
}
