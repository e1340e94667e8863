import { afterEach, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { resolveUnknownPayments } from '../../../src/domains/payments/resolution/resolve.ts';
import { runDueSubscriptions } from '../../../src/domains/subscriptions/periods/run-subscription.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { chargesOf, dayMs, eventsOf, expectOneEventATransition, passTo, priceOf } from '../../support/subscriptions.ts';

const clock = manualClock(new Date('2026-01-01T00:00:00.000Z'));
const hourMs = 3_600_000;
const unknownOutcome = '4000000000006975';

const platform = await usePlatform({ clock });
const account = await (await seedPartner(platform)).account();
const monthly = await priceOf(account, { amount: 3100 });
const yearly = await priceOf(account, { amount: 36_500, interval: 'year' });
const weekly = await priceOf(account, { amount: 700, interval: 'week' });
// Each test begins a January, and leaves nothing that a later one would renew.
afterEach(async () => {
  await expectOneEventATransition(platform);
  const { items } = await account.api.ok('/subscriptions/list', {
    pageSize: 100,
    filters: { status: ['active', 'past_due', 'paused'] },
  });
  if (items.length > 0)
    await account.api.ok('/subscriptions/cancel', { subscriptionIds: items.map(({ id }: { id: string }) => id) });
  clock.set(new Date(Date.UTC(clock.now().getUTCFullYear() + 1, 0, 1)));
});

const at = (ms: number) => new Date(clock.now().getTime() + ms);
const pass = (ms: number) => passTo(platform, clock, at(ms));
const read = (id: string) => account.api.ok(`/subscriptions/${id}`);
const call = (what: string, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  account.api.call(`/subscriptions/${what}`, body, { headers });
const ok = (what: string, body: Record<string, unknown>) => account.api.ok(`/subscriptions/${what}`, body);

/** A subscription for January whose customer has a second card, five days after its start. */
async function subscribe(secondCard: string, more: Record<string, unknown> = {}) {
  const { customerId } = await account.instrument();
  const made = await ok('create', { customerId, priceId: monthly, ...more });
  const token = secondCard.startsWith('tok_')
    ? secondCard
    : (
        await account.api.ok('/payment-instruments/tokenize', {
          cardNumber: secondCard,
          expMonth: 12,
          expYear: clock.now().getUTCFullYear() + 5,
          cvc: '123',
        })
      ).token;
  const { paymentInstrument } = await account.api.ok('/payment-instruments/create-from-token', { token, customerId });
  await pass(5 * dayMs);
  return { id: made.id as string, card: paymentInstrument.id as string, end: made.currentPeriodEnd as string };
}

const toYearly = ({ id, card }: { id: string; card: string }, more: Record<string, unknown> = {}) =>
  call('update', { subscriptionId: id, priceId: yearly, paymentInstrumentId: card, ...more });

/** A change that waits for the answer to a challenge. */
async function challenged(more: Record<string, unknown> = {}) {
  const made = await subscribe('tok_visa_3ds');
  const before = await read(made.id);
  const answer = await toYearly(made, more);
  expect(answer.status).toBe(200);
  return { ...made, before, changed: answer.body, requested: clock.now() };
}

async function answerChallenge(
  payment: { id: string; requireActionData: { threedsSessionId: string } },
  outcome: string,
) {
  await fetch(`${platform.url}/test/3ds/${payment.requireActionData.threedsSessionId}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ outcome }),
  });
  await account.api.ok('/payments/continue', { paymentId: payment.id });
}

/** 26 of 31 days of 3100 are credited. */
const charged = 36_500 - 2600;

describe('a change of interval is charged before anything changes', () => {
  test('200 when it is paid: the new period begins, with one event', async () => {
    const made = await subscribe('tok_mastercard');
    const now = clock.now().toISOString();
    expect((await toYearly(made)).body).toMatchObject({
      status: 'active',
      priceId: yearly,
      interval: 'year',
      paymentInstrumentId: made.card,
      currentPeriodStart: now,
      pendingUpdate: null,
      balance: 0,
      latestPayment: { status: 'succeeded', amount: charged },
    });
    expect(await chargesOf(platform, made.id)).toEqual(['3100 succeeded', `${charged} succeeded`]);
    expect(await eventsOf(platform, made.id)).toEqual(['created', 'activated', 'updated']);
    await passTo(platform, clock, at(365 * dayMs));
    expect((await chargesOf(platform, made.id)).at(-1)).toBe('36500 succeeded');
  });

  test('409 payment_failed with data.paymentId when it is declined: the subscription is as it was', async () => {
    const made = await subscribe('tok_visa_declined');
    const before = await read(made.id);
    const answer = await toYearly(made, { quantity: 3 });
    expect([answer.status, answer.body.code, answer.body.data.reason]).toEqual([409, 'CONFLICT', 'payment_failed']);
    expect(await read(made.id)).toEqual(before);
    expect(await eventsOf(platform, made.id)).toEqual(['created', 'activated']);
    const { payment } = await account.api.ok(`/payments/${answer.body.data.paymentId}`);
    expect(payment).toMatchObject({ status: 'declined', subscriptionId: made.id });
    clock.advance(1);
    // The same subscription can be changed again, and the failed payment is not paid a second time.
    expect((await ok('update', { subscriptionId: made.id, priceId: yearly })).status).toBe('active');
    expect((await chargesOf(platform, made.id)).map((charge) => charge.split(' ')[1])).toEqual([
      'succeeded',
      'declined',
      'succeeded',
    ]);
  });

  test('after a decline the renewal is that of the old price, at its time', async () => {
    const made = await subscribe('tok_visa_declined');
    await toYearly(made);
    await passTo(platform, clock, new Date(made.end));
    expect(await read(made.id)).toMatchObject({ priceId: monthly, currentPeriodStart: made.end, status: 'active' });
    expect((await chargesOf(platform, made.id)).at(-1)).toBe('3100 succeeded');
  });

  test('nothing is charged that the credit covers, and the rest of the credit stays', async () => {
    const { customerId } = await account.instrument();
    const made = await ok('create', { customerId, priceId: yearly });
    const answer = await ok('update', { subscriptionId: made.id, priceId: monthly });
    expect(answer).toMatchObject({ priceId: monthly, balance: 3100 - 36_500, pendingUpdate: null });
    // At the same moment of a clock that stands still: what was credited once is not credited again.
    expect(await ok('update', { subscriptionId: made.id, priceId: yearly })).toMatchObject({ balance: 0 });
    expect(await chargesOf(platform, made.id)).toEqual(['36500 succeeded']);
    expect(await eventsOf(platform, made.id)).toEqual(['created', 'activated', 'updated', 'updated']);
  });

  test('403 while the account is suspended, 400 before 404 for a return address: nothing changes', async () => {
    const made = await subscribe('tok_visa');
    const before = await read(made.id);
    const setStatus = (status: string) =>
      platform.services.prisma.processingAccount.update({ where: { id: account.id }, data: { status } });
    await setStatus('suspended');
    expect((await toYearly(made)).status).toBe(403);
    await setStatus('active');
    const wrong = await call('update', { subscriptionId: 'sub_none', priceId: yearly, returnUrl: 'back' });
    expect([wrong.status, wrong.body.data.issues[0].path]).toEqual([400, 'returnUrl']);
    expect(await read(made.id)).toEqual(before);
  });

  test('five updates at once: one is charged, the others are 409', async () => {
    const made = await subscribe('tok_mastercard');
    const answers = await Promise.all(Array.from({ length: 5 }, () => toYearly(made)));
    // One that came when the first was done changes nothing.
    for (const { status, body } of answers)
      expect([status, body.priceId ?? body.data.reason]).toEqual(
        status === 200 ? [200, yearly] : [409, 'invalid_state'],
      );
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(await chargesOf(platform, made.id)).toEqual(['3100 succeeded', `${charged} succeeded`]);
  });

  test.each([
    'tok_mastercard',
    'tok_visa_declined',
    'tok_visa_3ds',
  ])('the same Idempotency-Key again with %s: the same answer, one charge', async (token) => {
    const made = await subscribe(token);
    const key = { 'Idempotency-Key': `change-${made.id}` };
    const update = (more = {}) =>
      call('update', { subscriptionId: made.id, priceId: yearly, paymentInstrumentId: made.card, ...more }, key);
    const answers = await Promise.all([update(), update(), update()]);
    const again = await update();
    for (const { status, body } of answers)
      expect([status, { ...body, requestId: '' }]).toEqual([again.status, { ...again.body, requestId: '' }]);
    expect(again.status).toBe(token === 'tok_visa_declined' ? 409 : 200);
    expect((await chargesOf(platform, made.id)).length).toBe(2);
    // A key that was used for another body is refused before a pending change is taken back.
    const before = await read(made.id);
    expect((await update({ priceId: monthly })).body.data.reason).toBe('idempotency_key_reused');
    expect(await read(made.id)).toEqual(before);
  });
});

describe('a change of interval that waits for a challenge', () => {
  test('200 as with a first charge: pendingUpdate for 23 hours, everything else as it was', async () => {
    const { id, before, changed, requested } = await challenged({
      quantity: 2,
      returnUrl: 'https://shop.example.com/back',
    });
    const { latestPayment, latestPaymentId, updatedAt, pendingUpdate, ...rest } = changed;
    expect(before).toMatchObject(rest);
    expect(pendingUpdate).toEqual({
      priceId: yearly,
      quantity: 2,
      paymentId: latestPaymentId,
      expiresAt: new Date(requested.getTime() + 23 * hourMs).toISOString(),
    });
    expect(latestPayment).toMatchObject({
      subStatus: 'requires_action',
      requireActionData: { type: 'redirect', expiresAt: pendingUpdate.expiresAt },
    });
    expect(updatedAt).toBe(requested.toISOString());
    expect(
      (await platform.services.prisma.payment.findUniqueOrThrow({ where: { id: latestPaymentId } })).returnUrl,
    ).toBe('https://shop.example.com/back');
    expect(await eventsOf(platform, id)).toEqual(['created', 'activated', 'updated']);
    expect(await read(id)).toEqual(changed);
    const event = await platform.services.prisma.event.findFirstOrThrow({ where: { objectId: id, sequence: 3 } });
    expect(event.data).toEqual({ object: changed });
  });

  test('an answer within its time applies it: the period begins at the call that asked for it', async () => {
    const { id, card, changed, requested } = await challenged();
    await pass(23 * hourMs - 1);
    await answerChallenge(changed.latestPayment, 'success');
    expect(await read(id)).toMatchObject({
      priceId: yearly,
      paymentInstrumentId: card,
      pendingUpdate: null,
      currentPeriodStart: requested.toISOString(),
      balance: 0,
      latestPayment: { status: 'succeeded', amount: charged },
    });
    expect(await eventsOf(platform, id)).toEqual(['created', 'activated', 'updated', 'updated']);
  });

  test('a failed answer removes it, and so does the end of its time: the subscription renews as before', async () => {
    const [failed, late] = [await challenged(), await challenged()];
    await answerChallenge(failed.changed.latestPayment, 'fail');
    await passTo(platform, clock, new Date(late.requested.getTime() + 23 * hourMs - 1));
    expect((await read(late.id)).pendingUpdate).not.toBe(null);
    await passTo(platform, clock, new Date(late.requested.getTime() + 23 * hourMs));
    for (const { id, before } of [failed, late]) {
      const { latestPayment, latestPaymentId, updatedAt, ...rest } = await read(id);
      expect(before).toMatchObject(rest);
      expect(latestPayment).toMatchObject({ id: latestPaymentId, subscriptionId: id });
      expect(['declined', 'failed']).toContain(latestPayment.status);
      expect(updatedAt >= before.updatedAt).toBe(true);
      expect(await eventsOf(platform, id)).toEqual(['created', 'activated', 'updated', 'updated']);
    }
    await passTo(platform, clock, new Date(late.end));
    for (const { id } of [failed, late])
      expect((await chargesOf(platform, id)).filter((charge) => charge === '3100 succeeded').length).toBe(2);
  });

  test('a period that ends sooner ends the wait: the renewal is charged at its time', async () => {
    const made = await subscribe('tok_visa_3ds');
    await passTo(platform, clock, new Date(new Date(made.end).getTime() - 2 * hourMs));
    const { body } = await toYearly(made);
    expect(body.pendingUpdate.expiresAt).toBe(made.end);
    await passTo(platform, clock, new Date(made.end));
    expect(await read(made.id)).toMatchObject({ pendingUpdate: null, priceId: monthly, currentPeriodStart: made.end });
    expect((await chargesOf(platform, made.id)).at(-1)).toBe('3100 succeeded');
    const late = await subscribe('tok_visa_3ds');
    await passTo(platform, clock, new Date(new Date(late.end).getTime() - 1));
    // A cardholder always has half an hour, for which a renewal waits.
    expect((await toYearly(late)).body.pendingUpdate.expiresAt).toBe(at(hourMs / 2).toISOString());
    await passTo(platform, clock, new Date(late.end));
    expect((await read(late.id)).pendingUpdate).not.toBe(null);
    await pass(hourMs / 2);
    expect(await read(late.id)).toMatchObject({ pendingUpdate: null, currentPeriodStart: late.end });
  });

  test('409 meanwhile for pause, rebill and every other change; 200 for a card that is not of the change', async () => {
    const { id, card, changed } = await challenged();
    const refused: [string, Record<string, unknown>][] = [
      ['pause', {}],
      ['rebill', {}],
      ['update', { quantity: 2 }],
      ['update', { priceId: weekly }],
      ['update', { priceId: yearly }],
      ['update', { priceId: weekly, prorate: false }],
      ['update', { paymentInstrumentId: card }],
    ];
    for (const [what, body] of refused) {
      const answer = await call(what, { subscriptionId: id, ...body });
      expect([what, body, answer.status, answer.body.data.reason]).toEqual([what, body, 409, 'invalid_state']);
    }
    expect(await read(id)).toEqual(changed);
    const remove = await account.api.call(`/payment-instruments/${card}`, undefined, { method: 'DELETE' });
    expect(remove.status).toBe(409);
  });

  test('cancel ends it with the subscription: its challenge is closed and nothing is charged', async () => {
    const { id, changed } = await challenged();
    expect(await ok('cancel', { subscriptionId: id })).toMatchObject({ status: 'canceled', pendingUpdate: null });
    expect((await account.api.ok(`/payments/${changed.latestPaymentId}`)).payment.subStatus).toBe(
      'authentication_expired',
    );
    await answerChallenge(changed.latestPayment, 'success');
    expect(await chargesOf(platform, id)).toEqual(['3100 succeeded', `${charged} failed`]);
  });

  test('a cancellation at the period end counts for the period that is then the current one', async () => {
    const { id, changed } = await challenged();
    expect(await ok('cancel', { subscriptionId: id, cancelAtPeriodEnd: true })).toMatchObject({
      cancelAtPeriodEnd: true,
      pendingUpdate: changed.pendingUpdate,
    });
    await answerChallenge(changed.latestPayment, 'success');
    expect(await read(id)).toMatchObject({ cancelAtPeriodEnd: true, priceId: yearly, pendingUpdate: null });
    await pass(366 * dayMs);
    expect(await read(id)).toMatchObject({ status: 'canceled', cancellationReason: 'period_ended' });
    expect((await chargesOf(platform, id)).length).toBe(2);
  });

  test('an update to the present price takes it back: the challenge is closed, and another change can follow', async () => {
    const { id, before, changed } = await challenged();
    const taken = await ok('update', { subscriptionId: id, priceId: monthly });
    expect(taken).toMatchObject({ pendingUpdate: null, priceId: monthly, balance: before.balance });
    expect(taken.latestPayment.subStatus).toBe('authentication_expired');
    await answerChallenge(changed.latestPayment, 'success');
    clock.advance(1);
    expect((await ok('update', { subscriptionId: id, priceId: yearly })).priceId).toBe(yearly);
    expect(await chargesOf(platform, id)).toEqual(['3100 succeeded', `${charged} failed`, `${charged} succeeded`]);
    expect(await eventsOf(platform, id)).toEqual(['created', 'activated', 'updated', 'updated', 'updated']);
  });

  test('an unknown outcome: it stands until the outcome is known, cannot be taken back, and is charged once', async () => {
    const made = await subscribe(unknownOutcome);
    const { status, body } = await toYearly(made);
    expect([status, body.latestPayment.subStatus, body.pendingUpdate.paymentId]).toEqual([
      200,
      'processing',
      body.latestPaymentId,
    ]);
    for (const priceId of [monthly, yearly, weekly])
      expect((await call('update', { subscriptionId: made.id, priceId })).status).toBe(409);
    for (let run = 0; run < 3; run++) await runDueSubscriptions(platform.services);
    expect((await read(made.id)).pendingUpdate).toEqual(body.pendingUpdate);
    clock.advance(60_000);
    await resolveUnknownPayments(platform.services);
    await runDueSubscriptions(platform.services);
    expect(await read(made.id)).toMatchObject({ priceId: yearly, pendingUpdate: null });
    expect(await chargesOf(platform, made.id)).toEqual(['3100 succeeded', `${charged} succeeded`]);
  });
});

describe('prorate false with another interval', () => {
  const schedule = (subscriptionId: string, more: Record<string, unknown> = {}) =>
    ok('update', { subscriptionId, priceId: yearly, prorate: false, ...more });
  const pendingUpdate = { quantity: 1, paymentId: null, expiresAt: null };

  test('200: nothing is charged now, and the change happens at the end of the paid period', async () => {
    const { id, end } = await subscribe('tok_visa');
    const before = await read(id);
    expect(await schedule(id)).toEqual({
      ...before,
      pendingUpdate: { ...pendingUpdate, priceId: yearly },
      updatedAt: clock.now().toISOString(),
    });
    await schedule(id);
    await passTo(platform, clock, new Date(new Date(end).getTime() - 1));
    expect(await chargesOf(platform, id)).toEqual(['3100 succeeded']);
    await passTo(platform, clock, new Date(end));
    expect(await read(id)).toMatchObject({
      priceId: yearly,
      interval: 'year',
      currentPeriodStart: end,
      currentPeriodEnd: end.replace(/^\d{4}/, (year) => String(Number(year) + 1)),
      pendingUpdate: null,
    });
    expect(await chargesOf(platform, id)).toEqual(['3100 succeeded', '36500 succeeded']);
    expect(await eventsOf(platform, id)).toEqual([
      'created',
      'activated',
      'updated',
      'rebillUpcoming',
      'updated',
      'rebillSucceeded',
    ]);
  });

  test('it is replaced by a later change, and taken back by an update to the present price', async () => {
    const { id, end } = await subscribe('tok_visa');
    await schedule(id);
    expect(await schedule(id, { priceId: weekly, quantity: 4 })).toMatchObject({
      pendingUpdate: { ...pendingUpdate, priceId: weekly, quantity: 4 },
    });
    expect(await ok('update', { subscriptionId: id })).toMatchObject({ pendingUpdate: { priceId: weekly } });
    expect(await ok('update', { subscriptionId: id, priceId: monthly })).toMatchObject({ pendingUpdate: null });
    await schedule(id);
    expect(await ok('update', { subscriptionId: id, quantity: 2, prorate: false })).toMatchObject({
      quantity: 2,
      priceId: monthly,
      pendingUpdate: null,
    });
    await schedule(id);
    // A change that is charged now replaces it, too.
    expect(await ok('update', { subscriptionId: id, priceId: weekly })).toMatchObject({
      priceId: weekly,
      pendingUpdate: null,
    });
    await passTo(platform, clock, new Date(end));
    expect((await read(id)).priceId).toBe(weekly);
  });

  test('declined at the end of the period: past due for the new price, and retried', async () => {
    const { id, card, end } = await subscribe('4000000000000341');
    await schedule(id, { paymentInstrumentId: card });
    await passTo(platform, clock, new Date(end));
    expect(await read(id)).toMatchObject({ status: 'past_due', priceId: yearly, pendingUpdate: null });
    expect((await eventsOf(platform, id)).slice(-2)).toEqual(['updated', 'pastDue']);
  });

  test('a pause keeps it: it happens when billing starts again; a cancellation at the period end removes it', async () => {
    const [paused, ended] = [await subscribe('tok_visa'), await subscribe('tok_visa')];
    await schedule(paused.id);
    await ok('pause', { subscriptionId: paused.id });
    await schedule(ended.id);
    await ok('cancel', { subscriptionId: ended.id, cancelAtPeriodEnd: true });
    await pass(60 * dayMs);
    expect(await read(paused.id)).toMatchObject({
      status: 'paused',
      priceId: monthly,
      pendingUpdate: { priceId: yearly },
    });
    expect(await ok('resume', { subscriptionId: paused.id })).toMatchObject({
      status: 'active',
      priceId: yearly,
      pendingUpdate: null,
      latestPayment: { amount: 36_500 },
    });
    expect(await read(ended.id)).toMatchObject({ status: 'canceled', pendingUpdate: null, priceId: monthly });
  });

  test('409 for a rebill ahead of it; in a trial the change is made at once', async () => {
    const { id } = await subscribe('tok_visa');
    await schedule(id);
    expect((await call('rebill', { subscriptionId: id })).body.data.reason).toBe('invalid_state');
    const { id: trial } = await subscribe('tok_visa', { trialDays: 20 });
    expect(await schedule(trial)).toMatchObject({ status: 'trialing', priceId: yearly, pendingUpdate: null });
    await ok('cancel', { subscriptionId: trial });
  });
});

test('the ledger and the records of the processor agree', async () =>
  expect((await verifyLedger(platform.services)).differences).toEqual([]));
