import { describe, expect, test } from 'vitest';
import { readDocuments } from '../../rest/engine/document.ts';
import { compileEndpoint } from '../../rest/engine/endpoint.ts';
import { surfaces } from '../../rest/engine/surfaces.ts';
import { engineWorld, issuesOf, valid } from './engine-world.ts';
import { files, schema, startFacade } from './small-facade.ts';

const world = engineWorld();
const { list, create } = world;

describe('an answer', () => {
  test('200 is the bare value, without @omitNull fields that are null, with other nulls', async () => {
    const answer = await world.facade.call('GET', '/orders/o7');
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchInlineSnapshot(`
      {
        "amount": null,
        "color": null,
        "id": "o7",
      }
    `);
  });

  test('200 has the request id, timing, limits and no-store', async () => {
    const { headers } = await create(valid, { 'Request-Id': 'mine_12345' });
    expect(headers).toMatchObject({
      'request-id': 'mine_12345',
      ratelimit: '"standard";r=99;t=1',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(headers['server-timing']).toMatch(/^app;dur=[\d.]+, total;dur=[\d.]+, processor;dur=0\.5$/);
  });

  test.each([
    ['1234567', false],
    ['12345678', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['has space', false],
  ])('200 echoes Request-Id %s: %s', async (id, echoed) => {
    const { headers } = await create(valid, { 'Request-Id': id });
    expect(headers['request-id'] === id).toBe(echoed);
    expect(headers['request-id']).toMatch(/^[A-Za-z0-9_-]{8,64}$/);
  });

  test('200 of a list names the ignored top-level fields, sorted', async () => {
    const { status, headers } = await list({ zebra: 1, apple: { deep: 1 }, 'ä,\n': 1, __proto__: 1 });
    expect(status).toBe(200);
    expect(headers['ignored-fields']).toBe('apple, zebra, %C3%A4%2C%0A');
  });

  test('200 of a list when nine thousand fields are ignored', async () => {
    const { status, headers } = await list(
      Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`field${index}`, index])),
    );
    expect(status).toBe(200);
    expect(String(headers['ignored-fields']).length).toBeLessThan(2200);
  });

  test('400 of a change for unknown top-level fields, each with the nearest known one', async () => {
    const { status, json, headers } = await create({ ...valid, Note: 'x', Color: 'red', zebra: 1 });
    expect([status, headers['ignored-fields'], json()]).toEqual([
      400,
      undefined,
      expect.objectContaining({
        data: {
          issues: [
            { path: 'Note', message: expect.stringContaining('did you mean note?') },
            { path: 'Color', message: expect.stringContaining('did you mean color?') },
            { path: 'zebra', message: expect.stringContaining('is not a known field; known are') },
          ],
        },
      }),
    ]);
  });

  test('400 of a change names at most a hundred of nine thousand unknown fields', async () => {
    const { status, json } = await create({
      ...valid,
      ...Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`field${index}`, index])),
    });
    expect([status, issuesOf(json()).length]).toEqual([400, 100]);
  });

  test('200 to HEAD like GET, without a body', async () => {
    expect(await world.facade.call('HEAD', '/orders/o7')).toMatchObject({ status: 200, text: '' });
  });

  test('200 is marked when it is a replay', async () => {
    expect((await create({ ...valid, note: 'again' })).headers['idempotent-replayed']).toBe('true');
    expect((await create(valid)).headers['idempotent-replayed']).toBeUndefined();
  });
});

