// guards: src/domains/subscriptions src/domains/payments src/domains/test-clocks
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { expectDisputeEventsToBeWhole, expectEventsToBeWhole } from '../support/ledger.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';
import { dayMs, eventsOf, passTo, priceOf } from '../support/subscriptions.ts';
import { type Card, Model, type ModelTerms } from './subscription-model.ts';

/** PROPERTY_RUNS makes it longer, PROPERTY_SEED replays a failed run. */
const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 4);
const seed = Number(process.env['PROPERTY_SEED'] ?? randomInt(2 ** 31));

const clock = manualClock(new Date('2026-01-28T15:30:00.000Z'));

const platform = await usePlatform({ clock });
const account = await (await seedPartner(platform)).account();

const numbers: Readonly<Record<Card, string>> = {
  good: '4242424242424242',
  soft: '4000000000009995',
  expired: '4000000000000069',
  hard: '4000000000009987',
};
const cards = fc.constantFrom<Card>('good', 'good', 'good', 'soft', 'expired', 'hard');
const terms = fc.constantFrom<ModelTerms>(
  { unit: 'month', count: 1, price: 1000 },
  { unit: 'month', count: 1, price: 999 },
  { unit: 'month', count: 3, price: 2999 },
  { unit: 'day', count: 10, price: 301 },
  { unit: 'day', count: 7, price: 1 },
  { unit: 'day', count: 2, price: 997 },
  { unit: 'year', count: 1, price: 12_001 },
);

type Move =
  | { do: 'pass'; hours: number }
  /** To some hours after the end of the period. */
  | { do: 'passEnd'; hours: number }
  | { do: 'resume' | 'rebill' }
  | { do: 'pause'; days: number | null }
  | { do: 'refund'; parts: number }
  | { do: 'dispute'; outcome: 'open' | 'won' | 'lost' }
  | { do: 'cancel'; atPeriodEnd: boolean }
  | { do: 'card'; card: Card }
  | { do: 'quantity'; quantity: number; prorate: boolean };

const passing = fc.integer({ min: 1, max: 24 * 50 }).map((hours): Move => ({ do: 'pass', hours }));
/** Changes between the decline of a renewal and its retries, and then a card that pays. */
const declined = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 2, max: 9 }), fc.boolean(), fc.boolean())
  .map(([hours, quantity, prorate, twice]): Move[] => [
    { do: 'quantity', quantity: 1, prorate: false },
    { do: 'card', card: 'soft' },
    { do: 'passEnd', hours },
    { do: 'quantity', quantity, prorate },
    ...(twice ? [{ do: 'quantity', quantity: 1, prorate: true } as const] : []),
    { do: 'card', card: 'good' },
    { do: 'pass', hours: 72 },
  ]);
const single = fc
  .oneof(
    { weight: 6, arbitrary: passing },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('quantity' as const),
        quantity: fc.integer({ min: 1, max: 5 }),
        prorate: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('card' as const), card: cards }) },
    {
      weight: 4,
      arbitrary: fc.constantFrom<Move>(
        { do: 'pause', days: null },
        { do: 'pause', days: 12 },
        { do: 'resume' },
        { do: 'rebill' },
        { do: 'cancel', atPeriodEnd: true },
      ),
    },
    { weight: 2, arbitrary: fc.constantFrom(1, 1, 2, 3).map((parts): Move => ({ do: 'refund', parts })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('open' as const, 'won' as const, 'lost' as const)
        .map((outcome): Move => ({ do: 'dispute', outcome })),
    },
  )
  .map((move) => [move]);
const moves = fc
  .array(fc.oneof({ weight: 9, arbitrary: single }, { weight: 1, arbitrary: declined }), {
    minLength: 4,
    maxLength: 14,
  })
  .map((sequences) => sequences.flat());

async function cardsOf(): Promise<{ customerId: string; ids: Record<Card, string> }> {
  const { id: good, customerId } = await account.instrument(numbers.good);
  const add = async (card: Card) => {
    const { token } = await account.api.ok('/payment-instruments/tokenize', {
      cardNumber: numbers[card],
      expMonth: 12,
      expYear: clock.now().getUTCFullYear() + 15,
      cvc: '123',
    });
    return (await account.api.ok('/payment-instruments/create-from-token', { token, customerId })).paymentInstrument
      .id as string;
  };
  return { customerId, ids: { good, soft: await add('soft'), expired: await add('expired'), hard: await add('hard') } };
}

