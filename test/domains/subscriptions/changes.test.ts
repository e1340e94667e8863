import { describe, expect, test } from 'vitest';
import { chargesOf, eventsOf, passTo, priceOf } from '../../support/subscriptions.ts';
import { subscriptionWorld } from './world.ts';

const world = subscriptionWorld();
const { call, clock, days, ok, pass, read, subscribe } = world;

describe('cancel', () => {
  test('immediately, or at the period end; lifted by resume; a second time is 409', async () => {
    const made = await subscribe();
    expect(await ok('cancel', { subscriptionId: made.id, cancelAtPeriodEnd: true })).toMatchObject({
      id: made.id,
      status: 'active',
      cancelAtPeriodEnd: true,
      nextBillingDate: null,
    });
    expect(await ok('resume', { subscriptionId: made.id })).toMatchObject({
      cancelAtPeriodEnd: false,
      nextBillingDate: made.currentPeriodEnd,
    });
    expect((await call('resume', { subscriptionId: made.id })).status).toBe(409);
    await ok('cancel', { subscriptionId: made.id, cancelAtPeriodEnd: true });
    expect((await call('rebill', { subscriptionId: made.id })).status).toBe(409);
    await pass(40);
    expect(await read(made.id)).toMatchObject({
      status: 'canceled',
      cancellationReason: 'period_ended',
      canceledAt: made.currentPeriodEnd,
    });
    expect(await eventsOf(world.platform, made.id)).toEqual([
      'created',
      'activated',
      'cancelScheduled',
      'resumed',
      'cancelScheduled',
      'canceled',
    ]);
    expect(await call('cancel', { subscriptionId: made.id })).toMatchObject({
      status: 409,
      body: { data: { reason: 'invalid_state' } },
    });
    expect(await chargesOf(world.platform, made.id)).toEqual(['1000 succeeded']);
  });

  test('several, each separate', async () => {
    const [one, two] = [await subscribe(), await subscribe()];
    await ok('cancel', { subscriptionId: two.id });
    const { results } = await ok('cancel', { subscriptionIds: [two.id, one.id, 'sub_none', one.id] });
    expect(results).toMatchObject([
      { subscriptionId: two.id, error: { code: 'CONFLICT' } },
      { subscriptionId: one.id, subscription: { status: 'canceled' } },
      { subscriptionId: 'sub_none', error: { code: 'NOT_FOUND' } },
    ]);
    for (const body of [
      {},
      { subscriptionId: one.id, subscriptionIds: [one.id] },
      { subscriptionIds: [] },
      { subscriptionIds: Array.from({ length: 101 }, () => 'sub_1') },
    ])
      expect((await call('cancel', body)).status).toBe(400);
  });

  test("a refund's cancelSubscription cancels it", async () => {
    const made = await subscribe();
    await world.account.api.ok('/payments/refund', { paymentId: made.latestPaymentId, cancelSubscription: true });
    expect(await read(made.id)).toMatchObject({
      status: 'canceled',
      cancellationReason: 'refunded',
      latestPayment: { status: 'refunded' },
    });
    expect((await eventsOf(world.platform, made.id)).at(-1)).toBe('canceled');
    const { payment } = await world.account.charge();
    await world.account.api.ok('/payments/refund', { paymentId: payment['id'], cancelSubscription: true });
  });

  test('409 when a card of a live subscription is deleted, 200 when it has ended', async () => {
    const made = await subscribe();
    const remove = () =>
      world.account.api.call(`/payment-instruments/${made.paymentInstrumentId}`, undefined, { method: 'DELETE' });
    expect(await remove()).toMatchObject({ status: 409, body: { data: { reason: 'invalid_state' } } });
    await ok('cancel', { subscriptionId: made.id });
    expect((await remove()).status).toBe(200);
  });
});

