import { afterAll, beforeAll, expect } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { expireChallenges } from '../../src/domains/payments/resolution/expire.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolution/resolve.ts';
import { cardholderUrl, linkIdOf } from '../../src/domains/subscriptions/cardholder/link.ts';
import { jobOf, runSubscription } from '../../src/domains/subscriptions/periods/run-subscription.ts';
import { advanceTestClocks } from '../../src/domains/test-clocks/jobs.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';
import type { SubscriptionState } from '../support/subscription-effects.ts';
import { expectOneEventATransition, priceOf } from '../support/subscriptions.ts';
import { type Timeline, timelineOf } from '../support/timeline.ts';
import { withLostAnswers } from '../support/unreliable-processor.ts';

const numbers = {
  good: 'tok_visa',
  other: 'tok_mastercard',
  soft: '4000000000009995',
  hard: '4000000000009987',
  challenged: 'tok_visa_3ds',
  lost: '4000000000006975',
  lostSoft: '4000000000000002',
  lostHard: '4000000000000127',
};
export type Card = keyof typeof numbers;
/** Approved, declined, and declined for good, without an answer to the platform. */
export type LostCard = 'lost' | 'lostSoft' | 'lostHard';
const lostNumbers: readonly (string | null)[] = [numbers.lostSoft, numbers.lostHard];

/** An account with a customer and what that subscribes to. */
export interface Place {
  account: SeededAccount;
  customerId: string;
  cards: Record<Card, string>;
  monthly: string;
  yearly: string;
  /** The times at which its subscriptions are run, and how. */
  timeline: Timeline;
  run: (id: string) => Promise<unknown>;
}

const json = { 'Content-Type': 'application/json' };