describe('the first error wins', () => {
  test.each([
    ['401 before an unknown path', 'GET', '/nowhere', { Authorization: 'Bearer wrong' }, 401],
    ['429 before an unknown path', 'GET', '/nowhere', { Authorization: 'Bearer limited' }, 429],
    ['403 of the partner before an unknown path', 'GET', '/nowhere', { Authorization: 'Bearer suspended' }, 403],
    ['500 when authentication itself breaks', 'GET', '/orders/o1', { Authorization: 'Bearer broken' }, 500],
    ['404 for an unknown path', 'GET', '/nowhere', {}, 404],
    ['404 for a slash at the end', 'GET', '/orders/o1/', {}, 404],
    ['404 for an empty parameter', 'GET', '/orders/', {}, 404],
    ['404 for a broken percent sign', 'GET', '/orders/%E0%A4%A', {}, 404],
    ['404 from the graph', 'GET', '/orders/missing', {}, 404],
    ['405 where a literal path beats a parameter', 'GET', '/orders/create', {}, 405],
    ['200 with a query string, which means nothing', 'GET', '/orders/o1?id=missing', {}, 200],
    ['400 for a character no row can hold', 'GET', '/orders/%00', {}, 400],
    ['204 to OPTIONS', 'OPTIONS', '/orders/create', {}, 204],
  ])('%s', async (_title, method, path, headers, status) => {
    const answer = await world.facade.call(method, path, { headers: headers });
    expect(answer.status).toBe(status);
    expect(answer.headers['request-id']).toBeDefined();
  });

  test('403 by kind of caller before the body is read', async () => {
    const answer = await world.facade.call('DELETE', '/archive', { body: '{' });
    expect({ status: answer.status, body: answer.json() }).toMatchInlineSnapshot(`
      {
        "body": {
          "code": "FORBIDDEN",
          "data": {
            "reason": "forbidden_scope",
          },
          "message": "Not available to a sub-key. Requires a partner key.",
        },
        "status": 403,
      }
    `);
  });

  test('405 names the methods of the path', async () => {
    expect((await world.facade.call('DELETE', '/orders/o1')).headers.allow).toBe('GET, HEAD, PUT');
    expect((await world.facade.call('GET', '/orders/create')).headers.allow).toBe('POST');
  });

  test('401 and 429 have their headers', async () => {
    expect(
      (await world.facade.call('GET', '/orders/o1', { headers: { Authorization: 'Bearer wrong' } })).headers[
        'www-authenticate'
      ],
    ).toBe('Bearer');
    expect(
      (await world.facade.call('GET', '/orders/o1', { headers: { Authorization: 'Bearer limited' } })).headers[
        'retry-after'
      ],
    ).toBe('7');
  });

  test('401 for two Authorization headers, of which Node would use the first', async () => {
    const answer = await world.facade.call('GET', '/orders/o1', {
      headers: { Authorization: ['Bearer sub', 'Bearer wrong'] },
    });
    expect([answer.status, answer.json()]).toEqual([
      401,
      {
        code: 'NOT_AUTHORIZED',
        message: 'The header Authorization was sent more than once: send one credential.',
        data: {},
      },
    ]);
  });

  test('500 logs the error and returns the request id only', async () => {
    const answer = await world.facade.call('GET', '/orders/bug', { headers: { 'Request-Id': 'request_77' } });
    expect({ status: answer.status, body: answer.json() }).toMatchInlineSnapshot(`
      {
        "body": {
          "code": "INTERNAL_SERVER_ERROR",
          "data": {
            "requestId": "request_77",
          },
          "message": "Internal error. Contact support with the Request-Id.",
        },
        "status": 500,
      }
    `);
    expect(JSON.stringify(world.facade.logged.at(-1))).toContain('request_77');
    expect(world.facade.logged.at(-1)).toHaveProperty('err.message', 'secret detail of the inside');
  });
});

describe('Idempotency-Key', () => {
  const keyOf = async (
    headers: Record<string, string>,
    body: unknown = valid,
  ): Promise<{ key: string; requestHash: string } | null> => {
    const answer = await create(body, headers);
    return (
      JSON.parse((answer.json() as { echo: string }).echo) as {
        idempotency: { key: string; requestHash: string } | null;
      }
    ).idempotency;
  };

  test.each([
    ['', 400],
    ['""', 400],
    ['a'.repeat(255), 200],
    ['a'.repeat(256), 400],
    [`"${'a'.repeat(255)}"`, 200],
    [`"${'a'.repeat(256)}"`, 400],
    ['schlüssel', 400],
    ['a b', 200],
  ])('of %j gives %i', async (key, status) => {
    const answer = await create(valid, { 'Idempotency-Key': key });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.json()).toMatchObject({ data: { issues: [{ path: 'Idempotency-Key' }] } });
  });

  test('200: quoted and bare are the same key', async () => {
    expect((await keyOf({ 'Idempotency-Key': '"abc"' }))?.key).toBe('abc');
    expect((await keyOf({ 'Idempotency-Key': 'abc' }))?.key).toBe('abc');
    expect(await keyOf({})).toBeNull();
  });

  test('200: the same JSON value has the same hash, another value another', async () => {
    const headers = { 'Idempotency-Key': 'abc' };
    const first = await keyOf(headers, { amount: 5, metadata: { a: 1, b: [1, 2] } });
    expect(await keyOf(headers, { metadata: { b: [1, 2], a: 1 }, amount: 5 })).toEqual(first);
    expect(await keyOf(headers, { amount: 5, metadata: { a: 1, b: [2, 1] } })).not.toEqual(first);
  });

  test('400 when it is sent twice, which Node would join; a comma within a key is part of it', async () => {
    const twice = await world.facade.call('POST', '/orders/create', {
      headers: { 'Idempotency-Key': ['a', 'b'] },
      body: JSON.stringify(valid),
    });
    expect([twice.status, twice.json()]).toMatchObject([
      400,
      { data: { issues: [{ path: 'Idempotency-Key', message: '(header) must be sent once' }] } },
    ]);
    expect((await keyOf({ 'Idempotency-Key': 'a, b' }))?.key).toBe('a, b');
  });

  test('200: ignored by operations that do not write', async () => {
    expect((await world.facade.call('GET', '/orders/o1', { headers: { 'Idempotency-Key': '' } })).status).toBe(200);
  });
});