describe('pause and resume', () => {
  test('within the paid period it continues unchanged', async () => {
    const made = await subscribe();
    expect(await ok('pause', { subscriptionId: made.id })).toMatchObject({
      status: 'paused',
      nextBillingDate: null,
      pausedAt: clock.now().toISOString(),
    });
    expect((await call('pause', { subscriptionId: made.id })).status).toBe(409);
    await pass(5);
    expect(await ok('resume', { subscriptionId: made.id })).toMatchObject({
      status: 'active',
      nextBillingDate: made.nextBillingDate,
      pausedAt: null,
    });
    expect(await chargesOf(world.platform, made.id)).toEqual(['1000 succeeded']);
  });

  test('after it a new period starts and is charged; the time between is never charged', async () => {
    const made = await subscribe();
    await ok('pause', { subscriptionId: made.id });
    await pass(100);
    const now = clock.now().toISOString();
    expect(await ok('resume', { subscriptionId: made.id })).toMatchObject({
      status: 'active',
      currentPeriodStart: now,
      latestPayment: { status: 'succeeded' },
    });
    expect(await chargesOf(world.platform, made.id)).toEqual(['1000 succeeded', '1000 succeeded']);
    expect((await eventsOf(world.platform, made.id)).slice(-3)).toEqual(['paused', 'resumed', 'rebillSucceeded']);
  });

  test('a pause that ends by itself lifts no scheduled cancellation, a resume by a call does', async () => {
    const resumeAt = days(10).toISOString();
    const paused = async (end: string) => {
      const made = await subscribe();
      await ok('cancel', { subscriptionId: made.id, cancelAtPeriodEnd: true });
      await ok('pause', { subscriptionId: made.id, resumeAt: end });
      return made;
    };
    const [byItself, byCall] = [await paused(resumeAt), await paused(resumeAt)];
    const longer = await paused(days(60).toISOString());
    expect(await ok('resume', { subscriptionId: byCall.id })).toMatchObject({
      status: 'active',
      cancelAtPeriodEnd: false,
      nextBillingDate: byCall.currentPeriodEnd,
    });
    await pass(11);
    expect(await read(byItself.id)).toMatchObject({
      status: 'active',
      cancelAtPeriodEnd: true,
      nextBillingDate: null,
      resumeAt: null,
    });
    await pass(60);
    for (const { id, currentPeriodEnd } of [byItself, longer]) {
      expect(await read(id)).toMatchObject({
        status: 'canceled',
        cancellationReason: 'period_ended',
        canceledAt: currentPeriodEnd,
      });
      expect(await chargesOf(world.platform, id)).toEqual(['1000 succeeded']);
    }
  });

  test('no retry is announced that a scheduled cancellation comes before', async () => {
    const daily = await priceOf(world.account, { interval: 'day', intervalCount: 2 });
    const made = await subscribe('4000000000000341', { priceId: daily });
    await pass(2);
    expect((await read(made.id)).nextBillingDate).toBe(days(1).toISOString());
    await ok('cancel', { subscriptionId: made.id, cancelAtPeriodEnd: true });
    expect((await read(made.id)).nextBillingDate).toBe(days(1).toISOString());
    await pass(1);
    expect(await read(made.id)).toMatchObject({ status: 'past_due', nextBillingDate: null });
    await pass(1);
    expect(await read(made.id)).toMatchObject({ status: 'canceled', cancellationReason: 'period_ended' });
    expect(await chargesOf(world.platform, made.id)).toHaveLength(3);
  });

  test('400 before 404: what is wrong with a request is said of an unknown subscription, too', async () => {
    const wrong: [string, Record<string, unknown>, string][] = [
      ['pause', { resumeAt: 'tomorrow' }, 'resumeAt'],
      ['pause', { resumeAt: clock.now().toISOString() }, 'resumeAt'],
      ['pause', { resumeAt: days(1_097).toISOString() }, 'resumeAt'],
      ['cancel', { subscriptionIds: ['sub_none'] }, 'subscriptionIds'],
      ['cancel', { cancelAtPeriodEnd: 'later' }, 'cancelAtPeriodEnd'],
      ['update', { quantity: 0 }, 'quantity'],
      ['update', { prorate: 'no' }, 'prorate'],
      ['update', { priceId: 7 }, 'priceId'],
    ];
    for (const [what, body, path] of wrong) {
      const answer = await call(what, { subscriptionId: 'sub_none', ...body });
      expect([what, body, answer.status, answer.body.data.issues?.[0].path]).toEqual([what, body, 400, path]);
    }
    for (const what of ['cancel', 'pause', 'resume', 'update', 'rebill']) {
      expect((await call(what, { subscriptionId: 'sub_none' })).status).toBe(404);
      expect((await call(what, { subscriptionId: 7 })).status).toBe(400);
      expect((await call(what, {})).status).toBe(400);
    }
  });

  test('resumeAt resumes at its moment; it must be in the future, within its bound', async () => {
    const made = await subscribe();
    for (const resumeAt of [clock.now(), days(1_097)])
      expect(
        (await call('pause', { subscriptionId: made.id, resumeAt: resumeAt.toISOString() })).body.data.issues[0].path,
      ).toBe('resumeAt');
    const resumeAt = days(50).toISOString();
    expect(await ok('pause', { subscriptionId: made.id, resumeAt })).toMatchObject({ resumeAt });
    await pass(60);
    expect(await read(made.id)).toMatchObject({ status: 'active', currentPeriodStart: resumeAt, resumeAt: null });
  });
});

