// guards: src/unit-of-work src/database src/domains/payments src/adapters/test-processor src/domains/subscriptions src/domains/orders
import { expect, test } from 'vitest';
import {
  type SubscriptionAspect,
  type SubscriptionHappening,
  type SubscriptionState,
  subscriptionEffects,
} from '../support/subscription-effects.ts';
import { dayMs } from '../support/subscriptions.ts';
import { type Card, type LostCard, type Place, subscriptionStates } from './subscription-states.ts';

const start = new Date('2026-01-31T10:00:00.000Z');
const after = (days: number) => new Date(start.getTime() + days * dayMs);
const world = subscriptionStates(start);
const { clock, enter, payOnPage, placeOf, rowOf, run, runAt, timeline } = world;

const call = (what: string, id: string, more: object = {}) =>
  world.places[0].account.api.call(`/subscriptions/${what}`, { subscriptionId: id, ...more });
const ok = (path: string, body?: object) => world.places[0].account.api.ok(path, body);
const useCard = (id: string, card: Card) =>
  ok('/subscriptions/update', { subscriptionId: id, paymentInstrumentId: placeOf(id).cards[card] });

const plain = { ends: false, pending: 'none', charge: 'none' } as const;
const states: SubscriptionState[] = [
  { ...plain, status: 'incomplete' },
  { ...plain, status: 'incomplete', charge: 'unknown' },
  { ...plain, status: 'incomplete', charge: 'challenge' },
  ...[false, true].flatMap((ends): SubscriptionState[] => [
    { ...plain, status: 'trialing', ends },
    { ...plain, status: 'trialing', ends, charge: 'unknown' },
    { ...plain, status: 'active', ends },
    { ...plain, status: 'active', ends, pending: 'scheduled' },
    { ...plain, status: 'active', ends, charge: 'unknown' },
    { ...plain, status: 'active', ends, pending: 'charged', charge: 'unknown' },
    { ...plain, status: 'active', ends, pending: 'charged', charge: 'challenge' },
    { ...plain, status: 'past_due', ends },
    { ...plain, status: 'past_due', ends, charge: 'unknown' },
    { ...plain, status: 'past_due', ends, charge: 'challenge' },
    { ...plain, status: 'past_due', ends, pending: 'scheduled' },
    { ...plain, status: 'past_due', ends, pending: 'scheduled', charge: 'unknown' },
    { ...plain, status: 'past_due', ends, pending: 'scheduled', charge: 'challenge' },
    { ...plain, status: 'paused', ends },
    { ...plain, status: 'paused', ends, pending: 'scheduled' },
  ]),
  { ...plain, status: 'canceled' },
  { ...plain, status: 'canceled', charge: 'unknown' },
];

const columnsOf: Readonly<Record<SubscriptionAspect, readonly string[]>> = {
  status: ['status'],
  ends: ['cancelAtPeriodEnd'],
  end: ['canceledAt', 'cancellationReason'],
  pause: ['pausedAt', 'resumeAt'],
  terms: ['priceId', 'quantity', 'amount', 'interval', 'intervalCount'],
  pending: ['pendingPriceId', 'pendingQuantity', 'pendingInstrumentId', 'pendingPaymentId', 'pendingExpiresAt'],
  card: ['paymentInstrumentId'],
  balance: ['balance'],
  period: ['anchorAt', 'cycle', 'periodIndex', 'currentPeriodStart', 'currentPeriodEnd', 'trialEndsAt'],
  retries: ['firstFailedAt', 'nextRetryAt'],
  payment: ['latestPaymentId'],
};
/** What follows from the rest, and what only the job reads. */
const follows = [
  'nextBillingDate',
  'dueAt',
  'chargingSince',
  'payingInstrumentId',
  'noticedFor',
  'deferredSince',
  'cancelRequestedAt',
  'sequence',
  'updatedAt',
];

function changedBetween(before: object, after: object): string[] {
  const values = new Map(Object.entries(before));
  const columns = Object.entries(after)
    .filter(([name, value]) => !follows.includes(name) && String(values.get(name)) !== String(value))
    .map(([name]) => name);
  const aspectOf = (name: string) => Object.entries(columnsOf).find(([, of]) => of.includes(name))?.[0] ?? name;
  return [...new Set(columns.map(aspectOf))].sort();
}

