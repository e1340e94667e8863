import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { expireChallenges } from '../../src/domains/payments/expire-challenges.ts';
import { jobOf } from '../../src/domains/subscriptions/jobs.ts';
import {
  type SubscriptionAspect,
  type SubscriptionHappening,
  type SubscriptionState,
  subscriptionEffects,
} from '../../src/domains/subscriptions/lifecycle.ts';
import { runSubscription } from '../../src/domains/subscriptions/run-subscription.ts';
import { manualClock } from '../../src/kit/clock.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { dayMs, expectOneEventATransition, priceOf } from '../support/subscriptions.ts';

const start = new Date('2026-01-31T10:00:00.000Z');
const clock = manualClock(start);
const after = (days: number) => new Date(start.getTime() + days * dayMs);
let platform: TestPlatform;
let account: SeededAccount;
let customerId: string;
let monthly: string;
let yearly: string;
let cards: Record<'good' | 'other' | 'soft' | 'hard' | 'challenged', string>;

beforeAll(async () => {
  platform = await startTestPlatform({ clock });
  account = await (await seedPartner(platform)).account();
  const good = await account.instrument();
  ({ customerId } = good);
  const add = async (card: string) => (await account.instrument(card, customerId)).id;
  cards = {
    good: good.id,
    other: await add('tok_mastercard'),
    soft: await add('4000000000009995'),
    hard: await add('4000000000009987'),
    challenged: await add('tok_visa_3ds'),
  };
  monthly = await priceOf(account);
  yearly = await priceOf(account, { amount: 9000, interval: 'year' });
});
afterAll(async () => {
  await expectOneEventATransition(platform);
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
  await platform.close();
});

const rowOf = (id: string) => platform.services.prisma.subscription.findUniqueOrThrow({ where: { id } });
const run = (id: string) => runSubscription(jobOf(platform.services), id);
const call = (what: string, id: string, more: object = {}) =>
  account.api.call(`/subscriptions/${what}`, { subscriptionId: id, ...more });
const ok = (what: string, id: string, more: object = {}) =>
  account.api.ok(`/subscriptions/${what}`, { subscriptionId: id, ...more });
const useCard = (id: string, card: keyof typeof cards) => ok('update', id, { paymentInstrumentId: cards[card] });

/** Runs the job of one subscription at a time, alone, as if no other were due. */
async function runAt(id: string, at: Date | null): Promise<void> {
  if (at === null) throw new Error(`Nothing of ${id} is due.`);
  clock.set(at);
  await expireChallenges(platform.services);
  await run(id);
}

/** Where each status comes from; `pending` and `ends` are added to it. `late` is a pause beyond the period. */
async function enter({ status, pending, ends }: SubscriptionState, late: boolean): Promise<string> {
  clock.set(start);
  const ahead = status === 'past_due' && pending === 'scheduled';
  const { id } = await account.api.ok('/subscriptions/create', {
    customerId,
    priceId: monthly,
    quantity: 2,
    paymentInstrumentId: status === 'incomplete' ? cards.soft : cards.good,
    metadata: { kept: 'as it is' },
    ...(status === 'trialing' && { trialDays: 20 }),
    initiatePayment: !ahead,
  });
  if (pending === 'scheduled') await ok('update', id, { priceId: yearly, prorate: false });
  if (pending === 'charged')
    await ok('update', id, {
      priceId: yearly,
      paymentInstrumentId: cards.challenged,
      returnUrl: 'https://shop.example',
    });
  if (status === 'past_due') {
    await useCard(id, 'soft');
    if (ahead) await ok('rebill', id);
    else await runAt(id, (await rowOf(id)).currentPeriodEnd);
  }
  if (ends) await ok('cancel', id, { cancelAtPeriodEnd: true });
  if (status === 'paused') await ok('pause', id, { resumeAt: after(late ? 45 : 5) });
  if (status === 'canceled') await ok('cancel', id);
  return id;
}

const states: SubscriptionState[] = [
  { status: 'incomplete', ends: false, pending: 'none' },
  ...[false, true].flatMap((ends): SubscriptionState[] => [
    { status: 'trialing', ends, pending: 'none' },
    { status: 'active', ends, pending: 'none' },
    { status: 'active', ends, pending: 'scheduled' },
    { status: 'active', ends, pending: 'charged' },
    { status: 'past_due', ends, pending: 'none' },
    { status: 'past_due', ends, pending: 'scheduled' },
    { status: 'paused', ends, pending: 'none' },
    { status: 'paused', ends, pending: 'scheduled' },
  ]),
  { status: 'canceled', ends: false, pending: 'none' },
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
  'noticedFor',
  'withheldSince',
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
  prepare?: (id: string) => Promise<unknown>;
  /** An answer is compared with the table: 409 where it says that the call is refused. */
  act: (id: string) => Promise<unknown>;
}

