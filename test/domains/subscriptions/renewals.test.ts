import { describe, expect, test } from 'vitest';
import { resolveUnknownPayments } from '../../../src/domains/payments/resolution/resolve.ts';
import { runDueSubscriptions } from '../../../src/domains/subscriptions/periods/run-subscription.ts';
import { chargesOf, dayMs, eventsOf, passTo } from '../../support/subscriptions.ts';
import { subscriptionWorld } from './world.ts';

const world = subscriptionWorld();
const { addCard, call, clock, days, ok, pass, read, subscribe } = world;

describe('renewals', () => {
  test('twelve in a year, each at its month end, each announced three days before', async () => {
    clock.set(new Date('2027-01-31T10:00:00.000Z'));
    await passTo(world.platform, clock, clock.now());
    const made = await subscribe();
    await passTo(world.platform, clock, new Date('2028-01-31T10:00:00.000Z'));
    const payments = await world.platform.services.prisma.payment.findMany({
      where: { subscriptionId: made.id },
      orderBy: { createdAt: 'asc' },
    });
    expect(payments.map(({ createdAt }) => createdAt.toISOString().slice(0, 16))).toEqual(
      [
        '2027-01-31',
        '2027-02-28',
        '2027-03-31',
        '2027-04-30',
        '2027-05-31',
        '2027-06-30',
        '2027-07-31',
        '2027-08-31',
        '2027-09-30',
        '2027-10-31',
        '2027-11-30',
        '2027-12-31',
        '2028-01-31',
      ].map((day) => `${day}T10:00`),
    );
    expect(
      payments
        .slice(1)
        .every(
          ({ initiatedBy, reasonType, status }) =>
            initiatedBy === 'merchant' && reasonType === 'recurring' && status === 'succeeded',
        ),
    ).toBe(true);
    expect(await eventsOf(world.platform, made.id)).toEqual([
      'created',
      'activated',
      ...Array.from({ length: 12 }, () => ['rebillUpcoming', 'rebillSucceeded']).flat(),
    ]);
  });

  test('a server that was down for months charges each period once', async () => {
    const made = await subscribe();
    clock.set(days(100));
    await passTo(world.platform, clock, clock.now());
    expect((await chargesOf(world.platform, made.id)).length).toBe(4);
    expect((await read(made.id)).currentPeriodEnd > clock.now().toISOString()).toBe(true);
  });

  test('a decline: past due, retried after 1, 3, 5 and 7 days, then canceled', async () => {
    const made = await subscribe('4000000000000341');
    await passTo(world.platform, clock, new Date(made.currentPeriodEnd));
    expect(await read(made.id)).toMatchObject({ status: 'past_due', nextBillingDate: days(1).toISOString() });
    const due = clock.now().getTime();
    await pass(40);
    expect(await read(made.id)).toMatchObject({
      status: 'canceled',
      cancellationReason: 'payment_failed',
      canceledAt: new Date(due + 7 * dayMs).toISOString(),
    });
    const payments = await world.platform.services.prisma.payment.findMany({
      where: { subscriptionId: made.id },
      orderBy: { createdAt: 'asc' },
    });
    expect(payments.slice(1).map(({ createdAt }) => (createdAt.getTime() - due) / dayMs)).toEqual([0, 1, 3, 5, 7]);
    expect((await eventsOf(world.platform, made.id)).slice(3)).toEqual([
      'pastDue',
      'rebillDeclined',
      'rebillDeclined',
      'rebillDeclined',
      'canceled',
    ]);
  });

  test('past due is paid by the next retry with another card, or immediately by rebill', async () => {
    const [waits, asks] = [await subscribe('4000000000000341'), await subscribe('4000000000000341')];
    await passTo(world.platform, clock, new Date(waits.currentPeriodEnd));
    for (const made of [waits, asks])
      await ok('update', { subscriptionId: made.id, paymentInstrumentId: await addCard(made.customerId, 'tok_visa') });
    expect((await ok('rebill', { subscriptionId: asks.id })).status).toBe('active');
    expect((await read(waits.id)).status).toBe('past_due');
    await pass(1);
    expect(await read(waits.id)).toMatchObject({ status: 'active', currentPeriodStart: waits.currentPeriodEnd });
    for (const { id } of [waits, asks])
      expect((await eventsOf(world.platform, id)).slice(-2)).toEqual(['updated', 'activated']);
  });

  test('a hard decline cancels it immediately', async () => {
    const made = await subscribe();
    await ok('update', {
      subscriptionId: made.id,
      paymentInstrumentId: await addCard(made.customerId, '4000000000009987'),
    });
    await passTo(world.platform, clock, new Date(made.currentPeriodEnd));
    expect(await read(made.id)).toMatchObject({ status: 'canceled', latestPayment: { failureCode: 'lost_card' } });
    expect((await eventsOf(world.platform, made.id)).slice(-2)).toEqual(['rebillUpcoming', 'canceled']);
  });

  test('an unknown outcome is resolved first, and charged once', async () => {
    const made = await subscribe();
    await ok('update', {
      subscriptionId: made.id,
      paymentInstrumentId: await addCard(made.customerId, '4000000000006975'),
    });
    clock.set(new Date(made.currentPeriodEnd));
    for (let pass = 0; pass < 3; pass++) await runDueSubscriptions(world.platform.services);
    expect(await read(made.id)).toMatchObject({
      status: 'active',
      currentPeriodEnd: made.currentPeriodEnd,
      latestPayment: { subStatus: 'processing' },
    });
    for (const what of ['pause', 'rebill', 'update'])
      expect((await call(what, { subscriptionId: made.id, ...(what === 'update' && { quantity: 2 }) })).status).toBe(
        409,
      );
    clock.advance(60_000);
    await resolveUnknownPayments(world.platform.services);
    await runDueSubscriptions(world.platform.services);
    expect(await read(made.id)).toMatchObject({ status: 'active', currentPeriodStart: made.currentPeriodEnd });
    expect(await chargesOf(world.platform, made.id)).toEqual(['1000 succeeded', '1000 succeeded']);
  });

  test('an inactive world.account is not charged, loses nothing, and is charged when it is active again', async () => {
    const made = await subscribe();
    await world.platform.services.prisma.processingAccount.update({
      where: { id: world.account.id },
      data: { status: 'suspended' },
    });
    await passTo(world.platform, clock, new Date(new Date(made.currentPeriodEnd).getTime() + dayMs));
    expect((await read(made.id)).status).toBe('active');
    expect((await call('create', { customerId: made.customerId, priceId: world.priceId })).status).toBe(403);
    await world.platform.services.prisma.processingAccount.update({
      where: { id: world.account.id },
      data: { status: 'active' },
    });
    await pass(1);
    expect([(await read(made.id)).currentPeriodStart, await chargesOf(world.platform, made.id)]).toEqual([
      made.currentPeriodEnd,
      ['1000 succeeded', '1000 succeeded'],
    ]);
  });
});