interface Cell {
  /** Where it can happen; everywhere if left out. */
  in?: (state: SubscriptionState) => boolean;
  /** The card of the charge whose outcome is unknown. */
  lost?: LostCard;
  prepare?: (id: string) => Promise<unknown>;
  /** When it happens; at the time at which the state was entered if left out. */
  at?: (id: string) => Promise<Date | null>;
  /** An answer is compared with the table: 409 where it says that the call is refused. */
  act: (id: string) => Promise<unknown>;
}

const isIdle = ({ charge }: SubscriptionState) => charge === 'none';
const within = (...statuses: string[]) => ({
  in: (state: SubscriptionState) => statuses.includes(state.status) && isIdle(state),
});
/** Its latest payment that succeeded, of a period that was charged. */
const isPaid = {
  in: ({ status, pending }: SubscriptionState) =>
    !['incomplete', 'trialing'].includes(status) && !(status === 'past_due' && pending === 'scheduled'),
};
const paidOf = async (id: string) =>
  (
    await world.platform.services.prisma.payment.findFirstOrThrow({
      where: { subscriptionId: id, capturedAmount: { gt: 0 } },
    })
  ).id;
const refund = async (id: string, more: object = {}) =>
  ok('/payments/refund', { paymentId: await paidOf(id), amount: 1, ...more });
