import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectBooksToAgree, unsettledCount } from '../support/books.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';

let platform: TestPlatform;
let partner: SeededPartner;
let account: SeededAccount;

beforeAll(async () => {
  platform = await startTestPlatform({ env: { DATABASE_POOL_SIZE: '2' } });
  partner = await seedPartner(platform);
  account = await partner.account();
});
afterAll(() => platform.close());

const callsAtOnce = 16;
/** A write that needed a second connection while it holds one would bring the pool to a stand here, and fail at last. */
function atOnce<Result>(call: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: callsAtOnce }, (_, index) => call(index)));
}

test('200 for every call when far more cards come at once than there are connections', async () => {
  await atOnce(async () => {
    const { id } = await account.instrument('4242424242424242');
    return account.api.ok('/payments/process', { paymentInstrumentId: id, amount: 100, currency: 'USD' });
  });
  expect(await unsettledCount(platform.env.pool)).toBe(0);
  await expectBooksToAgree(platform.env.pool);
});

test('200 for every call when far more accounts, keys and customers are made at once than there are connections', async () => {
  await atOnce(async (index) => {
    const made = await partner.api.ok('/accounts', { legalName: `Merchant ${index}` }, { headers: { 'Idempotency-Key': `account-${index}` } });
    await partner.api.ok(`/accounts/${made.id}/api-keys`, { label: 'first' });
    return account.api.ok('/customers/create', { email: `payer-${index}@example.com` }, { headers: { 'Idempotency-Key': `customer-${index}` } });
  });
});

test('429 with Retry-After, and nothing done, for a call that found every connection in use for seconds', async () => {
  const held = await Promise.all([platform.env.pool.connect(), platform.env.pool.connect()]);
  const payments = await held[0]?.query('SELECT count(*) AS n FROM payments');
  try {
    const answer = await account.api.call('/payments/process', { paymentInstrumentId: 'pi_0000000000000000', amount: 100, currency: 'USD' });
    expect(answer).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS', data: { retryAfter: 2 } } });
    expect(answer.headers.get('Retry-After')).toBe('2');
  } finally {
    for (const connection of held) connection.release();
  }
  expect((await platform.env.pool.query('SELECT count(*) AS n FROM payments')).rows).toEqual(payments?.rows);
  expect((await account.api.call('/auth/test')).status).toBe(200);
});

test('a card that nothing came to refer to is not kept', async () => {
  const kept = async () => (await platform.env.pool.query<{ n: number }>('SELECT count(*) AS n FROM vault.cards')).rows[0]?.n;
  const tokenize = (body: object) => account.api.call('/payment-instruments/tokenize', { cardNumber: '4242424242424242', expMonth: 12, expYear: 2035, cvc: '123', ...body }, { headers: { 'Idempotency-Key': 'one-card' } });
  expect((await tokenize({})).status).toBe(200);
  const before = await kept();
  expect((await tokenize({})).status).toBe(200);
  expect((await tokenize({ cvc: '124' })).status).toBe(409);
  expect((await account.api.call('/payment-instruments/create-from-token', { token: 'tok_visa', customerId: 'cus_0000000000000000000000' })).status).toBe(404);
  expect(await kept()).toBe(before);
});
