import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { expireAuthorizations } from '../../../src/domains/payments/resolution/expire.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { usePlatform } from '../../support/platform.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';

const dayMs = 86_400_000;
const clock = manualClock(new Date('2026-03-01T09:00:00Z'));

let account: SeededAccount;
const platform = await usePlatform({ clock });
const partner = await seedPartner(platform);
afterAll(async () => {
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
});
// A separate account per test, so that no test waits for the rate limit of another: the clock is fixed.
beforeEach(async () => {
  account = await partner.account();
});

const authorize = async (more = {}) =>
  (await account.charge('tok_visa', { mode: 'auth', amount: 1000, ...more })).payment;
const purchase = async (amount = 1000) => (await account.charge('tok_visa', { amount })).payment;
const eventsOf = async (paymentId: unknown) =>
  (
    await platform.services.prisma.event.findMany({
      where: { objectId: String(paymentId) },
      orderBy: { sequence: 'asc' },
    })
  ).map(({ type, sequence }) => `${sequence} ${type}`);

describe('POST /payments/capture', () => {
  test('200: an authorization holds the amount, a capture takes it', async () => {
    const held = await authorize();
    expect(held).toMatchObject({ status: 'pending', subStatus: 'authorized', capturedAmount: 0 });
    const { payment, transactions } = await account.api.ok('/payments/capture', { paymentId: held.id });
    expect(payment).toMatchObject({
      id: held.id,
      status: 'succeeded',
      subStatus: 'captured',
      amount: 1000,
      capturedAmount: 1000,
    });
    expect(transactions.map(({ type, status, amount }: never) => ({ type, status, amount }))).toEqual([
      { type: 'authorization', status: 'succeeded', amount: 1000 },
      { type: 'capture', status: 'succeeded', amount: 1000 },
    ]);
    expect(await account.api.ok(`/payments/${held.id}`)).toEqual({ payment, transactions });
    expect(await eventsOf(held.id)).toEqual(['1 payment/created', '2 payment/authorized', '3 payment/captured']);
  });

  test('200 when less than authorized is captured; only that can be refunded', async () => {
    const held = await authorize();
    expect((await account.api.ok('/payments/capture', { paymentId: held.id, amount: 400 })).payment).toMatchObject({
      status: 'succeeded',
      amount: 1000,
      capturedAmount: 400,
    });
    expect((await account.api.call('/payments/refund', { paymentId: held.id, amount: 401 })).status).toBe(400);
    expect((await account.api.ok('/payments/refund', { paymentId: held.id })).payment).toMatchObject({
      status: 'refunded',
      refundedAmount: 400,
    });
  });

  test('400 above the authorized amount', async () => {
    const answer = await account.api.call('/payments/capture', { paymentId: (await authorize()).id, amount: 1001 });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        code: 'INPUT_PARSE_ERROR',
        data: { issues: [{ path: 'amount', message: 'must be at most the authorized amount, 1000' }] },
      },
    });
  });

  test('409 the second time, and for a purchase', async () => {
    const held = await authorize();
    await account.api.ok('/payments/capture', { paymentId: held.id, amount: 1 });
    for (const { id } of [held, await purchase()]) {
      expect(await account.api.call('/payments/capture', { paymentId: id })).toMatchObject({
        status: 409,
        body: { code: 'CONFLICT', data: { reason: 'invalid_state' } },
      });
    }
  });

  test("404 for another account's payment", async () => {
    const other = await partner.account();
    expect(await other.api.call('/payments/capture', { paymentId: (await authorize()).id })).toMatchObject({
      status: 404,
      body: { code: 'PAYMENT_NOT_FOUND' },
    });
  });

  test('the same Idempotency-Key captures once with the same answer; for another payment it is 409', async () => {
    const held = await authorize();
    const headers = { 'Idempotency-Key': 'capture-1' };
    const first = await account.api.call('/payments/capture', { paymentId: held.id }, { headers });
    const again = await account.api.call('/payments/capture', { paymentId: held.id }, { headers });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(
      (await account.api.call('/payments/capture', { paymentId: (await authorize()).id }, { headers })).body.data
        .reason,
    ).toBe('idempotency_key_reused');
  });

  test('a rejected call leaves its Idempotency-Key free', async () => {
    const held = await authorize();
    const headers = { 'Idempotency-Key': 'capture-2' };
    expect(
      (await account.api.call('/payments/capture', { paymentId: held.id, amount: 5000 }, { headers })).status,
    ).toBe(400);
    expect((await account.api.call('/payments/capture', { paymentId: held.id, amount: 500 }, { headers })).status).toBe(
      200,
    );
  });
});

