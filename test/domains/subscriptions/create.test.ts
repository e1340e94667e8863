import { describe, expect, test } from 'vitest';
import { chargesOf, eventsOf, passTo, priceOf } from '../../support/subscriptions.ts';
import { subscriptionWorld } from './world.ts';

const world = subscriptionWorld();
const { addCard, call, clock, days, ok, pass, read, subscribe } = world;

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
      storeId: world.account.storeId,
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
    expect((await world.account.api.ok('/payments', { filters: { subscriptionId: made.id } })).items).toEqual([
      made.latestPayment,
    ]);
    expect(await eventsOf(world.platform, made.id)).toEqual(['created', 'activated']);
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
    expect(await chargesOf(world.platform, made.id)).toEqual([]);
    await pass(1);
    expect(await read(made.id)).toMatchObject({ status: 'active', currentPeriodStart: end.toISOString() });
    expect([await chargesOf(world.platform, made.id), await eventsOf(world.platform, made.id)]).toEqual([
      ['1000 succeeded'],
      ['created', 'rebillUpcoming', 'activated'],
    ]);
  });

  test("the price's own trial applies, and trialDays 0 removes it", async () => {
    const withTrial = await priceOf(world.account, { trialDays: 7 });
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
    expect([await chargesOf(world.platform, later.id), await chargesOf(world.platform, sooner.id)]).toEqual([
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
    expect(await eventsOf(world.platform, made.id)).toEqual(['created', 'rebillDeclined', 'updated', 'activated']);
  });

  test('not paid within 23 hours: canceled, and never charged again', async () => {
    const made = await subscribe('tok_visa_declined');
    await passTo(world.platform, clock, new Date(clock.now().getTime() + 23 * 3_600_000 - 1));
    expect((await read(made.id)).status).toBe('incomplete');
    await passTo(world.platform, clock, new Date(clock.now().getTime() + 1));
    expect(await read(made.id)).toMatchObject({ status: 'canceled', cancellationReason: 'incomplete_expired' });
    expect((await call('rebill', { subscriptionId: made.id })).status).toBe(409);
    expect(await chargesOf(world.platform, made.id)).toEqual(['1000 declined']);
  });

  test('3DS on the first charge: incomplete until the payment is continued, then active', async () => {
    const returnUrl = 'https://shop.example.com/back';
    const made = await subscribe('tok_visa_3ds', { returnUrl });
    expect(
      (await world.platform.services.prisma.payment.findUniqueOrThrow({ where: { id: made.latestPaymentId } }))
        .returnUrl,
    ).toBe(returnUrl);
    expect(
      (await call('create', { customerId: made.customerId, priceId: world.priceId, returnUrl: 'back' })).body.data
        .issues[0].path,
    ).toBe('returnUrl');
    expect(made).toMatchObject({
      status: 'incomplete',
      latestPayment: { subStatus: 'requires_action', requireActionData: { type: 'redirect' } },
    });
    expect((await call('rebill', { subscriptionId: made.id })).status).toBe(409);
    await fetch(`${world.platform.url}/test/3ds/${made.latestPayment.requireActionData.threedsSessionId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"outcome":"success"}',
    });
    expect((await read(made.id)).status).toBe('incomplete');
    await world.account.api.ok('/payments/continue', { paymentId: made.latestPaymentId });
    expect((await read(made.id)).status).toBe('active');
    expect([await chargesOf(world.platform, made.id), await eventsOf(world.platform, made.id)]).toEqual([
      ['1000 succeeded'],
      ['created', 'activated'],
    ]);
  });

  test('a failed 3DS can be retried; a canceled one is closed', async () => {
    const [failed, canceled] = [await subscribe('tok_visa_3ds'), await subscribe('tok_visa_3ds')];
    await fetch(`${world.platform.url}/test/3ds/${failed.latestPayment.requireActionData.threedsSessionId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"outcome":"fail"}',
    });
    await world.account.api.ok('/payments/continue', { paymentId: failed.latestPaymentId });
    expect(await read(failed.id)).toMatchObject({
      status: 'incomplete',
      latestPayment: { failureCode: 'authentication_failed' },
    });
    await ok('cancel', { subscriptionId: canceled.id });
    expect((await world.account.api.ok(`/payments/${canceled.latestPaymentId}`)).payment).toMatchObject({
      status: 'failed',
      subStatus: 'authentication_expired',
    });
  });

  test('a 3DS without an answer leaves it incomplete for 23 hours: charged again within them, canceled after', async () => {
    const [unanswered, retried] = [await subscribe('tok_visa_3ds'), await subscribe('tok_visa_3ds')];
    const created = clock.now().getTime();
    await passTo(world.platform, clock, new Date(created + 30 * 60_000));
    for (const { id } of [unanswered, retried]) {
      expect(await read(id)).toMatchObject({
        status: 'incomplete',
        cancellationReason: null,
        latestPayment: { status: 'failed', subStatus: 'authentication_expired' },
      });
      expect(await eventsOf(world.platform, id)).toEqual(['created', 'rebillDeclined']);
    }
    await passTo(world.platform, clock, new Date(created + 23 * 3_600_000 - 1));
    expect((await read(unanswered.id)).status).toBe('incomplete');
    await ok('update', {
      subscriptionId: retried.id,
      paymentInstrumentId: await addCard(retried.customerId, 'tok_visa'),
    });
    expect((await ok('rebill', { subscriptionId: retried.id })).status).toBe('active');
    await passTo(world.platform, clock, new Date(created + 23 * 3_600_000));
    expect(await read(unanswered.id)).toMatchObject({ status: 'canceled', cancellationReason: 'incomplete_expired' });
    expect(await eventsOf(world.platform, unanswered.id)).toEqual(['created', 'rebillDeclined', 'canceled']);
    expect([await chargesOf(world.platform, unanswered.id), await chargesOf(world.platform, retried.id)]).toEqual([
      ['1000 failed'],
      ['1000 failed', '1000 succeeded'],
    ]);
  });

  test('the same Idempotency-Key again: the same answer, one subscription, one charge', async () => {
    const { customerId } = await world.account.instrument();
    const create = (more = {}) =>
      world.account.api.call(
        '/subscriptions/create',
        { customerId, priceId: world.priceId, ...more },
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
    expect((await world.account.api.ok('/subscriptions/list', { filters: { customerId } })).total).toBe(1);
    expect(await chargesOf(world.platform, again.body.id)).toEqual(['1000 succeeded']);
  });

  test('400, 404 and 409 for an invalid price or card', async () => {
    const { customerId, id } = await world.account.instrument();
    const other = await world.partner.account();
    const create = (more: Record<string, unknown>) => call('create', { customerId, priceId: world.priceId, ...more });
    const pathOf = (answer: Awaited<ReturnType<typeof create>>) => [answer.status, answer.body.data.issues?.[0].path];
    expect(
      pathOf(await create({ priceId: await priceOf(world.account, { interval: null, recurring: false }) })),
    ).toEqual([400, 'priceId']);
    expect(pathOf(await create({ priceId: await priceOf(world.account, { currency: 'EUR' }) }))).toEqual([
      400,
      'priceId',
    ]);
    expect(
      pathOf(await create({ priceId: await priceOf(world.account, { amount: 99_999_999_999 }), quantity: 2 })),
    ).toEqual([400, 'quantity']);
    for (const trialDays of [-1, 731]) expect(pathOf(await create({ trialDays }))).toEqual([400, 'trialDays']);
    expect(pathOf(await create({ paymentInstrumentId: (await world.account.instrument()).id }))).toEqual([
      400,
      'paymentInstrumentId',
    ]);
    expect(
      pathOf(
        await create({
          customerId: (await world.account.api.ok('/customers/create', { email: 'cardless@example.com' })).id,
        }),
      ),
    ).toEqual([400, 'paymentInstrumentId']);
    for (const more of [
      { priceId: await priceOf(other) },
      { customerId: (await other.instrument()).customerId },
      { paymentInstrumentId: (await other.instrument()).id },
    ])
      expect((await create(more)).status).toBe(404);
    expect((await create({ storeId: other.storeId })).status).toBe(403);
    await world.account.api.ok(`/payment-instruments/${id}`, undefined, { method: 'DELETE' });
    expect((await create({ paymentInstrumentId: id })).status).toBe(409);
  });
});

