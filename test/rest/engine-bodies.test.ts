import fc from 'fast-check';
import { coerceInputValue } from 'graphql';
import { describe, expect, test } from 'vitest';
import { surfaces } from '../../rest/engine/surfaces.ts';
import { engineWorld, issuesOf, valid } from './engine-world.ts';
import { OrderInput, received } from './small-facade.ts';

const world = engineWorld();
const { create } = world;

describe('a body', () => {
  const mebibyte = 1024 * 1024;
  const ofSize = (bytes: number): string => {
    const empty = JSON.stringify({ amount: 5, note: '' });
    return JSON.stringify({ amount: 5, note: 'x'.repeat(bytes - empty.length) });
  };

  test('200 at exactly 1 MiB, 413 one byte above', async () => {
    expect((await world.facade.call('POST', '/orders/create', { body: ofSize(mebibyte) })).status).toBe(200);
    const answer = await world.facade.call('POST', '/orders/create', { body: ofSize(mebibyte + 1) });
    expect(answer.status).toBe(413);
    expect(answer.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  test('200 at exactly 1 MiB in chunks, 413 one byte above, and 413 is received with 8 MiB sent', async () => {
    const inChunks = (text: string): Buffer[] => [Buffer.from(text.slice(0, 1000)), Buffer.from(text.slice(1000))];
    expect((await world.facade.call('POST', '/orders/create', { body: inChunks(ofSize(mebibyte)) })).status).toBe(200);
    expect((await world.facade.call('POST', '/orders/create', { body: inChunks(ofSize(mebibyte + 1)) })).status).toBe(
      413,
    );
    expect((await world.facade.call('POST', '/orders/create', { body: ofSize(8 * mebibyte) })).status).toBe(413);
  });

  test('401 is received while 8 MiB are being sent', async () => {
    const answer = await world.facade.call('POST', '/orders/create', {
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
    expect((await world.facade.call('POST', '/orders/list')).status).toBe(200);
    expect((await world.facade.call('POST', '/orders/list', { headers: { 'Content-Length': '0' } })).status).toBe(200);
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
    const answer = await world.facade.call('POST', '/orders/create', { body });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({
      code: 'INPUT_PARSE_ERROR',
      data: { issues: [{ message: expect.any(String) }] },
    });
  });

  test('200 for 64 levels of objects, 400 for 65', async () => {
    // The body and metadata are two of them.
    const nested = (levels: number) =>
      `{"amount":5,"metadata":{${'"a":{'.repeat(levels - 2)}"b":1${'}'.repeat(levels - 2)}}}`;
    const send = (body: string) => world.facade.call('POST', '/orders/create', { body });
    expect((await send(nested(64))).status).toBe(200);
    expect((await send(nested(65))).status).toBe(400);
  });

  test('a __proto__ field is an ordinary field: 400 as an unknown one, 200 inside metadata', async () => {
    const send = (body: string) => world.facade.call('POST', '/orders/create', { body });
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
              "message": "must contain exactly one of id, slug",
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
        'choice must contain exactly one of id, slug.',
    );
  });

  test('400 for null for a variable with a default, 200 without it', async () => {
    expect((await world.facade.call('POST', '/orders/list', { body: '{"page":null}' })).status).toBe(400);
    expect((await world.facade.call('POST', '/orders/list', { body: '{}' })).json()).toMatchObject({ page: 1 });
    expect((await world.facade.call('POST', '/orders/list', { body: '{"page":3}' })).json()).toMatchObject({ page: 3 });
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
