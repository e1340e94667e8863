import pg from 'pg';
import { expect, test } from 'vitest';
import { expectLedgersToAgree, unresolvedCount } from '../support/ledger.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform({ env: { DATABASE_POOL_SIZE: '2' } });
const partner = await seedPartner(platform);
const account = await partner.account();
const overloaded = 'The server is overloaded. No changes were made. Try again in 2 s.';

const callsAtOnce = 16;
/** A write that needed a second connection while it held one would block the pool here and finally fail. */
function atOnce<Result>(call: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: callsAtOnce }, (_, index) => call(index)));
}

test('200 for every call when far more cards arrive at once than there are connections', async () => {
  await atOnce(async () => {
    const { id } = await account.instrument('4242424242424242');
    return account.api.ok('/payments/process', { paymentInstrumentId: id, amount: 100, currency: 'USD' });
  });
  expect(await unresolvedCount(platform.services.pool)).toBe(0);
  await expectLedgersToAgree(platform.services.pool);
});

test('200 for every call when far more objects are created at once than there are connections', async () => {
  await atOnce(async (index) => {
    const made = await partner.api.ok(
      '/accounts',
      { legalName: `Merchant ${index}` },
      { headers: { 'Idempotency-Key': `account-${index}` } },
    );
    await partner.api.ok(`/accounts/${made.id}/api-keys`, { label: 'first' });
    return account.api.ok(
      '/customers/create',
      { email: `payer-${index}@example.com` },
      { headers: { 'Idempotency-Key': `customer-${index}` } },
    );
  });
});

test('503 with Retry-After without an effect when connections and queue are full; 200 for admitted calls', async () => {
  const { id } = await account.instrument();
  const charge = () =>
    account.api.call(
      '/payments/process',
      { paymentInstrumentId: id, amount: 100, currency: 'USD' },
      { headers: { 'Idempotency-Key': 'refused' } },
    );
  const { admissionControl, pool } = platform.services;
  const held = await Promise.all([pool.connect(), pool.connect()]);
  const payments = await held[0]?.query('SELECT count(*) AS n FROM payments');
  // Twice as many calls as connections wait at the pool itself, and a hundred times as many in admission control.
  const waiting = Array.from({ length: 204 }, () => account.api.call('/auth/test'));
  try {
    await expect.poll(() => [admissionControl.waiting, admissionControl.inWork]).toEqual([200, 4]);
    const refused = await charge();
    expect(refused).toMatchObject({
      status: 503,
      body: { code: 'SERVICE_UNAVAILABLE', data: { retryAfter: 2, effect: 'none' } },
    });
    expect(refused.headers.get('Retry-After')).toBe('2');
    const post = (path: string, authorization: string) =>
      fetch(`${platform.url}${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${authorization}`, 'Content-Type': 'application/json' },
        body: '{"query": "{ authTest { ok } }"}',
      });
    const graph = await post('/graphql', account.subKey);
    expect([graph.status, graph.headers.get('Retry-After'), await graph.json()]).toEqual([
      503,
      '2',
      {
        errors: [
          {
            message: overloaded,
            extensions: { code: 'SERVICE_UNAVAILABLE', data: { retryAfter: 2, effect: 'none' } },
          },
        ],
      },
    ]);
    const iam = await post('/api/v1/iam/users/list', 'a.b.c');
    expect([iam.status, await iam.json()]).toEqual([503, { code: 'SERVICE_UNAVAILABLE', message: overloaded }]);
    const plugins = await post('/api/public/v1/plugins/v2/deployments/list', account.subKey);
    expect([plugins.status, await plugins.json()]).toEqual([
      503,
      {
        code: 'SERVICE_UNAVAILABLE',
        message: overloaded,
        issues: [{ message: overloaded }],
      },
    ]);
    // A call without a credential does not wait, and the health and metrics endpoints are always available.
    expect((await fetch(`${platform.url}/api/public/v1/auth/test`)).status).toBe(401);
    expect((await fetch(`${platform.url}/health/live`)).status).toBe(200);
    expect(await (await fetch(`${platform.url}/metrics`)).text()).toContain('platform_requests{state="waiting"} 200');
    expect((await held[0]?.query('SELECT count(*) AS n FROM payments'))?.rows).toEqual(payments?.rows);
  } finally {
    for (const connection of held) connection.release();
  }
  expect((await Promise.all(waiting)).filter(({ status }) => status !== 200)).toEqual([]);
  await expect.poll(() => [admissionControl.inWork, admissionControl.waiting]).toEqual([0, 0]);
  const again = await charge();
  expect(again).toMatchObject({ status: 200, body: { payment: { status: 'succeeded' } } });
  expect(again.headers.get('Idempotent-Replayed')).toBeNull();
});

