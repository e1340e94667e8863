import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolve-unknown-payments.ts';
import { runDueSubscriptions } from '../../src/domains/subscriptions/jobs.ts';
import { manualClock } from '../../src/kit/clock.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';
import { chargesOf, dayMs, eventsOf, expectOneEventATransition, passTo, priceOf } from '../support/subscriptions.ts';

const clock = manualClock(new Date('2026-01-31T10:00:00.000Z'));
let platform: TestPlatform;
let partner: SeededPartner;
let account: SeededAccount;
let priceId: string;
beforeAll(async () => {
  platform = await startTestPlatform({ clock });
  partner = await seedPartner(platform);
  account = await partner.account();
  priceId = await priceOf(account);
});
// Subscriptions left by a test would be renewed in all tests that follow.
afterEach(async () => {
  await expectOneEventATransition(platform);
  const { items } = await account.api.ok('/subscriptions/list', {
    pageSize: 100,
    filters: { status: ['active', 'trialing', 'past_due', 'paused', 'incomplete'] },
  });
  if (items.length > 0)
    await account.api.ok('/subscriptions/cancel', { subscriptionIds: items.map(({ id }: { id: string }) => id) });
});
afterAll(() => platform?.close());

const days = (count: number) => new Date(clock.now().getTime() + count * dayMs);
const pass = (count: number) => passTo(platform, clock, days(count));
const subscribe = async (card = 'tok_visa', more: Record<string, unknown> = {}) => {
  const { id: paymentInstrumentId, customerId } = await account.instrument(card);
  return {
    paymentInstrumentId,
    customerId,
    ...(await account.api.ok('/subscriptions/create', { customerId, priceId, ...more })),
  };
};
const read = (id: string) => account.api.ok(`/subscriptions/${id}`);
const call = (what: string, body: Record<string, unknown>) => account.api.call(`/subscriptions/${what}`, body);
const ok = (what: string, body: Record<string, unknown>) => account.api.ok(`/subscriptions/${what}`, body);
const addCard = async (customerId: string, token: string) => {
  const made = token.startsWith('tok_')
    ? token
    : (
        await account.api.ok('/payment-instruments/tokenize', {
          cardNumber: token,
          expMonth: 12,
          expYear: 2039,
          cvc: '123',
        })
      ).token;
  return (await account.api.ok('/payment-instruments/create-from-token', { token: made, customerId })).paymentInstrument
    .id;
};

