import fc from 'fast-check';
import { coerceInputValue } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDocuments } from '../../rest/engine/document.ts';
import { compileEndpoint } from '../../rest/engine/endpoint.ts';
import { surfaces } from '../../rest/surfaces.ts';
import { type Facade, files, OrderInput, received, schema, startFacade } from './small-facade.ts';

let facade: Facade;
beforeAll(async () => {
  facade = await startFacade();
});
afterAll(() => facade[Symbol.asyncDispose]());

const list = (body: unknown) => facade.call('POST', '/orders/list', { body: JSON.stringify(body) });
// the body of a 400, which names every field
const issuesOf = (body: unknown) => (body as { data: { issues: { path: string; message: string }[] } }).data.issues;
const create = (body: unknown, headers: Record<string, string> = {}) =>
  facade.call('POST', '/orders/create', { body: JSON.stringify(body), headers });
const valid = { amount: 5 };

describe('an answer', () => {
  test('200 is the bare value, without @omitNull fields that are null, with other nulls', async () => {
    const answer = await facade.call('GET', '/orders/o7');
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
    expect(await facade.call('HEAD', '/orders/o7')).toMatchObject({ status: 200, text: '' });
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
    const answer = await facade.call(method, path, { headers: headers });
    expect(answer.status).toBe(status);
    expect(answer.headers['request-id']).toBeDefined();
  });

  test('403 by kind of caller before the body is read', async () => {
    const answer = await facade.call('DELETE', '/archive', { body: '{' });
    expect({ status: answer.status, body: answer.json() }).toMatchInlineSnapshot(`
      {
        "body": {
          "code": "FORBIDDEN",
          "data": {
            "reason": "forbidden_scope",
          },
          "message": "This is not open to a sub-key. It takes a partner key.",
        },
        "status": 403,
      }
    `);
  });

  test('405 names the methods of the path', async () => {
    expect((await facade.call('DELETE', '/orders/o1')).headers.allow).toBe('GET, HEAD, PUT');
    expect((await facade.call('GET', '/orders/create')).headers.allow).toBe('POST');
  });

  test('401 and 429 have their headers', async () => {
    expect(
      (await facade.call('GET', '/orders/o1', { headers: { Authorization: 'Bearer wrong' } })).headers[
        'www-authenticate'
      ],
    ).toBe('Bearer');
    expect(
      (await facade.call('GET', '/orders/o1', { headers: { Authorization: 'Bearer limited' } })).headers['retry-after'],
    ).toBe('7');
  });

  test('401 for two Authorization headers, of which Node would use the first', async () => {
    const answer = await facade.call('GET', '/orders/o1', {
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
    const answer = await facade.call('GET', '/orders/bug', { headers: { 'Request-Id': 'request_77' } });
    expect({ status: answer.status, body: answer.json() }).toMatchInlineSnapshot(`
      {
        "body": {
          "code": "INTERNAL_SERVER_ERROR",
          "data": {
            "requestId": "request_77",
          },
          "message": "Something went wrong on our side. Quote the request id when you ask us about it.",
        },
        "status": 500,
      }
    `);
    expect(JSON.stringify(facade.logged.at(-1))).toContain('request_77');
    expect(facade.logged.at(-1)).toHaveProperty('err.message', 'secret detail of the inside');
  });
});

describe('a body', () => {
  const mebibyte = 1024 * 1024;
  const ofSize = (bytes: number): string => {
    const empty = JSON.stringify({ amount: 5, note: '' });
    return JSON.stringify({ amount: 5, note: 'x'.repeat(bytes - empty.length) });
  };

  test('200 at exactly 1 MiB, 413 one byte above', async () => {
    expect((await facade.call('POST', '/orders/create', { body: ofSize(mebibyte) })).status).toBe(200);
    const answer = await facade.call('POST', '/orders/create', { body: ofSize(mebibyte + 1) });
    expect(answer.status).toBe(413);
    expect(answer.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  test('200 at exactly 1 MiB in chunks, 413 one byte above, and 413 is received with 8 MiB sent', async () => {
    const inChunks = (text: string): Buffer[] => [Buffer.from(text.slice(0, 1000)), Buffer.from(text.slice(1000))];
    expect((await facade.call('POST', '/orders/create', { body: inChunks(ofSize(mebibyte)) })).status).toBe(200);
    expect((await facade.call('POST', '/orders/create', { body: inChunks(ofSize(mebibyte + 1)) })).status).toBe(413);
    expect((await facade.call('POST', '/orders/create', { body: ofSize(8 * mebibyte) })).status).toBe(413);
  });

  test('401 is received while 8 MiB are being sent', async () => {
    const answer = await facade.call('POST', '/orders/create', {
      body: ofSize(8 * mebibyte),
      headers: { Authorization: 'Bearer wrong' },
    });
    expect(answer.status).toBe(401);
  });

  test('413 above 1 MiB on every endpoint but a plugin deploy, which has 5 MiB', () => {
    expect(surfaces.plugins.bodyBytesMax('/v2/deploy')).toBe(5 * mebibyte);
    expect(surfaces.plugins.bodyBytesMax('/v2/instance/config')).toBe(mebibyte);
  });

  test.each([
    ['200', 'application/json'],
    ['200', 'Application/JSON; charset="UTF-8"'],
    ['200', 'application/json;charset=utf-8'],
    ['415', 'application/json; charset=latin1'],
    ['415', 'text/plain'],
    ['415', 'application/x-www-form-urlencoded'],
    ['415', ''],
  ])('%s for the content type %s', async (status, type) => {
    expect(String((await create(valid, { 'Content-Type': type })).status)).toBe(status);
  });

  test('415 for a compressed body', async () => {
    expect((await create(valid, { 'Content-Encoding': 'gzip' })).status).toBe(415);
  });

  test('200 without a body is the empty object', async () => {
    expect((await facade.call('POST', '/orders/list')).status).toBe(200);
    expect((await facade.call('POST', '/orders/list', { headers: { 'Content-Length': '0' } })).status).toBe(200);
  });

  test.each([
    ['not JSON', '{"amount":'],
    ['a list', '[]'],
    ['a string', '"x"'],
    ['null', 'null'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['nested too deeply', `{"metadata":${'{"a":'.repeat(64)}1${'}'.repeat(64)}}`],
    ['nested absurdly', `{"metadata":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['a NUL in a free-form field', '{"amount":5,"metadata":{"a":"\\u0000"}}'],
    ['half a surrogate pair in a free-form field', '{"amount":5,"metadata":{"\\ud800":1}}'],
  ])('400 when it is %s', async (_title, body) => {
    const answer = await facade.call('POST', '/orders/create', { body });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({
      code: 'INPUT_PARSE_ERROR',
      data: { issues: [{ message: expect.any(String) }] },
    });
  });

  test('a __proto__ field is an ordinary field: 400 as an unknown one, 200 inside metadata', async () => {
    const send = (body: string) => facade.call('POST', '/orders/create', { body });
    const answer = await send('{"amount":5,"__proto__":{"note":"x"}}');
    expect([answer.status, issuesOf(answer.json())[0]?.path]).toEqual([400, '__proto__']);
    expect((await send('{"amount":5,"metadata":{"__proto__":{"a":1}}}')).status).toBe(200);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  test('400 names every wrong field', async () => {
    const answer = await create({
      note: 7,
      color: 'green',
      items: [{ quantity: 'two', nmae: 'x' }],
      tags: 'one',
      choice: { id: 'a', slug: 'b' },
    });
    expect(answer.status).toBe(400);
    const { message, ...body } = answer.json() as { message: string };
    expect(body).toMatchInlineSnapshot(`
      {
        "code": "INPUT_PARSE_ERROR",
        "data": {
          "issues": [
            {
              "message": "is required",
              "path": "amount",
            },
            {
              "message": "must be a string, not a number",
              "path": "note",
            },
            {
              "message": "must be one of red, blue",
              "path": "color",
            },
            {
              "message": "is not a known field (did you mean name?); known are name, quantity, unit",
              "path": "items[0].nmae",
            },
            {
              "message": "is required",
              "path": "items[0].name",
            },
            {
              "message": "must be a whole number, not a string",
              "path": "items[0].quantity",
            },
            {
              "message": "must have exactly one of id, slug",
              "path": "choice",
            },
          ],
        },
      }
    `);
    expect(message).toBe(
      'The request is not valid: amount is required; note must be a string, not a number; color must ' +
        'be one of red, blue; items[0].nmae is not a known field (did you mean name?); known are name, ' +
        'quantity, unit; items[0].name is required; items[0].quantity must be a whole number, not a string; ' +
        'choice must have exactly one of id, slug.',
    );
  });

  test('400 for null for a variable with a default, 200 without it', async () => {
    expect((await facade.call('POST', '/orders/list', { body: '{"page":null}' })).status).toBe(400);
    expect((await facade.call('POST', '/orders/list', { body: '{}' })).json()).toMatchObject({ page: 1 });
    expect((await facade.call('POST', '/orders/list', { body: '{"page":3}' })).json()).toMatchObject({ page: 3 });
  });

  test('200 or 400 for any JSON, never 500; every issue has a valid path, and GraphQL coerces the same', async () => {
    const anyOr = (arbitrary: fc.Arbitrary<unknown>) =>
      fc.oneof({ weight: 5, arbitrary }, { weight: 1, arbitrary: fc.jsonValue() });
    const line = fc.record(
      {
        name: anyOr(fc.string()),
        quantity: anyOr(fc.integer({ max: 9 })),
        unit: fc.constantFrom('red', 'blue', null),
      },
      { requiredKeys: ['name'] },
    );
    const fields = fc.record(
      {
        amount: anyOr(fc.integer({ min: 1, max: 1000 })),
        note: anyOr(fc.option(fc.string())),
        color: anyOr(fc.constantFrom('red', 'blue')),
        items: anyOr(fc.oneof(line, fc.array(line))),
        tags: anyOr(fc.oneof(fc.string(), fc.array(fc.string()))),
        choice: anyOr(fc.record({ id: fc.string() })),
        urgent: anyOr(fc.boolean()),
        metadata: fc.jsonValue(),
      },
      { requiredKeys: ['amount'] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 1, arbitrary: fc.jsonValue() }, { weight: 4, arbitrary: fields }),
        async (generated) => {
          // Serialized once, since JSON has no negative zero.
          const body: unknown = JSON.parse(JSON.stringify(generated));
          const answer = await create(body);
          expect([200, 400]).toContain(answer.status);
          if (answer.status === 200) {
            expect(received.at(-1)).toEqual(coercedByGraphql(body));
            return;
          }
          const { data } = answer.json() as { data: { issues: { path: string; message: string }[] } };
          for (const { path, message } of data.issues) {
            if (path !== '' && !message.includes('is required'))
              expect(reaches(body, path), `${path} in ${JSON.stringify(body)}`).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
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
    const twice = await facade.call('POST', '/orders/create', {
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
    expect((await facade.call('GET', '/orders/o1', { headers: { 'Idempotency-Key': '' } })).status).toBe(200);
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
          '"Authorization: Bearer <TOKEN>". API keys are not taken.',
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
      ]).map((document) => compileEndpoint(schema, document));
  test.each([
    ['no JSON of GraphQL', 'query {'],
    ['an unknown field', 'query A @rest(method: POST, path: "/a") { nothing { id } }'],
    ['no @rest', 'query A { orders { page } }'],
    ['two root fields', 'query A @rest(method: POST, path: "/a") { orders { page } more: orders { page } }'],
    [
      'two operations',
      'query A @rest(method: POST, path: "/a") { orders { page } } query B @rest(method: POST, path: "/b") { ' +
        'orders { page } }',
    ],
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

/** The known fields of a body as graphql-js coerces them: the compiled executor has its own implementation. */
function coercedByGraphql(body: unknown): unknown {
  const known = Object.entries(body as Record<string, unknown>).filter(([name]) =>
    Object.hasOwn(OrderInput.getFields(), name),
  );
  return coerceInputValue(Object.fromEntries(known), OrderInput);
}

/** Whether a path as the engine writes it exists in the body. */
function reaches(body: unknown, path: string): boolean {
  let place: unknown = body;
  for (const [, name, index, quoted] of path.matchAll(
    /(?:^|\.)([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g,
  )) {
    const step = name ?? index ?? (JSON.parse(quoted ?? '""') as string);
    if (Array.isArray(place) && index === undefined) return false;
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, step)) return false;
    place = (place as Record<string, unknown>)[step];
  }
  return true;
}