describe('POST /payments/void', () => {
  test('200: releases the authorization', async () => {
    const held = await authorize();
    const { payment } = await account.api.ok('/payments/void', { paymentId: held.id });
    expect(payment).toMatchObject({
      status: 'failed',
      subStatus: 'voided',
      capturedAmount: 0,
      voidedAt: clock.now().toISOString(),
    });
    expect(await eventsOf(held.id)).toEqual(['1 payment/created', '2 payment/authorized', '3 payment/voided']);
  });

  test('409 TRANSACTION_NOT_AUTHORIZE for a payment that is not authorized', async () => {
    const held = await authorize();
    await account.api.ok('/payments/void', { paymentId: held.id });
    for (const { id } of [held, await purchase()]) {
      expect(await account.api.call('/payments/void', { paymentId: id })).toMatchObject({
        status: 409,
        body: { code: 'CONFLICT', data: { reason: 'invalid_state', code: 'TRANSACTION_NOT_AUTHORIZE' } },
      });
    }
  });

  test('a challenged authorization is authorized after its challenge', async () => {
    const { requireActionData, id } = (await account.charge('tok_visa_3ds', { mode: 'auth' })).payment as {
      requireActionData: { threedsSessionId: string };
      id: string;
    };
    await fetch(`${platform.url}/test/3ds/${requireActionData.threedsSessionId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"outcome":"success"}',
    });
    expect((await account.api.ok('/payments/continue', { paymentId: id })).payment).toMatchObject({
      status: 'pending',
      subStatus: 'authorized',
    });
    expect((await account.api.ok('/payments/capture', { paymentId: id })).payment).toMatchObject({
      status: 'succeeded',
      capturedAmount: 2500,
    });
  });
});

describe('an authorization that is not captured', () => {
  test('expires after seven days and not before, at the processor as well', async () => {
    const held = await authorize();
    clock.advance(7 * dayMs - 1);
    await expireAuthorizations(platform.services);
    expect((await account.api.ok(`/payments/${held.id}`)).payment.subStatus).toBe('authorized');
    clock.advance(1);
    expect((await account.api.call('/payments/capture', { paymentId: held.id })).status).toBe(409);
    await expireAuthorizations(platform.services);
    expect((await account.api.ok(`/payments/${held.id}`)).payment).toMatchObject({
      status: 'failed',
      subStatus: 'expired',
      failureCode: null,
    });
    expect(await eventsOf(held.id)).toEqual(['1 payment/created', '2 payment/authorized', '3 payment/failed']);
  });
});

describe('POST /payments/refund', () => {
  test('200: in parts, until nothing is left', async () => {
    const { id } = await purchase();
    const first = await account.api.ok('/payments/refund', {
      paymentId: id,
      amount: 300,
      reason: 'damaged',
      metadata: { ticket: '7' },
    });
    expect(first.refund).toMatchObject({
      paymentId: id,
      amount: 300,
      currency: 'USD',
      status: 'succeeded',
      reason: 'damaged',
      metadata: { ticket: '7' },
    });
    expect(first.refund.id).toMatch(/^ref_/);
    expect(first.payment).toMatchObject({
      status: 'partially_refunded',
      subStatus: null,
      refundedAmount: 300,
      capturedAmount: 1000,
    });
    const second = await account.api.ok('/payments/refund', { paymentId: id });
    expect(second).toMatchObject({
      refund: { amount: 700 },
      payment: { status: 'refunded', subStatus: null, refundedAmount: 1000 },
    });
    expect(second.transactions.map(({ type }: never) => type)).toEqual(['purchase', 'refund', 'refund']);
    expect(await eventsOf(id)).toEqual([
      '1 payment/created',
      '2 payment/succeeded',
      '3 payment/refunded',
      '4 payment/refunded',
    ]);
  });

  test('400 above the rest; 409 for a refunded, declined or authorized payment', async () => {
    const { id } = await purchase();
    await account.api.ok('/payments/refund', { paymentId: id, amount: 600 });
    expect(await account.api.call('/payments/refund', { paymentId: id, amount: 401 })).toMatchObject({
      status: 400,
      body: { data: { issues: [{ path: 'amount', message: 'must be at most the refundable balance, 400' }] } },
    });
    await account.api.ok('/payments/refund', { paymentId: id, amount: 400 });
    const declined = (await account.charge('tok_visa_declined')).payment;
    for (const paymentId of [id, declined.id, (await authorize()).id]) {
      expect(await account.api.call('/payments/refund', { paymentId, amount: 1 })).toMatchObject({
        status: 409,
        body: { data: { reason: 'invalid_state' } },
      });
    }
  });

  test('400 for none, both, or no payments at all', async () => {
    for (const body of [{}, { paymentId: 'pay_x', paymentIds: ['pay_x'] }, { paymentIds: [] }])
      expect((await account.api.call('/payments/refund', body)).status).toBe(400);
  });

  test('200 with results for paymentIds, each separate', async () => {
    const [one, two] = [await purchase(500), await purchase(800)];
    const { results, ...rest } = await account.api.ok('/payments/refund', {
      paymentIds: [one.id, 'pay_unknown', two.id],
      amount: 600,
    });
    expect(rest).toEqual({});
    expect(results).toMatchObject([
      { paymentId: one.id, error: { code: 'INPUT_PARSE_ERROR' } },
      { paymentId: 'pay_unknown', error: { code: 'PAYMENT_NOT_FOUND', message: 'Payment not found.' } },
      { paymentId: two.id, refund: { amount: 600, status: 'succeeded' } },
    ]);
    expect(results[2].error).toBeUndefined();
  });

  test('the same Idempotency-Key refunds once, for one payment and for several', async () => {
    const [one, two] = [await purchase(), await purchase()];
    for (const [key, body] of [
      ['refund-1', { paymentId: one.id, amount: 100 }],
      ['refund-2', { paymentIds: [one.id, two.id], amount: 100 }],
    ] as const) {
      const headers = { 'Idempotency-Key': key };
      const first = await account.api.call('/payments/refund', body, { headers });
      const again = await account.api.call('/payments/refund', body, { headers });
      expect(again.body).toEqual(first.body);
      expect([first, again].map(({ headers }) => headers.get('Idempotent-Replayed'))).toEqual([null, 'true']);
    }
    expect((await account.api.ok(`/payments/${one.id}`)).payment.refundedAmount).toBe(200);
    expect((await account.api.ok(`/payments/${two.id}`)).payment.refundedAmount).toBe(100);
  });

  test('cancelSubscription has no effect on a payment without a subscription, and the refund is made', async () => {
    const answer = await account.api.call('/payments/refund', {
      paymentId: (await purchase()).id,
      cancelSubscription: true,
    });
    expect([answer.status, answer.body.refund?.status, answer.headers.get('Ignored-Fields')]).toEqual([
      200,
      'succeeded',
      null,
    ]);
  });
});

describe('an account that is not active', () => {
  const setStatus = (status: string) =>
    platform.services.prisma.processingAccount.update({ where: { id: account.id }, data: { status } });
  const refused = { status: 403, body: { code: 'FORBIDDEN', data: { reason: 'account_not_active' } } };

  test.each([
    'suspended',
    'closed',
    'pending_operator_assignment',
  ])('403 for charges and captures, 200 for voids and refunds, disputes kept: %s', async (status) => {
    const [held, other, bought, disputed] = [await authorize(), await authorize(), await purchase(), await purchase()];
    const captured = await authorize();
    await account.api.ok(
      '/payments/capture',
      { paymentId: captured.id, amount: 700 },
      { headers: { 'Idempotency-Key': 'taken-before' } },
    );
    const { payment: challenged } = await account.charge('tok_visa_3ds', { amount: 900 });
    const { id: paymentInstrumentId } = await account.instrument('tok_visa');
    await setStatus(status);

    expect(
      await account.api.call('/payments/process', { paymentInstrumentId, amount: 100, currency: 'USD' }),
    ).toMatchObject(refused);
    expect(
      await account.api.call('/payments/process', {
        paymentInstrumentId,
        amount: 100,
        currency: 'USD',
        mode: 'auth',
      }),
    ).toMatchObject(refused);
    const capture = (body: object, key: string) =>
      account.api.call('/payments/capture', body, { headers: { 'Idempotency-Key': key } });
    for (const amount of [undefined, 400, 1001])
      expect(await capture({ paymentId: held.id, amount }, 'not-now')).toMatchObject(refused);
    expect((await partner.api.call('/payments/capture', { paymentId: held.id })).body.data).toEqual({
      reason: 'account_not_active',
    });
    // An unknown payment is not found, regardless of the account's status; a repeated key returns its first answer; a
    // reused key is checked last.
    expect((await capture({ paymentId: 'pay_0000000000000000000000' }, 'none')).status).toBe(404);
    expect((await capture({ paymentId: captured.id, amount: 700 }, 'taken-before')).body).toMatchObject({
      payment: { capturedAmount: 700 },
    });
    expect(await capture({ paymentId: held.id }, 'taken-before')).toMatchObject(refused);
    expect(await eventsOf(held.id)).toEqual(['1 payment/created', '2 payment/authorized']);

    expect((await account.api.ok('/payments/void', { paymentId: held.id })).payment).toMatchObject({
      status: 'failed',
      subStatus: 'voided',
    });
    expect((await account.api.ok('/payments/refund', { paymentId: bought.id, amount: 400 })).payment).toMatchObject({
      status: 'partially_refunded',
      refundedAmount: 400,
    });
    const { results } = await account.api.ok('/payments/refund', { paymentIds: [bought.id, captured.id] });
    expect(results).toMatchObject([
      { refund: { amount: 600, status: 'succeeded' } },
      { refund: { amount: 700, status: 'succeeded' } },
    ]);
    await fetch((challenged['requireActionData'] as { url: string }).url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"outcome": "success"}',
    });
    expect((await account.api.ok('/payments/continue', { paymentId: challenged.id })).payment).toMatchObject({
      status: 'succeeded',
      capturedAmount: 900,
    });
    const dispute = await account.api.ok('/test-disputes/create', { paymentId: disputed.id, amount: 300 });
    expect(await account.api.ok(`/test-disputes/${dispute.id}/advance`, { status: 'lost' })).toMatchObject({
      status: 'lost',
    });

    await setStatus('active');
    expect((await capture({ paymentId: other.id }, 'not-now')).body).toMatchObject({
      payment: { status: 'succeeded', capturedAmount: 1000 },
    });
  });

  test.each([
    'suspended',
    'offboarded',
  ])('403 partner_not_active for captures and the like when the partner is %s; holds still expire', async (status) => {
    const own = await seedPartner(platform);
    account = await own.account();
    const [held, released, bought] = [await authorize(), await authorize(), await purchase()];
    await platform.services.prisma.partner.update({ where: { id: own.id }, data: { status } });
    const refused = { status: 403, body: { data: { reason: 'partner_not_active' } } };
    for (const { api } of [account, own]) {
      for (const [path, body] of [
        ['/payments/capture', { paymentId: held.id }],
        ['/payments/continue', { paymentId: held.id }],
        ['/test-disputes/create', { paymentId: bought.id }],
      ] as const)
        expect(await api.call(path, body)).toMatchObject(refused);
    }
    for (const [path, body, api] of [
      ['/payments/void', { paymentId: released.id }, own.api],
      ['/payments/refund', { paymentId: bought.id, amount: 400 }, account.api],
      ['/payments/refund', { paymentId: bought.id }, own.api],
    ] as const)
      expect(await api.call(path, body)).toMatchObject(status === 'offboarded' ? refused : { status: 200 });
    clock.advance(8 * dayMs);
    await expireAuthorizations(platform.services, new AbortController().signal);
    expect(await platform.services.prisma.payment.findUniqueOrThrow({ where: { id: String(held.id) } })).toMatchObject({
      status: 'failed',
      subStatus: 'expired',
    });
  });
});
