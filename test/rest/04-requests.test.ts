import { describe, expect, test } from 'vitest';
import { signedIn } from '../iam/people.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();

/** Sends exactly these bytes, without headers added by an HTTP client. */
async function raw(
  path: string,
  {
    body,
    headers = {},
    method = 'POST',
  }: { body?: string | Uint8Array; headers?: Record<string, string>; method?: string },
) {
  const response = await fetch(`${platform.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${account.subKey}`, ...headers },
    ...(body !== undefined && {
      body: typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body),
    }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
const json = { 'Content-Type': 'application/json' };
const list = '/api/public/v1/customers/list';
const padded = (bytes: number): string => `{"ignored":"${'x'.repeat(bytes - 14)}"}`;

describe('4 requests and answers', () => {
  test('200 when the body is exactly 1 MiB', async () => {
    expect((await raw(list, { body: padded(1024 * 1024), headers: json })).status).toBe(200);
  });

  test('413 when the body is one byte over 1 MiB, with the error body of the surface', async () => {
    const answer = await raw(list, { body: padded(1024 * 1024 + 1), headers: json });
    expect([answer.status, answer.body.code, Object.keys(answer.body)]).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
      ['code', 'message', 'data'],
    ]);
  });

  test('413 on /graphql', async () => {
    const answer = await raw('/graphql', {
      body: JSON.stringify({ query: '{ authTest { ok } }', more: 'x'.repeat(1024 * 1024) }),
      headers: json,
    });
    expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json; charset=latin1',
  ])('415 for a body with Content-Type %s', async (type) => {
    const answer = await raw(list, { body: '{}', headers: type === undefined ? {} : { 'Content-Type': type } });
    expect([answer.status, answer.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('200 for a body with Content-Type %s', async (type) => {
    expect((await raw(list, { body: '{}', headers: { 'Content-Type': type } })).status).toBe(200);
  });

  test.each([undefined, 'text/plain'])('415 for a PUT with Content-Type %s, which changes nothing', async (type) => {
    const { id } = await account.api.ok('/customers/create', { email: 'put415@example.com', firstName: 'Ada' });
    const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
    const path = `/api/public/v1/customers/${id}`;
    const answer = await raw(path, { method: 'PUT', body: '{"firstName":"Eve"}', headers });
    expect([answer.status, answer.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(await account.api.ok(`/customers/${id}`)).toMatchObject({ firstName: 'Ada' });
  });

  test('200 for a POST without a body and Content-Type: the body is {}', async () => {
    expect(await raw(list, {})).toMatchObject({ status: 200, body: { page: 1, pageSize: 20 } });
  });

  test.each(['{', '[]', '"x"', 'null', '7', '{"a":1}x', '{"page":01}'])('400 for the body %s', async (body) => {
    const answer = await raw(list, { body, headers: json });
    expect([answer.status, answer.body.code, answer.body.data.issues[0].path]).toEqual([400, 'INPUT_PARSE_ERROR', '']);
  });

  test('400 for a body that is not UTF-8', async () => {
    expect(
      (await raw(list, { body: Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), headers: json })).status,
    ).toBe(400);
  });

  test.each(['abcdefgh', 'A-b_9'.padEnd(64, 'x')])('the Request-Id %s is echoed', async (id) => {
    expect((await raw(list, { headers: { 'Request-Id': id } })).headers.get('request-id')).toBe(id);
  });

  test.each(['abcdefg', 'x'.repeat(65), 'abc defgh', 'abcdéfgh'])('the Request-Id %s is replaced', async (id) => {
    const given = (await raw(list, { headers: { 'Request-Id': Buffer.from(id).toString('latin1') } })).headers.get(
      'request-id',
    );
    expect(given).toMatch(/^[A-Za-z0-9_-]{8,64}$/);
    expect(given).not.toBe(id);
  });

  test('every response has a Request-Id: success, error, unknown path, page, health', async () => {
    for (const path of [
      '/api/public/v1/auth/test',
      '/api/public/v1/nowhere',
      '/nowhere',
      '/health/live',
      '/api/public/v1/openapi.json',
      '/api/v1/iam/users/list',
      '/graphql',
    ]) {
      expect((await fetch(platform.url + path)).headers.get('request-id'), path).toMatch(/^[A-Za-z0-9_-]{8,64}$/);
    }
  });

  test('the same id is in the log line, the audit row and the event', async () => {
    const id = 'one-id-everywhere-1';
    const made = await partner.api.call('/accounts', { legalName: 'Traced' }, { headers: { 'Request-Id': id } });
    expect(made.headers.get('request-id')).toBe(id);
    await expect
      .poll(
        () =>
          platform.logged.filter(
            (line) => line.includes(`"requestId":"${id}"`) && line.includes('"route":"/api/public/v1/accounts"'),
          ).length,
      )
      .toBe(1);
    const { rows } = await platform.services.pool.query(
      `SELECT 'event' AS kind, "objectId" AS about
        FROM events
        WHERE "requestId" = $1
        UNION
        SELECT 'audit', target
        FROM audit_rows
        WHERE "requestId" = $1
        ORDER BY 1, 2`,
      [id],
    );
    // The account, and the test processor that is created with it.
    expect(rows.filter(({ about }) => about === made.body.id).map(({ kind }) => kind)).toEqual(['audit', 'event']);
    expect(rows.filter(({ about }) => about !== made.body.id)).toEqual([
      { kind: 'audit', about: expect.stringMatching(/^proc_/) },
    ]);
  });

  test("Server-Timing has the platform's share and, for a charge, the processor's", async () => {
    const { id } = await account.instrument();
    const answer = await account.api.call('/payments/process', {
      paymentInstrumentId: id,
      amount: 100,
      currency: 'USD',
    });
    expect(answer.headers.get('server-timing')).toMatch(/^app;dur=[\d.]+, total;dur=[\d.]+, processor;dur=[\d.]+$/);
    for (const path of ['/auth/test', '/customers/cus_none'])
      expect((await account.api.call(path)).headers.get('server-timing'), path).toMatch(
        /^app;dur=([\d.]+), total;dur=\1$/,
      );
  });

  test('unknown top-level fields of a list are ignored and named, sorted', async () => {
    const answer = await account.api.call('/customers/list', { zebra: 1, page: 1, apple: { deep: true }, Beta: null });
    expect([answer.status, answer.headers.get('ignored-fields')]).toEqual([200, 'Beta, apple, zebra']);
    expect((await account.api.call('/customers/list', { page: 1 })).headers.has('ignored-fields')).toBe(false);
  });

  test('400 for an unknown nested field, naming it', async () => {
    const answer = await account.api.call('/customers/list', { filters: { emial: { condition: 'is', value: 'x' } } });
    expect([answer.status, answer.body.data.issues]).toEqual([
      400,
      [{ path: 'filters.emial', message: expect.stringContaining('did you mean email') }],
    ]);
  });

  test('names of Object.prototype are ordinary fields', async () => {
    const answer = await raw(list, { body: '{"__proto__":{"page":0},"constructor":1,"toString":2}', headers: json });
    expect([answer.status, answer.headers.get('ignored-fields')]).toEqual([200, '__proto__, constructor, toString']);
  });

  test('404 in the error body of the surface for an unknown path, 401 without a credential', async () => {
    const answer = await account.api.call('/customers/unknown/more');
    expect([answer.status, answer.body.code, Object.keys(answer.body)]).toEqual([
      404,
      'NOT_FOUND',
      ['code', 'message', 'data'],
    ]);
    expect((await fetch(`${platform.url}/api/public/v1/customers/unknown/more`)).status).toBe(401);
  });

  test.each([
    ['GET', '/payments/process', 'POST'],
    ['DELETE', '/customers/list', 'POST'],
    ['PATCH', '/customers/cus_1', 'DELETE, GET, HEAD, PUT'],
    ['POST', '/payment-instruments/pi_1', 'DELETE, GET, HEAD'],
  ])('405 for %s %s, with Allow: %s', async (method, path, allow) => {
    const answer = await raw(`/api/public/v1${path}`, { method });
    expect([answer.status, answer.body.code, answer.headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', allow]);
  });

  test.each(['GET', 'PUT', 'DELETE'])('405 with Allow: POST for %s of an IAM path', async (method) => {
    const { iam, cookie } = await signedIn(platform, { platformRoles: ['superadmin'] });
    expect((await iam('/users/list', {})).status).toBe(200);
    const response = await fetch(`${platform.url}/api/v1/iam/users/list`, { method, headers: { Cookie: cookie } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await response.json()).toEqual({ code: 'METHOD_NOT_ALLOWED', message: expect.any(String) });
  });

  test('the IAM surface returns errors as {code, message}', async () => {
    const answer = await raw('/api/v1/iam/users/list', { body: '{}', headers: json });
    expect([answer.status, answer.body]).toEqual([401, { code: 'NOT_AUTHORIZED', message: expect.any(String) }]);
  });

  test('the plugin surface returns errors as {message, code, issues}', async () => {
    const answer = await raw('/api/public/v1/plugins/v2/nothing', { body: '{}', headers: json });
    expect([answer.status, answer.body]).toEqual([
      404,
      { message: expect.any(String), code: 'NOT_FOUND', issues: [{ message: expect.any(String) }] },
    ]);
  });

  test('an optional field may be null where null means absent', async () => {
    const customer = await account.api.ok('/customers/create', {
      email: 'nulls@example.com',
      firstName: null,
      metadata: null,
      tags: null,
      billingAddress: null,
    });
    expect(customer).toMatchObject({ firstName: null, metadata: {}, tags: [], billingAddress: null });
  });

  test('a bare value where a list is expected is a list of one', async () => {
    await account.api.ok('/customers/create', { email: 'bare@example.com', tags: 'kind:bare' });
    expect(
      (await account.api.ok('/customers/list', { filters: { tags: 'kind:bare' } })).items.map(
        (item: { email: string }) => item.email,
      ),
    ).toEqual(['bare@example.com']);
    expect(
      (
        await account.api.ok('/customers/list', {
          filters: { storeId: account.storeId, createdAt: { condition: 'is-after-date', value: '2020-01-01' } },
        })
      ).total,
    ).toBeGreaterThan(0);
  });

  test('PUT changes only the named fields; null removes a value', async () => {
    const { id } = await account.api.ok('/customers/create', {
      email: 'put@example.com',
      firstName: 'Ada',
      lastName: 'L',
      metadata: { a: 1 },
    });
    const changed = await account.api.ok(`/customers/${id}`, { firstName: 'Grace', lastName: null }, { method: 'PUT' });
    expect(changed).toMatchObject({ email: 'put@example.com', firstName: 'Grace', lastName: null, metadata: { a: 1 } });
  });

  test.each([
    ['50 keys', Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, i])), 200],
    ['51 keys', Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i])), 400],
    ['a key of 40', { ['k'.repeat(40)]: 1 }, 200],
    ['a key of 41', { ['k'.repeat(41)]: 1 }, 400],
    ['a value of 500', { a: 'v'.repeat(500) }, 200],
    ['a value of 501', { a: 'v'.repeat(501) }, 400],
  ])('metadata with %s', async (_name, metadata, status) => {
    const answer = await account.api.call('/customers/create', { email: 'metadata@example.com', metadata });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.data.issues[0].path).toBe('metadata');
  });

  test('an address has ten optional fields and no other', async () => {
    const address = {
      firstName: 'A',
      lastName: 'B',
      line1: '1',
      line2: '2',
      city: 'C',
      state: 'S',
      postalCode: 'P',
      country: 'DE',
      phone: '+1',
      email: 'a@b.example',
    };
    const customer = await account.api.ok('/customers/create', {
      email: 'address@example.com',
      billingAddress: address,
      shippingAddress: {},
    });
    expect(customer.billingAddress).toEqual(address);
    const answer = await account.api.call('/customers/create', {
      email: 'address2@example.com',
      billingAddress: { country: 'de', street: 'x' },
    });
    expect([answer.status, answer.body.data.issues.map((issue: { path: string }) => issue.path).sort()]).toEqual([
      400,
      ['billingAddress.country', 'billingAddress.street'],
    ]);
  });

  test('400 names every wrong field at once', async () => {
    const answer = await account.api.call('/payments/process', {
      amount: 0,
      currency: 'usd',
      threeDs: 'maybe',
      billingAddress: { country: 'Germany' },
    });
    expect([answer.status, answer.body.data.issues.map((issue: { path: string }) => issue.path).sort()]).toEqual([
      400,
      ['amount', 'billingAddress.country', 'currency', 'paymentInstrumentId', 'threeDs'],
    ]);
  });

  test('a malformed percent sign in any path is a 4xx, never 500', async () => {
    for (const path of [
      '/api/public/v1/customers/%E0%A4%A',
      '/test/3ds/%E0%A4%A',
      '/test/3ds/%00',
      '/%',
      '/graphql/%E0%A4%A',
      '/api/public/v1/payments/%00',
    ]) {
      const answer = await raw(path, { method: 'GET' }).catch(() => null);
      const status = answer?.status ?? (await fetch(platform.url + path)).status;
      expect(status, path).toBeGreaterThanOrEqual(400);
      expect(status, path).toBeLessThan(500);
    }
  });

  test.each([
    ['a form that is too large', 'application/x-www-form-urlencoded', 'outcome=success&x='.padEnd(5000, 'x'), 413],
    [
      'a form in a character set we do not read',
      'application/x-www-form-urlencoded; charset=x-none',
      'outcome=success',
      415,
    ],
    ['a form without an outcome', 'application/x-www-form-urlencoded', 'x=1', 400],
    ['an outcome that is none', 'application/json', '{"outcome":"maybe"}', 400],
    ['text', 'text/plain', 'success', 415],
    ['an unknown session', 'application/json', '{"outcome":"success"}', 404],
  ])('the challenge page rejects %s', async (_name, type, body, status) => {
    const response = await fetch(`${platform.url}/test/3ds/threeds_0000000000000000`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body,
    });
    expect(response.status).toBe(status);
  });

  test('405 with Allow on /graphql for other methods, and for a mutation by GET', async () => {
    const put = await raw('/graphql', { method: 'PUT', body: '{"query":"{ authTest { ok } }"}', headers: json });
    expect([put.status, put.headers.get('allow'), put.body.errors[0].extensions.code]).toEqual([
      405,
      'GET, POST',
      'METHOD_NOT_ALLOWED',
    ]);
    const mutation = await raw(
      `/graphql?query=${encodeURIComponent('mutation { deleteFunnel(funnelId: "funnel_1") { id } }')}`,
      { method: 'GET', headers: { Accept: 'application/json' } },
    );
    expect([mutation.status, mutation.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('a wrong value inside a GraphQL document is named with its location', async () => {
    const { errors } = await account.api.graphql('{ customers(pageSize: 101) { total } }');
    expect(errors[0]).toMatchObject({
      message: 'Expected value of type "PageSize", found 101; must be a whole number from 1 to 100',
      locations: [{ line: 1, column: 23 }],
      extensions: { code: 'INPUT_PARSE_ERROR' },
    });
  });

  test('no response may be cached, over REST and GraphQL', async () => {
    const graph = await raw('/graphql', { body: '{"query":"{ authTest { ok } }"}', headers: json });
    expect([(await raw(list, {})).headers.get('cache-control'), graph.headers.get('cache-control')]).toEqual([
      'no-store',
      'no-store',
    ]);
  });
});
