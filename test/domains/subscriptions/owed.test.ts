import { beforeAll, describe, expect, test } from 'vitest';
import { type SignedIn, signedIn } from '../../iam/people.ts';
import { chargesOf, eventsOf, priceOf } from '../../support/subscriptions.ts';
import { type FaultKind, withLostAnswers } from '../../support/unreliable-processor.ts';
import { subscriptionWorld } from './world.ts';

const world = subscriptionWorld();
const { addCard, ok, pass, read, subscribe } = world;
let hub: SignedIn;
/** What becomes of a refund at the processor. */
let fate: FaultKind = 'answered';
let monthly: string;
let yearly: string;

beforeAll(async () => {
  hub = await signedIn(world.platform, { platformRoles: ['hubadmin'] });
  withLostAnswers(world.platform, (call) => (call === 'refund' ? fate : 'answered'));
  monthly = world.priceId;
  yearly = await priceOf(world.account, { amount: 36_500, interval: 'day', intervalCount: 365 });
});

const refund = (paymentId: string, amount?: number) => world.account.api.ok('/payments/refund', { paymentId, amount });

/** A refund that the processor has received, and whose answer is lost. */
async function refundInProgress(paymentId: string, amount: number): Promise<void> {
  fate = 'answerLost';
  const answer = await refund(paymentId, amount);
  fate = 'answered';
  expect(answer.refund.status).toBe('pending');
}

async function dispute(paymentId: string, ...through: string[]): Promise<void> {
  const { id } = await world.account.api.ok('/test-disputes/create', { paymentId });
  for (const status of through) await world.account.api.ok(`/test-disputes/${id}/advance`, { status });
}

async function upcoming(subscriptionId: string): Promise<{ amount: number; isRetry: boolean } | null> {
  const { data } = await hub.graphql(
    'query ($id: ID!) { subscription(subscriptionId: $id) { upcomingCharge { amount isRetry } } }',
    {
      id: subscriptionId,
    },
  );
  return data.subscription.upcomingCharge;
}

/** A subscription whose renewal was declined, half a day ago, at the start of a period of `interval`. */
async function pastDue(terms: Record<string, unknown>, more: object = {}) {
  const priceId = await priceOf(world.account, terms);
  const made = await subscribe('tok_visa', { priceId, trialDays: 1, ...more });
  const soft = await addCard(made.customerId, '4000000000009995');
  await ok('update', { subscriptionId: made.id, paymentInstrumentId: soft });
  await pass(1.5);
  const { status } = await read(made.id);
  expect(status).toBe('past_due');
  return made;
}

const useGood = async ({ id, customerId }: { id: string; customerId: string }) =>
  ok('update', { subscriptionId: id, paymentInstrumentId: await addCard(customerId, 'tok_visa') });

