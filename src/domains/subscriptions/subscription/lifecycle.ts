/** The statuses of a subscription and their transitions (docs/contract/12-subscriptions.md). */
export const subscriptionStatuses = ['incomplete', 'trialing', 'active', 'past_due', 'paused', 'canceled'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** The causes of a change of status. */
type SubscriptionTrigger = 'charged' | 'declined' | 'declinedForGood' | 'paused' | 'resumed' | 'canceled';

export const subscriptionTransitions: Readonly<
  Record<SubscriptionStatus, Readonly<Partial<Record<SubscriptionTrigger, SubscriptionStatus>>>>
> = {
  // A declined first charge can be retried, with the same or another card.
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

/** The status after a trigger; undefined if the trigger is not allowed in the status. */
export function nextStatus(from: string, trigger: SubscriptionTrigger): SubscriptionStatus | undefined {
  // a CHECK constraint holds the column to the list
  return subscriptionTransitions[from as SubscriptionStatus][trigger];
}

/** What ends a pause: a call, or the time that was set for its end. */
export type PauseEnd = 'call' | 'time';

/** What the end of a pause changes. Only a call revokes a scheduled cancellation; the end at a set time does not. */
export function afterPause(endedBy: PauseEnd) {
  const active = { status: 'active', pausedAt: null, resumeAt: null } as const;
  return endedBy === 'call' ? { ...active, cancelAtPeriodEnd: false } : active;
}

/** Why a subscription ended. */
export type CancellationReason = 'requested' | 'period_ended' | 'payment_failed' | 'incomplete_expired' | 'refunded';

const dayMs = 86_400_000;

/** How long a first charge that was declined, or whose challenge was not answered, can be retried. */
export const incompleteMs = 23 * 3_600_000;
/** How long before a charge the upcoming-charge event is emitted. */
const noticeMs = 3 * dayMs;
/** When a failed renewal is retried, in days after its first failure. */
const lastRetryDay = 7;
const retryDays = [1, 3, 5, lastRetryDay] as const;

/**
 * Failures that end a subscription immediately: neither a retry nor the cardholder can make the card valid. They do not
 * include a required authentication or an expired card.
 */
const finalFailures: readonly string[] = ['lost_card', 'incorrect_cvc'];

/** What the cardholder must do for a subscription that is past due. */
export type ActionReason = 'authentication' | 'card_expired';

/** What the cardholder must do after a charge that failed; null if the failure does not require it. */
export function actionAfter(failureCode: string | null): ActionReason | null {
  if (failureCode === 'authentication_failed') return 'authentication';
  return failureCode === 'expired_card' ? 'card_expired' : null;
}

/**
 * What the cardholder must still do after a change: nothing if the subscription is no longer past due, or has another
 * card.
 */
export function actionKept(
  before: { paymentInstrumentId: string },
  after: { status: string; paymentInstrumentId: string; actionReason: string | null },
): string | null {
  const isOpen = after.status === 'past_due' && after.paymentInstrumentId === before.paymentInstrumentId;
  return isOpen ? after.actionReason : null;
}

/** The time of the last retry of a failed charge, at which the subscription ends if that is declined too. */
export function lastRetryAt(firstFailedAt: Date): Date {
  return new Date(firstFailedAt.getTime() + lastRetryDay * dayMs);
}

/**
 * The time of the next retry of a failed charge; null if there is none. An attempt between the scheduled times does not
 * move them.
 */
export function retryAfter(failureCode: string | null, firstFailedAt: Date, now: Date): Date | null {
  if (failureCode !== null && finalFailures.includes(failureCode)) return null;
  const times = retryDays.map((days) => new Date(firstFailedAt.getTime() + days * dayMs));
  return times.find((time) => time > now) ?? null;
}

/** The fields of a subscription that determine when it is due. */
interface Timed {
  status: string;
  createdAt: Date;
  currentPeriodStart: Date;
  currentPeriodEnd: Date;
  cancelAtPeriodEnd: boolean;
  resumeAt: Date | null;
  nextRetryAt: Date | null;
  noticedFor: Date | null;
}

/** The date of the next charge; null if there is none, or if the subscription ends before its next retry. */
export function billingDateOf({
  status,
  currentPeriodEnd,
  cancelAtPeriodEnd,
  nextRetryAt,
}: Pick<Timed, 'status' | 'currentPeriodEnd' | 'cancelAtPeriodEnd' | 'nextRetryAt'>): Date | null {
  if (status === 'past_due')
    return nextRetryAt && cancelAtPeriodEnd && currentPeriodEnd <= nextRetryAt ? null : nextRetryAt;
  return (status === 'active' || status === 'trialing') && !cancelAtPeriodEnd ? currentPeriodEnd : null;
}

/** When to announce the next charge; null if it was announced, or the period is too short for an announcement. */
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

/** When the job runs a subscription next that has no charge in progress. */
export function dueTimeOf(of: Timed): Date | null {
  const times: (Date | null)[] = [of.cancelAtPeriodEnd ? of.currentPeriodEnd : null];
  if (of.status === 'canceled') return null;
  if (of.status === 'incomplete') times.push(new Date(of.createdAt.getTime() + incompleteMs));
  if (of.status === 'trialing' || of.status === 'active') times.push(noticeTimeOf(of), of.currentPeriodEnd);
  if (of.status === 'past_due') times.push(of.nextRetryAt);
  if (of.status === 'paused') times.push(of.resumeAt);
  return times.reduce((first, time) => (time && (!first || time < first) ? time : first), null);
}
