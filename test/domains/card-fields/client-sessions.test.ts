import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { scriptFile } from '../../../src/domains/card-fields/browser-files.ts';
import { purgeOldRows } from '../../../src/jobs/retention.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { keeps } from '../../../src/registry.ts';
import type { Answer } from '../../support/client.ts';
import { textOf } from '../../support/documents.ts';
import { usePlatform } from '../../support/platform.ts';
import { disableRateLimits } from '../../support/rates.ts';
import { seedPartner } from '../../support/seed.ts';

const minuteMs = 60_000;
const shop = 'https://shop.example.com';
const path = '/payment-instruments/client-sessions';
const clock = manualClock(new Date('2026-06-01T12:00:00.000Z'));
const card = { cardNumber: '4242 4242 4242 4242', expMonth: 12, expYear: 2039, cvc: '123' };

// The header of the proxy gives each visitor an address.
const platform = await usePlatform({ clock, env: { TRUST_PROXY: '1' } });
await disableRateLimits(platform);
const partner = await seedPartner(platform);
const account = await partner.account('Corner Shop');

let home = 0;
beforeEach(() => {
  clock.advance(2 * minuteMs);
  home += 1;
});

interface Session {
  id: string;
  clientSecret: string;
  returnUrl: string;
}
const create = (more: Record<string, unknown> = {}): Promise<Session> =>
  account.api.ok(path, { origins: [shop], ...more });

