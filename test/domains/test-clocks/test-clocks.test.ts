import { describe, expect, test } from 'vitest';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();

const begin = '2027-01-31T12:00:00.000Z';
const newClock = (now = begin) => account.api.ok('/test-clocks/create', { name: 'A year ahead', now });
const newCustomer = (testClockId: string, email = `${testClockId}@example.com`) =>
  account.api.ok('/customers/create', { email, testClockId });

describe('test clocks', () => {
  test('200: a clock is at the time it was set to, ready', async () => {
    const clock = await newClock();
    expect(clock).toEqual({
      id: expect.stringMatching(/^clock_/),
      platformAccountId: account.id,
      name: 'A year ahead',
      now: begin,
      status: 'ready',
      target: null,
      stepsDone: 0,
      failureReason: null,
      livemode: false,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await account.api.ok(`/test-clocks/${clock.id}`)).toEqual(clock);
    expect(
      (await account.api.ok('/test-clocks/list', { filters: { status: ['ready'], storeId: account.storeId } }))
        .items[0],
    ).toEqual(clock);
    expect((await account.api.ok('/test-clocks/list', { filters: { status: ['advancing'] } })).total).toBe(0);
  });

  test('403 forbidden_scope to keys of live mode, before the body is read', async () => {
    const live = await seedPartner(platform, 'live', partner.id);
    const liveAccount = await live.account();
    for (const { api } of [live, liveAccount]) {
      for (const path of ['/test-clocks/create', '/test-clocks/list', '/test-clocks/clock_0000000000000000/advance']) {
        expect(await api.call(path, '{')).toMatchObject({
          status: 403,
          body: { code: 'FORBIDDEN', data: { reason: 'forbidden_scope' } },
        });
      }
    }
    const { id } = await newClock();
    expect(
      await liveAccount.api.call('/customers/create', { email: 'live@example.com', testClockId: id }),
    ).toMatchObject({ status: 404 });
  });

  test('400 without storeId with a partner key, 403 with a foreign one, 200 with its own', async () => {
    const body = { name: 'Partner', now: begin };
    expect(await partner.api.call('/test-clocks/create', body)).toMatchObject({
      status: 400,
      body: { data: { issues: [{ path: 'storeId' }] } },
    });
    const stranger = await (await seedPartner(platform)).account();
    expect(await partner.api.call('/test-clocks/create', { ...body, storeId: stranger.storeId })).toMatchObject({
      status: 403,
    });
    expect(await partner.api.ok('/test-clocks/create', { ...body, storeId: account.storeId })).toMatchObject({
      platformAccountId: account.id,
    });
  });

  test('400 outside of 2000 to 2100, 200 at both ends', async () => {
    for (const now of ['1999-12-31T23:59:59.999Z', '2100-01-01T00:00:00.001Z'])
      expect(await account.api.call('/test-clocks/create', { name: 'x', now })).toMatchObject({
        status: 400,
        body: { data: { issues: [{ path: 'now' }] } },
      });
    for (const now of ['2000-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z'])
      expect(await newClock(now)).toMatchObject({ now });
  });

  test('409 limit_reached at the 1001st clock of an account', async () => {
    const full = await partner.account();
    await platform.services.pool.query(
      `INSERT INTO test_clocks (id, "partnerId", "platformAccountId", mode, name, now, "createdAt", "updatedAt")
        SELECT 'clock_' || $1 || n, $2, $1, 'test', 'n', now(), now(), now()
        FROM generate_series(1, 999) n`,
      [full.id, partner.id],
    );
    const create = () => full.api.call('/test-clocks/create', { name: 'last', now: begin });
    const answers = await Promise.all([create(), create()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.data.reason).toBe('limit_reached');
  });

  test('404 for a customer on a clock of another account, or on an unknown one', async () => {
    const { id } = await (await partner.account()).api.ok('/test-clocks/create', { name: 'Other', now: begin });
    const body = { email: 'unknown@example.com', storeId: account.storeId };
    for (const api of [account.api, partner.api])
      expect(await api.call('/customers/create', { ...body, testClockId: id })).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
    expect(
      await account.api.call('/customers/create', { ...body, testClockId: 'clock_0000000000000000' }),
    ).toMatchObject({ status: 404 });
  });
});

describe('the time of a customer on a test clock', () => {
  test('everything a key does to the customer has the time of the clock; others stay in real time', async () => {
    const clock = await newClock();
    const customer = await newCustomer(clock.id);
    expect(customer).toMatchObject({ testClockId: clock.id, createdAt: begin, updatedAt: begin });
    const { paymentInstrument } = await account.api.ok('/payment-instruments/create-from-token', {
      token: 'tok_visa',
      customerId: customer.id,
    });
    const { token } = await account.api.ok('/payment-instruments/tokenize', {
      cardNumber: '4242424242424242',
      expMonth: 12,
      expYear: 2035,
      cvc: '123',
    });
    const second = await account.api.ok('/payment-instruments/create-from-token', {
      token,
      customerData: { email: customer.email.toUpperCase() },
    });
    expect([paymentInstrument.createdAt, second.paymentInstrument.createdAt, second.customer.id]).toEqual([
      begin,
      begin,
      customer.id,
    ]);
    const order = await account.api.ok('/orders/create', {
      customerId: customer.id,
      currency: 'USD',
      items: [{ name: 'A thing', quantity: 1, unitAmount: 500 }],
    });
    const charge = await account.api.ok('/payments/process', {
      paymentInstrumentId: second.paymentInstrument.id,
      amount: 500,
      currency: 'USD',
      orderId: order.id,
    });
    const { refund } = await account.api.ok('/payments/refund', { paymentId: charge.payment.id, amount: 200 });
    await account.api.ok(`/customers/${customer.id}`, { firstName: 'Later' }, { method: 'PUT' });
    expect(
      [order.createdAt, charge.payment.createdAt, charge.transactions[0].createdAt].concat(
        refund.createdAt.slice(0, 19),
      ),
    ).toEqual([begin, begin, begin, begin.slice(0, 19)]);
    const events = await platform.services.prisma.event.findMany({ where: { testClockId: clock.id } });
    expect(events.every(({ createdAt }) => createdAt.toISOString() === begin)).toBe(true);
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set([
        'customer/created',
        'customer/updated',
        'paymentInstrument/created',
        'order/created',
        'payment/created',
        'payment/succeeded',
        'payment/refunded',
        'order/paid',
        'order/refunded',
      ]),
    );
    const other = await account.charge();
    expect(Math.abs(Date.parse(String(other.payment['createdAt'])) - Date.now())).toBeLessThan(60_000);
  });

  test('409 already_exists for the email of a customer on no clock or another one; 200 for one on this clock', async () => {
    const { api } = account;
    const clock = await newClock();
    const { id } = await api.ok('/customers/create', { email: 'there@example.com' });
    const other = await newCustomer((await newClock()).id, 'elsewhere@example.com');
    const own = await newCustomer(clock.id, 'own@example.com');
    for (const email of ['there@example.com', 'Elsewhere@example.com'])
      expect(await api.call('/customers/create', { email, testClockId: clock.id })).toMatchObject({
        status: 409,
        body: { data: { reason: 'already_exists' }, message: expect.stringContaining('is not on this test clock') },
      });
    expect(await api.ok(`/customers/${id}`)).toMatchObject({ testClockId: null });
    expect(await api.ok(`/customers/${other.id}`)).toMatchObject({ testClockId: other.testClockId });
    expect(await newCustomer(clock.id, 'OWN@example.com')).toEqual(own);
    expect(await api.ok('/customers/create', { email: 'own@example.com' })).toEqual(own);
  });

  test('an Idempotency-Key is kept for a day of real time, regardless of the test clock', async () => {
    const clock = await newClock('2001-01-01T00:00:00.000Z');
    const body = { email: 'past@example.com', testClockId: clock.id };
    const headers = { 'Idempotency-Key': 'past-clock' };
    const first = await account.api.ok('/customers/create', body, { headers });
    const kept = await platform.services.prisma.idempotencyRecord.findFirstOrThrow({ where: { key: 'past-clock' } });
    expect(Math.abs(kept.createdAt.getTime() - Date.now())).toBeLessThan(60_000);
    expect((await account.api.call('/customers/create', body, { headers })).body).toEqual(first);
  });
});

describe('advancing', () => {
  const after = (days: number, from = begin) => new Date(Date.parse(from) + days * 86_400_000).toISOString();

  test('an authorization and a challenge expire by the clock, in order, and not by the jobs', async () => {
    const clock = await newClock();
    const customer = await newCustomer(clock.id);
    const charge = async (card: string, more: object) => {
      const { paymentInstrument } = await account.api.ok('/payment-instruments/create-from-token', {
        token: card,
        customerId: customer.id,
      });
      return (
        await account.api.ok('/payments/process', {
          paymentInstrumentId: paymentInstrument.id,
          amount: 500,
          currency: 'USD',
          ...more,
        })
      ).payment;
    };
    const held = await charge('tok_visa', { mode: 'auth' });
    const challenged = await charge('tok_visa_3ds', {});
    expect(challenged.requireActionData.expiresAt).toBe('2027-01-31T12:30:00.000Z');
    const stateOf = async ({ id }: { id: string }) => (await account.api.ok(`/payments/${id}`)).payment;

    const reached = await account.api.ok(`/test-clocks/${clock.id}/advance`, { to: after(6) });
    expect(reached).toMatchObject({ status: 'ready', now: after(6), target: null, stepsDone: 1 });
    expect(await stateOf(challenged)).toMatchObject({
      subStatus: 'authentication_expired',
      updatedAt: '2027-01-31T12:30:00.000Z',
    });
    expect(await stateOf(held)).toMatchObject({ subStatus: 'authorized' });
    expect(await account.api.ok(`/test-clocks/${clock.id}/advance`, { to: after(7) })).toMatchObject({
      status: 'ready',
      stepsDone: 1,
    });
    expect(await stateOf(held)).toMatchObject({ subStatus: 'expired', updatedAt: after(7) });
  });

  test('400 backwards, beyond 731 days and past 2100; 200 at the bounds', async () => {
    const { id } = await newClock();
    const to = (moment: string) => account.api.call(`/test-clocks/${id}/advance`, { to: moment });
    expect(await to(new Date(Date.parse(begin) - 1).toISOString())).toMatchObject({
      status: 400,
      body: { data: { issues: [{ path: 'to', message: expect.stringContaining('only goes forward') }] } },
    });
    expect(await to(new Date(Date.parse(after(731)) + 1).toISOString())).toMatchObject({
      status: 400,
      body: { data: { issues: [{ path: 'to' }] } },
    });
    expect(await to(begin)).toMatchObject({ status: 200, body: { status: 'ready', now: begin } });
    expect(await to(after(731))).toMatchObject({ status: 200, body: { status: 'ready', now: after(731) } });
    const late = await newClock('2099-12-31T00:00:00.000Z');
    expect(await account.api.call(`/test-clocks/${late.id}/advance`, { to: '2100-01-01T00:00:00.001Z' })).toMatchObject(
      { status: 400 },
    );
    expect(await account.api.call(`/test-clocks/${late.id}/advance`, { to: '2100-01-01T00:00:00.000Z' })).toMatchObject(
      { status: 200 },
    );
  });

  test('200 once and the same answer again under one Idempotency-Key', async () => {
    const { id } = await newClock();
    const headers = { 'Idempotency-Key': `advance-${id}` };
    const first = await account.api.call(`/test-clocks/${id}/advance`, { to: after(1) }, { headers });
    await account.api.ok(`/test-clocks/${id}/advance`, { to: after(2) });
    const again = await account.api.call(`/test-clocks/${id}/advance`, { to: after(1) }, { headers });
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
    expect(first.body).toMatchObject({ status: 'ready', now: after(1) });
  });
});
