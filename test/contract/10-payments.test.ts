import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expireChallenges } from '../../src/domains/payments/expire-challenges.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolve-unknown-payments.ts';
import { manualClock } from '../../src/kit/clock.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { liftRates } from '../support/rates.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';

const clock = manualClock(new Date('2030-05-01T10:00:00.000Z'));
let platform: TestPlatform;
let partner: SeededPartner;
let account: SeededAccount;
let live: SeededAccount;

beforeAll(async () => {
  platform = await startTestPlatform({ clock, env: { PROCESSOR_TIMEOUT_MS: '1000' } });
  await liftRates(platform);
  partner = await seedPartner(platform);
  account = await partner.account();
  live = await (await seedPartner(platform, 'live', partner.id)).account();
});
afterAll(() => platform?.close());

/** The events of an object, checked to be numbered from 1 without gaps. */
async function eventsOf(objectId: unknown): Promise<string[]> {
  const { rows } = await platform.services.pool.query(
    'SELECT type, sequence FROM events WHERE "objectId" = $1 ORDER BY sequence',
    [objectId],
  );
  expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_row, index) => index + 1));
  return rows.map(({ type }) => type);
}

type Charged = Awaited<ReturnType<SeededAccount['charge']>>;
const stateOf = ({ payment, transactions }: Charged) => [
  payment['status'],
  payment['subStatus'],
  payment['failureCode'],
  transactions.at(-1)?.['status'],
];
const sessionOf = ({ payment }: Charged): string =>
  (payment['requireActionData'] as { threedsSessionId: string }).threedsSessionId;
const proceed = ({ payment }: Charged): Promise<Charged> =>
  account.api.ok('/payments/continue', { paymentId: payment['id'] });