let attempts = 0;
/** A request as the page in the frame sends it. */
async function ask(of: 'session' | 'submit', body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${platform.url}/fields/${of}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Origin: platform.url,
      'Sec-Fetch-Site': 'same-origin',
      'X-Forwarded-For': `2001:db8:${home}::1`,
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
const submit = ({ clientSecret }: Session, more: Record<string, unknown> = {}, headers?: Record<string, string>) =>
  ask('submit', { clientSecret, attemptId: `attempt-${++attempts}`, ...card, ...more }, headers);
const stored = async (): Promise<number> =>
  (await platform.services.pool.query<{ n: number }>('SELECT count(*)::int AS n FROM tokens')).rows[0]?.n ?? 0;

describe('creating a client session', () => {
  test('200 answers the secret once, and the script with its hash; the session shows neither', async () => {
    const session = await create({ amount: 4900, currency: 'USD' });
    expect(session).toEqual({
      id: expect.stringMatching(/^cs_[0-9A-Za-z]{22}$/),
      clientSecret: expect.stringMatching(new RegExp(`^${session.id}_secret_[\\w-]{43}$`)),
      expiresAt: new Date(clock.now().getTime() + 30 * minuteMs).toISOString(),
      scriptUrl: expect.stringMatching(new RegExp(`^${platform.url}/fields/v1\\.[0-9a-f]{16}\\.js$`)),
      scriptIntegrity: expect.stringMatching(/^sha384-/),
      returnUrl: `${platform.url}/fields/return/${session.id}`,
    });
    const shown = await account.api.ok(`${path}/${session.id}`);
    expect(shown).toMatchObject({ status: 'open', token: null, amount: 4900, currency: 'USD', origins: [shop] });
    expect(JSON.stringify(shown)).not.toContain('secret');
    const { rows } = await platform.services.pool.query('SELECT to_jsonb(s)::text AS row FROM client_sessions s');
    expect(rows.map(({ row }) => row).join()).not.toContain(session.clientSecret.slice(-43));
  });

  test('a repeat with the same Idempotency-Key answers the same session and secret', async () => {
    const headers = { 'Idempotency-Key': 'session' };
    const first = await account.api.ok(path, { origins: [shop] }, { headers });
    expect(await account.api.ok(path, { origins: [shop] }, { headers })).toEqual(first);
  });

  test.each([
    ['none', []],
    ['eleven', Array.from({ length: 11 }, (_, index) => `https://shop${index}.example.com`)],
    ['a path', ['https://shop.example.com/']],
    ['a wildcard', ['https://*.example.com']],
    ['another directive', ['https://shop.example.com;script-src']],
    ['a user', ['https://user@shop.example.com']],
    ['the default port', ['https://shop.example.com:443']],
    ['capital letters', ['https://Shop.example.com']],
    ['http', ['http://shop.example.com']],
    ['null', ['null']],
  ])('400 names origins: %s', async (_case, origins) => {
    const { status, body } = await account.api.call(path, { origins });
    expect([status, body.data.issues[0].path]).toEqual([400, expect.stringMatching(/^origins/)]);
  });

  test.each([
    ['https', ['https://shop.example.com', 'https://shop.example.com:8443']],
    ['http of this machine in test mode', ['http://localhost:3000', 'http://shop.localhost', 'http://127.0.0.1:1']],
    ['ten', Array.from({ length: 10 }, (_, index) => `https://shop${index}.example.com`)],
  ])('200 takes exact origins: %s', async (_case, origins) => {
    expect((await account.api.ok(`${path}/${(await create({ origins })).id}`)).origins).toEqual(origins);
  });

  test('400 with a live key for http on this machine', async () => {
    const live = await (await seedPartner(platform, 'live')).account();
    const { status, body } = await live.api.call(path, { origins: ['http://localhost:3000'] });
    expect([status, body.data.issues]).toEqual([400, [{ path: 'origins[0]', message: 'must be https in live mode' }]]);
    expect((await live.api.call(path, { origins: [shop] })).status).toBe(200);
  });

  test('400 for an amount without a currency, or a currency of another store', async () => {
    for (const [more, field] of [
      [{ amount: 100 }, 'currency'],
      [{ currency: 'USD' }, 'amount'],
      [{ amount: 100, currency: 'JPY' }, 'currency'],
      [{ amount: 0, currency: 'USD' }, 'amount'],
    ] as const) {
      const { status, body } = await account.api.call(path, { origins: [shop], ...more });
      expect([status, body.data.issues[0].path]).toEqual([400, field]);
    }
  });

  test('404 for the customer or session of another account, 403 for its store', async () => {
    const other = await partner.account();
    const { customerId } = await other.instrument();
    expect((await account.api.call(path, { origins: [shop], customerId })).status).toBe(404);
    expect((await account.api.call(path, { origins: [shop], storeId: other.storeId })).status).toBe(403);
    const { id } = await other.api.ok(path, { origins: [shop] });
    expect((await account.api.call(`${path}/${id}`)).status).toBe(404);
  });
});

test('with a partner key: 400 naming storeId without it, 200 with it, 403 once the partner may not charge', async () => {
  const other = await seedPartner(platform);
  const { storeId } = await other.account();
  const without = await other.api.call(path, { origins: [shop] });
  expect([without.status, without.body.data.issues[0].path]).toEqual([400, 'storeId']);
  const { clientSecret }: Session = await other.api.ok(path, { origins: [shop], storeId });
  await platform.services.prisma.partner.update({ where: { id: other.id }, data: { status: 'suspended' } });
  for (const refused of [
    await ask('session', { clientSecret }),
    await other.api.call(path, { origins: [shop], storeId }),
  ])
    expect([refused.status, refused.body.data]).toEqual([403, { reason: 'partner_not_active' }]);
});

describe('what the frame may ask', () => {
  test('200 reads what to show from the session, and makes one token that a server can charge', async () => {
    const session = await create({ amount: 4900, currency: 'USD' });
    // The amount is that of the session: the page cannot send one.
    expect((await ask('session', { clientSecret: session.clientSecret, amount: 1 })).status).toBe(400);
    expect((await ask('session', { clientSecret: session.clientSecret })).body).toMatchObject({
      storeName: 'Corner Shop',
      amount: 4900,
      currency: 'USD',
      livemode: false,
      expiresInMs: 30 * minuteMs,
    });
    const { status, body } = await submit(session);
    expect([status, body]).toEqual([
      200,
      {
        token: expect.stringMatching(/^tok_/),
        card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2039 },
      },
    ]);
    expect(await account.api.ok(`${path}/${session.id}`)).toMatchObject({ status: 'complete', token: body.token });
    const { paymentInstrument } = await account.api.ok('/payment-instruments/create-from-token', {
      token: body.token,
      customerData: { email: 'ada@example.com' },
    });
    const { payment } = await account.api.ok('/payments/process', {
      paymentInstrumentId: paymentInstrument.id,
      storeId: account.storeId,
      amount: 4900,
      currency: 'USD',
    });
    expect(payment.status).toBe('succeeded');
  });

  test('the same attempt again is 200 with the same token; another is 410', async () => {
    const [before, session] = [await stored(), await create()];
    const first = await submit(session, { attemptId: 'once' });
    expect((await submit(session, { attemptId: 'once' })).body).toEqual(first.body);
    expect((await submit(session)).status).toBe(410);
    expect((await ask('session', { clientSecret: session.clientSecret })).status).toBe(410);
    expect(await stored()).toBe(before + 1);
  });

  test('of ten submits at once, of one attempt or of ten, one token remains', async () => {
    const [before, session] = [await stored(), await create()];
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => submit(session, { attemptId: `at-once-${index % 5}` })),
    );
    const tokens = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.token));
    expect([tokens.size, await stored()]).toEqual([1, before + 1]);
    expect(answers.every(({ status }) => [200, 409, 410].includes(status))).toBe(true);
  });

  test('200 until the last millisecond of 30 minutes, then 410', async () => {
    const [kept, late] = [await create(), await create()];
    clock.advance(30 * minuteMs - 1);
    expect((await submit(kept)).status).toBe(200);
    clock.advance(1);
    expect((await submit(late)).status).toBe(410);
    expect(await account.api.ok(`${path}/${late.id}`)).toMatchObject({ status: 'expired', token: null });
  });

  test('404 for a secret that is foreign, changed or none', async () => {
    const [one, other] = [await create(), await create()];
    const swapped = one.id + other.clientSecret.slice(one.id.length);
    for (const clientSecret of [swapped, `${one.clientSecret.slice(0, -1)}!`.replace('!', '_'), one.id, 'x'])
      expect((await ask('session', { clientSecret })).status).toBe(404);
    expect((await ask('session', {})).status).toBe(400);
  });

  test('403 without the origin of the platform, or from another site; no header lets another page read it', async () => {
    const session = await create();
    for (const headers of [
      { Origin: shop },
      { Origin: 'null' },
      { Origin: '' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ] as Record<string, string>[]) {
      const answer = await submit(session, {}, headers);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    }
    expect((await submit(session, {}, { 'Sec-Fetch-Site': '' })).status).not.toBe(200);
    expect((await submit(session)).status).toBe(200);
  });

  test('403 while the account may not charge; the card is not stored', async () => {
    const [before, session] = [await stored(), await create()];
    const set = (status: string) =>
      platform.services.pool.query('UPDATE processing_accounts SET status = $1 WHERE id = $2', [status, account.id]);
    await set('suspended');
    expect((await ask('session', { clientSecret: session.clientSecret })).status).toBe(403);
    expect((await submit(session)).status).toBe(403);
    await set('active');
    expect(await stored()).toBe(before);
  });

  test('400 names the field of a wrong card, and neither the answer nor the log contains the number', async () => {
    const session = await create();
    const { status, body } = await submit(session, { cardNumber: '4242424242424241' });
    expect([status, body.data.issues]).toEqual([400, [expect.objectContaining({ path: 'cardNumber' })]]);
    await submit(session);
    const heard = JSON.stringify(body) + platform.logged.join('');
    for (const secret of ['4242424242424241', '4242424242424242', session.clientSecret.slice(-43)])
      expect(heard).not.toContain(secret);
  });
});