describe('rebill', () => {
  test('charges the next period early, once; its dates stay', async () => {
    const made = await subscribe();
    const ahead = await ok('rebill', { subscriptionId: made.id });
    expect(ahead).toMatchObject({
      status: 'active',
      currentPeriodStart: made.currentPeriodStart,
      latestPayment: { status: 'succeeded' },
    });
    expect(ahead.currentPeriodEnd > made.currentPeriodEnd).toBe(true);
    expect((await call('rebill', { subscriptionId: made.id })).status).toBe(409);
    await passTo(world.platform, clock, new Date(made.currentPeriodEnd));
    expect((await chargesOf(world.platform, made.id)).length).toBe(2);
    await passTo(world.platform, clock, new Date(ahead.currentPeriodEnd));
    expect((await chargesOf(world.platform, made.id)).length).toBe(3);
  });

  test('declined early it changes nothing, and the period is charged when it starts', async () => {
    const made = await subscribe('4000000000000341');
    expect(await ok('rebill', { subscriptionId: made.id })).toMatchObject({
      status: 'active',
      currentPeriodEnd: made.currentPeriodEnd,
      latestPayment: { status: 'declined' },
    });
    await ok('update', { subscriptionId: made.id, paymentInstrumentId: await addCard(made.customerId, 'tok_visa') });
    await passTo(world.platform, clock, new Date(made.currentPeriodEnd));
    expect(await chargesOf(world.platform, made.id)).toEqual(['1000 succeeded', '1000 declined', '1000 succeeded']);
  });

  test('in a trial: the trial ends, and the first period starts now', async () => {
    const made = await subscribe('tok_visa', { trialDays: 30 });
    expect(await ok('rebill', { subscriptionId: made.id })).toMatchObject({
      status: 'active',
      trialEndsAt: clock.now().toISOString(),
      currentPeriodStart: clock.now().toISOString(),
    });
  });

  test('ten at once charge once', async () => {
    const made = await subscribe();
    const answers = await Promise.all(Array.from({ length: 10 }, () => call('rebill', { subscriptionId: made.id })));
    expect(answers.filter(({ status }) => status === 200).length).toBe(1);
    expect((await chargesOf(world.platform, made.id)).length).toBe(2);
  });
});

world.expectLedgerToAgree();
