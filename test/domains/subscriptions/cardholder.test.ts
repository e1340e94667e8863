// cspell:ignore Ihre bittet
import { describe, expect, test } from 'vitest';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { signedIn } from '../../iam/people.ts';
import { untilWaiting } from '../../support/lock-waits.ts';
import { chargesOf, dayMs, eventsOf, expectOneEventATransition, passTo } from '../../support/subscriptions.ts';
import { asksCard, cardholderWorld, expiresCard } from './cardholder-world.ts';

const world = cardholderWorld();
const { act, answer, cardOf, clock, page, pass, pastDue, read } = world;
const at = (ms: number) => new Date(ms).toISOString();
/** Charges that are made at one time of the fixed clock have no order. */
const charges = async (id: string) => (await chargesOf(world.platform, id)).sort();
const events = (id: string) => eventsOf(world.platform, id);

describe('the need', () => {
  test.each([
    [asksCard, 'authentication'],
    [expiresCard, 'card_expired'],
    ['4000000000000069', 'card_expired'],
  ])('%s: past due, then one event with the reason and the link, not again at each retry', async (card, reason) => {
    const { id, url, dueAt } = await pastDue(card);
    expect(await read(id)).toMatchObject({
      status: 'past_due',
      actionRequired: { reason, url, expiresAt: at(dueAt.getTime() + 7 * dayMs) },
    });
    await pass(3);
    expect((await events(id)).slice(-4)).toEqual(['pastDue', 'actionRequired', 'rebillDeclined', 'rebillDeclined']);
    const { items } = await world.account.api.ok('/events/list', { filters: { objectId: id } });
    const [requested] = items.filter(({ type }: { type: string }) => type === 'subscription/actionRequired');
    expect(requested.data.object.actionRequired).toEqual({
      reason,
      url,
      expiresAt: at(dueAt.getTime() + 7 * dayMs),
    });
  });

  test.each([
    ['tok_visa_insufficient', 'insufficient_funds'],
    ['4000000000000341', 'card_declined'],
  ])('%s: %s requires no action', async (card) => {
    const { id: _id, customerId } = await world.account.instrument(card);
    const { id } = await world.account.api.ok('/subscriptions/create', {
      customerId,
      priceId: world.priceId,
      trialDays: 1,
    });
    await pass(1);
    expect(await read(id)).toMatchObject({ status: 'past_due', actionRequired: null });
    expect((await events(id)).at(-1)).toBe('pastDue');
  });

  test('another reason is reported too; another card takes the need away, and its decline brings it back', async () => {
    const { id, customerId } = await pastDue(asksCard);
    const use = async (card: string) =>
      world.account.api.ok('/subscriptions/update', {
        subscriptionId: id,
        paymentInstrumentId: (await world.account.instrument(card, customerId)).id,
      });
    expect((await use(expiresCard)).actionRequired).toBeNull();
    await pass(1);
    expect((await read(id)).actionRequired.reason).toBe('card_expired');
    await use('tok_visa_insufficient');
    await pass(2);
    expect((await read(id)).actionRequired).toBeNull();
    expect((await events(id)).slice(-6)).toEqual([
      'actionRequired',
      'updated',
      'rebillDeclined',
      'actionRequired',
      'updated',
      'rebillDeclined',
    ]);
  });

  test('neither the database nor people have the link, keys have', async () => {
    const { id, url } = await pastDue();
    const secret = url.split('.').at(-1) ?? '';
    const { rows } = await world.platform.services.pool.query<{ text: string }>(
      `SELECT e.data::text AS text FROM events e WHERE "objectId" = $1
      UNION ALL SELECT to_jsonb(s)::text FROM subscriptions s WHERE id = $1`,
      [id],
    );
    expect(rows.length).toBeGreaterThan(3);
    for (const { text } of rows) expect(text).not.toContain(secret);
    const person = await signedIn(world.platform, { platformRoles: ['hubadmin'] });
    const response = await fetch(`${world.platform.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', cookie: person.cookie, origin: world.platform.url },
      body: JSON.stringify({
        query: `query ($id: ID!) {
          subscription(subscriptionId: $id) { actionRequired { reason url } }
          events(mode: test, filters: { objectId: $id }) { items { type data { object } } }
        }`,
        variables: { id },
      }),
    });
    const text = await response.text();
    expect(text).toContain('"reason":"authentication","url":null');
    expect(text).toContain('subscription/actionRequired');
    expect(text).not.toContain(secret);
    expect(world.platform.logged.join('\n')).not.toContain(secret);
  });
});

describe('the page', () => {
  test('says what is owed to whom, frames nothing, and is not indexed by its address', async () => {
    const { url } = await pastDue();
    const { status, headers, text } = await page(url);
    expect(status).toBe(200);
    for (const said of ['Pay for Tea', '$10.00', 'card ending in 3184', 'Test mode']) expect(text).toContain(said);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).toContain("form-action 'none'; frame-ancestors 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect((await page(`${url}?lang=de`)).text).toContain('Ihre Bank bittet Sie');
    const expired = await page((await pastDue(expiresCard)).url);
    expect(expired.text).toContain('Your card ending in 0697 has expired');
    expect(expired.text).not.toContain('/confirm"');
  });

  test('a confirmed payment: active, charged once, no retry, and the link is over', async () => {
    const { id, url, dueAt } = await pastDue();
    expect(await act(url, 'confirm')).toEqual({ status: 200, body: { redirectUrl: `${url}/challenge` } });
    expect((await page(url)).text).toContain('Confirm the payment with your bank');
    const answered = await answer(url, 'success');
    expect(answered.back.status).toBe(303);
    expect([answered.status, answered.text.includes('Payment complete')]).toEqual([410, true]);
    expect(await read(id)).toMatchObject({
      status: 'active',
      currentPeriodStart: dueAt.toISOString(),
      actionRequired: null,
      latestPayment: { status: 'succeeded' },
    });
    await pass(8);
    expect(await charges(id)).toEqual(['1000 declined', '1000 succeeded']);
    expect((await events(id)).at(-1)).toBe('activated');
    expect((await act(url, 'confirm')).body).toEqual({ redirectUrl: url });
    expect((await page(url)).status).toBe(410);
    expect((await fetch(url)).status).toBe(410);
  });

  test('another card pays, becomes the card of the subscription, and is charged from then on', async () => {
    const { id, url, paymentInstrumentId, customerId } = await pastDue(expiresCard);
    expect((await act(url, 'pay', cardOf('5555 5555 5555 4444'))).body).toEqual({ redirectUrl: url });
    const shown = await read(id);
    expect([shown.status, shown.paymentInstrumentId === paymentInstrumentId]).toEqual(['active', false]);
    const card = await world.account.api.ok(`/payment-instruments/${shown.paymentInstrumentId}`);
    expect(card).toMatchObject({ customerId, card: { last4: '4444' } });
    await pass(32);
    expect(await charges(id)).toEqual(['1000 declined', '1000 succeeded', '1000 succeeded']);
    expect((await page(url)).text).toContain('Payment complete');
  });

  test('another card with a challenge: nothing changes until it is confirmed, then it is the card', async () => {
    const { id, url, paymentInstrumentId } = await pastDue(expiresCard);
    expect((await act(url, 'pay', cardOf('4000000000003220'))).body.redirectUrl).toBe(`${url}/challenge`);
    expect(await read(id)).toMatchObject({ status: 'past_due', paymentInstrumentId });
    expect((await answer(url, 'success')).status).toBe(410);
    const shown = await read(id);
    expect([shown.status, shown.paymentInstrumentId === paymentInstrumentId]).toEqual(['active', false]);
  });

  test.each([
    ['4000000000000002', 'The card was declined.'],
    ['4000000000009987', 'The card was declined.'],
    ['4000000000000127', 'The security code is invalid.'],
    ['4000000000000069', 'The card has expired.'],
    ['4000000000009995', 'The card has insufficient funds.'],
    ['4000000000000119', 'could not be processed'],
  ])('%s of the cardholder fails: past due as before, with the same card, retries and link', async (card, said) => {
    const { id, url, paymentInstrumentId, dueAt } = await pastDue();
    const before = await read(id);
    expect((await act(url, 'pay', cardOf(card))).body).toEqual({ redirectUrl: url });
    expect(await read(id)).toMatchObject({
      status: 'past_due',
      paymentInstrumentId,
      nextBillingDate: at(dueAt.getTime() + dayMs),
      actionRequired: before.actionRequired,
    });
    expect((await events(id)).at(-1)).toBe('rebillDeclined');
    expect((await page(url)).text).toContain(said);
    expect((await act(url, 'pay', cardOf())).status).toBe(200);
    expect((await read(id)).status).toBe('active');
  });

  test('a challenge that failed or was not answered ends nothing, and a retry that fell due is made then', async () => {
    const failed = await pastDue();
    await act(failed.url, 'confirm');
    expect((await answer(failed.url, 'fail')).text).toContain('could not be authenticated');
    expect((await read(failed.id)).status).toBe('past_due');
    const left = await pastDue();
    clock.set(new Date(left.dueAt.getTime() + 7 * dayMs - 60_000));
    await passTo(world.platform, clock, clock.now());
    await act(left.url, 'confirm');
    await passTo(world.platform, clock, new Date(left.dueAt.getTime() + 7 * dayMs + 60_000));
    expect((await read(left.id)).status).toBe('past_due');
    await pass(1);
    expect(await read(left.id)).toMatchObject({ status: 'canceled', cancellationReason: 'payment_failed' });
    expect(await charges(left.id)).toEqual(['1000 declined', '1000 declined', '1000 declined', '1000 failed']);
  });

  test('a challenge that waits is given up for another card: paid once', async () => {
    const { id, url } = await pastDue();
    const { redirectUrl } = (await act(url, 'confirm')).body;
    const challengeUrl = (await page(redirectUrl)).headers.get('location') ?? '';
    expect((await act(url, 'pay', cardOf())).body).toEqual({ redirectUrl: url });
    const late = await fetch(challengeUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"outcome": "success"}',
    });
    expect(late.status).not.toBe(500);
    expect((await read(id)).status).toBe('active');
    await pass(1);
    expect(await charges(id)).toEqual(['1000 declined', '1000 failed', '1000 succeeded']);
  });

  test('a wrong field is 400 and named, and nothing is charged', async () => {
    const { id, url } = await pastDue();
    for (const [wrong, field] of [
      [{ cardNumber: '4242424242424241' }, 'cardNumber'],
      [{ cardNumber: '' }, 'cardNumber'],
      [{ cardNumber: { $ne: 1 } }, 'cardNumber'],
      [{ expiry: '13/35' }, 'expMonth'],
      [{ expiry: '' }, 'expMonth'],
      [{ expiry: '01/20' }, 'expYear'],
      [{ cvc: '12' }, 'cvc'],
      [{ cvc: 'abc' }, 'cvc'],
    ] as const) {
      const refused = await act(url, 'pay', { ...cardOf(), ...wrong });
      expect([wrong, refused.status, refused.body.data.issues[0].path]).toEqual([wrong, 400, field]);
      expect(JSON.stringify(refused.body)).not.toContain('4242');
    }
    expect(await charges(id)).toEqual(['1000 declined']);
  });
});

describe('the amount that the page shows', () => {
  const shown = async (url: string) => /name="amount" value="(\d+)"/.exec((await page(url)).text)?.[1];

  test.each([
    ['confirm', {}],
    ['pay', cardOf()],
  ] as const)('%s charges nothing if it has changed since, and the new amount when that is shown', async (path, card) => {
    const { id, url } = await pastDue();
    expect(await shown(url)).toBe('1000');
    await world.account.api.ok('/subscriptions/update', { subscriptionId: id, quantity: 2 });
    expect((await act(url, path, { ...card, amount: '1000' })).body).toEqual({ redirectUrl: url });
    expect(await charges(id)).toEqual(['1000 declined']);
    expect(await shown(url)).toBe('2000');
    expect((await act(url, path, { ...card, amount: '2000' })).status).toBe(200);
    const charged = path === 'pay' ? '2000 succeeded' : '2000 pending';
    expect(await charges(id)).toEqual(['1000 declined', charged]);
  });

  test('is compared with what was committed while the payment waited for the subscription', async () => {
    const { id, url } = await pastDue();
    const { pool } = world.platform.services;
    const updating = await pool.connect();
    try {
      await updating.query('BEGIN');
      await updating.query('SELECT FROM subscriptions WHERE id = $1 FOR UPDATE', [id]);
      await updating.query(
        'UPDATE subscription_periods SET amount = 999 WHERE "subscriptionId" = $1 AND amount = 1000',
        [id],
      );
      const paying = act(url, 'confirm', { amount: '1000' });
      await untilWaiting(world.platform);
      await updating.query('COMMIT');
      expect((await paying).body).toEqual({ redirectUrl: url });
    } finally {
      updating.release();
    }
    expect(await charges(id)).toEqual(['1000 declined']);
    expect(await shown(url)).toBe('999');
  });

  test.each([
    '',
    '-1000',
    '10.00',
    '1e3',
    1000,
    null,
    ['1000'],
    '1'.repeat(16),
  ])('%j in its place is 400 and named, and nothing is charged', async (amount) => {
    const { id, url } = await pastDue();
    for (const path of ['confirm', 'pay'] as const) {
      const refused = await act(url, path, { ...(path === 'pay' && cardOf()), amount });
      expect([refused.status, refused.body.data.issues[0].path]).toEqual([400, 'amount']);
    }
    expect(await charges(id)).toEqual(['1000 declined']);
  });
});

describe('the link', () => {
  test('opens until the last retry, not after it; each past due has another', async () => {
    const { id, url, dueAt } = await pastDue();
    await world.passTo(new Date(dueAt.getTime() + 7 * dayMs - 1));
    expect((await page(url)).status).toBe(200);
    await world.passTo(new Date(dueAt.getTime() + 7 * dayMs));
    expect((await read(id)).status).toBe('canceled');
    const over = await page(url);
    expect([over.status, over.text.includes('The subscription has ended')]).toEqual([410, true]);
    expect((await act(url, 'pay', cardOf())).body).toEqual({ redirectUrl: url });

    const next = await pastDue();
    await act(next.url, 'confirm');
    await answer(next.url, 'success');
    await pass(31);
    const second = (await read(next.id)).actionRequired.url;
    expect(second).not.toBe(next.url);
    expect([(await page(next.url)).status, (await page(second)).status]).toEqual([410, 200]);
  });

  test('is over when the subscription is canceled, paid by a rebill, or paid by a retry with another card', async () => {
    const [canceled, rebilled, retried] = [await pastDue(), await pastDue(), await pastDue()];
    const { api } = world.account;
    await api.ok('/subscriptions/cancel', { subscriptionId: canceled.id });
    for (const { id, customerId } of [rebilled, retried])
      await api.ok('/subscriptions/update', {
        subscriptionId: id,
        paymentInstrumentId: (await world.account.instrument('tok_visa', customerId)).id,
      });
    // Without a need the link of the mail goes on to work.
    for (const { id, url } of [rebilled, retried])
      if ((await read(id)).status === 'past_due') expect((await page(url)).status).toBe(200);
    if ((await read(rebilled.id)).status === 'past_due')
      await api.ok('/subscriptions/rebill', { subscriptionId: rebilled.id });
    await pass(3);
    for (const { url } of [canceled, rebilled, retried]) expect((await page(url)).status).toBe(410);
    expect((await read(retried.id)).status).toBe('active');
  });

  test('a forged one is 404, whatever it names, and uses up nothing of the true one', async () => {
    const [one, other] = [await pastDue(), await pastDue(expiresCard)];
    const parts = one.url.split('.');
    const [secret = '', index] = [parts.pop(), parts.pop()];
    const head = parts.join('.');
    const otherSecret = other.url.split('.').at(-1) ?? '';
    const swapped = `${secret.slice(0, -2)}${secret.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const url of [
      `${head}.${index}.${otherSecret}`,
      `${head}.2.${secret}`,
      `${head}.0${index}.${secret}`,
      `${head}.${index}.${swapped}`,
      `${head}.${index}`,
      `${head}.${index}.`,
      `${world.platform.url}/cardholder/%00`,
      `${world.platform.url}/cardholder/sub_x.1.${secret}`,
    ]) {
      expect([url, (await page(url)).status]).toEqual([url, 404]);
      for (let n = 0; n < 3; n++) expect([url, (await act(url, 'pay', cardOf())).status]).toEqual([url, 404]);
    }
    expect((await page(`${world.platform.url}/cardholder/return/${one.id}`)).status).toBe(404);
    expect((await act(one.url, 'confirm')).status).toBe(200);
  });

  test('of an account or partner that may not charge is 403, also for a card, and works later', async () => {
    const { id, url } = await pastDue();
    const { pool } = world.platform.services;
    for (const [table, key, status] of [
      ['processing_accounts', world.account.id, 'suspended'],
      ['processing_accounts', world.account.id, 'closed'],
      ['partners', world.partner.id, 'suspended'],
    ]) {
      await pool.query(`UPDATE ${table} SET status = $1 WHERE id = $2`, [status, key]);
      const shown = await page(url);
      const acts = [await act(url, 'confirm'), await act(url, 'pay', cardOf())];
      await pool.query(`UPDATE ${table} SET status = 'active' WHERE id = $1`, [key]);
      expect([shown.status, shown.text.includes('is not accepting payments at the moment')]).toEqual([403, true]);
      expect(acts.map((refused) => refused.status)).toEqual([403, 403]);
    }
    expect(await charges(id)).toEqual(['1000 declined']);
    await act(url, 'pay', cardOf());
    expect((await read(id)).status).toBe('active');
  });

  test('takes ten declined cards, twenty calls a minute, and no request of another site', async () => {
    const { id, url } = await pastDue();
    const foreign = await fetch(`${url}/confirm`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', origin: 'https://evil.example' },
      body: '{}',
    });
    expect(foreign.status).toBe(403);
    for (let n = 0; n < 10; n++) await act(url, 'pay', cardOf('4000000000000002'));
    const full = await act(url, 'pay', cardOf());
    expect([full.status, (await read(id)).status]).toEqual([409, 'past_due']);
    const more = [];
    for (let n = 0; n < 15; n++) more.push((await act(url, 'confirm')).status);
    expect(more.slice(-3)).toEqual([429, 429, 429]);
  });
});

