import { describe, expect, test } from 'vitest';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();
/**
 * A separate account, since its number of stores grows: with more than one store, other calls would have to name one.
 */
const shop = await partner.account();
const instrumentId = (await account.instrument()).id;

let count = 0;
const newKey = (): string => `key-${++count}`;
const rowsOf = async (table: string): Promise<number> =>
  (await platform.services.pool.query(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n;

/** The answer with its exact text. */
async function post(
  path: string,
  body: unknown,
  idempotencyKey: string | undefined,
  {
    key = JSON.stringify([path, body]).includes('reateStore') || path.startsWith('/stores')
      ? shop.subKey
      : account.subKey,
    method = 'POST',
  } = {},
) {
  const response = await fetch(`${platform.url}${path.startsWith('/graphql') ? '' : '/api/public/v1'}${path}`, {
    method,
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${key}`,
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    replayed: response.headers.get('idempotent-replayed'),
    text,
    body: JSON.parse(text),
  };
}
const charge = (more: object = {}) => ({ paymentInstrumentId: instrumentId, amount: 1200, currency: 'USD', ...more });

describe('7 idempotency', () => {
  test('a repeat returns the same status and bytes with Idempotent-Replayed and has no second effect', async () => {
    const key = newKey();
    const body = charge({ metadata: { zebra: 1, apple: 'x', b: 1.5, aa: null } });
    const first = await post('/payments/process', body, key);
    const before = [
      await rowsOf('payments'),
      await rowsOf('transactions'),
      await rowsOf('events'),
      await rowsOf('test_processor.charges'),
    ];
    const again = await post('/payments/process', body, key);
    expect([first.status, first.replayed]).toEqual([200, null]);
    expect([again.status, again.replayed, again.text]).toEqual([200, 'true', first.text]);
    expect([
      await rowsOf('payments'),
      await rowsOf('transactions'),
      await rowsOf('events'),
      await rowsOf('test_processor.charges'),
    ]).toEqual(before);
  });

  test('the order of keys and white space do not change the body', async () => {
    const key = newKey();
    const first = await post('/customers/create', '{"email":"same@example.com","firstName":"S"}', key);
    const again = await post('/customers/create', '{ "firstName" : "S",\n "email":"\\u0073ame@example.com" }', key);
    expect([again.status, again.text]).toEqual([200, first.text]);
  });

  test('409 idempotency_key_reused for another body, without an effect', async () => {
    const key = newKey();
    await post('/payments/process', charge(), key);
    const before = await rowsOf('payments');
    const other = await post('/payments/process', charge({ amount: 1201 }), key);
    expect([other.status, other.body.code, other.body.data, await rowsOf('payments')]).toEqual([
      409,
      'CONFLICT',
      { reason: 'idempotency_key_reused' },
      before,
    ]);
  });

  test('400 for an unknown field leaves the key unused', async () => {
    const key = newKey();
    expect((await post('/customers/create', { email: 'unknown@example.com', note: 1 }, key)).status).toBe(400);
    expect((await post('/customers/create', { email: 'unknown@example.com' }, key)).status).toBe(200);
  });

  test('quoted and bare keys are equal', async () => {
    const key = newKey();
    const first = await post('/payments/process', charge(), key);
    const again = await post('/payments/process', charge(), `"${key}"`);
    expect([again.replayed, again.text]).toEqual(['true', first.text]);
  });

  test.each([
    ['1 character', 'x', 200],
    ['255 characters', 'y'.repeat(255), 200],
    ['256 characters', 'z'.repeat(256), 400],
    ['none', '', 400],
    ['none, quoted', '""', 400],
    ['a character that is not ASCII', 'clé', 400],
    ['a tab', 'a\tb', 400],
  ])('a key of %s', async (_name, key, status) => {
    const answer = await post('/customers/create', { email: 'keys@example.com' }, key);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.data.issues[0].path).toBe('Idempotency-Key');
  });

  test('keys of a partner key and of a sub-key are separate', async () => {
    const key = newKey();
    const body = { email: 'meet@example.com', storeId: account.storeId };
    await post('/customers/create', body, key);
    const ofPartner = await post('/customers/create', { ...body, firstName: 'Other' }, key, {
      key: partner.partnerKey,
    });
    expect([ofPartner.status, ofPartner.replayed]).toEqual([200, null]);
  });

  test('sub-keys of one account share keys; accounts and modes do not', async () => {
    const key = newKey();
    const first = await post('/customers/create', { email: 'scope@example.com' }, key);
    const { secret } = await partner.api.ok(`/accounts/${account.id}/api-keys`, { label: 'second' });
    expect((await post('/customers/create', { email: 'scope@example.com' }, key, { key: secret })).text).toBe(
      first.text,
    );
    const other = await partner.account();
    expect(
      (await post('/customers/create', { email: 'scope@example.com' }, key, { key: other.subKey })).replayed,
    ).toBeNull();
    const live = await seedPartner(platform, 'live', partner.id);
    const made = await post('/accounts', { legalName: 'Modes' }, key, { key: partner.partnerKey });
    const madeLive = await post('/accounts', { legalName: 'Modes' }, key, { key: live.partnerKey });
    expect([made.status, madeLive.status, madeLive.replayed, made.body.id === madeLive.body.id]).toEqual([
      200,
      200,
      null,
      false,
    ]);
  });

  test('one key can be used for different operations', async () => {
    const key = newKey();
    expect((await post('/customers/create', { email: 'operations@example.com' }, key)).replayed).toBeNull();
    expect((await post('/stores/create', { name: 'Operations' }, key)).replayed).toBeNull();
  });

  test('only a 200 is stored: after 400, 403, 404 and 409 the same key has its effect', async () => {
    const { id } = await account.instrument();
    await platform.services.pool.query(
      'UPDATE payment_instruments SET "isActive" = false, "isDefault" = false WHERE id = $1',
      [id],
    );
    const key = newKey();
    expect((await post('/payments/process', charge({ amount: 0 }), key)).status).toBe(400);
    expect((await post('/payments/process', charge({ storeId: 'store_0000000000000000000000' }), key)).status).toBe(
      403,
    );
    expect(
      (await post('/payments/process', charge({ paymentInstrumentId: 'pi_0000000000000000000000' }), key)).status,
    ).toBe(404);
    expect((await post('/payments/process', charge({ paymentInstrumentId: id }), key)).status).toBe(409);
    const done = await post('/payments/process', charge(), key);
    expect([done.status, done.replayed]).toEqual([200, null]);
  });

  test('a declined charge is replayed', async () => {
    const { id } = await account.instrument('4000000000000002');
    const key = newKey();
    const first = await post('/payments/process', charge({ storeId: account.storeId, paymentInstrumentId: id }), key);
    expect(first.body.payment.status).toBe('declined');
    expect(
      (await post('/payments/process', charge({ storeId: account.storeId, paymentInstrumentId: id }), key)).text,
    ).toBe(first.text);
  });

  test('a replay of creating a key has secret null and is otherwise the same', async () => {
    const key = newKey();
    const first = await post(`/accounts/${account.id}/api-keys`, { label: 'once' }, key, { key: partner.partnerKey });
    const again = await post(`/accounts/${account.id}/api-keys`, { label: 'once' }, key, { key: partner.partnerKey });
    expect(again.body).toEqual({ ...first.body, secret: null });
    expect(again.replayed).toBe('true');
  });

  test('two at once: one effect, one answer', async () => {
    const key = newKey();
    const before = await rowsOf('payments');
    const body = charge({ storeId: account.storeId });
    const answers = await Promise.all(Array.from({ length: 6 }, () => post('/payments/process', body, key)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers.filter(({ replayed }) => replayed === null).length).toBe(1);
    expect(await rowsOf('payments')).toBe(before + 1);
  });

  test('two at once on an operation of one transaction: one effect', async () => {
    const key = newKey();
    const before = await rowsOf('stores');
    const answers = await Promise.all(Array.from({ length: 6 }, () => post('/stores/create', { name: 'Twice' }, key)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await rowsOf('stores')).toBe(before + 1);
  });

  test('GraphQL accepts the header: the repeat is a replay', async () => {
    const key = newKey();
    const body = {
      query: 'mutation ($input: CreateStoreInput!) { createStore(input: $input) { id name createdAt } }',
      variables: { input: { name: 'Graph' } },
    };
    const first = await post('/graphql', body, key);
    const again = await post('/graphql', body, key);
    expect([first.replayed, again.replayed, again.text]).toEqual([null, 'true', first.text]);
    const other = await post('/graphql', { ...body, variables: { input: { name: 'Other' } } }, key);
    expect(other.body.errors[0].extensions).toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'idempotency_key_reused' },
    });
  });

  test('GraphQL allows exactly one mutation field with a key', async () => {
    const answer = await post(
      '/graphql',
      { query: 'mutation { a: createStore(input: { name: "A" }) { id } b: createStore(input: { name: "B" }) { id } }' },
      newKey(),
    );
    expect(answer.body.errors[0].extensions.code).toBe('INPUT_PARSE_ERROR');
  });

  test('without a key two equal calls have two effects', async () => {
    const [one, two] = [
      await post('/stores/create', { name: 'Equal' }, undefined),
      await post('/stores/create', { name: 'Equal' }, undefined),
    ];
    expect(one.body.id).not.toBe(two.body.id);
  });

  test('a stored answer is replayed after a further store made the call ambiguous', async () => {
    const growing = await partner.account();
    const calls = [
      ['/customers/create', { email: 'grow@example.com' }],
      ['/payment-instruments/tokenize', { cardNumber: '4242424242424242', expMonth: 12, expYear: 2039, cvc: '123' }],
      ['/payment-instruments/create-from-token', { token: 'tok_visa', customerData: { email: 'grow@example.com' } }],
    ] as const;
    const repeat = () =>
      Promise.all(
        calls.map(([path, body]) => post(path, body, 'growing', { key: growing.subKey }).then(({ text }) => text)),
      );
    const first = await repeat();
    await growing.api.ok('/stores/create', { name: 'Second' });
    expect(await repeat()).toEqual(first);
    expect(
      (await post('/customers/create', { email: 'grow@example.com' }, 'fresh', { key: growing.subKey })).status,
    ).toBe(400);
  });

  test('401 and 403 for the caller come before a stored answer', async () => {
    const ours = await seedPartner(platform);
    const own = await ours.account();
    const body = { email: 'caller@example.com' };
    const repeat = async (key: string) => {
      const answer = await post('/customers/create', body, 'of the caller', { key });
      return [answer.status, answer.replayed, answer.body.data?.reason];
    };
    const keyWith = async (more: object): Promise<{ id: string; secret: string }> =>
      ours.api.ok(`/accounts/${own.id}/api-keys`, { label: 'other', ...more });
    expect(await repeat(own.subKey)).toEqual([200, null, undefined]);
    const other = await keyWith({});
    expect(await repeat(other.secret)).toEqual([200, 'true', undefined]);
    await ours.api.ok(`/api-keys/${other.id}/revoke`, {});
    expect(await repeat(other.secret)).toEqual([401, null, undefined]);
    const elsewhere = await keyWith({ allowedIps: ['203.0.113.0/24'] });
    expect(await repeat(elsewhere.secret)).toEqual([403, null, 'ip_not_allowed']);
    await platform.services.pool.query(`UPDATE partners SET status = 'offboarded' WHERE id = $1`, [ours.id]);
    expect(await repeat(own.subKey)).toEqual([403, null, 'partner_not_active']);
  });

  test('over GraphQL a repeat reads the links of the answer again, and not its own fields', async () => {
    const { id, customerId } = await account.instrument();
    const body = {
      query: `mutation ($input: CreateOrderInput!) {
        createOrder(input: $input) { id status metadata customer { firstName } }
      }`,
      variables: {
        input: {
          currency: 'USD',
          customerId,
          metadata: { note: 'first' },
          items: [{ name: 'Tea', quantity: 1, unitAmount: 700 }],
        },
      },
    };
    const key = newKey();
    const first = await post('/graphql', body, key);
    const made = first.body.data.createOrder;
    expect(made).toMatchObject({ status: 'pending', customer: { firstName: null } });
    await account.api.ok(`/customers/${customerId}`, { firstName: 'Grace' }, { method: 'PUT' });
    await account.api.ok('/payments/process', {
      orderId: made.id,
      paymentInstrumentId: id,
      amount: 700,
      currency: 'USD',
      storeId: account.storeId,
    });
    expect((await account.api.ok(`/orders/${made.id}`)).status).toBe('paid');
    const again = await post('/graphql', body, key);
    expect([again.replayed, again.body.data.createOrder]).toEqual([
      'true',
      { ...made, customer: { firstName: 'Grace' } },
    ]);
  });

  test('a charge without a usable processor is replayed byte by byte', async () => {
    const live = await (await seedPartner(platform, 'live', partner.id)).account();
    const { id } = await live.instrument('4111111111111111');
    const body = { paymentInstrumentId: id, amount: 5, currency: 'USD', metadata: { zebra: 1, apple: 2, b: 3 } };
    const first = await post('/payments/process', body, 'no-processor', { key: live.subKey });
    const again = await post('/payments/process', body, 'no-processor', { key: live.subKey });
    expect([first.body.payment.failureCode, again.replayed, again.text]).toEqual(['no_processor', 'true', first.text]);
  });

  test('a card number in a body cannot be found by its hash', async () => {
    const { rows } = await platform.services.pool.query(
      `SELECT DISTINCT length("requestHash") AS n FROM idempotency_records`,
    );
    expect(rows.length).toBeGreaterThan(0);
    const { createHash } = await import('node:crypto');
    const body = { cardNumber: '4242424242424242', expMonth: 12, expYear: 2039, cvc: '123' };
    await post('/payment-instruments/tokenize', { storeId: account.storeId, ...body }, 'hashed');
    const { canonicalJson } = await import('../../src/lib/json.ts');
    const plain = createHash('sha256').update(
      canonicalJson({ params: {}, body: { storeId: account.storeId, ...body } }),
    );
    const { rows: found } = await platform.services.pool.query(
      `SELECT "requestHash" FROM idempotency_records WHERE key = 'hashed'`,
    );
    expect([plain.copy().digest('hex'), plain.digest('base64url')]).not.toContain(found[0].requestHash);
  });
});
