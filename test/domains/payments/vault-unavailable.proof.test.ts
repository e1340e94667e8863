import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { purgeUnclaimedCards } from '../../../src/domains/instruments/jobs.ts';
import { runDueSubscriptions } from '../../../src/domains/subscriptions/periods/run-subscription.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import type { CardProcessor } from '../../../src/ports/card-processor.ts';
import { asOwner, dropDatabase, freshDatabase, vaultDatabaseOf } from '../../support/database.ts';
import { type DatabaseSwitch, openDatabaseSwitch } from '../../support/database-switch.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';
import { chargesOf, dayMs, priceOf } from '../../support/subscriptions.ts';
import { vaultSettingsOf } from '../../support/vault-settings.ts';

const clock = manualClock(new Date('2030-01-01T00:00:00.000Z'));
let database: string;
let line: DatabaseSwitch;
let platform: TestPlatform;
let account: SeededAccount;
let instrumentId: string;
/** Called with the answer of the processor, before the platform has it. */
let afterAnswer: () => void = () => {};

beforeAll(async () => {
  database = await freshDatabase();
  const { VAULT_DATABASE_URL: url, ...owner } = vaultSettingsOf(await vaultDatabaseOf(database));
  line = await openDatabaseSwitch(url);
  const env = { ...owner, VAULT_DATABASE_URL: line.url };
  platform = await startTestPlatform({ databaseUrl: database, env, clock, vault: 'apart' });
  account = await (await seedPartner(platform)).account();
  instrumentId = (await account.instrument()).id;
  const processors = platform.services.processors as Map<string, CardProcessor>; // a Map at run time
  const real = processors.get('test') as CardProcessor;
  const authorize: CardProcessor['authorize'] = async (question) => {
    const answer = await real.authorize(question);
    afterAnswer();
    return answer;
  };
  processors.set('test', { ...real, authorize });
});
afterAll(async () => {
  await platform?.close();
  await line?.close();
  await dropDatabase(database);
});
beforeEach(async () => {
  afterAnswer = () => {};
  line.restore();
  // While it is away it is asked once a second.
  await expect.poll(ready).toEqual([200, { status: 'ok' }]);
});

async function ready(): Promise<[number, unknown]> {
  const response = await fetch(`${platform.url}/health/ready`);
  return [response.status, await response.json()];
}

const charge = () => ({ paymentInstrumentId: instrumentId, amount: 700, currency: 'USD' });
const card = { cardNumber: '4242424242424242', expMonth: 12, expYear: 2035, cvc: '123' };
const customerData = { email: 'payer@example.com' };

/** All rows that a call of a client could have written, but for the count of the numbers that an account presents. */
async function rows(): Promise<string> {
  const tables = ['payments', 'transactions', 'tokens', 'payment_instruments', 'customers', 'orders', 'events'];
  const counts = [...tables, 'idempotency_records'].map((table) => `(SELECT count(*) FROM ${table})`);
  const { rows: found } = await asOwner<{ counts: string }>(
    { databaseUrl: database },
    `SELECT concat_ws(' ', ${counts.join(', ')}) AS counts`,
  );
  return found[0]?.counts ?? '';
}

