import type { SubscriptionStatus } from '../../src/domains/subscriptions/subscription/lifecycle.ts';

/** What decides what may become of a subscription. */
export interface SubscriptionState {
  status: SubscriptionStatus;
  /** Whether it is to be canceled at the end of its period. */
  ends: boolean;
  /** A change that waits for the end of the period, or for its payment. */
  pending: 'none' | 'scheduled' | 'charged';
  /**
   * What its charge waits for: an outcome that the processor has not reported, or the answer to a challenge. While past due,
   * the challenge is that of a payment of the hosted page.
   */
  charge: 'none' | 'unknown' | 'challenge';
}

/** What something may change of a subscription: groups of fields that belong together. */
export type SubscriptionAspect =
  | 'status'
  /** `cancelAtPeriodEnd` */
  | 'ends'
  /** `canceledAt`, `cancellationReason` */
  | 'end'
  /** `pausedAt`, `resumeAt` */
  | 'pause'
  /** price, quantity, amount and interval */
  | 'terms'
  | 'pending'
  | 'card'
  | 'balance'
  /** the period, its place after the anchor, and the end of the trial */
  | 'period'
  /** when a charge first failed, and its next retry */
  | 'retries'
  /** the latest payment */
  | 'payment';

type Effect = readonly SubscriptionAspect[] | null;
type Rule = (state: SubscriptionState) => Effect;

const live = ({ status }: SubscriptionState) => status !== 'canceled';
const isIn = ({ status }: SubscriptionState, ...statuses: SubscriptionStatus[]) => statuses.includes(status);
const isIdle = ({ charge }: SubscriptionState) => charge === 'none';
const nothing: Effect = [];
const ended = ['status', 'ends', 'end', 'pause', 'pending', 'retries'] as const;
const charged = ['status', 'period', 'payment', 'balance', 'retries'] as const;
const changed = ['terms', 'pending', 'balance'] as const;
/** A renewal puts the change into force that was scheduled for it. */
const renewed = ({ pending }: SubscriptionState): readonly SubscriptionAspect[] =>
  pending === 'scheduled' ? [...charged, 'terms', 'pending'] : charged;
/** A charge at the time at which a period or a trial ends. At that of a scheduled cancellation there is none. */
const atPeriodEnd =
  (charge: Rule): Rule =>
  (state) => {
    if (isIn(state, 'canceled', 'incomplete') || !isIdle(state)) return nothing;
    if (state.ends) return ended;
    return isIn(state, 'active', 'trialing') ? charge(state) : nothing;
  };
const rebilled =
  (charge: Rule): Rule =>
  (state) =>
    isIn(state, 'canceled', 'paused') ||
    !isIdle(state) ||
    state.ends ||
    (state.status === 'active' && state.pending !== 'none')
      ? null
      : charge(state);
const retried =
  (effect: Effect): Rule =>
  (state) =>
    state.status === 'past_due' && isIdle(state) ? effect : nothing;
/** On the hosted page. A challenge that waits is given up for another card. */
const atPage =
  (effect: Effect): Rule =>
  ({ status, charge }) =>
    status === 'past_due' && charge !== 'unknown' ? effect : nothing;
/** Once the outcome of a charge is known, by what the charge is for. */
const known =
  (outcomes: { first: Effect; change: Effect; renewal: Effect; retry: Effect }): Rule =>
  ({ status, pending, charge }) => {
    if (charge !== 'unknown' || status === 'canceled') return nothing;
    if (pending === 'charged') return outcomes.change;
    if (status === 'incomplete') return outcomes.first;
    return status === 'past_due' ? outcomes.retry : outcomes.renewal;
  };

/**
 * What each thing that happens may change of a subscription, by its state. Everything else stays: nothing changes that
 * no call caused. Null if it is refused; none if it does not concern the subscription.
 */