/** One platform, on which subscriptions in every state are made and played side by side. */
export function subscriptionStates(start: Date) {
  const clock = manualClock(start);
  let platform: TestPlatform;
  let partner: SeededPartner;
  const places: Place[] = [];
  beforeAll(async () => {
    platform = await startTestPlatform({ clock });
    await disableRateLimits(platform);
    withLostAnswers(platform, (_call, _reference, card) => (lostNumbers.includes(card) ? 'answerLost' : 'answered'));
    partner = await seedPartner(platform);
    for (let index = 0; index < 2; index++) {
      const account = await partner.account();
      places.push({ ...(await placeIn(account, (await account.instrument()).customerId)), timeline, run });
    }
  });
  afterAll(async () => {
    await expectOneEventATransition(platform);
    expect((await verifyLedger(platform.services)).differences).toEqual([]);
    await platform.close();
  });

  const timeline = timelineOf(clock, async () => {
    await expireChallenges(platform.services);
    await resolveUnknownPayments(platform.services);
  });
  const rowOf = (id: string) => platform.services.prisma.subscription.findUniqueOrThrow({ where: { id } });
  const run = (id: string) => runSubscription(jobOf(platform.services), id);

  const placesOf = new Map<string, Place>();
  /** Where a subscription was made. */
  function placeOf(id: string): Place {
    const place = placesOf.get(id);
    if (!place) throw new Error(`${id} was not made here.`);
    return place;
  }

  /** Runs one subscription at a time, by the job as if no other were due, or by its test clock. */
  async function runAt(id: string, at: Date | null): Promise<void> {
    if (at === null) throw new Error(`Nothing of ${id} is due.`);
    const place = placeOf(id);
    await place.timeline.until(at);
    await place.run(id);
  }

  /** The same account with a customer on a test clock, which runs what is due when it is advanced. */
  async function onTestClock(): Promise<Place> {
    const { account } = first();
    const { api } = account;
    const { id: testClockId } = await api.ok('/test-clocks/create', { name: 'States', now: start });
    const email = `${testClockId}@example.com`.toLowerCase();
    const { id: customerId } = await api.ok('/customers/create', { email, testClockId });
    const time = manualClock(start);
    const advance = async () => {
      let { status } = await api.ok(`/test-clocks/${testClockId}/advance`, { to: time.now() });
      for (; status === 'advancing'; { status } = await api.ok(`/test-clocks/${testClockId}`))
        await advanceTestClocks(platform.services);
      expect(status).toBe('ready');
    };
    const place = await placeIn(account, customerId);
    return { ...place, timeline: timelineOf(time, advance), run: async () => undefined };
  }

  function first(): Place {
    const [place] = places;
    if (!place) throw new Error('The world is not made yet.');
    return place;
  }

  /** Pays on the hosted page of the period that is open, or was. */
  async function payOnPage(id: string, cardNumber: string): Promise<{ status: number }> {
    const row = await rowOf(id);
    const page = cardholderUrl({ ...platform.services.config, publicUrl: platform.url }, linkIdOf(row));
    const body = JSON.stringify({ cardNumber, expiry: '12 / 35', cvc: '123' });
    return fetch(`${page}/pay`, { method: 'POST', headers: json, body });
  }

  /** Where each status comes from; what is pending, ends and is charged is added to it. */
  async function enter(
    { status, pending, ends, charge }: SubscriptionState,
    place: Place,
    { resumeAt, lost = 'lost' }: { resumeAt: Date; lost?: LostCard },
  ): Promise<string> {
    const { account, customerId, cards, monthly, yearly } = place;
    const ok = (what: string, id: string, more: object = {}) =>
      account.api.ok(`/subscriptions/${what}`, { subscriptionId: id, ...more });
    const useCard = (id: string, card: Card) => ok('update', id, { paymentInstrumentId: cards[card] });
    const waiting = { none: 'good', unknown: lost, challenge: 'challenged' } as const;
    const first = { none: 'soft', unknown: lost, challenge: 'challenged' } as const;
    const ahead = status === 'past_due' && pending === 'scheduled';
    const { id } = await account.api.ok('/subscriptions/create', {
      customerId,
      priceId: monthly,
      quantity: 2,
      paymentInstrumentId: cards[status === 'incomplete' ? first[charge] : 'good'],
      metadata: { kept: 'as it is' },
      ...(status === 'incomplete' && { returnUrl: 'https://shop.example' }),
      ...(status === 'trialing' && { trialDays: 20 }),
      initiatePayment: !ahead,
    });
    placesOf.set(id, place);
    if (pending === 'scheduled') await ok('update', id, { priceId: yearly, prorate: false });
    if (pending === 'charged')
      await ok('update', id, {
        priceId: yearly,
        paymentInstrumentId: cards[waiting[charge]],
        returnUrl: 'https://shop.example',
      });
    if (status === 'past_due') {
      await useCard(id, 'soft');
      if (ahead) await ok('rebill', id);
      else await runAt(id, (await rowOf(id)).currentPeriodEnd);
    }
    if (charge === 'unknown' && pending !== 'charged' && status !== 'incomplete') {
      await useCard(id, lost);
      const { nextRetryAt, currentPeriodEnd } = await rowOf(id);
      await runAt(id, status === 'past_due' ? nextRetryAt : currentPeriodEnd);
    }
    if (charge === 'challenge' && status === 'past_due') await payOnPage(id, '4000000000003220');
    if (ends) await ok('cancel', id, { cancelAtPeriodEnd: true });
    if (status === 'paused') await ok('pause', id, { resumeAt });
    if (status === 'canceled') await ok('cancel', id);
    return id;
  }

  return {
    clock,
    timeline,
    get platform() {
      return platform;
    },
    /** An account, and another one that is suspended at times. */
    get places(): readonly [Place, Place] {
      const [place, other = first()] = places;
      return [place ?? first(), other];
    },
    rowOf,
    run,
    runAt,
    placeOf,
    onTestClock,
    payOnPage,
    enter,
  };
}

/** The cards and prices of a customer. */
async function placeIn(account: SeededAccount, customerId: string): Promise<Omit<Place, 'timeline' | 'run'>> {
  const cards = await Promise.all(
    Object.entries(numbers).map(async ([card, number]) => [card, (await account.instrument(number, customerId)).id]),
  );
  const [monthly, yearly] = [await priceOf(account), await priceOf(account, { amount: 9000, interval: 'year' })];
  return { account, customerId, cards: Object.fromEntries(cards), monthly, yearly };
}