describe('a change while a charge fails', () => {
  // A period of ten days of which half a day has passed.
  const tenDays = { amount: 1000, interval: 'day', intervalCount: 10 };

  test.each([
    ['up', { quantity: 10 }, 50 + 9500, 10_000],
    ['down', { quantity: 1 }, 500 + 950, 1000],
  ])('%s: the next retry charges the part before it at the old price and the rest at the new', async (name, change, owed, next) => {
    const made = await pastDue(tenDays, name === 'up' ? {} : { quantity: 10 });
    expect(await ok('update', { subscriptionId: made.id, ...change })).toMatchObject({
      status: 'past_due',
      balance: 0,
    });
    expect(await upcoming(made.id)).toEqual({ amount: owed, isRetry: true });
    await useGood(made);
    await pass(1);
    expect((await chargesOf(world.platform, made.id)).at(-1)).toBe(`${owed} succeeded`);
    expect(await upcoming(made.id)).toEqual({ amount: next, isRetry: false });
    await pass(9);
    expect((await chargesOf(world.platform, made.id)).at(-1)).toBe(`${next} succeeded`);
  });

  test('by rebill, too; there and back costs what it did; a credit is then for the part that is left', async () => {
    const made = await pastDue(tenDays);
    await ok('update', { subscriptionId: made.id, quantity: 7 });
    await ok('update', { subscriptionId: made.id, quantity: 1 });
    expect(await upcoming(made.id)).toMatchObject({ amount: 1000 });
    await ok('update', { subscriptionId: made.id, quantity: 3 });
    await useGood(made);
    await ok('rebill', { subscriptionId: made.id });
    expect((await chargesOf(world.platform, made.id)).at(-1)).toBe('2900 succeeded');
    // 9.5 of 10 days are left, at 3000.
    expect(await ok('update', { subscriptionId: made.id, quantity: 1 })).toMatchObject({ balance: 950 - 2850 });
  });

  test('with `prorate` false the open period keeps its amount', async () => {
    const made = await pastDue(tenDays);
    await ok('update', { subscriptionId: made.id, quantity: 10, prorate: false });
    expect(await upcoming(made.id)).toEqual({ amount: 1000, isRetry: true });
    await useGood(made);
    await pass(10);
    const charges = await chargesOf(world.platform, made.id);
    expect(charges.filter((charge) => charge.endsWith('succeeded'))).toEqual(['1000 succeeded', '10000 succeeded']);
  });

  test('what a credit covers is not charged: the subscription is active at once, and the rest is carried on', async () => {
    const priceId = await priceOf(world.account, tenDays);
    const made = await subscribe('tok_visa', { priceId, quantity: 10 });
    const soft = await addCard(made.customerId, '4000000000009995');
    await pass(1);
    // 9 of 10 days are left: 9000 less 8100, so that the next charge is 100.
    await ok('update', { subscriptionId: made.id, quantity: 1, paymentInstrumentId: soft });
    await ok('update', { subscriptionId: made.id, quantity: 9 });
    expect((await read(made.id)).balance).toBe(-900);
    await ok('update', { subscriptionId: made.id, quantity: 1, prorate: false });
    await pass(9.5);
    expect(await read(made.id)).toMatchObject({ status: 'past_due', balance: 0 });
    expect(await upcoming(made.id)).toMatchObject({ amount: 100, isRetry: true });
    const cheaper = await priceOf(world.account, { ...tenDays, amount: 500 });
    // The period costs 50 + 475, of which 900 was paid before.
    expect(await ok('update', { subscriptionId: made.id, priceId: cheaper })).toMatchObject({
      status: 'active',
      balance: 525 - 900,
    });
    expect((await eventsOf(world.platform, made.id)).slice(-3)).toEqual(['pastDue', 'updated', 'activated']);
    expect(await upcoming(made.id)).toEqual({ amount: 500 - 375, isRetry: false });
    await useGood(made);
    await pass(10);
    expect((await chargesOf(world.platform, made.id)).slice(1)).toEqual(['100 declined', '125 succeeded']);
  });

  test.each([
    [true, 100 + 100 + 50 + 500 + 1000],
    [false, 100 + 100 + 100 + 1000],
  ])('periods that began meanwhile cost the price of their time (prorate %s)', async (prorate, owed) => {
    const made = await pastDue({ amount: 100, interval: 'day', intervalCount: 1 });
    await pass(2); // half way through the third period
    await ok('update', { subscriptionId: made.id, quantity: 10, prorate });
    await useGood(made);
    await ok('rebill', { subscriptionId: made.id });
    await pass(0.75);
    const charges = (await chargesOf(world.platform, made.id)).filter((charge) => charge.endsWith('succeeded'));
    expect(charges.reduce((sum, charge) => sum + Number.parseInt(charge, 10), 0)).toBe(owed);
    expect((await read(made.id)).balance).toBe(0);
  });
});