const within = (...statuses: string[]) => ({ in: ({ status }: SubscriptionState) => statuses.includes(status) });
/** Its latest payment that succeeded, of a period that was charged. */
const isPaid = {
  in: ({ status, pending }: SubscriptionState) =>
    !['incomplete', 'trialing'].includes(status) && !(status === 'past_due' && pending === 'scheduled'),
};
const paidOf = async (id: string) =>
  (
    await platform.services.prisma.payment.findFirstOrThrow({
      where: { subscriptionId: id, capturedAmount: { gt: 0 } },
    })
  ).id;
const refund = async (id: string, more: object = {}) =>
  account.api.ok('/payments/refund', { paymentId: await paidOf(id), amount: 1, ...more });
async function dispute(id: string, ...through: string[]): Promise<void> {
  const opened = await account.api.ok('/test-disputes/create', { paymentId: await paidOf(id), amount: 1 });
  for (const status of through) await account.api.ok(`/test-disputes/${opened.id}/advance`, { status });
}
const setAccount = (status: string) =>
  platform.services.prisma.processingAccount.update({ where: { id: account.id }, data: { status } });
async function suspended(during: () => Promise<unknown>): Promise<void> {
  await setAccount('suspended');
  await during();
  await setAccount('active');
}
async function answer(id: string, outcome: 'success' | 'fail'): Promise<void> {
  const { latestPayment } = await account.api.ok(`/subscriptions/${id}`);
  await fetch(`${platform.url}/test/3ds/${latestPayment.requireActionData.threedsSessionId}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ outcome }),
  });
  await account.api.ok('/payments/continue', { paymentId: latestPayment.id });
}
const atPeriodEnd = async (id: string) => runAt(id, (await rowOf(id)).currentPeriodEnd);
const atRetry = async (id: string) => runAt(id, (await rowOf(id)).nextRetryAt);
const running = {
  in: ({ status, pending }: SubscriptionState) =>
    ['trialing', 'active', 'paused'].includes(status) && pending !== 'charged',
};
const charging = { in: ({ pending }: SubscriptionState) => pending === 'charged' };
const withCard = (card: keyof typeof cards, rule: { in: (state: SubscriptionState) => boolean }) => ({
  ...rule,
  prepare: (id: string) => useCard(id, card),
});
const chargeable = { in: ({ status, pending }: SubscriptionState) => status !== 'canceled' && pending !== 'charged' };

const cells: Record<SubscriptionHappening, Cell> = {
  pause: { act: (id) => call('pause', id) },
  resume: { act: (id) => call('resume', id) },
  resumeLate: {
    ...within('paused'),
    prepare: (id) => runAt(id, after(40)),
    act: (id) => call('resume', id),
  },
  cancel: { act: (id) => call('cancel', id) },
  cancelAtPeriodEnd: { act: (id) => call('cancel', id, { cancelAtPeriodEnd: true }) },
  changeQuantity: { act: (id) => call('update', id, { quantity: 3 }) },
  changeQuantityLater: { act: (id) => call('update', id, { quantity: 4, prorate: false }) },
  changeInterval: { act: (id) => call('update', id, { priceId: yearly }) },
  changeIntervalLater: { act: (id) => call('update', id, { priceId: yearly, quantity: 5, prorate: false }) },
  takeBack: { act: (id) => call('update', id, { priceId: monthly, quantity: 2 }) },
  changeCard: { act: (id) => call('update', id, { paymentInstrumentId: cards.other }) },
  rebill: { ...withCard('good', chargeable), act: (id) => call('rebill', id) },
  rebillDeclined: { ...withCard('soft', chargeable), act: (id) => call('rebill', id) },
  rebillDeclinedForGood: { ...withCard('hard', chargeable), act: (id) => call('rebill', id) },
  announce: {
    in: ({ status, pending }) => ['active', 'trialing'].includes(status) && pending !== 'charged',
    act: async (id) => runAt(id, new Date((await rowOf(id)).currentPeriodEnd.getTime() - 3 * dayMs)),
  },
  renew: { ...running, act: atPeriodEnd },
  renewDeclined: { ...withCard('soft', running), act: atPeriodEnd },
  renewDeclinedForGood: { ...withCard('hard', running), act: atPeriodEnd },
  retry: { ...withCard('good', within('past_due')), act: atRetry },
  retryDeclined: { ...within('past_due'), act: atRetry },
  retryDeclinedForGood: { ...withCard('hard', within('past_due')), act: atRetry },
  endPause: { ...within('paused'), act: (id) => runAt(id, after(5)) },
  endPauseLate: { ...within('paused'), act: (id) => runAt(id, after(45)) },
  expireFirstCharge: { ...within('incomplete'), act: (id) => runAt(id, after(1)) },
  expireChange: { ...charging, act: (id) => runAt(id, after(1)) },
  answerChallenge: { ...charging, act: (id) => answer(id, 'success') },
  failChallenge: { ...charging, act: (id) => answer(id, 'fail') },
  withhold: { ...running, act: (id) => suspended(() => atPeriodEnd(id)) },
  suspend: { act: (id) => suspended(() => run(id)) },
  activate: { act: (id) => suspended(async () => undefined).then(() => run(id)) },
  refund: { ...isPaid, act: (id) => refund(id) },
  refundAndCancel: { ...isPaid, act: (id) => refund(id, { cancelSubscription: true }) },
  openDispute: { ...isPaid, act: (id) => dispute(id) },
  loseDispute: { ...isPaid, act: (id) => dispute(id, 'lost') },
  winDispute: { ...isPaid, act: (id) => dispute(id, 'won') },
  addDefaultCard: { act: async () => account.api.ok(`/payment-instruments/${cards.other}/set-default`, {}) },
  deleteCard: {
    act: async (id) => {
      const { paymentInstrumentId, status } = await rowOf(id);
      const path = `/payment-instruments/${paymentInstrumentId}`;
      return status === 'canceled' ? undefined : account.api.call(path, undefined, { method: 'DELETE' });
    },
  },
};

/** Happens after the period of a pause has ended: the pause lasts longer. */
const isLate = (name: SubscriptionHappening) =>
  name.startsWith('renew') || ['resumeLate', 'endPauseLate', 'withhold'].includes(name);
/** Happens at no other time than the state was entered, and to no other subscription. */
const isCall = (name: SubscriptionHappening) =>
  /^(pause|resume|cancel|change|takeBack|rebill)/.test(name) && !isLate(name);
const statusOf = (answered: unknown) =>
  typeof answered === 'object' && answered !== null && 'status' in answered ? answered.status : null;

/** What is wrong in a cell; null if the subscription changed as the table says. */
async function wrongIn(name: SubscriptionHappening, state: SubscriptionState, id: string): Promise<object | null> {
  const cell = cells[name];
  const effect = subscriptionEffects[name](state);
  await cell.prepare?.(id);
  const before = await rowOf(id);
  const answered = statusOf(await cell.act(id));
  const changed = changedBetween(before, await rowOf(id));
  const allowed: readonly string[] = effect ?? [];
  const unasked = changed.filter((aspect) => !allowed.includes(aspect));
  const missing = allowed.length > 0 && changed.length === 0;
  const refused = answered !== null && (answered === 409) !== (effect === null);
  return unasked.length > 0 || missing || refused ? { name, ...state, allowed: effect, changed, answered } : null;
}

test.each(states)('nothing changes that nobody asked for: $status, ends $ends, pending $pending', async (state) => {
  const wrong: (object | null)[] = [];
  const names = Object.keys(cells).filter((name): name is SubscriptionHappening => name in subscriptionEffects);
  const concerned = names.filter((name) => cells[name].in?.(state) ?? true);
  const changes = (name: SubscriptionHappening) => (subscriptionEffects[name](state) ?? []).length > 0;
  const own = (name: SubscriptionHappening) => changes(name) || cells[name].prepare || isLate(name);
  const inOne = async (name: SubscriptionHappening) => wrongIn(name, state, await enter(state, isLate(name)));
  // What changes nothing happens to one subscription, one after the other.
  const shared = await enter(state, false);
  const entered = clock.now();
  for (const name of concerned.filter((one) => !own(one))) {
    clock.set(entered);
    wrong.push(await wrongIn(name, state, shared));
  }
  const atOnce = concerned.filter((name) => own(name) && isCall(name) && state.status !== 'past_due');
  clock.set(start);
  wrong.push(...(await Promise.all(atOnce.map(inOne))));
  for (const name of concerned.filter((one) => own(one) && !atOnce.includes(one))) wrong.push(await inOne(name));
  expect(wrong.filter((one) => one !== null)).toEqual([]);
});