async function answer(session: string, outcome: string) {
  const response = await fetch(`${platform.url}/test/3ds/${session}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ outcome }),
  });
  return { status: response.status, body: await response.json() };
}

/** The test processor's records of a payment. */
async function readRecordedCharges({ transactions }: Charged): Promise<unknown> {
  const { rows } = await platform.services.pool.query(
    'SELECT status, "capturedAmount"::int AS captured FROM test_processor.charges WHERE reference = $1',
    [transactions[0]?.['id']],
  );
  return rows;
}

describe('10 payments: every test card', () => {
  test.each([
    ['4242424242424242', 'succeeded', 'captured', null, 'succeeded'],
    ['5555555555554444', 'succeeded', 'captured', null, 'succeeded'],
    ['378282246310005', 'succeeded', 'captured', null, 'succeeded'],
    ['4000000000003063', 'succeeded', 'captured', null, 'succeeded'],
    ['4000000000000341', 'succeeded', 'captured', null, 'succeeded'],
    ['4111111111111111', 'succeeded', 'captured', null, 'succeeded'],
    ['4000000000000002', 'declined', null, 'card_declined', 'declined'],
    ['4000000000009995', 'declined', null, 'insufficient_funds', 'declined'],
    ['4000000000009987', 'declined', null, 'lost_card', 'declined'],
    ['4000000000000069', 'declined', null, 'expired_card', 'declined'],
    ['4000000000000127', 'declined', null, 'incorrect_cvc', 'declined'],
    ['4000000000000119', 'failed', 'processing_error', 'processing_error', 'failed'],
    ['4000000000003220', 'pending', 'requires_action', null, 'requires_action'],
    ['4000002760003184', 'pending', 'requires_action', null, 'requires_action'],
    ['4000008400001629', 'pending', 'requires_action', null, 'requires_action'],
    ['4000000000006975', 'pending', 'processing', null, 'processing'],
    ['tok_visa', 'succeeded', 'captured', null, 'succeeded'],
    ['tok_mastercard', 'succeeded', 'captured', null, 'succeeded'],
    ['tok_amex', 'succeeded', 'captured', null, 'succeeded'],
    ['tok_visa_declined', 'declined', null, 'card_declined', 'declined'],
    ['tok_visa_insufficient', 'declined', null, 'insufficient_funds', 'declined'],
    ['tok_visa_3ds', 'pending', 'requires_action', null, 'requires_action'],
  ])('10.1 %s: %s/%s %s', async (card, ...state) => {
    const charged = await account.charge(card);
    expect(stateOf(charged)).toEqual(state);
    const outcome = {
      succeeded: 'payment/succeeded',
      declined: 'payment/rejected',
      failed: 'payment/failed',
      pending: state[1] === 'requires_action' ? 'payment/actionRequired' : undefined,
    }[state[0] as string];
    expect(await eventsOf(charged.payment['id'])).toEqual(['payment/created', ...(outcome ? [outcome] : [])]);
    expect(charged.payment['capturedAmount']).toBe(state[0] === 'succeeded' ? 2500 : 0);
    expect(await account.api.ok(`/payments/${charged.payment['id']}`)).toEqual(charged);
  });

  test('10.2 returns the whole answer of a charge', async () => {
    const { payment, transactions } = await account.charge('tok_visa', { metadata: { order: 7 } });
    const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_`));
    expect(payment).toEqual({
      id: id('pay'),
      storeId: account.storeId,
      platformAccountId: account.id,
      customerId: id('cus'),
      paymentInstrumentId: id('pi'),
      orderId: null,
      subscriptionId: null,
      amount: 2500,
      currency: 'USD',
      capturedAmount: 2500,
      refundedAmount: 0,
      status: 'succeeded',
      subStatus: 'captured',
      failureCode: null,
      failureMessage: null,
      requireAction: null,
      requireActionData: null,
      processorId: id('proc'),
      metadata: { order: 7 },
      livemode: false,
      createdAt: clock.now().toISOString(),
      updatedAt: clock.now().toISOString(),
    });
    expect(transactions).toEqual([
      {
        id: id('txn'),
        type: 'purchase',
        status: 'succeeded',
        amount: 2500,
        currency: 'USD',
        processorId: payment['processorId'],
        processorReference: expect.any(String),
        failureCode: null,
        createdAt: clock.now().toISOString(),
      },
    ]);
  });

  test('10.3 a merchant-initiated charge of …0341 is declined, the first one approved', async () => {
    const first = await account.charge('4000000000000341');
    const { payment } = await account.api.ok('/payments/process', {
      paymentInstrumentId: first.payment['paymentInstrumentId'],
      amount: 100,
      currency: 'USD',
      initiatedBy: 'merchant',
      reasonType: 'recurring',
    });
    expect([first.payment['status'], payment.status]).toEqual(['succeeded', 'declined']);
  });
});