describe('what was given back is not credited again', () => {
  const year = () => subscribe('tok_visa', { priceId: yearly });
  /** A year of which 73 of 365 days have passed: 29200 of 36500 are unused. */
  const toMonthly = async (id: string) => {
    await ok('update', { subscriptionId: id, priceId: monthly, quantity: 40 });
    return chargesOf(world.platform, id);
  };

  test.each<[string, (paymentId: string) => Promise<unknown>, number]>([
    ['refunded whole', (paymentId) => refund(paymentId), 40_000],
    ['refunded in part', (paymentId) => refund(paymentId, 9200), 20_000],
    ['refunded in part twice', async (id) => [await refund(id, 9000), await refund(id, 200)], 20_000],
    ['with a refund in part in progress', (paymentId) => refundInProgress(paymentId, 9200), 20_000],
    ['refunded beyond what is unused', (paymentId) => refund(paymentId, 36_000), 40_000],
    ['lost in a dispute', (paymentId) => dispute(paymentId, 'lost'), 40_000],
    ['kept in a dispute that was won', (paymentId) => dispute(paymentId, 'under_review', 'won'), 10_800],
    ['in a dispute that is open', (paymentId) => dispute(paymentId), 10_800],
  ])('a year %s, at a change to months', async (_name, giveBack, charged) => {
    const { id, latestPaymentId } = await year();
    await pass(73);
    await giveBack(latestPaymentId);
    expect((await toMonthly(id)).at(-1)).toBe(`${charged} succeeded`);
    expect((await read(id)).balance).toBe(0);
  });

  test('a change in the same interval counts what was given back once', async () => {
    const { id, latestPaymentId } = await year();
    await refund(latestPaymentId);
    await pass(73);
    expect(await ok('update', { subscriptionId: id, quantity: 2 })).toMatchObject({ balance: 58_400 });
    expect(await ok('update', { subscriptionId: id, quantity: 1 })).toMatchObject({ balance: 29_200 });
    expect(await ok('update', { subscriptionId: id, quantity: 3 })).toMatchObject({ balance: 87_600 });
    expect(await upcoming(id)).toMatchObject({ amount: 3 * 36_500 + 87_600 });
  });

  test('a refund after a change counts with the next one, and takes nothing that was credited before', async () => {
    const { id, latestPaymentId } = await year();
    await pass(73);
    expect(await ok('update', { subscriptionId: id, quantity: 2 })).toMatchObject({ balance: 29_200 });
    await refund(latestPaymentId, 20_000);
    expect((await read(id)).balance).toBe(29_200);
    expect(await ok('update', { subscriptionId: id, quantity: 1 })).toMatchObject({ balance: 20_000 });
  });

  test('nor is a next period that was paid ahead and refunded', async () => {
    const made = await subscribe();
    const { latestPaymentId } = await ok('rebill', { subscriptionId: made.id });
    await refund(latestPaymentId);
    // The present period: 2000 less 1000 paid; the one ahead: 2000.
    expect(await ok('update', { subscriptionId: made.id, quantity: 2 })).toMatchObject({ balance: 3000 });
  });

  test('nor is what another interval has credited before, after periods that were over during a suspension', async () => {
    const { id } = await year();
    await pass(73);
    await ok('update', { subscriptionId: id, priceId: monthly, quantity: 40 });
    const suspended = (status: string) =>
      world.platform.services.prisma.processingAccount.update({ where: { id: world.account.id }, data: { status } });
    await suspended('suspended');
    await pass(75);
    await suspended('active');
    await world.platform.services.prisma.subscription.update({ where: { id }, data: { dueAt: world.clock.now() } });
    await pass(0);
    const { currentPeriodStart, currentPeriodEnd, balance } = await read(id);
    expect([currentPeriodStart < world.clock.now().toISOString(), balance]).toEqual([true, 0]);
    const left = Date.parse(currentPeriodEnd) - world.clock.now().getTime();
    const rest = (amount: number) =>
      Math.round((amount * left) / (Date.parse(currentPeriodEnd) - Date.parse(currentPeriodStart)));
    expect(await ok('update', { subscriptionId: id, quantity: 80 })).toMatchObject({
      balance: rest(80_000) - rest(40_000),
    });
  });

  test('nor is a period ahead that another interval has credited: its own next period can be charged ahead', async () => {
    const made = await subscribe();
    await ok('rebill', { subscriptionId: made.id });
    const daily = await priceOf(world.account, { amount: 5000, interval: 'day', intervalCount: 3 });
    expect(await ok('update', { subscriptionId: made.id, priceId: daily })).toMatchObject({ balance: 0 });
    await ok('rebill', { subscriptionId: made.id });
    expect(await chargesOf(world.platform, made.id)).toEqual([
      '1000 succeeded',
      '1000 succeeded',
      '3000 succeeded',
      '5000 succeeded',
    ]);
    expect((await world.call('rebill', { subscriptionId: made.id })).status).toBe(409);
  });

  test('a refund changes nothing of the subscription', async () => {
    const { id, latestPaymentId } = await year();
    const { latestPayment: _, ...before } = await read(id);
    await refund(latestPaymentId);
    const { latestPayment, ...after } = await read(id);
    expect([after, latestPayment.status]).toEqual([before, 'refunded']);
  });
});

world.expectLedgerToAgree();