describe('surfaces have their own error bodies', () => {
  test('400 on plugins has issues', async () => {
    await using plugins = await startFacade(surfaces.plugins);
    const answer = await plugins.call('POST', '/orders/create', { body: '{"amount":0}' });
    expect(answer.json()).toMatchInlineSnapshot(`
      {
        "code": "INPUT_PARSE_ERROR",
        "issues": [
          {
            "message": "must be a whole number from 1 to 1000",
            "path": "amount",
          },
        ],
        "message": "The request is not valid: amount must be a whole number from 1 to 1000.",
      }
    `);
    expect((await plugins.call('DELETE', '/archive')).json()).toMatchObject({
      code: 'FORBIDDEN',
      issues: [{ reason: 'forbidden_scope' }],
    });
  });

  test('401 for an API key on IAM, which accepts sessions only', async () => {
    await using iam = await startFacade(surfaces.iam);
    const answer = await iam.call('POST', '/orders/create', { body: '{}' });
    expect({ status: answer.status, body: answer.json() }).toEqual({
      status: 401,
      body: {
        code: 'NOT_AUTHORIZED',
        message:
          'A session of the identity provider is required here: sign in, or send its token as ' +
          '"Authorization: Bearer <TOKEN>". API keys are not accepted.',
      },
    });
  });

  test('422 on IAM where other surfaces return 400', async () => {
    await using iam = await startFacade({ ...surfaces.iam, credential: 'apiKey' });
    const answer = await iam.call('POST', '/orders/create', { body: '{"amount":0}' });
    expect({ status: answer.status, body: answer.json() }).toMatchInlineSnapshot(`
      {
        "body": {
          "code": "UNPROCESSABLE_CONTENT",
          "message": "The request is not valid: amount must be a whole number from 1 to 1000.",
        },
        "status": 422,
      }
    `);
  });
});

describe('an invalid document stops the start and is named', () => {
  const compile =
    (...texts: string[]) =>
    () =>
      readDocuments(schema, [
        ...files.slice(0, 1),
        ...texts.map((text, index) => ({ name: `bad-${index}.graphql`, text })),
      ]).map((document) => compileEndpoint(schema, document, 'apiKey'));
  test.each([
    ['no JSON of GraphQL', 'query {'],
    ['an unknown field', 'query A @rest(method: POST, path: "/a") { nothing { id } }'],
    ['no @rest', 'query A { orders { page } }'],
    ['two root fields', 'query A @rest(method: POST, path: "/a") { orders { page } more: orders { page } }'],
    [
      'two operations of one name',
      'query A @rest(method: POST, path: "/a") { orders { page } } query A @rest(method: POST, path: "/b") { ' +
        'orders { page } }',
    ],
    ['an operation without name', 'query @rest(method: POST, path: "/a") { orders { page } }'],
    ['a parameter without variable', 'query A @rest(method: GET, path: "/a/:id") { orders { page } }'],
    [
      'a GET that wants a body',
      'query A($page: Int! = 1) @rest(method: GET, path: "/a") { orders(page: $page) { page } }',
    ],
    ['@omitNull on what is never null', 'query A @rest(method: POST, path: "/a") { orders { page @omitNull } }'],
    [
      'a nullable variable inside an object',
      'mutation A($note: String) @rest(method: POST, path: "/a") { createOrder(input: {amount: 1, note: ' +
        '$note}) { id } }',
    ],
    ['a method that does not exist', 'query A @rest(method: PATCH, path: "/a") { orders { page } }'],
  ])('%s', (_title, text) => {
    expect(compile(text)).toThrow(/^bad-0\.graphql: /);
  });
});
