/** What a subscription can be (contract 12), and what may follow what. */
export const subscriptionStatuses = ['incomplete', 'trialing', 'active', 'past_due', 'paused', 'canceled'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** Everything that can happen to a subscription's status. */
export type SubscriptionTrigger = 'charged' | 'declined' | 'declinedForGood' | 'paused' | 'resumed' | 'canceled';

export const subscriptionTransitions: Readonly<
  Record<SubscriptionStatus, Readonly<Partial<Record<SubscriptionTrigger, SubscriptionStatus>>>>
> = {
  // A first charge that is declined can be mended, by another card, too.
  incomplete: { charged: 'active', declined: 'incomplete', declinedForGood: 'incomplete', canceled: 'canceled' },
  trialing: { charged: 'active', declined: 'past_due', declinedForGood: 'canceled', canceled: 'canceled' },
  active: {
    charged: 'active',
    declined: 'past_due',
    declinedForGood: 'canceled',
    paused: 'paused',
    canceled: 'canceled',
  },
  past_due: { charged: 'active', declined: 'past_due', declinedForGood: 'canceled', canceled: 'canceled' },
  paused: { resumed: 'active', canceled: 'canceled' },
  canceled: {},
};

/** Where a trigger leads; undefined when it may not happen there. */
export function nextStatus(from: string, trigger: SubscriptionTrigger): SubscriptionStatus | undefined {
  return subscriptionTransitions[from as SubscriptionStatus][trigger]; // a CHECK constraint holds the column to the list
}

/** Why a subscription ended. */
export const cancellationReasons = [
  'requested',
  'period_ended',
  'payment_failed',
  'incomplete_expired',
  'authentication_expired',
  'refunded',
] as const;
export type CancellationReason = (typeof cancellationReasons)[number];

const dayMs = 86_400_000;

/** How long a first charge that was declined can be mended. */
export const incompleteMs = 23 * 3_600_000;
/** How long before a charge it is announced. */
export const noticeMs = 3 * dayMs;
/** When a renewal that failed is tried again, counted from its first failure. */
export const retryDays = [1, 3, 5, 7] as const;

/** Trying the card again cannot help. */
const hardFailures: readonly string[] = ['lost_card', 'expired_card', 'incorrect_cvc', 'authentication_failed'];

/** When a failed charge is tried again; null when it is not. What comes between the appointed times moves none of them. */
export function retryAfter(failureCode: string | null, firstFailedAt: Date, now: Date): Date | null {
  if (failureCode !== null && hardFailures.includes(failureCode)) return null;
  const times = retryDays.map((days) => new Date(firstFailedAt.getTime() + days * dayMs));
  return times.find((time) => time > now) ?? null;
}

/** The parts of a subscription that say when something is to be done. */
export interface Timed {
  status: string;
  createdAt: Date;
  currentPeriodStart: Date;
  currentPeriodEnd: Date;
  cancelAtPeriodEnd: boolean;
  resumeAt: Date | null;
  nextRetryAt: Date | null;
  noticedFor: Date | null;
}

/** The next charge, as it is announced; null when none is coming. */
export function billingDateOf({
  status,
  currentPeriodEnd,
  cancelAtPeriodEnd,
  nextRetryAt,
}: Pick<Timed, 'status' | 'currentPeriodEnd' | 'cancelAtPeriodEnd' | 'nextRetryAt'>): Date | null {
  if (status === 'past_due') return nextRetryAt;
  return (status === 'active' || status === 'trialing') && !cancelAtPeriodEnd ? currentPeriodEnd : null;
}

/** When the coming charge is to be announced; null when it was, or the period is too short to do it in time. */
export function noticeTimeOf(of: Timed): Date | null {
  if (
    (of.status !== 'active' && of.status !== 'trialing') ||
    of.cancelAtPeriodEnd ||
    of.noticedFor?.getTime() === of.currentPeriodEnd.getTime()
  )
    return null;
  const time = new Date(of.currentPeriodEnd.getTime() - noticeMs);
  return time > of.currentPeriodStart ? time : null;
}

/** When there is something to do for a subscription whose charge is not under way. */
export function dueTimeOf(of: Timed): Date | null {
  const times: (Date | null)[] = [of.cancelAtPeriodEnd ? of.currentPeriodEnd : null];
  if (of.status === 'canceled') return null;
  if (of.status === 'incomplete') times.push(new Date(of.createdAt.getTime() + incompleteMs));
  if (of.status === 'trialing' || of.status === 'active') times.push(noticeTimeOf(of), of.currentPeriodEnd);
  if (of.status === 'past_due') times.push(of.nextRetryAt);
  if (of.status === 'paused') times.push(of.resumeAt);
  return times.reduce((first, time) => (time && (!first || time < first) ? time : first), null);
}