describe('at the same time', () => {
  test('two tabs charge once', async () => {
    const { id, url } = await pastDue();
    const both = await Promise.all([
      act(url, 'pay', cardOf()),
      act(url, 'pay', cardOf('5555555555554444')),
      act(url, 'pay', cardOf()),
    ]);
    expect(both.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await charges(id)).filter((one) => one.endsWith('succeeded'))).toEqual(['1000 succeeded']);
  });

  test('while the retry of the job is at the processor, the page says so and charges nothing', async () => {
    const { id, url, dueAt } = await pastDue();
    const held = world.line.holdNextCall();
    const retrying = world.passTo(new Date(dueAt.getTime() + dayMs));
    const release = await held;
    expect((await page(url)).text).toContain('You are charged at most once');
    expect((await act(url, 'pay', cardOf())).body).toEqual({ redirectUrl: url });
    expect((await act(url, 'confirm')).body).toEqual({ redirectUrl: url });
    release();
    await retrying;
    expect(await charges(id)).toEqual(['1000 declined', '1000 declined']);
    await act(url, 'pay', cardOf());
    expect((await read(id)).status).toBe('active');
  });

  test('a payment of the page that is at the processor when the retry falls due is the only charge', async () => {
    const { id, url, dueAt } = await pastDue();
    const held = world.line.holdNextCall();
    const paying = act(url, 'pay', cardOf());
    const release = await held;
    await world.passTo(new Date(dueAt.getTime() + 2 * dayMs));
    release();
    await paying;
    await pass(1);
    expect(await charges(id)).toEqual(['1000 declined', '1000 succeeded']);
    expect((await read(id)).status).toBe('active');
  });

  test('canceled while the page pays: the payment stands, the subscription stays canceled, the link is over', async () => {
    const { id, url } = await pastDue();
    const held = world.line.holdNextCall();
    const paying = act(url, 'pay', cardOf());
    const release = await held;
    await world.account.api.ok('/subscriptions/cancel', { subscriptionId: id });
    release();
    await paying;
    await pass(1);
    expect([(await read(id)).status, await charges(id)]).toEqual(['canceled', ['1000 declined', '1000 succeeded']]);
    expect((await page(url)).status).toBe(410);
  });

  test('the card of a payment in progress cannot be deleted', async () => {
    const { id, url, customerId } = await pastDue(expiresCard);
    await act(url, 'pay', cardOf('4000000000003220'));
    const { items } = await world.account.api.ok('/payment-instruments/list', { filters: { customerId } });
    const [paying] = items.filter(({ card }: { card: { last4: string } }) => card.last4 === '3220');
    const refused = await world.account.api.call(`/payment-instruments/${paying.id}`, undefined, { method: 'DELETE' });
    expect(refused.status).toBe(409);
    expect((await answer(url, 'success')).status).toBe(410);
    expect((await read(id)).paymentInstrumentId).toBe(paying.id);
  });
});