describe('POST /subscriptions/create', () => {
  test('200: charged immediately, active for its first period, and its payment names it', async () => {
    const made = await subscribe('tok_visa', { quantity: 3, metadata: { cart: '7' } });
    expect(made).toMatchObject({
      id: expect.stringMatching(/^sub_/),
      status: 'active',
      amount: 3000,
      quantity: 3,
      currency: 'USD',
      interval: 'month',
      intervalCount: 1,
      trialEndsAt: null,
      balance: 0,
      cancelAtPeriodEnd: false,
      metadata: { cart: '7' },
      livemode: false,
      storeId: account.storeId,
    });
    expect([made.currentPeriodStart, made.currentPeriodEnd, made.nextBillingDate]).toEqual([
      '2026-01-31T10:00:00.000Z',
      '2026-02-28T10:00:00.000Z',
      '2026-02-28T10:00:00.000Z',
    ]);
    expect(made.latestPayment).toMatchObject({
      id: made.latestPaymentId,
      amount: 3000,
      status: 'succeeded',
      subscriptionId: made.id,
    });
    expect((await account.api.ok('/payments', { filters: { subscriptionId: made.id } })).items).toEqual([
      made.latestPayment,
    ]);
    expect(await eventsOf(platform, made.id)).toEqual(['created', 'activated']);
  });

  test('a trial is free, is announced, and is followed by the first charge at its end', async () => {
    const made = await subscribe('tok_visa', { trialDays: 10 });
    expect(made).toMatchObject({
      status: 'trialing',
      latestPaymentId: null,
      trialEndsAt: days(10).toISOString(),
      nextBillingDate: days(10).toISOString(),
    });
    const end = days(10);
    await pass(9);
    expect(await chargesOf(platform, made.id)).toEqual([]);
    await pass(1);
    expect(await read(made.id)).toMatchObject({ status: 'active', currentPeriodStart: end.toISOString() });
    expect([await chargesOf(platform, made.id), await eventsOf(platform, made.id)]).toEqual([
      ['1000 succeeded'],
      ['created', 'rebillUpcoming', 'activated'],
    ]);
  });

  test("the price's own trial applies, and trialDays 0 removes it", async () => {
    const withTrial = await priceOf(account, { trialDays: 7 });
    expect((await subscribe('tok_visa', { priceId: withTrial })).status).toBe('trialing');
    expect((await subscribe('tok_visa', { priceId: withTrial, trialDays: 0 })).status).toBe('active');
  });

  test('initiatePayment false: active, first charged at the end of its period, or by rebill', async () => {
    const later = await subscribe('tok_visa', { initiatePayment: false });
    const sooner = await subscribe('tok_visa', { initiatePayment: false });
    expect(later).toMatchObject({ status: 'active', latestPayment: null });
    expect(await ok('rebill', { subscriptionId: sooner.id })).toMatchObject({
      status: 'active',
      currentPeriodEnd: sooner.currentPeriodEnd,
      latestPayment: { status: 'succeeded' },
    });
    await pass(32);
    expect([await chargesOf(platform, later.id), await chargesOf(platform, sooner.id)]).toEqual([
      ['1000 succeeded'],
      ['1000 succeeded', '1000 succeeded'],
    ]);
  });

  test('a declined first charge: incomplete, paid by another card within 23 hours', async () => {
    const made = await subscribe('tok_visa_declined');
    expect(made).toMatchObject({
      status: 'incomplete',
      nextBillingDate: null,
      latestPayment: { status: 'declined', failureCode: 'card_declined' },
    });
    expect((await call('update', { subscriptionId: made.id, quantity: 2 })).status).toBe(409);
    await ok('update', { subscriptionId: made.id, paymentInstrumentId: await addCard(made.customerId, 'tok_visa') });
    expect(await ok('rebill', { subscriptionId: made.id })).toMatchObject({
      status: 'active',
      currentPeriodStart: made.createdAt,
    });
    expect(await eventsOf(platform, made.id)).toEqual(['created', 'rebillDeclined', 'updated', 'activated']);
  });

  test('not paid within 23 hours: canceled, and never charged again', async () => {
    const made = await subscribe('tok_visa_declined');
    await passTo(platform, clock, new Date(clock.now().getTime() + 23 * 3_600_000 - 1));
    expect((await read(made.id)).status).toBe('incomplete');
    await passTo(platform, clock, new Date(clock.now().getTime() + 1));
    expect(await read(made.id)).toMatchObject({ status: 'canceled', cancellationReason: 'incomplete_expired' });
    expect((await call('rebill', { subscriptionId: made.id })).status).toBe(409);
    expect(await chargesOf(platform, made.id)).toEqual(['1000 declined']);
  });

  test('3DS on the first charge: incomplete until the payment is continued, then active', async () => {
    const returnUrl = 'https://shop.example.com/back';
    const made = await subscribe('tok_visa_3ds', { returnUrl });
    expect(
      (await platform.services.prisma.payment.findUniqueOrThrow({ where: { id: made.latestPaymentId } })).returnUrl,
    ).toBe(returnUrl);
    expect(
      (await call('create', { customerId: made.customerId, priceId, returnUrl: 'back' })).body.data.issues[0].path,
    ).toBe('returnUrl');
    expect(made).toMatchObject({
      status: 'incomplete',
      latestPayment: { subStatus: 'requires_action', requireActionData: { type: 'redirect' } },
    });
    expect((await call('rebill', { subscriptionId: made.id })).status).toBe(409);
    await fetch(`${platform.url}/test/3ds/${made.latestPayment.requireActionData.threedsSessionId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"outcome":"success"}',
    });
    expect((await read(made.id)).status).toBe('incomplete');
    await account.api.ok('/payments/continue', { paymentId: made.latestPaymentId });
    expect((await read(made.id)).status).toBe('active');
    expect([await chargesOf(platform, made.id), await eventsOf(platform, made.id)]).toEqual([
      ['1000 succeeded'],
      ['created', 'activated'],
    ]);
  });

  test('a failed 3DS can be retried; a canceled one is closed', async () => {
    const [failed, canceled] = [await subscribe('tok_visa_3ds'), await subscribe('tok_visa_3ds')];
    await fetch(`${platform.url}/test/3ds/${failed.latestPayment.requireActionData.threedsSessionId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"outcome":"fail"}',
    });
    await account.api.ok('/payments/continue', { paymentId: failed.latestPaymentId });
    expect(await read(failed.id)).toMatchObject({
      status: 'incomplete',
      latestPayment: { failureCode: 'authentication_failed' },
    });
    await ok('cancel', { subscriptionId: canceled.id });
    expect((await account.api.ok(`/payments/${canceled.latestPaymentId}`)).payment).toMatchObject({
      status: 'failed',
      subStatus: 'authentication_expired',
    });
  });

  test('a 3DS that nobody answers leaves it incomplete for 23 hours: charged again within them, canceled after', async () => {
    const [unanswered, retried] = [await subscribe('tok_visa_3ds'), await subscribe('tok_visa_3ds')];
    const created = clock.now().getTime();
    await passTo(platform, clock, new Date(created + 30 * 60_000));
    for (const { id } of [unanswered, retried]) {
      expect(await read(id)).toMatchObject({
        status: 'incomplete',
        cancellationReason: null,
        latestPayment: { status: 'failed', subStatus: 'authentication_expired' },
      });
      expect(await eventsOf(platform, id)).toEqual(['created', 'rebillDeclined']);
    }
    await passTo(platform, clock, new Date(created + 23 * 3_600_000 - 1));
    expect((await read(unanswered.id)).status).toBe('incomplete');
    await ok('update', {
      subscriptionId: retried.id,
      paymentInstrumentId: await addCard(retried.customerId, 'tok_visa'),
    });
    expect((await ok('rebill', { subscriptionId: retried.id })).status).toBe('active');
    await passTo(platform, clock, new Date(created + 23 * 3_600_000));
    expect(await read(unanswered.id)).toMatchObject({ status: 'canceled', cancellationReason: 'incomplete_expired' });
    expect(await eventsOf(platform, unanswered.id)).toEqual(['created', 'rebillDeclined', 'canceled']);
    expect([await chargesOf(platform, unanswered.id), await chargesOf(platform, retried.id)]).toEqual([
      ['1000 failed'],
      ['1000 failed', '1000 succeeded'],
    ]);
  });

  test('the same Idempotency-Key again: the same answer, one subscription, one charge', async () => {
    const { customerId } = await account.instrument();
    const create = (more = {}) =>
      account.api.call(
        '/subscriptions/create',
        { customerId, priceId, ...more },
        { headers: { 'Idempotency-Key': `subscribe-${customerId}` } },
      );
    const answers = await Promise.all([create(), create(), create()]);
    const again = await create();
    for (const answer of [...answers, again]) expect([answer.status, answer.body]).toEqual([200, again.body]);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await create({ quantity: 2 })).toMatchObject({
      status: 409,
      body: { data: { reason: 'idempotency_key_reused' } },
    });
    expect((await account.api.ok('/subscriptions/list', { filters: { customerId } })).total).toBe(1);
    expect(await chargesOf(platform, again.body.id)).toEqual(['1000 succeeded']);
  });

  test('400, 404 and 409 for an invalid price or card', async () => {
    const { customerId, id } = await account.instrument();
    const other = await partner.account();
    const create = (more: Record<string, unknown>) => call('create', { customerId, priceId, ...more });
    const pathOf = (answer: Awaited<ReturnType<typeof create>>) => [answer.status, answer.body.data.issues?.[0].path];
    expect(pathOf(await create({ priceId: await priceOf(account, { interval: null, recurring: false }) }))).toEqual([
      400,
      'priceId',
    ]);
    expect(pathOf(await create({ priceId: await priceOf(account, { currency: 'EUR' }) }))).toEqual([400, 'priceId']);
    expect(pathOf(await create({ priceId: await priceOf(account, { amount: 99_999_999_999 }), quantity: 2 }))).toEqual([
      400,
      'quantity',
    ]);
    for (const trialDays of [-1, 731]) expect(pathOf(await create({ trialDays }))).toEqual([400, 'trialDays']);
    expect(pathOf(await create({ paymentInstrumentId: (await account.instrument()).id }))).toEqual([
      400,
      'paymentInstrumentId',
    ]);
    expect(
      pathOf(
        await create({ customerId: (await account.api.ok('/customers/create', { email: 'cardless@example.com' })).id }),
      ),
    ).toEqual([400, 'paymentInstrumentId']);
    for (const more of [
      { priceId: await priceOf(other) },
      { customerId: (await other.instrument()).customerId },
      { paymentInstrumentId: (await other.instrument()).id },
    ])
      expect((await create(more)).status).toBe(404);
    expect((await create({ storeId: other.storeId })).status).toBe(403);
    await account.api.ok(`/payment-instruments/${id}`, undefined, { method: 'DELETE' });
    expect((await create({ paymentInstrumentId: id })).status).toBe(409);
  });
});