/** Many more than two connections can serve at once. */
const burst = Number(process.env['FAULTS_BURST'] ?? 200);

async function paymentsCount(): Promise<number> {
  return (await platform.services.pool.query<{ n: number }>('SELECT count(*) AS n FROM payments')).rows[0]?.n ?? 0;
}

test('200 or 503 in a burst of charges, and one effect a key when the rejected ones are repeated', {
  timeout: 60_000,
}, async () => {
  const merchants = await Promise.all(Array.from({ length: 4 }, () => partner.account()));
  const cards = await Promise.all(merchants.map(({ instrument }) => instrument('4242424242424242')));
  const chargeOf = (index: number) =>
    merchants[index % 4]?.api.call(
      '/payments/process',
      { paymentInstrumentId: cards[index % 4]?.id, amount: 100 + index, currency: 'USD' },
      { headers: { 'Idempotency-Key': `burst-${index}` } },
    );
  const paidBefore = await paymentsCount();
  let open = Array.from({ length: burst }, (_, index) => index);
  for (let round = 1; open.length > 0 && round <= 20; round++) {
    const answers = await Promise.all(open.map(chargeOf));
    expect(answers.filter((answer) => answer?.status !== 200 && answer?.status !== 503)).toEqual([]);
    for (const answer of answers)
      if (answer?.status === 503) expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]/);
    open = open.filter((_, at) => answers[at]?.status === 503);
  }
  expect(open).toEqual([]);
  expect((await paymentsCount()) - paidBefore).toBe(burst);
  await expectLedgersToAgree(platform.services.pool);
});

test('200 for other calls while more calls than connections wait for a slow processor', async () => {
  const { id } = await account.instrument('4242424242424242');
  const processor = new pg.Client({ connectionString: platform.databaseUrl });
  await processor.connect();
  await processor.query('BEGIN; LOCK TABLE test_processor.charges IN EXCLUSIVE MODE');
  const charges = Array.from({ length: 30 }, () =>
    account.api.call('/payments/process', { paymentInstrumentId: id, amount: 100, currency: 'USD' }),
  );
  try {
    await expect.poll(() => unresolvedCount(platform.services.pool)).toBe(60); // a payment and a transaction each
    expect((await account.api.call('/auth/test')).status).toBe(200);
    await expect
      .poll(() => [platform.services.admissionControl.inWork, platform.services.admissionControl.waiting])
      .toEqual([30, 0]);
  } finally {
    await processor.query('COMMIT');
    await processor.end();
  }
  for (const { status } of await Promise.all(charges)) expect(status).toBe(200);
});

test('a card without a reference is not kept', async () => {
  const kept = async () =>
    (await platform.services.vaultDatabase.pool.query<{ n: number }>('SELECT count(*) AS n FROM vault.cards')).rows[0]
      ?.n;
  const tokenize = (body: object) =>
    account.api.call(
      '/payment-instruments/tokenize',
      { cardNumber: '4242424242424242', expMonth: 12, expYear: 2035, cvc: '123', ...body },
      { headers: { 'Idempotency-Key': 'one-card' } },
    );
  expect((await tokenize({})).status).toBe(200);
  const before = await kept();
  expect((await tokenize({})).status).toBe(200);
  expect((await tokenize({ cvc: '124' })).status).toBe(409);
  expect(
    (
      await account.api.call('/payment-instruments/create-from-token', {
        token: 'tok_visa',
        customerId: 'cus_0000000000000000000000',
      })
    ).status,
  ).toBe(404);
  expect(await kept()).toBe(before);
});