describe('what bounds the trying of cards', () => {
  test('10 submitted cards a session, the next is 409', async () => {
    const [before, session] = [await stored(), await create()];
    for (let tried = 0; tried < 10; tried++)
      expect((await submit(session, { cardNumber: '4242424242424241' })).status).toBe(400);
    expect((await submit(session)).status).toBe(409);
    expect(await stored()).toBe(before);
  });

  test('20 numbers a day that share their shown digits, the next is 429', async () => {
    // The first 8 and the last 4 digits are those of the API, the middle is counted up to numbers with a check digit.
    const numbers: string[] = [];
    for (let middle = 0; numbers.length < 21; middle++) {
      const number = `41111111${String(middle).padStart(4, '0')}1111`;
      const sum = [...number].reduce((total, digit, index) => {
        const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
        return total + (value > 9 ? value - 9 : value);
      }, 0);
      if (sum % 10 === 0) numbers.push(number);
    }
    for (const [at, cardNumber] of numbers.entries())
      expect((await submit(await create(), { cardNumber })).status).toBe(at < 20 ? 200 : 429);
  });

  test('50 declined cards of one network an hour, the next is 429 there and 200 elsewhere', async () => {
    const account = await partner.account();
    const create = (): Promise<Session> => account.api.ok(path, { origins: [shop] });
    const declineOne = async (): Promise<void> => {
      const { body } = await submit(await create(), { cardNumber: '4000000000000002' });
      const { paymentInstrument } = await account.api.ok('/payment-instruments/create-from-token', {
        token: body.token,
        customerData: { email: `declined${++attempts}@example.com` },
      });
      const charge = { paymentInstrumentId: paymentInstrument.id, storeId: account.storeId, currency: 'USD' };
      // Charged twice, it is one card that was tried.
      for (const amount of [100, 200])
        expect((await account.api.ok('/payments/process', { ...charge, amount })).payment.status).toBe('declined');
    };
    await declineOne();
    const declines = 'SELECT network FROM limits.card_attempts WHERE "storeId" = $1 AND state = $2';
    const { rows } = await platform.services.pool.query(declines, [account.storeId, 'declined']);
    expect(rows).toHaveLength(1);
    await platform.services.pool.query(
      `INSERT INTO limits.card_attempts (id, "sessionId", "storeId", network, state, at)
        SELECT 'try_fields' || n, 'other', 'other', $1, 'declined', $2 FROM generate_series(1, 48) n`,
      [rows[0].network, clock.now()],
    );
    expect((await submit(await create())).status).toBe(200);
    await declineOne();
    const refused = await submit(await create());
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, 3600]);
    expect((await submit(await create(), {}, { 'X-Forwarded-For': '2001:db8:ffff::1' })).status).toBe(200);
  });

  test('100 declined cards of one store in ten minutes, the next is 429 from any address, and 200 of another store', async () => {
    const [mine, other] = [await partner.account(), await partner.account()];
    const from = (at: string) => ({ 'X-Forwarded-For': `2001:db8:${home}:${at}::1` });
    const open = (merchant: typeof mine): Promise<Session> => merchant.api.ok(path, { origins: [shop] });
    await platform.services.pool.query(
      `INSERT INTO limits.card_attempts (id, "sessionId", "storeId", network, state, at)
        SELECT 'try_store' || n, 'other', $1, 'other', 'declined', $2 FROM generate_series(1, 99) n`,
      [mine.storeId, clock.now()],
    );
    const { body } = await submit(await open(mine), { cardNumber: '4000000000000002' }, from('1'));
    const { paymentInstrument } = await mine.api.ok('/payment-instruments/create-from-token', {
      token: body.token,
      customerData: { email: 'hundredth@example.com' },
    });
    const charge = { paymentInstrumentId: paymentInstrument.id, amount: 100, currency: 'USD' };
    expect((await mine.api.ok('/payments/process', charge)).payment.status).toBe('declined');
    const refused = await submit(await open(mine), {}, from('2'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600']);
    expect((await submit(await open(other), {}, from('2'))).status).toBe(200);
  });

  test('the token of a session for a customer is 400 for another customer', async () => {
    const { customerId } = await account.instrument();
    const other = await account.instrument();
    const { body } = await submit(await create({ customerId }));
    const exchange = (more: object) =>
      account.api.call('/payment-instruments/create-from-token', { token: body.token, ...more });
    expect((await exchange({ customerId: other.customerId })).body.data.issues[0].path).toBe('customerId');
    expect((await exchange({ customerData: { email: 'else@example.com' } })).status).toBe(400);
    expect((await exchange({ customerId })).status).toBe(200);
  });
});