test('on a test clock the page is paid at the time of the clock', async () => {
  const { api } = world.account;
  const testClockId = (await api.ok('/test-clocks/create', { name: 'Page', now: '2031-01-31T10:00:00Z' })).id;
  const email = `${testClockId}@example.com`.toLowerCase();
  const { id: customerId } = await api.ok('/customers/create', { email, testClockId });
  await world.account.instrument(asksCard, customerId);
  const { id } = await api.ok('/subscriptions/create', { customerId, priceId: world.priceId, trialDays: 1 });
  await api.ok(`/test-clocks/${testClockId}/advance`, { to: '2031-02-02T10:00:00Z' });
  await expect.poll(async () => (await api.ok(`/test-clocks/${testClockId}`)).status).toBe('ready');
  const { actionRequired } = await read(id);
  expect(actionRequired.expiresAt).toBe('2031-02-08T10:00:00.000Z');
  await act(actionRequired.url, 'confirm');
  expect((await answer(actionRequired.url, 'success')).status).toBe(410);
  expect(await read(id)).toMatchObject({
    status: 'active',
    currentPeriodStart: '2031-02-01T10:00:00.000Z',
    latestPayment: { createdAt: '2031-02-02T10:00:00.000Z' },
  });
});

test('each change has its event, and the ledger agrees', async () => {
  await expectOneEventATransition(world.platform);
  expect((await verifyLedger(world.platform.services)).differences).toEqual([]);
});