describe('10 payments: challenges', () => {
  test('10.10 requireActionData has the challenge URL, for 30 minutes', async () => {
    const { payment } = await account.charge('4000000000003220');
    expect(payment['requireAction']).toBe('threeds_auth');
    expect(payment['requireActionData']).toEqual({
      type: 'redirect',
      url: expect.stringMatching(/\/test\/3ds\/threeds_/),
      threedsSessionId: expect.stringMatching(/^threeds_/),
      expiresAt: new Date(clock.now().getTime() + 30 * 60_000).toISOString(),
    });
  });

  test('10.11 200 and unchanged when continued before the challenge is answered', async () => {
    const charged = await account.charge('4000000000003220');
    expect(await proceed(charged)).toEqual(charged);
  });

  test.each([
    ['4000000000003220', 'success', 'succeeded', 'captured', null],
    ['4000002760003184', 'success', 'succeeded', 'captured', null],
    ['4000008400001629', 'success', 'declined', null, 'card_declined'],
    ['4000000000003220', 'fail', 'declined', null, 'authentication_failed'],
    ['4000002760003184', 'fail', 'declined', null, 'authentication_failed'],
    ['4000008400001629', 'fail', 'declined', null, 'authentication_failed'],
  ])('10.12 %s after %s: %s/%s %s', async (card, outcome, status, subStatus, failureCode) => {
    const charged = await account.charge(card);
    expect(await answer(sessionOf(charged), outcome)).toEqual({
      status: 200,
      body: { threedsSessionId: sessionOf(charged), status: outcome === 'success' ? 'succeeded' : 'failed' },
    });
    const after = await proceed(charged);
    expect(stateOf(after)).toEqual([status, subStatus, failureCode, status]);
    expect([after.payment['requireAction'], after.payment['requireActionData']]).toEqual([null, null]);
    expect(await eventsOf(charged.payment['id'])).toEqual([
      'payment/created',
      'payment/actionRequired',
      status === 'succeeded' ? 'payment/succeeded' : 'payment/rejected',
    ]);
    expect(await proceed(charged)).toEqual(after);
  });

  test('10.13 200 for the same outcome again, 409 for another, 404 for an unknown session', async () => {
    const session = sessionOf(await account.charge('4000000000003220'));
    expect((await answer(session, 'success')).status).toBe(200);
    expect((await answer(session, 'success')).status).toBe(200);
    const other = await answer(session, 'fail');
    expect([other.status, other.body.data.reason]).toEqual([409, 'invalid_state']);
    expect((await answer('threeds_0000000000000000000000', 'success')).status).toBe(404);
  });

  test('10.14 an unanswered challenge ends after 30 minutes in failed/authentication_expired permanently', async () => {
    const charged = await account.charge('4000000000003220');
    clock.advance(30 * 60_000 - 1);
    await expireChallenges(platform.services);
    expect(stateOf(await account.api.ok(`/payments/${charged.payment['id']}`)).slice(0, 2)).toEqual([
      'pending',
      'requires_action',
    ]);
    clock.advance(1);
    await expireChallenges(platform.services);
    const after = await account.api.ok(`/payments/${charged.payment['id']}`);
    expect(stateOf(after)).toEqual(['failed', 'authentication_expired', null, 'failed']);
    expect(await eventsOf(charged.payment['id'])).toEqual([
      'payment/created',
      'payment/actionRequired',
      'payment/failed',
    ]);
    expect((await answer(sessionOf(charged), 'success')).status).toBe(409);
    expect(await proceed(charged)).toEqual(after);
  });

  test('10.15 continuing after the expiry ends the challenge without the job', async () => {
    const charged = await account.charge('4000000000003220');
    clock.advance(31 * 60_000);
    expect(stateOf(await proceed(charged)).slice(0, 2)).toEqual(['failed', 'authentication_expired']);
  });

  test.each([
    ['4242424242424242', 'force', 'pending', 'requires_action', null],
    ['4000000000000002', 'force', 'pending', 'requires_action', null],
    ['4000000000003220', 'skip', 'succeeded', 'captured', null],
    ['4000002760003184', 'skip', 'declined', null, 'authentication_failed'],
  ])('10.16 %s with threeDs %s: %s/%s %s', async (card, threeDs, ...state) => {
    expect(stateOf(await account.charge(card, { threeDs })).slice(0, 3)).toEqual(state);
  });

  test('10.17 the page redirects to returnUrl with the payment', async () => {
    const charged = await account.charge('4000000000003220', { returnUrl: 'https://shop.example/back?cart=1' });
    const response = await fetch(`${platform.url}/test/3ds/${sessionOf(charged)}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'outcome=success',
      redirect: 'manual',
    });
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      `https://shop.example/back?cart=1&paymentId=${charged.payment['id']}`,
    ]);
  });

  test('10.18 of many concurrent continues one changes the payment', async () => {
    const charged = await account.charge('4000000000003220');
    await answer(sessionOf(charged), 'success');
    await Promise.all(Array.from({ length: 8 }, () => proceed(charged)));
    expect(stateOf(await account.api.ok(`/payments/${charged.payment['id']}`)).slice(0, 2)).toEqual([
      'succeeded',
      'captured',
    ]);
    expect(await eventsOf(charged.payment['id'])).toEqual([
      'payment/created',
      'payment/actionRequired',
      'payment/succeeded',
    ]);
    expect(await readRecordedCharges(charged)).toMatchObject([{ captured: 2500 }]);
  });
});

