import { describe, expect, test } from 'vitest';
import { expireChallenges } from '../../../../src/domains/payments/resolution/expire.ts';
import { resolveUnknownPayments } from '../../../../src/domains/payments/resolution/resolve.ts';
import { paymentWorld } from './payment-world.ts';

const world = paymentWorld();
const { clock, eventsOf, stateOf, sessionOf, proceed, answer, readRecordedCharges } = world;

describe('10 payments: challenges', () => {
  test('requireActionData has the challenge URL, for 30 minutes', async () => {
    const { payment } = await world.account.charge('4000000000003220');
    expect(payment['requireAction']).toBe('threeds_auth');
    expect(payment['requireActionData']).toEqual({
      type: 'redirect',
      url: expect.stringMatching(/\/test\/3ds\/threeds_/),
      threedsSessionId: expect.stringMatching(/^threeds_/),
      expiresAt: new Date(clock.now().getTime() + 30 * 60_000).toISOString(),
    });
  });

  test('200 and unchanged when continued before the challenge is answered', async () => {
    const charged = await world.account.charge('4000000000003220');
    expect(await proceed(charged)).toEqual(charged);
  });

  test.each([
    ['4000000000003220', 'success', 'succeeded', 'captured', null],
    ['4000002760003184', 'success', 'succeeded', 'captured', null],
    ['4000008400001629', 'success', 'declined', null, 'card_declined'],
    ['4000000000003220', 'fail', 'declined', null, 'authentication_failed'],
    ['4000002760003184', 'fail', 'declined', null, 'authentication_failed'],
    ['4000008400001629', 'fail', 'declined', null, 'authentication_failed'],
  ])('%s after %s: %s/%s %s', async (card, outcome, status, subStatus, failureCode) => {
    const charged = await world.account.charge(card);
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

  test('200 for the same outcome again, 409 for another, 404 for an unknown session', async () => {
    const session = sessionOf(await world.account.charge('4000000000003220'));
    expect((await answer(session, 'success')).status).toBe(200);
    expect((await answer(session, 'success')).status).toBe(200);
    const other = await answer(session, 'fail');
    expect([other.status, other.body.data.reason]).toEqual([409, 'invalid_state']);
    expect((await answer('threeds_0000000000000000000000', 'success')).status).toBe(404);
  });

  test('an unanswered challenge ends after 30 minutes in failed/authentication_expired permanently', async () => {
    const charged = await world.account.charge('4000000000003220');
    clock.advance(30 * 60_000 - 1);
    await expireChallenges(world.platform.services);
    expect(stateOf(await world.account.api.ok(`/payments/${charged.payment['id']}`)).slice(0, 2)).toEqual([
      'pending',
      'requires_action',
    ]);
    clock.advance(1);
    await expireChallenges(world.platform.services);
    const after = await world.account.api.ok(`/payments/${charged.payment['id']}`);
    expect(stateOf(after)).toEqual(['failed', 'authentication_expired', null, 'failed']);
    expect(await eventsOf(charged.payment['id'])).toEqual([
      'payment/created',
      'payment/actionRequired',
      'payment/failed',
    ]);
    expect((await answer(sessionOf(charged), 'success')).status).toBe(409);
    expect(await proceed(charged)).toEqual(after);
  });

  test('continuing after the expiry ends the challenge without the job', async () => {
    const charged = await world.account.charge('4000000000003220');
    clock.advance(31 * 60_000);
    expect(stateOf(await proceed(charged)).slice(0, 2)).toEqual(['failed', 'authentication_expired']);
  });

  test.each([
    ['4242424242424242', 'force', 'pending', 'requires_action', null],
    ['4000000000000002', 'force', 'pending', 'requires_action', null],
    ['4000000000003220', 'skip', 'succeeded', 'captured', null],
    ['4000002760003184', 'skip', 'declined', null, 'authentication_failed'],
  ])('%s with threeDs %s: %s/%s %s', async (card, threeDs, ...state) => {
    expect(stateOf(await world.account.charge(card, { threeDs })).slice(0, 3)).toEqual(state);
  });

  test('the page redirects to returnUrl with the payment', async () => {
    const charged = await world.account.charge('4000000000003220', { returnUrl: 'https://shop.example/back?cart=1' });
    const response = await fetch(`${world.platform.url}/test/3ds/${sessionOf(charged)}`, {
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

  test('of many concurrent continues one changes the payment', async () => {
    const charged = await world.account.charge('4000000000003220');
    await answer(sessionOf(charged), 'success');
    await Promise.all(Array.from({ length: 8 }, () => proceed(charged)));
    expect(stateOf(await world.account.api.ok(`/payments/${charged.payment['id']}`)).slice(0, 2)).toEqual([
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
  test('…6975 is pending/processing until the processor is queried, then succeeded, posted once', async () => {
    const charged = await world.account.charge('4000000000006975');
    expect(stateOf(charged)).toEqual(['pending', 'processing', null, 'processing']);
    await resolveUnknownPayments(world.platform.services);
    expect((await world.account.api.ok(`/payments/${charged.payment['id']}`)).payment.subStatus).toBe('processing');
    clock.advance(60_000);
    await resolveUnknownPayments(world.platform.services);
    const after = await world.account.api.ok(`/payments/${charged.payment['id']}`);
    expect(stateOf(after)).toEqual(['succeeded', 'captured', null, 'succeeded']);
    expect(after.payment.capturedAmount).toBe(2500);
    expect(await eventsOf(charged.payment['id'])).toEqual(['payment/created', 'payment/succeeded']);
    expect(await readRecordedCharges(charged)).toMatchObject([{ captured: 2500 }]);
    await resolveUnknownPayments(world.platform.services);
    expect(await world.account.api.ok(`/payments/${charged.payment['id']}`)).toEqual(after);
  });

  test('a charge the processor never received is sent under the same reference and posted once', async () => {
    const charged = await world.account.charge('4000000000006975');
    const { id } = charged.payment;
    // As if the request had been lost, and not the answer.
    await world.platform.services.pool.query(`DELETE FROM test_processor.charges WHERE reference = $1`, [
      charged.transactions[0]?.['id'],
    ]);
    for (let pass = 0; pass < 3; pass++) {
      clock.advance(60_000);
      await Promise.all([
        resolveUnknownPayments(world.platform.services),
        resolveUnknownPayments(world.platform.services),
      ]);
    }
    expect(stateOf(await world.account.api.ok(`/payments/${id}`)).slice(0, 2)).toEqual(['succeeded', 'captured']);
    expect(await readRecordedCharges(charged)).toMatchObject([{ captured: 2500 }]);
    expect(await eventsOf(id)).toEqual(['payment/created', 'payment/succeeded']);
  });
});