describe('update', () => {
  test('in the same billing interval the proration is charged with the next charge, to the minor unit', async () => {
    clock.set(new Date('2030-01-01T00:00:00.000Z'));
    await passTo(world.platform, clock, clock.now());
    const made = await subscribe();
    await pass(21);
    // 10 of 31 days remain: 322.58 of 1000, and 645.16 of 2000.
    expect(await ok('update', { subscriptionId: made.id, quantity: 2 })).toMatchObject({
      quantity: 2,
      amount: 2000,
      balance: 645 - 323,
      status: 'active',
      currentPeriodEnd: made.currentPeriodEnd,
    });
    await pass(11);
    expect(await chargesOf(world.platform, made.id)).toEqual(['1000 succeeded', '2322 succeeded']);
    expect((await read(made.id)).balance).toBe(0);
  });

  test('a credit reduces the next charge and is carried on; a charge it covers is not made', async () => {
    const made = await subscribe('tok_visa', { quantity: 10 });
    expect(await ok('update', { subscriptionId: made.id, quantity: 4 })).toMatchObject({ balance: -6000 });
    await passTo(world.platform, clock, new Date(made.currentPeriodEnd));
    expect(await read(made.id)).toMatchObject({
      status: 'active',
      balance: -2000,
      currentPeriodStart: made.currentPeriodEnd,
    });
    expect(await chargesOf(world.platform, made.id)).toEqual(['10000 succeeded']);
    await pass(31);
    expect(await chargesOf(world.platform, made.id)).toEqual(['10000 succeeded', '2000 succeeded']);
    expect((await eventsOf(world.platform, made.id)).filter((type) => type === 'rebillSucceeded').length).toBe(2);
  });

  test('prorate false: the new price applies from the next period', async () => {
    const made = await subscribe();
    expect(await ok('update', { subscriptionId: made.id, quantity: 5, prorate: false })).toMatchObject({
      balance: 0,
      amount: 5000,
    });
    await passTo(world.platform, clock, new Date(made.currentPeriodEnd));
    expect(await chargesOf(world.platform, made.id)).toEqual(['1000 succeeded', '5000 succeeded']);
  });

  test('another interval: a new period now, charged immediately less the unused part', async () => {
    const yearly = await priceOf(world.account, { amount: 9000, interval: 'year' });
    const made = await subscribe();
    const half = (new Date(made.currentPeriodEnd).getTime() - clock.now().getTime()) / 2;
    await passTo(world.platform, clock, new Date(clock.now().getTime() + half));
    const now = clock.now().toISOString();
    expect(await ok('update', { subscriptionId: made.id, priceId: yearly })).toMatchObject({
      status: 'active',
      interval: 'year',
      amount: 9000,
      balance: 0,
      currentPeriodStart: now,
      priceId: yearly,
    });
    expect(await chargesOf(world.platform, made.id)).toEqual(['1000 succeeded', '8500 succeeded']);
  });

  test('nothing named or no difference: 200 without an event; another currency or store: 400', async () => {
    const made = await subscribe();
    expect(await ok('update', { subscriptionId: made.id })).toEqual(await read(made.id));
    await ok('update', {
      subscriptionId: made.id,
      priceId: world.priceId,
      quantity: 1,
      paymentInstrumentId: made.paymentInstrumentId,
    });
    expect(await eventsOf(world.platform, made.id)).toEqual(['created', 'activated']);
    expect(
      (await call('update', { subscriptionId: made.id, paymentInstrumentId: (await world.account.instrument()).id }))
        .body.data.issues[0].path,
    ).toBe('paymentInstrumentId');
    expect(
      (await call('update', { subscriptionId: made.id, priceId: await priceOf(world.account, { currency: 'EUR' }) }))
        .body.data.issues[0].path,
    ).toBe('priceId');
    await ok('cancel', { subscriptionId: made.id });
    expect((await call('update', { subscriptionId: made.id, quantity: 2 })).status).toBe(409);
  });
});

world.expectLedgerToAgree();