describe('renewals', () => {
  test('twelve in a year, each at its month end, each announced three days before', async () => {
    clock.set(new Date('2027-01-31T10:00:00.000Z'));
    await passTo(platform, clock, clock.now());
    const made = await subscribe();
    await passTo(platform, clock, new Date('2028-01-31T10:00:00.000Z'));
    const payments = await platform.services.prisma.payment.findMany({
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
    expect(await eventsOf(platform, made.id)).toEqual([
      'created',
      'activated',
      ...Array.from({ length: 12 }, () => ['rebillUpcoming', 'rebillSucceeded']).flat(),
    ]);
  });

  test('a server that was down for months charges each period once', async () => {
    const made = await subscribe();
    clock.set(days(100));
    await passTo(platform, clock, clock.now());
    expect((await chargesOf(platform, made.id)).length).toBe(4);
    expect((await read(made.id)).currentPeriodEnd > clock.now().toISOString()).toBe(true);
  });

  test('a decline: past due, retried after 1, 3, 5 and 7 days, then canceled', async () => {
    const made = await subscribe('4000000000000341');
    await passTo(platform, clock, new Date(made.currentPeriodEnd));
    expect(await read(made.id)).toMatchObject({ status: 'past_due', nextBillingDate: days(1).toISOString() });
    const due = clock.now().getTime();
    await pass(40);
    expect(await read(made.id)).toMatchObject({
      status: 'canceled',
      cancellationReason: 'payment_failed',
      canceledAt: new Date(due + 7 * dayMs).toISOString(),
    });
    const payments = await platform.services.prisma.payment.findMany({
      where: { subscriptionId: made.id },
      orderBy: { createdAt: 'asc' },
    });
    expect(payments.slice(1).map(({ createdAt }) => (createdAt.getTime() - due) / dayMs)).toEqual([0, 1, 3, 5, 7]);
    expect((await eventsOf(platform, made.id)).slice(3)).toEqual([
      'pastDue',
      'rebillDeclined',
      'rebillDeclined',
      'rebillDeclined',
      'canceled',
    ]);
  });

  test('past due is paid by the next retry with another card, or immediately by rebill', async () => {
    const [waits, asks] = [await subscribe('4000000000000341'), await subscribe('4000000000000341')];
    await passTo(platform, clock, new Date(waits.currentPeriodEnd));
    for (const made of [waits, asks])
      await ok('update', { subscriptionId: made.id, paymentInstrumentId: await addCard(made.customerId, 'tok_visa') });
    expect((await ok('rebill', { subscriptionId: asks.id })).status).toBe('active');
    expect((await read(waits.id)).status).toBe('past_due');
    await pass(1);
    expect(await read(waits.id)).toMatchObject({ status: 'active', currentPeriodStart: waits.currentPeriodEnd });
    for (const { id } of [waits, asks])
      expect((await eventsOf(platform, id)).slice(-2)).toEqual(['updated', 'activated']);
  });

  test('a hard decline cancels it immediately', async () => {
    const made = await subscribe();
    await ok('update', {
      subscriptionId: made.id,
      paymentInstrumentId: await addCard(made.customerId, '4000000000009987'),
    });
    await passTo(platform, clock, new Date(made.currentPeriodEnd));
    expect(await read(made.id)).toMatchObject({ status: 'canceled', latestPayment: { failureCode: 'lost_card' } });
    expect((await eventsOf(platform, made.id)).slice(-2)).toEqual(['rebillUpcoming', 'canceled']);
  });

  test('an unknown outcome is resolved first, and charged once', async () => {
    const made = await subscribe();
    await ok('update', {
      subscriptionId: made.id,
      paymentInstrumentId: await addCard(made.customerId, '4000000000006975'),
    });
    clock.set(new Date(made.currentPeriodEnd));
    for (let pass = 0; pass < 3; pass++) await runDueSubscriptions(platform.services);
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
    await resolveUnknownPayments(platform.services);
    await runDueSubscriptions(platform.services);
    expect(await read(made.id)).toMatchObject({ status: 'active', currentPeriodStart: made.currentPeriodEnd });
    expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded', '1000 succeeded']);
  });

  test('an inactive account is not charged, loses nothing, and is charged when it is active again', async () => {
    const made = await subscribe();
    await platform.services.prisma.processingAccount.update({
      where: { id: account.id },
      data: { status: 'suspended' },
    });
    await passTo(platform, clock, new Date(new Date(made.currentPeriodEnd).getTime() + dayMs));
    expect((await read(made.id)).status).toBe('active');
    expect((await call('create', { customerId: made.customerId, priceId })).status).toBe(403);
    await platform.services.prisma.processingAccount.update({ where: { id: account.id }, data: { status: 'active' } });
    await pass(1);
    expect([(await read(made.id)).currentPeriodStart, await chargesOf(platform, made.id)]).toEqual([
      made.currentPeriodEnd,
      ['1000 succeeded', '1000 succeeded'],
    ]);
  });
});

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
    expect(await eventsOf(platform, made.id)).toEqual([
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
    expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded']);
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
    await account.api.ok('/payments/refund', { paymentId: made.latestPaymentId, cancelSubscription: true });
    expect(await read(made.id)).toMatchObject({
      status: 'canceled',
      cancellationReason: 'refunded',
      latestPayment: { status: 'refunded' },
    });
    expect((await eventsOf(platform, made.id)).at(-1)).toBe('canceled');
    const { payment } = await account.charge();
    await account.api.ok('/payments/refund', { paymentId: payment['id'], cancelSubscription: true });
  });

  test('409 when a card of a live subscription is deleted, 200 when it has ended', async () => {
    const made = await subscribe();
    const remove = () =>
      account.api.call(`/payment-instruments/${made.paymentInstrumentId}`, undefined, { method: 'DELETE' });
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
    expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded']);
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
    expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded', '1000 succeeded']);
    expect((await eventsOf(platform, made.id)).slice(-3)).toEqual(['paused', 'resumed', 'rebillSucceeded']);
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
    await passTo(platform, clock, clock.now());
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
    expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded', '2322 succeeded']);
    expect((await read(made.id)).balance).toBe(0);
  });

  test('a credit reduces the next charge and is carried on; a charge it covers is not made', async () => {
    const made = await subscribe('tok_visa', { quantity: 10 });
    expect(await ok('update', { subscriptionId: made.id, quantity: 4 })).toMatchObject({ balance: -6000 });
    await passTo(platform, clock, new Date(made.currentPeriodEnd));
    expect(await read(made.id)).toMatchObject({
      status: 'active',
      balance: -2000,
      currentPeriodStart: made.currentPeriodEnd,
    });
    expect(await chargesOf(platform, made.id)).toEqual(['10000 succeeded']);
    await pass(31);
    expect(await chargesOf(platform, made.id)).toEqual(['10000 succeeded', '2000 succeeded']);
    expect((await eventsOf(platform, made.id)).filter((type) => type === 'rebillSucceeded').length).toBe(2);
  });

  test('prorate false: the new price applies from the next period', async () => {
    const made = await subscribe();
    expect(await ok('update', { subscriptionId: made.id, quantity: 5, prorate: false })).toMatchObject({
      balance: 0,
      amount: 5000,
    });
    await passTo(platform, clock, new Date(made.currentPeriodEnd));
    expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded', '5000 succeeded']);
  });

  test('another interval: a new period now, charged immediately less the unused part', async () => {
    const yearly = await priceOf(account, { amount: 9000, interval: 'year' });
    const made = await subscribe();
    const half = (new Date(made.currentPeriodEnd).getTime() - clock.now().getTime()) / 2;
    await passTo(platform, clock, new Date(clock.now().getTime() + half));
    const now = clock.now().toISOString();
    expect(await ok('update', { subscriptionId: made.id, priceId: yearly })).toMatchObject({
      status: 'active',
      interval: 'year',
      amount: 9000,
      balance: 0,
      currentPeriodStart: now,
      priceId: yearly,
    });
    expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded', '8500 succeeded']);
  });

  test('nothing named or no difference: 200 without an event; another currency or store: 400', async () => {
    const made = await subscribe();
    expect(await ok('update', { subscriptionId: made.id })).toEqual(await read(made.id));
    await ok('update', {
      subscriptionId: made.id,
      priceId,
      quantity: 1,
      paymentInstrumentId: made.paymentInstrumentId,
    });
    expect(await eventsOf(platform, made.id)).toEqual(['created', 'activated']);
    expect(
      (await call('update', { subscriptionId: made.id, paymentInstrumentId: (await account.instrument()).id })).body
        .data.issues[0].path,
    ).toBe('paymentInstrumentId');
    expect(
      (await call('update', { subscriptionId: made.id, priceId: await priceOf(account, { currency: 'EUR' }) })).body
        .data.issues[0].path,
    ).toBe('priceId');
    await ok('cancel', { subscriptionId: made.id });
    expect((await call('update', { subscriptionId: made.id, quantity: 2 })).status).toBe(409);
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
    await passTo(platform, clock, new Date(made.currentPeriodEnd));
    expect((await chargesOf(platform, made.id)).length).toBe(2);
    await passTo(platform, clock, new Date(ahead.currentPeriodEnd));
    expect((await chargesOf(platform, made.id)).length).toBe(3);
  });

  test('declined early it changes nothing, and the period is charged when it starts', async () => {
    const made = await subscribe('4000000000000341');
    expect(await ok('rebill', { subscriptionId: made.id })).toMatchObject({
      status: 'active',
      currentPeriodEnd: made.currentPeriodEnd,
      latestPayment: { status: 'declined' },
    });
    await ok('update', { subscriptionId: made.id, paymentInstrumentId: await addCard(made.customerId, 'tok_visa') });
    await passTo(platform, clock, new Date(made.currentPeriodEnd));
    expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded', '1000 declined', '1000 succeeded']);
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
    expect((await chargesOf(platform, made.id)).length).toBe(2);
  });
});