describe('10 payments: unknown outcomes', () => {
  test('10.20 …6975 is pending/processing until the processor is queried, then succeeded, posted once', async () => {
    const charged = await account.charge('4000000000006975');
    expect(stateOf(charged)).toEqual(['pending', 'processing', null, 'processing']);
    await resolveUnknownPayments(platform.services);
    expect((await account.api.ok(`/payments/${charged.payment['id']}`)).payment.subStatus).toBe('processing');
    clock.advance(60_000);
    await resolveUnknownPayments(platform.services);
    const after = await account.api.ok(`/payments/${charged.payment['id']}`);
    expect(stateOf(after)).toEqual(['succeeded', 'captured', null, 'succeeded']);
    expect(after.payment.capturedAmount).toBe(2500);
    expect(await eventsOf(charged.payment['id'])).toEqual(['payment/created', 'payment/succeeded']);
    expect(await readRecordedCharges(charged)).toMatchObject([{ captured: 2500 }]);
    await resolveUnknownPayments(platform.services);
    expect(await account.api.ok(`/payments/${charged.payment['id']}`)).toEqual(after);
  });

  test('10.21 a charge the processor never received is sent under the same reference and posted once', async () => {
    const charged = await account.charge('4000000000006975');
    const { id } = charged.payment;
    // As if the request had been lost, and not the answer.
    await platform.services.pool.query(`DELETE FROM test_processor.charges WHERE reference = $1`, [
      charged.transactions[0]?.['id'],
    ]);
    for (let pass = 0; pass < 3; pass++) {
      clock.advance(60_000);
      await Promise.all([resolveUnknownPayments(platform.services), resolveUnknownPayments(platform.services)]);
    }
    expect(stateOf(await account.api.ok(`/payments/${id}`)).slice(0, 2)).toEqual(['succeeded', 'captured']);
    expect(await readRecordedCharges(charged)).toMatchObject([{ captured: 2500 }]);
    expect(await eventsOf(id)).toEqual(['payment/created', 'payment/succeeded']);
  });
});