describe('the graph says of the current period', () => {
  const periodOf = async (id: string) => {
    const { data } = await world.account.api.graphql(
      'query ($id: ID!) { subscription(subscriptionId: $id) { currentPeriodPaid price { id product { name prices { id } } } } }',
      { id },
    );
    return data.subscription;
  };

  test('that it is paid once its charge has succeeded, and which product its price belongs to', async () => {
    const { id, priceId } = await subscribe();
    expect(await periodOf(id)).toEqual({
      currentPeriodPaid: true,
      price: { id: priceId, product: { name: 'Tea', prices: [{ id: priceId }] } },
    });
    await ok('rebill', { subscriptionId: id });
    expect(await periodOf(id)).toMatchObject({ currentPeriodPaid: true });
  });

  test('that it is not paid during a trial, without a charge, and after a declined first or later charge', async () => {
    const unpaid = [
      await subscribe('tok_visa', { trialDays: 10 }),
      await subscribe('tok_visa', { initiatePayment: false }),
      await subscribe('tok_visa_declined'),
    ];
    const renewed = await subscribe('4000000000000341');
    expect(await periodOf(renewed.id)).toMatchObject({ currentPeriodPaid: true });
    for (const { id } of unpaid) expect(await periodOf(id)).toMatchObject({ currentPeriodPaid: false });
    await pass(31);
    expect(await read(renewed.id)).toMatchObject({ status: 'past_due' });
    expect(await periodOf(renewed.id)).toMatchObject({ currentPeriodPaid: false });
    for (const { id } of unpaid.slice(0, 2)) expect(await periodOf(id)).toMatchObject({ currentPeriodPaid: true });
  });
});

world.expectLedgerToAgree();