async function dispute(id: string, ...through: string[]): Promise<void> {
  const opened = await ok('/test-disputes/create', { paymentId: await paidOf(id), amount: 1 });
  for (const status of through) await ok(`/test-disputes/${opened.id}/advance`, { status });
}
async function setAside(status: string): Promise<void> {
  const { id } = world.places[1].account;
  await world.platform.services.prisma.processingAccount.update({ where: { id }, data: { status } });
}
async function suspended(during: () => Promise<unknown>): Promise<void> {
  await setAside('suspended');
  await during();
  await setAside('active');
}
async function challengeEnd(id: string): Promise<Date | null> {
  const { latestPaymentId } = await rowOf(id);
  return latestPaymentId === null
    ? null
    : (await world.platform.services.prisma.payment.findUniqueOrThrow({ where: { id: latestPaymentId } }))
        .actionExpiresAt;
}
async function answer(id: string, outcome: 'success' | 'fail'): Promise<void> {
  const { latestPayment } = await ok(`/subscriptions/${id}`);
  await fetch(`${world.platform.url}/test/3ds/${latestPayment.requireActionData.threedsSessionId}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ outcome }),
  });
  await ok('/payments/continue', { paymentId: latestPayment.id });
}
const periodEnd = async (id: string) => (await rowOf(id)).currentPeriodEnd;
/** Of the last retry, seven days after the first failure. */
const lastRetryTime = async (id: string) => {
  const { firstFailedAt } = await rowOf(id);
  return firstFailedAt && new Date(firstFailedAt.getTime() + 7 * dayMs);
};
const retryTime = async (id: string) => (await rowOf(id)).nextRetryAt;
const soon = (ms: number) => async () => new Date(clock.now().getTime() + ms);
const running = within('trialing', 'active', 'paused');
const challenged = { in: ({ charge }: SubscriptionState) => charge === 'challenge' };
const withCard = (card: Card, rule: { in: (state: SubscriptionState) => boolean }) => ({
  ...rule,
  prepare: (id: string) => useCard(id, card),
});
const chargeable = { in: ({ status }: SubscriptionState) => status !== 'canceled' };
/** The processor has reported the outcome, and the job takes it up. */
const known = (lost: LostCard) => ({
  in: ({ charge }: SubscriptionState) => charge === 'unknown',
  lost,
  at: soon(120_000),
  act: run,
});
const onPage = (cardNumber: string) => ({ act: (id: string) => payOnPage(id, cardNumber) });

const cells: Record<SubscriptionHappening, Cell> = {
  pause: { act: (id) => call('pause', id) },
  resume: { act: (id) => call('resume', id) },
  resumeLate: {
    ...within('paused'),
    prepare: (id) => runAt(id, after(40)),
    at: soon(0),
    act: (id) => call('resume', id),
  },
  cancel: { act: (id) => call('cancel', id) },
  cancelAtPeriodEnd: { act: (id) => call('cancel', id, { cancelAtPeriodEnd: true }) },
  changeQuantity: { act: (id) => call('update', id, { quantity: 3 }) },
  changeQuantityLater: { act: (id) => call('update', id, { quantity: 4, prorate: false }) },
  changeInterval: { act: (id) => call('update', id, { priceId: world.places[0].yearly }) },
  changeIntervalLater: {
    act: (id) => call('update', id, { priceId: world.places[0].yearly, quantity: 5, prorate: false }),
  },
  takeBack: { act: (id) => call('update', id, { priceId: world.places[0].monthly, quantity: 2 }) },
  changeCard: { act: (id) => call('update', id, { paymentInstrumentId: world.places[0].cards.other }) },
  rebill: { ...withCard('good', chargeable), act: (id) => call('rebill', id) },
  rebillDeclined: { ...withCard('soft', chargeable), act: (id) => call('rebill', id) },
  rebillDeclinedForGood: { ...withCard('hard', chargeable), act: (id) => call('rebill', id) },
  announce: {
    ...within('active', 'trialing'),
    at: async (id) => new Date((await periodEnd(id)).getTime() - 3 * dayMs),
    act: run,
  },
  renew: { ...running, at: periodEnd, act: run },
  renewDeclined: { ...withCard('soft', running), at: periodEnd, act: run },
  renewDeclinedForGood: { ...withCard('hard', running), at: periodEnd, act: run },
  retry: { ...withCard('good', within('past_due')), at: retryTime, act: run },
  retryDeclined: { ...within('past_due'), at: retryTime, act: run },
  retryDeclinedForGood: { ...withCard('hard', within('past_due')), at: retryTime, act: run },
  retriesEnd: { ...within('past_due'), at: lastRetryTime, act: run },
  endPastDue: { ...withCard('good', within('past_due')), at: periodEnd, act: run },
  know: known('lost'),
  knowDeclined: known('lostSoft'),
  knowDeclinedForGood: known('lostHard'),
  payOnPage: onPage('4242424242424242'),
  payOnPageDeclined: onPage('4000000000009995'),
  payOnPageDeclinedForGood: onPage('4000000000009987'),
  payOnPageChallenged: onPage('4000000000003220'),
  payOnPageUnknown: onPage('4000000000006975'),
  endPause: { ...within('paused'), at: async () => after(5), act: run },
  endPauseLate: { ...within('paused'), at: async () => after(45), act: run },
  expireFirstCharge: {
    in: ({ status, charge }) => status === 'incomplete' && charge !== 'unknown',
    at: async () => after(1),
    act: run,
  },
  expireChallenge: { ...challenged, at: challengeEnd, act: run },
  answerChallenge: { ...challenged, act: (id) => answer(id, 'success') },
  failChallenge: { ...challenged, act: (id) => answer(id, 'fail') },
  defer: { ...running, at: periodEnd, act: (id) => suspended(() => run(id)) },
  suspend: { at: soon(1_000), act: (id) => suspended(() => run(id)) },
  activate: { at: soon(2_000), act: (id) => suspended(async () => undefined).then(() => run(id)) },
  refund: { ...isPaid, act: (id) => refund(id) },
  refundAndCancel: { ...isPaid, act: (id) => refund(id, { cancelSubscription: true }) },
  openDispute: { ...isPaid, act: (id) => dispute(id) },
  loseDispute: { ...isPaid, act: (id) => dispute(id, 'lost') },
  winDispute: { ...isPaid, act: (id) => dispute(id, 'won') },
  addDefaultCard: { act: () => ok(`/payment-instruments/${world.places[0].cards.other}/set-default`, {}) },
  deleteCard: {
    act: async (id) => {
      const { paymentInstrumentId, status } = await rowOf(id);
      const path = `/payment-instruments/${paymentInstrumentId}`;
      const { api } = world.places[0].account;
      return status === 'canceled' ? undefined : api.call(path, undefined, { method: 'DELETE' });
    },
  },
};

/** Happens after the period of a pause has ended: the pause lasts longer. */
const isLate = (name: SubscriptionHappening) =>
  name.startsWith('renew') || ['resumeLate', 'endPauseLate', 'defer'].includes(name);
/** Happens to the whole account, which is therefore another one. */
const isAside = (name: SubscriptionHappening) => ['defer', 'suspend', 'activate'].includes(name);
const statusOf = (answered: unknown) =>
  typeof answered === 'object' && answered !== null && 'status' in answered ? answered.status : null;

/** What is wrong in a cell; null if the subscription changed as the table says. */
async function wrongIn(name: SubscriptionHappening, state: SubscriptionState, id: string): Promise<object | null> {
  const { prepare, at, act } = cells[name];
  const effect = subscriptionEffects[name](state);
  if (effect !== null || at) await prepare?.(id);
  const before = await rowOf(id);
  const place = placeOf(id);
  const due = at && (await at(id));
  if (due) await place.timeline.until(due);
  const answered = statusOf(await (act === run ? place.run(id) : act(id)));
  const changed = changedBetween(before, await rowOf(id));
  const allowed: readonly string[] = effect ?? [];
  const unasked = changed.filter((aspect) => !allowed.includes(aspect));
  const missing = allowed.length > 0 && changed.length === 0;
  const refused = answered !== null && (answered === 409) !== (effect === null);
  return unasked.length > 0 || missing || refused ? { name, ...state, allowed: effect, changed, answered } : null;
}

/** One after the other to one subscription. */
function story(state: SubscriptionState, happening: SubscriptionHappening[], place: Place) {
  return async () => {
    const lost = happening.map((name) => cells[name].lost).find((card) => card !== undefined);
    const resumeAt = after(happening.some(isLate) ? 45 : 5);
    const id = await enter(state, place, { resumeAt, ...(lost && { lost }) });
    const wrong: (object | null)[] = [];
    for (const name of happening) wrong.push(await wrongIn(name, state, id));
    return wrong;
  };
}

const isHappening = (name: string): name is SubscriptionHappening => name in subscriptionEffects;
const concerned = (state: SubscriptionState) =>
  Object.keys(cells)
    .filter(isHappening)
    .filter((name) => cells[name].in?.(state) ?? true);

test.each(
  states,
)('nothing changes beside the table: $status, ends $ends, pending $pending, charge $charge', async (state) => {
  clock.set(start);
  const changes = (name: SubscriptionHappening) => (subscriptionEffects[name](state) ?? []).length > 0;
  const isOwn = (name: SubscriptionHappening) =>
    changes(name) || name === 'defer' || (cells[name].at && !isAside(name));
  const [place, aside] = world.places;
  const names = concerned(state);
  const shared = names.filter((name) => !isOwn(name));
  const wrong = await timeline.play([
    story(
      state,
      shared.filter((name) => !isAside(name)),
      place,
    ),
    story(state, shared.filter(isAside), aside),
    ...names.filter(isOwn).map((name) => story(state, [name], isAside(name) ? aside : place)),
  ]);
  expect(wrong.flat().filter((one) => one !== null)).toEqual([]);
});

test('on a test clock the same becomes of each state when its time comes', async () => {
  const place = await world.onTestClock();
  /** What the time brings. An advance waits for unknown outcomes, and makes the retries, before the period ends. */
  const isTimed = (name: SubscriptionHappening) =>
    cells[name].act === run && !cells[name].lost && name !== 'endPastDue';
  const changes = (name: SubscriptionHappening, state: SubscriptionState) =>
    (subscriptionEffects[name](state) ?? []).length > 0;
  const stories = states
    .filter(({ charge }) => charge !== 'unknown')
    .flatMap((state) =>
      concerned(state)
        .filter((name) => isTimed(name) && changes(name, state))
        .map((name) => story(state, [name], place)),
    );
  expect(stories.length).toBeGreaterThan(40);
  const wrong = await place.timeline.play(stories);
  expect(wrong.flat().filter((one) => one !== null)).toEqual([]);
});