describe('while the database of the vault is away', () => {
  test.each<[string, string, () => object]>([
    ['a charge', '/payments/process', charge],
    ['tokenization', '/payment-instruments/tokenize', () => card],
    [
      'an instrument of a test token',
      '/payment-instruments/create-from-token',
      () => ({ token: 'tok_visa', customerData }),
    ],
  ])('503 with Retry-After for %s, nothing is changed, and its repeat is done', async (_name, path, body) => {
    const headers = { 'Idempotency-Key': `away-${path}` };
    const before = await rows();
    line.cut();
    for (let call = 0; call < 3; call += 1) {
      const answer = await account.api.call(path, body(), { headers });
      expect(answer).toMatchObject({
        status: 503,
        body: { code: 'SERVICE_UNAVAILABLE', data: { effect: 'none' } },
      });
      expect(answer.headers.get('Retry-After')).toBe('2');
    }
    expect(await rows()).toBe(before);
    line.restore();
    await expect.poll(async () => (await account.api.call(path, body(), { headers })).status).toBe(200);
  });

  test('503 for a charge whose block rule asks for the number, and no payment', async () => {
    const rule = await account.api.ok('/block-rules', { name: 'Number', panRegex: '^5' });
    const before = await rows();
    line.cut();
    expect((await account.api.call('/payments/process', charge())).status).toBe(503);
    expect(await rows()).toBe(before);
    line.restore();
    await account.api.call(`/block-rules/${rule.id}`, undefined, { method: 'DELETE' });
  });

  test('200 for what needs no card: captures, voids, refunds, reads, instruments of tokens, block rules', async () => {
    const held = [];
    for (let hold = 0; hold < 2; hold += 1)
      held.push((await account.charge('tok_visa', { mode: 'auth' })).payment['id']);
    const { payment } = await account.charge();
    const { token } = await account.api.ok('/payment-instruments/tokenize', card);
    line.cut();
    await account.api.ok('/payments/capture', { paymentId: held[0] });
    await account.api.ok('/payments/void', { paymentId: held[1] });
    await account.api.ok('/payments/refund', { paymentId: payment['id'] });
    await account.api.ok('/payment-instruments/create-from-token', { token, customerData });
    await account.api.ok(`/payments/${payment['id']}`);
    await account.api.ok('/customers/create', { email: 'new@example.com', storeId: account.storeId });
  });

  test('the server stays ready and names the vault; a metric says so, and the log once', async () => {
    const away = async () => /platform_vault_unavailable (\d)/.exec(await platform.services.metrics.text())?.[1];
    expect(await away()).toBe('0');
    const logged = platform.logged.length;
    line.cut();
    expect(await ready()).toEqual([200, { status: 'degraded', cause: 'vault' }]);
    expect(await ready()).toEqual([200, { status: 'degraded', cause: 'vault' }]);
    expect(await away()).toBe('1');
    const lines = platform.logged.slice(logged).filter((text) => text.includes('vault database is unavailable'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/platform_vault:|password/);
  });

  test('200 for a charge whose vault goes away after the processor has answered, and its CVC is erased', async () => {
    const { id: paymentInstrumentId } = await account.instrument(card.cardNumber);
    const refused = line.refused();
    afterAnswer = () => line.cut();
    const answer = account.api.call('/payments/process', { ...charge(), paymentInstrumentId });
    await refused;
    line.restore();
    expect(await answer).toMatchObject({ status: 200, body: { payment: { status: 'succeeded' } } });
    const { rows: kept } = await platform.services.vaultDatabase.pool.query(
      'SELECT FROM vault.cards WHERE id = $1 AND "sealedCvc" IS NOT NULL',
      [
        (await platform.services.prisma.paymentInstrument.findUniqueOrThrow({ where: { id: paymentInstrumentId } }))
          .cardId,
      ],
    );
    expect(kept).toEqual([]);
  });

  test('a renewal is neither declined nor retried as a failure: it is charged when the vault is back', async () => {
    const { id: paymentInstrumentId, customerId } = await account.instrument();
    const subscription = await account.api.ok('/subscriptions/create', {
      customerId,
      paymentInstrumentId,
      priceId: await priceOf(account),
    });
    expect(await chargesOf(platform, subscription.id)).toEqual(['1000 succeeded']);
    clock.advance(32 * dayMs);
    line.cut();
    await runDueSubscriptions(platform.services);
    expect((await account.api.ok(`/subscriptions/${subscription.id}`)).status).toBe('active');
    expect(await chargesOf(platform, subscription.id)).toEqual(['1000 succeeded']);
    line.restore();
    await expect.poll(ready).toEqual([200, { status: 'ok' }]);
    clock.advance(60_000);
    await runDueSubscriptions(platform.services);
    expect(await chargesOf(platform, subscription.id)).toEqual(['1000 succeeded', '1000 succeeded']);
  });

  test('the job that removes unclaimed cards changes nothing, and continues later', async () => {
    await account.api.ok('/payment-instruments/tokenize', card);
    clock.advance(2 * 3_600_000);
    line.cut();
    await expect(purgeUnclaimedCards(platform.services)).rejects.toThrow();
    line.restore();
    await expect.poll(ready).toEqual([200, { status: 'ok' }]);
    expect(await purgeUnclaimedCards(platform.services)).toBeGreaterThan(0);
    expect(await purgeUnclaimedCards(platform.services)).toBe(0);
  });
});

test.each([
  '57014',
  '55P03',
  '40001',
  '40P01',
])('a statement that the vault ends with %s does not make the vault away for the calls beside it', async (code) => {
  const { vaultDatabase } = platform.services;
  const ended = vaultDatabase.pool.query(`DO $$ BEGIN RAISE EXCEPTION 'as asked' USING ERRCODE = '${code}'; END $$`);
  await expect(ended).rejects.toMatchObject({ code });
  expect(vaultDatabase.isUnavailable()).toBe(false);
  await account.api.ok('/payments/process', charge());
});

test('a server starts while the vault is away, and one with a wrong password does not', async () => {
  line.cut();
  const { VAULT_DATABASE_URL: url } = vaultSettingsOf(await vaultDatabaseOf(database));
  const start = (VAULT_DATABASE_URL: string) =>
    startTestPlatform({
      databaseUrl: database,
      vault: 'within',
      env: { VAULT_DATABASE_URL },
    });
  const second = await start(line.url);
  expect(await (await fetch(`${second.url}/health/ready`)).json()).toEqual({ status: 'degraded', cause: 'vault' });
  await second.close();
  const wrong = Object.assign(new URL(url), { password: 'wrong' }).href;
  await expect(start(wrong)).rejects.toThrow('VAULT_DATABASE_URL');
});
