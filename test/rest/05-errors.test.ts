import { describe, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import { asOwner } from '../support/database.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const clock = manualClock(new Date('2030-05-01T10:00:00.000Z'));

const platform = await usePlatform({ clock });
const partner = await seedPartner(platform);
const account = await partner.account();
const first = await partner.api.call(
  `/accounts/${account.id}/api-keys`,
  { label: 'first' },
  { headers: { 'Idempotency-Key': 'used' } },
);
expect(first.status).toBe(200);

/** One request to create an API key, with faults added to it; each fault alone has its own status. */
interface Faulty {
  key: string;
  accountId: string;
  body: string;
  headers: Record<string, string>;
  emptyBuckets: boolean;
}

const faults: readonly { status: number; put(request: Faulty): void }[] = [
  { status: 401, put: (request) => void (request.key = `${request.key.slice(0, -1)}!`) },
  { status: 429, put: (request) => void (request.emptyBuckets = true) },
  { status: 403, put: (request) => void (request.key = request.key.endsWith('!') ? request.key : account.subKey) },
  {
    status: 413,
    put: (request) => void (request.body = `${request.body.slice(0, -1)},"x":"${'x'.repeat(1024 * 1024)}"}`),
  },
  { status: 415, put: (request) => void (request.headers['Content-Type'] = 'text/plain') },
  { status: 400, put: (request) => void (request.body = request.body.replace('"label":"other"', '"label":""')) },
  { status: 404, put: (request) => void (request.accountId = 'tpa_0000000000000000000000') },
  { status: 409, put: (request) => void (request.headers['Idempotency-Key'] = 'used') },
];

async function send(put: readonly ((request: Faulty) => void)[]): Promise<number> {
  const request: Faulty = {
    key: partner.partnerKey,
    accountId: account.id,
    body: '{"label":"other"}',
    headers: { 'Content-Type': 'application/json' },
    emptyBuckets: false,
  };
  for (const fault of put) fault(request);
  await platform.services.pool.query(
    `UPDATE limits.buckets SET tokens = ${request.emptyBuckets ? 0 : 'burst'}, at = $1`,
    [clock.now()],
  );
  const response = await fetch(`${platform.url}/api/public/v1/accounts/${request.accountId}/api-keys`, {
    method: 'POST',
    headers: { ...request.headers, Authorization: `Bearer ${request.key}` },
    body: request.body,
  });
  await response.arrayBuffer();
  return response.status;
}

describe('5 errors', () => {
  const order = faults.map(({ status }) => status);

  test.each(faults)('$status when nothing else is wrong', async ({ status, put }) => {
    expect(await send([put])).toBe(status);
  });

  const pairs = faults.flatMap((first, index) =>
    faults
      .slice(index + 1)
      .map((second) => ({ wins: first.status, over: second.status, put: [first.put, second.put] })),
  );
  test.each(pairs)('$wins precedes $over', async ({ wins, put }) => {
    expect(await send(put)).toBe(wins);
  });

  test('with several errors at once, the statuses are returned in the order of the contract', async () => {
    const statuses = [];
    for (let from = 0; from < faults.length; from++)
      statuses.push(await send(faults.slice(from).map(({ put }) => put)));
    expect(statuses).toEqual(order);
  });

  test('the body of an error is {code, message, data}', async () => {
    const response = await fetch(`${platform.url}/api/public/v1/auth/test`);
    expect(await response.json()).toEqual({ code: 'NOT_AUTHORIZED', message: expect.any(String), data: {} });
  });

  test('a row of a charge: 400 for what is wrong in the body itself before 403 for the store', async () => {
    const { id } = await account.instrument();
    const foreign = await partner.account();
    const body = { storeId: foreign.storeId, paymentInstrumentId: id, amount: 100, currency: 'USD' };
    expect((await account.api.call('/payments/process', body)).status).toBe(403);
    expect((await account.api.call('/payments/process', { ...body, reasonType: 'recurring' })).status).toBe(400);
  });

  test('a store: 400 for an empty list of charge currencies before 404 for the account', async () => {
    const body = { name: 'Shop', platformAccountId: 'tpa_0000000000000000000000' };
    expect((await partner.api.call('/stores/create', body)).status).toBe(404);
    expect((await partner.api.call('/stores/create', { ...body, chargeCurrencies: [] })).status).toBe(400);
  });

  test('a charge: 404 for the instrument and 403 for the store before 409 for a reused key', async () => {
    const { id } = await account.instrument();
    const body = { paymentInstrumentId: id, amount: 100, currency: 'USD' };
    const headers = { 'Idempotency-Key': 'charge-once' };
    await account.api.ok('/payments/process', body, { headers });
    expect((await account.api.call('/payments/process', { ...body, amount: 101 }, { headers })).status).toBe(409);
    expect(
      (
        await account.api.call(
          '/payments/process',
          { ...body, paymentInstrumentId: 'pi_0000000000000000000000' },
          { headers },
        )
      ).status,
    ).toBe(404);
    expect(
      (await account.api.call('/payments/process', { ...body, storeId: 'store_0000000000000000000000' }, { headers }))
        .status,
    ).toBe(403);
  });

  test('a declined charge is not an error', async () => {
    expect((await account.charge('4000000000000002')).payment).toMatchObject({
      status: 'declined',
      failureCode: 'card_declined',
    });
  });

  test('GraphQL returns the same code and data as REST', async () => {
    const rest = await account.api.call('/payments/pay_0000000000000000000000');
    const { errors } = await account.api.graphql('{ payment(paymentId: "pay_0000000000000000000000") { id } }');
    expect([rest.status, rest.body.code, rest.body.data]).toEqual([404, 'PAYMENT_NOT_FOUND', {}]);
    expect(errors[0]).toMatchObject({
      message: rest.body.message,
      extensions: { code: rest.body.code, data: rest.body.data },
    });
    const wrong = await account.api.graphql(
      'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
      { input: { email: 'x' } },
    );
    expect(wrong.errors[0].extensions).toMatchObject({
      code: 'INPUT_PARSE_ERROR',
      data: { issues: [{ path: 'email', message: expect.any(String) }] },
    });
  });

  test('GraphQL without a credential is NOT_AUTHORIZED, with the wrong kind of key FORBIDDEN', async () => {
    const answer = await (
      await fetch(`${platform.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"query":"{ authTest { ok } }"}',
      })
    ).json();
    expect(answer.errors[0].extensions).toMatchObject({ code: 'NOT_AUTHORIZED' });
    expect((await account.api.graphql('{ accounts { total } }')).errors[0].extensions).toMatchObject({
      code: 'FORBIDDEN',
      data: { reason: 'forbidden_scope' },
    });
  });

  test('500 returns one fixed sentence and the request id, and no internals', async () => {
    await asOwner(platform, 'ALTER TABLE customers RENAME TO customers_away');
    const rest = await account.api.call('/customers/list', {}, { headers: { 'Request-Id': 'broken-inside-1' } });
    const graph = await account.api.graphql('{ customers { total } }');
    await asOwner(platform, 'ALTER TABLE customers_away RENAME TO customers');
    expect([rest.status, rest.body]).toEqual([
      500,
      { code: 'INTERNAL_SERVER_ERROR', message: expect.any(String), data: { requestId: 'broken-inside-1' } },
    ]);
    expect(graph.errors[0].extensions).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
    for (const text of [JSON.stringify(rest.body), JSON.stringify(graph)])
      expect(text).not.toMatch(/relation|select|customers_away|pool|\/src\//i);
  });
});