describe('10 payments: refusals', () => {
  const charge = async (more: object, by = account) =>
    by.api.call('/payments/process', {
      paymentInstrumentId: (await by.instrument(by === live ? '4111111111111111' : 'tok_visa')).id,
      amount: 100,
      currency: 'USD',
      ...more,
    });

  test.each([
    [{ currency: 'EUR' }, 'currency'],
    [{ customerId: 'cus_0000000000000000000000' }, 'customerId'],
    [{ reasonType: 'recurring' }, 'reasonType'],
    [{ reasonType: 'recurring', initiatedBy: 'customer' }, 'reasonType'],
    [{ reasonType: 'other', initiatedBy: 'merchant' }, 'reasonType'],
    [{ mode: 'auto' }, 'mode'],
    [{ initiatedBy: 'bank' }, 'initiatedBy'],
    [{ threeDs: 'sometimes' }, 'threeDs'],
    [{ returnUrl: 'javascript:alert(1)' }, 'returnUrl'],
    [{ mode: null }, 'mode'],
  ])('10.30 400 for %j, naming %s', async (more, path) => {
    const { status, body } = await charge(more);
    expect([status, body.data?.issues.map((issue: { path: string }) => issue.path)]).toEqual([400, [path]]);
  });

  test.each([
    'recurring',
    'unscheduled',
    'installment',
  ])('10.31 a merchant-initiated charge accepts the reason %s', async (reasonType) => {
    expect((await charge({ initiatedBy: 'merchant', reasonType })).body.payment.status).toBe('succeeded');
  });

  test("10.32 the instrument's own customer may be named", async () => {
    const { id, customerId } = await account.instrument();
    expect(
      (await account.api.ok('/payments/process', { paymentInstrumentId: id, customerId, amount: 100, currency: 'USD' }))
        .payment.customerId,
    ).toBe(customerId);
  });

  test('10.33 403 for a storeId of another account, partner or mode, or unknown, with the same body', async () => {
    const foreign = await (await seedPartner(platform)).account();
    const sibling = await partner.account();
    const answers = await Promise.all(
      [foreign.storeId, sibling.storeId, live.storeId, 'store_0000000000000000000000'].map((storeId) =>
        charge({ storeId }),
      ),
    );
    for (const { status, body } of answers) expect([status, body]).toEqual([403, answers[0]?.body]);
    expect(answers[0]?.body.data).toEqual({ reason: 'forbidden_scope' });
  });

  test('10.34 a partner key must name the store: 400 without, 403 for a foreign one, 200 for its own', async () => {
    const body = { paymentInstrumentId: (await account.instrument()).id, amount: 100, currency: 'USD' };
    const without = await partner.api.call('/payments/process', body);
    expect([without.status, without.body.data.issues[0].path]).toEqual([400, 'storeId']);
    expect((await partner.api.call('/payments/process', { ...body, storeId: live.storeId })).status).toBe(403);
    expect((await partner.api.call('/payments/process', { ...body, storeId: account.storeId })).status).toBe(200);
  });

  test('10.35 a sub-key may omit the only store and must name one of several', async () => {
    const shop = await partner.account();
    expect((await charge({}, shop)).status).toBe(200);
    const { id } = await shop.instrument();
    await shop.api.ok('/stores/create', { name: 'Second' });
    const without = await shop.api.call('/payments/process', { paymentInstrumentId: id, amount: 100, currency: 'USD' });
    expect([without.status, without.body.data.issues[0].path]).toEqual([400, 'storeId']);
    expect(
      (
        await shop.api.call('/payments/process', {
          storeId: shop.storeId,
          paymentInstrumentId: id,
          amount: 100,
          currency: 'USD',
        })
      ).status,
    ).toBe(200);
  });

  test('10.36 409 invalid_state for an inactive instrument', async () => {
    const { id } = await account.instrument();
    await account.api.ok(`/payment-instruments/${id}`, undefined, { method: 'DELETE' });
    const { status, body } = await account.api.call('/payments/process', {
      paymentInstrumentId: id,
      amount: 100,
      currency: 'USD',
    });
    expect([status, body.data.reason]).toEqual([409, 'invalid_state']);
  });

  test('10.37 403 account_not_active for a live account that no operator has approved', async () => {
    await platform.services.pool.query(
      `UPDATE processing_accounts SET status = 'pending_operator_assignment' WHERE id = $1`,
      [live.id],
    );
    const { status, body } = await charge({}, live);
    await platform.services.pool.query(`UPDATE processing_accounts SET status = 'active' WHERE id = $1`, [live.id]);
    expect([status, body.data]).toEqual([403, { reason: 'account_not_active' }]);
  });

  test('10.38 with a live key and no live processor: failed, no_processor', async () => {
    const { body } = await charge({}, live);
    expect([
      body.payment.status,
      body.payment.subStatus,
      body.payment.failureCode,
      body.transactions,
      body.payment.livemode,
    ]).toEqual(['failed', 'processing_error', 'no_processor', [], true]);
    expect(await eventsOf(body.payment.id)).toEqual(['payment/created', 'payment/failed']);
  });

  test('10.39 404 PAYMENT_NOT_FOUND for a payment of another account, partner or mode, or unknown', async () => {
    const foreign = await (await (await seedPartner(platform)).account()).charge();
    const ofLive = (await charge({}, live)).body.payment.id;
    const sibling = await (await partner.account()).charge();
    for (const id of [foreign.payment['id'], ofLive, sibling.payment['id'], 'pay_0000000000000000000000']) {
      for (const answer of [
        await account.api.call(`/payments/${id}`),
        await account.api.call('/payments/continue', { paymentId: id }),
      ]) {
        expect([answer.status, answer.body.code, answer.body.data]).toEqual([404, 'PAYMENT_NOT_FOUND', {}]);
      }
    }
  });

  test('10.40 a rejected charge stores no row', async () => {
    const count = async () => (await platform.services.pool.query('SELECT count(*)::int AS n FROM payments')).rows[0].n;
    const before = await count();
    await charge({ currency: 'EUR' });
    await charge({ storeId: live.storeId });
    expect(await count()).toBe(before);
  });
});