/** Applies a command to both the model and the platform; returns true if both accepted it or both rejected it. */
async function play(model: Model, subscriptionId: string, ids: Record<Card, string>, move: Move): Promise<void> {
  if (move.do === 'pass' || move.do === 'passEnd') {
    const from = move.do === 'pass' ? clock.now().getTime() : Math.max(clock.now().getTime(), model.endsAt);
    const to = new Date(from + move.hours * 3_600_000);
    await passTo(platform, clock, to);
    return model.pass(to.getTime());
  }
  if (move.do === 'refund' || move.do === 'dispute') return giveBack(model, subscriptionId, move);
  const until = move.do === 'pause' && move.days !== null ? new Date(clock.now().getTime() + move.days * dayMs) : null;
  const [path, body, accepted] =
    move.do === 'cancel'
      ? (['cancel', { cancelAtPeriodEnd: move.atPeriodEnd }, model.cancel(move.atPeriodEnd)] as const)
      : move.do === 'card'
        ? (['update', { paymentInstrumentId: ids[move.card] }, model.useCard(move.card)] as const)
        : move.do === 'quantity'
          ? ([
              'update',
              { quantity: move.quantity, prorate: move.prorate },
              model.take(move.quantity, move.prorate),
            ] as const)
          : move.do === 'pause'
            ? (['pause', { resumeAt: until?.toISOString() ?? null }, model.pause(until?.getTime())] as const)
            : ([move.do, {}, model[move.do]()] as const);
  const answer = await account.api.call(`/subscriptions/${path}`, { subscriptionId, ...body });
  expect([answer.status, JSON.stringify(move), answer.status === 200 ? '' : answer.body.message]).toEqual([
    accepted ? 200 : 409,
    JSON.stringify(move),
    accepted ? '' : answer.body.message,
  ]);
  // Work that became due during the command is done before the next one.
  await passTo(platform, clock, clock.now());
  model.pass(clock.now().getTime());
}

/** Refunds or disputes the latest payment. Nothing of the subscription changes by it. */
async function giveBack(
  model: Model,
  subscriptionId: string,
  move: Move & { do: 'refund' | 'dispute' },
): Promise<void> {
  const part = move.do === 'refund' ? model.refund(move.parts) : model.dispute(move.outcome);
  if (!part) return;
  const { prisma } = platform.services;
  const before = await prisma.subscription.findUniqueOrThrow({ where: { id: subscriptionId } });
  const paid = await prisma.payment.findMany({
    where: { subscriptionId, capturedAmount: { gt: 0 } },
    orderBy: { subscriptionPeriod: 'asc' },
  });
  const paymentId = paid[part.nth]?.id;
  if (move.do === 'refund') await account.api.ok('/payments/refund', { paymentId, amount: part.amount });
  else {
    const { id, amount } = await account.api.ok('/test-disputes/create', { paymentId });
    expect(amount).toBe(part.amount);
    if (move.outcome !== 'open') await account.api.ok(`/test-disputes/${id}/advance`, { status: move.outcome });
  }
  expect(await prisma.subscription.findUniqueOrThrow({ where: { id: subscriptionId } })).toEqual(before);
}

test('after any operations on a subscription each period owed is charged once and the sums are exact', {
  timeout: 60_000 + numRuns * 10_000,
}, async () => {
  const scenario = fc.tuple(terms, fc.constantFrom(0, 0, 5, 14), cards, moves, fc.integer({ min: 0, max: 40 }));
  await fc.assert(
    fc.asyncProperty(scenario, async ([plan, trialDays, card, played, wait]) => {
      // Each starts on a different day of the month.
      clock.set(new Date(clock.now().getTime() + wait * dayMs));
      const { customerId, ids } = await cardsOf();
      const priceId = await priceOf(account, { amount: plan.price, interval: plan.unit, intervalCount: plan.count });
      const { id } = await account.api.ok('/subscriptions/create', {
        customerId,
        priceId,
        trialDays,
        paymentInstrumentId: ids[card],
      });
      const model = new Model(plan, clock.now().getTime(), trialDays, card);
      try {
        for (const move of played) await play(model, id, ids, move);
        const shown = await account.api.ok(`/subscriptions/${id}`);
        const payments = await platform.services.prisma.payment.findMany({
          where: { subscriptionId: id },
          orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        });
        const charges = payments.map(({ amount, capturedAmount }) => ({
          amount: Number(amount),
          ok: capturedAmount > 0n,
        }));
        expect({
          status: shown.status,
          balance: shown.balance,
          charges: charges.map(({ amount, ok }) => `${amount} ${ok}`).sort(),
        }).toEqual({
          status: model.status,
          balance: model.balance,
          charges: model.charges.map(({ amount, ok }) => `${amount} ${ok}`).sort(),
        });
        const taken = charges.reduce((sum, { amount, ok }) => sum + (ok ? amount : 0), 0);
        expect(taken + shown.balance + model.unpaid).toBe(model.owed);
        const paid = payments
          .filter(({ capturedAmount }) => capturedAmount > 0n)
          .map(({ subscriptionPeriod }) => subscriptionPeriod);
        expect(new Set(paid).size).toBe(paid.length);
        await eventsOf(platform, id);
      } finally {
        await account.api.call('/subscriptions/cancel', { subscriptionId: id });
      }
    }),
    { numRuns, seed, endOnFailure: true },
  );
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
  await expectDisputeEventsToBeWhole(platform.services.pool);
  await expectEventsToBeWhole(platform.services.pool);
});