describe('the pages and the script', () => {
  const get = (at: string, headers: Record<string, string> = {}) => fetch(platform.url + at, { headers });

  test('the frame may be framed by the origins of the session and by no other; an unknown one is 404', async () => {
    const { id } = await create({ origins: [shop, 'http://localhost:3000'] });
    const answer = await get(`/fields/frame/${id}`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/frame-ancestors https:\/\/shop\.example\.com http:\/\/localhost:3000;/);
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('x-frame-options')).toBeNull();
    for (const page of ['frame', 'challenge', 'return']) {
      const unknown = await get(`/fields/${page}/cs_0000000000000000000000`);
      expect([unknown.status, unknown.headers.get('content-security-policy')]).toEqual([
        404,
        expect.stringContaining("frame-ancestors 'none'"),
      ]);
    }
  });

  test('the script has at most 15 kB compressed, a path by its hash that is cached for ever, and an alias', async () => {
    const hashed = await get(scriptFile.path);
    expect(hashed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(hashed.headers.get('access-control-allow-origin')).toBe('*');
    expect(hashed.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    const text = await hashed.text();
    expect(gzipSync(text).length).toBeLessThan(15_000);
    const alias = await get('/fields/v1.js');
    expect([alias.headers.get('cache-control'), await alias.text()]).toEqual(['public, max-age=3600', text]);
    const etag = alias.headers.get('etag') ?? '';
    expect((await get('/fields/v1.js', { 'If-None-Match': etag })).status).toBe(304);
    expect((await get('/fields/v1.0000000000000000.js')).status).toBe(404);
  });

  test('the guide prints the path and the hash of the script', () => {
    const guide = textOf('docs/guides/card-fields.md');
    expect([guide.includes(scriptFile.path), guide.includes(scriptFile.integrity)]).toEqual([true, true]);
  });

  test('sessions are deleted a day after they expired, not before', async () => {
    const { id } = await create();
    clock.advance(24.5 * 60 * minuteMs);
    await purgeOldRows(platform.services, keeps);
    expect((await account.api.call(`${path}/${id}`)).status).toBe(200);
    clock.advance(1);
    expect(await purgeOldRows(platform.services, keeps)).toBeGreaterThan(0);
    expect((await account.api.call(`${path}/${id}`)).status).toBe(404);
  });
});