describe('10 payments: the list', () => {
  test('10.50 each filter of the list', async () => {
    const shop = await partner.account();
    await shop.api.ok('/stores/create', { name: 'Euro', chargeCurrencies: ['EUR'], baseCurrency: 'EUR' });
    const charge = async (card: string, more: object) =>
      (await shop.charge(card, { storeId: shop.storeId, ...more })).payment;
    const small = await charge('tok_visa', { amount: 100 });
    clock.advance(86_400_000);
    const large = await charge('378282246310005', { amount: 900 });
    const declined = await charge('tok_visa_declined', { amount: 500 });
    const ids = async (filters: object) =>
      (await shop.api.ok('/payments', { filters })).items.map((item: { id: string }) => item.id).sort();
    const email = (await shop.api.ok(`/customers/${small['customerId']}`)).email;
    const named = (...payments: Record<string, unknown>[]) => payments.map(({ id }) => id).sort();
    expect(await ids({ status: ['declined'] })).toEqual(named(declined));
    expect(await ids({ status: ['declined', 'succeeded'] })).toEqual(named(small, large, declined));
    expect(await ids({ currency: ['EUR'] })).toEqual([]);
    expect(await ids({ currency: ['USD'], amount: { min: 500 } })).toEqual(named(large, declined));
    expect(await ids({ amount: { min: 101, max: 899 } })).toEqual(named(declined));
    expect(await ids({ amount: { max: 100 } })).toEqual(named(small));
    expect(await ids({ customerId: small['customerId'] })).toEqual(named(small));
    expect(await ids({ processorId: [small['processorId']] })).toEqual(named(small, large, declined));
    expect(await ids({ customerEmail: { condition: 'is', value: email.toUpperCase() } })).toEqual(named(small));
    expect(await ids({ cardLast4: { condition: 'is', value: '0005' } })).toEqual(named(large));
    expect(
      await ids({ createdAt: { condition: 'is-equal-date', value: [String(small['createdAt']).slice(0, 10)] } }),
    ).toEqual(named(small));
    expect(await ids({ storeId: [shop.storeId] })).toEqual(named(small, large, declined));
    expect(await ids({ orderId: 'ord_0000000000000000' })).toEqual([]);
    expect(await ids({ subscriptionId: 'sub_0000000000000000' })).toEqual([]);
    expect(
      (await shop.api.ok('/payments', { sortBy: { field: 'amount', direction: 'asc' } })).items.map(
        (item: { amount: number }) => item.amount,
      ),
    ).toEqual([100, 500, 900]);
    expect(
      (await shop.api.ok('/payments', { sortBy: { field: 'status', direction: 'asc' } })).items.map(
        (item: { status: string }) => item.status,
      ),
    ).toEqual(['declined', 'succeeded', 'succeeded']);
  });
});

afterEach(async () => {
  // After every test: the captured amounts equal those in the processor's records.
  const { rows } = await platform.services.pool.query(
    `SELECT p.id
      FROM payments p
      JOIN transactions t ON t."paymentId" = p.id
      LEFT JOIN test_processor.charges c ON c.reference = t.id
      WHERE p."capturedAmount" <> coalesce(c."capturedAmount", 0) AND p.status <> 'pending'`,
  );
  expect(rows).toEqual([]);
});