describe('visibility', () => {
  test('404 for another account, by every operation, without a hint that it exists', async () => {
    const made = await subscribe();
    const other = await partner.account();
    expect((await other.api.call(`/subscriptions/${made.id}`)).status).toBe(404);
    for (const what of ['cancel', 'pause', 'resume', 'update', 'rebill'])
      expect((await other.api.call(`/subscriptions/${what}`, { subscriptionId: made.id })).status).toBe(404);
    const card = await other.instrument();
    expect(
      (
        await other.api.call('/payments/process', {
          paymentInstrumentId: card.id,
          amount: 100,
          currency: 'USD',
          subscriptionId: made.id,
        })
      ).status,
    ).toBe(404);
  });

  test('a separate charge may name a subscription of its payer; another one is 400', async () => {
    const [mine, other] = [await subscribe(), await subscribe()];
    const charge = (subscriptionId: string) =>
      account.api.call('/payments/process', {
        paymentInstrumentId: mine.paymentInstrumentId,
        amount: 100,
        currency: 'USD',
        subscriptionId,
      });
    expect((await charge(mine.id)).body.payment).toMatchObject({ status: 'succeeded', subscriptionId: mine.id });
    expect((await charge(other.id)).body.data.issues[0].path).toBe('subscriptionId');
  });

  test('POST /subscriptions/list: by status, customer and price, sorted by date, next billing and status', async () => {
    const own = await partner.account();
    const ownPrice = await priceOf(own);
    const weekly = await priceOf(own, { interval: 'week' });
    const create = async (price: string) =>
      own.api.ok('/subscriptions/create', { customerId: (await own.instrument()).customerId, priceId: price });
    const [month, week, ended] = [await create(ownPrice), await create(weekly), await create(ownPrice)];
    await own.api.ok('/subscriptions/cancel', { subscriptionId: ended.id });
    const list = async (body: object) =>
      (await own.api.ok('/subscriptions/list', body)).items.map(({ id }: { id: string }) => id);
    expect((await own.api.ok('/subscriptions/list', {})).total).toBe(3);
    expect(await list({ filters: { status: ['canceled'] } })).toEqual([ended.id]);
    expect(await list({ filters: { customerId: week.customerId } })).toEqual([week.id]);
    expect(await list({ filters: { priceId: weekly } })).toEqual([week.id]);
    expect(await list({ sortBy: { field: 'nextBillingDate', direction: 'asc' } })).toEqual([
      week.id,
      month.id,
      ended.id,
    ]);
    expect((await list({ sortBy: { field: 'status', direction: 'desc' } }))[0]).toBe(ended.id);
    expect((await own.api.call('/subscriptions/list', { sortBy: { field: 'amount', direction: 'asc' } })).status).toBe(
      400,
    );
  });
});

test('the ledger and the records of the processor agree', async () =>
  expect((await verifyLedger(platform.services)).differences).toEqual([]));