export const subscriptionEffects = {
  pause: (state) => (state.status === 'active' && isIdle(state) ? ['status', 'pause'] : null),
  resume: (state) => {
    if (state.status === 'paused') return ['status', 'pause', 'ends'];
    return live(state) && state.ends ? ['ends'] : null;
  },
  /** After the period has ended. The end of a scheduled cancellation comes first. */
  resumeLate: (state) => {
    if (state.status !== 'paused' || state.ends) return null;
    return [...renewed(state), 'pause'];
  },
  cancel: (state) => (live(state) ? ended : null),
  cancelAtPeriodEnd: (state) => {
    if (isIn(state, 'canceled', 'incomplete')) return null;
    return state.ends ? nothing : ['ends'];
  },
  changeQuantity: (state) => (isIn(state, 'canceled', 'incomplete') || !isIdle(state) ? null : changed),
  changeQuantityLater: (state) =>
    isIn(state, 'canceled', 'incomplete') || !isIdle(state) ? null : ['terms', 'pending'],
  changeInterval: (state) => {
    if (!isIdle(state)) return null;
    if (state.status === 'trialing') return ['terms'];
    return state.status === 'active' ? [...changed, 'period', 'payment'] : null;
  },
  changeIntervalLater: (state) => {
    if (!isIdle(state)) return null;
    if (state.status === 'trialing') return ['terms'];
    return state.status === 'active' ? ['pending'] : null;
  },
  /** An update to the present price and quantity. A change whose payment may have been made is not taken back. */
  takeBack: (state) => {
    if (!live(state)) return null;
    if (!isIdle(state)) return state.pending === 'charged' && state.charge === 'challenge' ? ['pending'] : null;
    return state.pending === 'none' ? nothing : ['pending'];
  },
  changeCard: (state) => (live(state) && isIdle(state) ? ['card'] : null),
  rebill: rebilled(() => charged),
  /** A charge ahead of its time that is declined leaves everything but the payment. */
  rebillDeclined: rebilled((state) => (state.status === 'trialing' ? charged : ['payment'])),
  rebillDeclinedForGood: rebilled((state) =>
    isIn(state, 'incomplete', 'active') ? ['payment'] : [...ended, ...charged],
  ),
  announce: () => nothing,
  renew: atPeriodEnd(renewed),
  renewDeclined: atPeriodEnd(renewed),
  renewDeclinedForGood: atPeriodEnd((state) => [...ended, ...renewed(state)]),
  retry: retried(charged),
  retryDeclined: retried(['payment', 'retries']),
  retryDeclinedForGood: retried([...ended, 'payment']),
  /** Every retry of the schedule is declined. */
  retriesEnd: retried([...ended, 'payment']),
  /** The open period ends before it is paid. The end of a scheduled cancellation comes first: nothing is charged. */
  endPastDue: (state) => {
    if (state.status !== 'past_due') return nothing;
    return state.ends ? ended : renewed(state);
  },
  know: known({
    first: ['status', 'period'],
    change: [...changed, 'period', 'card'],
    renewal: ['status', 'period', 'balance', 'retries'],
    retry: ['status', 'retries'],
  }),
  knowDeclined: known({
    first: nothing,
    change: ['pending'],
    renewal: ['status', 'period', 'retries'],
    retry: ['retries'],
  }),
  knowDeclinedForGood: known({
    first: nothing,
    change: ['pending'],
    renewal: [...ended, 'period'],
    retry: ended,
  }),
  /** Another card becomes that of the subscription when it has paid. */
  payOnPage: atPage([...charged, 'card']),
  /** Whatever the reason: the subscription neither ends nor loses a retry. */
  payOnPageDeclined: atPage(['payment']),
  payOnPageDeclinedForGood: atPage(['payment']),
  payOnPageChallenged: atPage(['payment']),
  payOnPageUnknown: atPage(['payment']),
  /** `resumeAt` within the period: nothing but the pause ends. */
  endPause: ({ status }) => (status === 'paused' ? ['status', 'pause'] : nothing),
  /** `resumeAt` after the period. */
  endPauseLate: (state) => {
    if (state.status !== 'paused') return nothing;
    return state.ends ? ended : [...renewed(state), 'pause'];
  },
  expireFirstCharge: ({ status }) => (status === 'incomplete' ? ended : nothing),
  expireChallenge: ({ pending, charge }) => (charge === 'challenge' && pending === 'charged' ? ['pending'] : nothing),
  answerChallenge: ({ status, pending, charge }) => {
    if (charge !== 'challenge') return nothing;
    if (pending === 'charged') return [...changed, 'period', 'card'];
    return status === 'incomplete' ? ['status', 'period'] : ['status', 'card', 'retries'];
  },
  failChallenge: ({ pending, charge }) => (charge === 'challenge' && pending === 'charged' ? ['pending'] : nothing),
  /** The charge is due while the account or its partner may not charge. Scheduled cancellations take effect. */
  defer: atPeriodEnd(() => nothing),
  suspend: () => nothing,
  activate: () => nothing,
  refund: () => nothing,
  refundAndCancel: (state) => (live(state) ? ended : nothing),
  openDispute: () => nothing,
  loseDispute: () => nothing,
  winDispute: () => nothing,
  addDefaultCard: () => nothing,
  /** A card that a subscription charges is not deleted. */
  deleteCard: (state) => (live(state) ? null : nothing),
} as const satisfies Record<string, Rule>;

export type SubscriptionHappening = keyof typeof subscriptionEffects;
