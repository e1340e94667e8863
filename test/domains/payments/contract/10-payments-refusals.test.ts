import { describe, expect, test } from 'vitest';
import { paymentWorld } from './payment-world.ts';

const world = paymentWorld();
const { eventsOf } = world;

describe('10 payments: refusals', () => {
  const charge = async (more: object, by = world.account) =>
    by.api.call('/payments/process', {
      paymentInstrumentId: (await by.instrument(by === world.live ? '4111111111111111' : 'tok_visa')).id,
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
  ])('400 for %j, naming %s', async (more, path) => {
    const { status, body } = await charge(more);
    expect([status, body.data?.issues.map((issue: { path: string }) => issue.path)]).toEqual([400, [path]]);
  });

  test.each([
    'recurring',
    'unscheduled',
    'installment',
  ])('a merchant-initiated charge accepts the reason %s', async (reasonType) => {
    expect((await charge({ initiatedBy: 'merchant', reasonType })).body.payment.status).toBe('succeeded');
  });

  test("the instrument's own customer may be named", async () => {
    const { id, customerId } = await world.account.instrument();
    expect(
      (
        await world.account.api.ok('/payments/process', {
          paymentInstrumentId: id,
          customerId,
          amount: 100,
          currency: 'USD',
        })
      ).payment.customerId,
    ).toBe(customerId);
  });

  test('a partner key must name the store: 400 without, 403 for a foreign one, 200 for its own', async () => {
    const body = { paymentInstrumentId: (await world.account.instrument()).id, amount: 100, currency: 'USD' };
    const without = await world.partner.api.call('/payments/process', body);
    expect([without.status, without.body.data.issues[0].path]).toEqual([400, 'storeId']);
    const foreign = await world.partner.api.call('/payments/process', { ...body, storeId: world.live.storeId });
    expect([foreign.status, foreign.body.data]).toEqual([403, { reason: 'forbidden_scope' }]);
    expect(
      (await world.partner.api.call('/payments/process', { ...body, storeId: world.account.storeId })).status,
    ).toBe(200);
  });

  test('a sub-key may omit the only store and must name one of several', async () => {
    const shop = await world.partner.account();
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

  test('409 invalid_state for an inactive instrument', async () => {
    const { id } = await world.account.instrument();
    await world.account.api.ok(`/payment-instruments/${id}`, undefined, { method: 'DELETE' });
    const { status, body } = await world.account.api.call('/payments/process', {
      paymentInstrumentId: id,
      amount: 100,
      currency: 'USD',
    });
    expect([status, body.data.reason]).toEqual([409, 'invalid_state']);
  });

  test('403 account_not_active for a live account that no operator has approved', async () => {
    await world.platform.services.pool.query(
      `UPDATE processing_accounts SET status = 'pending_operator_assignment' WHERE id = $1`,
      [world.live.id],
    );
    const { status, body } = await charge({}, world.live);
    await world.platform.services.pool.query(`UPDATE processing_accounts SET status = 'active' WHERE id = $1`, [
      world.live.id,
    ]);
    expect([status, body.data]).toEqual([403, { reason: 'account_not_active' }]);
  });

  test('with a live key and no live processor: failed, no_processor', async () => {
    const { body } = await charge({}, world.live);
    expect([
      body.payment.status,
      body.payment.subStatus,
      body.payment.failureCode,
      body.transactions,
      body.payment.livemode,
    ]).toEqual(['failed', 'processing_error', 'no_processor', [], true]);
    expect(await eventsOf(body.payment.id)).toEqual(['payment/created', 'payment/failed']);
  });

  test('404 PAYMENT_NOT_FOUND for an unknown payment', async () => {
    const paymentId = 'pay_0000000000000000000000';
    for (const answer of [
      await world.account.api.call(`/payments/${paymentId}`),
      await world.account.api.call('/payments/continue', { paymentId }),
    ])
      expect([answer.status, answer.body.code, answer.body.data]).toEqual([404, 'PAYMENT_NOT_FOUND', {}]);
  });

  test('a rejected charge stores no row', async () => {
    const count = async () =>
      (await world.platform.services.pool.query('SELECT count(*)::int AS n FROM payments')).rows[0].n;
    const before = await count();
    await charge({ currency: 'EUR' });
    await charge({ storeId: world.live.storeId });
    expect(await count()).toBe(before);
  });
});
