import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentOf, endpoints, rootFields, slotsOf, smallestValue, withLeaf } from '../support/operations.ts';
import { usePlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { seedPartner } from '../support/seed.ts';

const answers = { sent: 0, refused: 0 };

const platform = await usePlatform();
await disableRateLimits(platform);
const partner = await seedPartner(platform);
const account = await partner.account();
const { payment } = await account.charge();
const { keyId } = await account.api.ok('/auth/test');
const graph = { nodes: [{ id: 'a', type: 'landing', isEntry: true }], edges: [] };
const { id: funnelId } = await account.api.ok('/funnels', { name: 'Odd', isDefault: true, ...graph });
const { id: sessionId } = await account.api.ok('/funnel-sessions', {});
const ids: Record<string, unknown> = {
  ...graph,
  funnelId,
  sessionId,
  storeId: account.storeId,
  platformAccountId: account.id,
  customerId: payment['customerId'],
  paymentInstrumentId: payment['paymentInstrumentId'],
  paymentId: payment['id'],
  keyId,
  token: 'tok_visa',
  cardNumber: '4242424242424242',
  expMonth: 12,
  expYear: 2039,
  cvc: '123',
};

/** FAULTS_REQUESTS makes it longer. */
const requests = Number(process.env['FAULTS_REQUESTS'] ?? 2_500);
const restCount = requests / 2;
const operationCount = Math.round(requests * 0.35);
const documentCount = Math.round(requests * 0.15);
/** Far above the duration. */
const timeout = 60_000 + requests * 15;
const inFlight = 16;
const answerMaxMs = 20_000;

/** Values that no field accepts. `typed` marks values that fit no scalar at all, so that the answer must be 400. */
const oddTexts = fc.oneof(
  fc.constantFrom(
    '\0',
    'a\0b',
    '\ud800',
    'x\udfff',
    '',
    ' ',
    '\u202e',
    '%00',
    '../..',
    "' OR 1=1 --",
    '__proto__',
    'constructor',
    'NaN',
    '0x10',
    '1e999',
    '2026-02-30',
    '-271821-04-20',
    '9999-12-31T23:59:59-14:00',
    '0000-01-01',
    '0000-01-01T00:00:00+14:00',
    'x'.repeat(70_000),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.base64String({ maxLength: 60 }),
  fc
    .tuple(
      fc.constantFrom('customers', 'payments', 'events', 'x'),
      fc.integer(),
      fc.oneof(fc.maxSafeInteger(), fc.constantFrom(8.64e15, -8.64e15, -6.3e13)),
      fc.string(),
    )
    .map(([list, , at, id]) => Buffer.from(JSON.stringify([list, 'RBNvo1WzZ4oRRq0W', at, id])).toString('base64url')),
);
const oddValues: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oddTexts },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      -1,
      1.5,
      1e308,
      -1e308,
      2 ** 53,
      2 ** 31,
      99_999_999_999,
      100_000_000_000,
      1_000_000,
      [],
      {},
      [[]],
      [null],
      { a: null },
      [[[['x']]]],
    ),
  },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: 90 }).map((depth) => deep(depth)) },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: 90 }).map((depth) => deepList(depth)) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(oddTexts, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 60 }) },
  { weight: 1, arbitrary: fc.array(oddTexts, { maxLength: 60 }) },
);

function deep(depth: number): unknown {
  return depth === 0 ? 'x' : { filters: deep(depth - 1) };
}

function deepList(depth: number): unknown {
  return depth === 0 ? 1 : [deepList(depth - 1)];
}

const oddHeaders = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Record<string, string>>({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/json; charset=utf-16' },
      { 'Idempotency-Key': '' },
      { 'Idempotency-Key': 'x'.repeat(256) },
      { 'Idempotency-Key': '"' },
      { 'Request-Id': '\u00e9' },
      { Accept: 'text/html' },
      { 'Content-Encoding': 'gzip' },
      { 'Transfer-Encoding': '' },
      { Origin: 'https://evil.example' },
    ),
  },
);

interface BadRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
}

async function send(
  { url, method, headers, body }: BadRequest,
  key: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { 'Transfer-Encoding': _never, ...sendable } = headers;
  const response = await fetch(platform.url + url, {
    method,
    headers: { 'Content-Type': 'application/json', ...sendable, Authorization: `Bearer ${key}` },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(answerMaxMs),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

/** Never 500; on 400 every issue has a string as its path and a message. */
function assertPlainRefusal(answer: { status: number; body: Record<string, unknown> }, request: BadRequest): void {
  const shown =
    `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${request.body?.slice(0, 500)} → ` +
    `${JSON.stringify(answer.body).slice(0, 800)}`;
  expect(answer.status, shown).toBeLessThan(500);
  answers.sent++;
  if (answer.status !== 400) return;
  answers.refused++;
  // On the plugin surface the issues are in the body itself.
  assertIssues(answer.body['data'] ?? answer.body, shown);
}

function assertIssues(data: unknown, shown: string): void {
  const { issues } = data as { issues: { path: string; message: string }[] };
  expect(issues.length, shown).toBeGreaterThan(0);
  expect(issues.length, shown).toBeLessThanOrEqual(100);
  for (const issue of issues) {
    expect(typeof issue.path, shown).toBe('string');
    expect(issue.message.length, shown).toBeGreaterThan(5);
    expect(issue.message, shown).not.toMatch(/Variable "|GraphQL|Expected type|undefined|\[object/);
  }
}

/** Runs a property with many requests in flight: if one fails, the run fails with the request that caused it. */
async function many(
  requestOf: fc.Arbitrary<BadRequest>,
  count: number,
  check: (request: BadRequest, index: number) => Promise<void>,
): Promise<void> {
  const sample = fc.sample(requestOf, { numRuns: count, seed: 20_261_121 });
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < sample.length; index = next++) await check(sample[index] as BadRequest, index);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

async function rowCounts(): Promise<Record<string, number>> {
  const tables = [
    'partners',
    'processing_accounts',
    'organizations',
    'payments',
    'transactions',
    'api_keys',
    'test_processor.charges',
  ];
  const counts = await Promise.all(
    tables.map((table) => platform.services.pool.query(`SELECT count(*)::int AS n FROM ${table}`)),
  );
  return Object.fromEntries(tables.map((table, index) => [table, counts[index]?.rows[0].n]));
}

/** One operation with an odd value in one slot; the rest of the request is valid. */
const badRest = fc.constantFrom(...endpoints).chain((endpoint) => {
  const inputs = endpoint.variables;
  const slots = [...slotsOf(inputs), ...inputs.map(({ name, type }) => ({ path: [name], type, isList: false }))];
  if (slots.length === 0)
    return fc.record({
      url: fc.constant(`/api/public/v1${endpoint.path}`),
      method: fc.constant<string>(endpoint.method),
      headers: oddHeaders,
      body: fc.constant(undefined),
    });
  return fc
    .tuple(fc.constantFrom(...slots), oddValues, oddHeaders, fc.boolean())
    .map(([slot, value, headers, bare]) => {
      const base = Object.fromEntries(
        inputs
          .filter(({ name, type }) => String(type).endsWith('!') || endpoint.pathParams.includes(name))
          .map(({ name, type }) => [name, smallestValue(type, name, ids)]),
      );
      const variables = withLeaf(inputs, base, bare ? { ...slot, isList: false } : slot, value, ids);
      const path = endpoint.path.replace(
        /:(\w+)/g,
        (_all, name: string) => encodeURIComponent(textOf(variables[name]).toWellFormed().slice(0, 3000)) || 'x',
      );
      const inBody =
        endpoint.body.wholeAs === null
          ? Object.fromEntries(Object.entries(variables).filter(([name]) => !endpoint.pathParams.includes(name)))
          : variables[endpoint.body.wholeAs];
      const takesBody = endpoint.method === 'POST' || endpoint.method === 'PUT';
      return {
        url: `/api/public/v1${path}`,
        method: endpoint.method as string,
        headers,
        body: takesBody ? JSON.stringify(inBody) : undefined,
      };
    });
});

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'x');
}

const badGraphql = fc.constantFrom(...rootFields.filter(({ field }) => field.args.length > 0)).chain((root) => {
  const inputs = root.field.args;
  return fc
    .tuple(fc.constantFrom(...slotsOf(inputs)), oddValues, oddHeaders)
    .map(([slot, value, headers]): BadRequest => {
      const base = Object.fromEntries(
        inputs
          .filter(({ type }) => String(type).endsWith('!'))
          .map(({ name, type }) => [name, smallestValue(type, name, ids)]),
      );
      return {
        url: '/graphql',
        method: 'POST',
        headers,
        body: JSON.stringify({ query: documentOf(root, 1), variables: withLeaf(inputs, base, slot, value, ids) }),
      };
    });
});

/** Documents of random tokens, and valid documents with odd literals. */
const literal = fc.oneof(
  fc.constantFrom(
    '"\\u0000"',
    '"""\\u0000"""',
    '"\\uD800"',
    '1e999',
    '-1',
    '{a: "\\u0000"}',
    '[["\\u0000"]]',
    'null',
    '$x',
    'true',
    '99999999999999999999',
    '{}',
    '"x',
  ),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.jsonValue().map((value) => JSON.stringify(value)),
);
const badDocument = fc
  .tuple(fc.constantFrom(...rootFields.filter(({ field }) => field.args.length > 0)), literal, fc.nat(3))
  .map(([{ kind, field }, value, at]): BadRequest => {
    const arg = field.args[at % field.args.length];
    const wrapped =
      arg && ['input', 'filters'].includes(arg.name) ? `{ ${at === 0 ? 'metadata' : 'storeId'}: ${value} }` : value;
    return {
      url: '/graphql',
      method: 'POST',
      headers: {},
      body: JSON.stringify({ query: `${kind} { ${field.name}(${arg?.name}: ${wrapped}) { __typename } }` }),
    };
  });

describe('bad input', () => {
  test(
    `no 500 and no timeout for ${restCount} requests with an odd value in one slot of one endpoint`,
    async () => {
      const before = await rowCounts();
      await many(badRest, restCount, async (request, index) =>
        assertPlainRefusal(await send(request, index % 3 === 0 ? partner.partnerKey : account.subKey), request),
      );
      expect(answers.refused).toBeGreaterThan(restCount / 4);
      const after = await rowCounts();
      // Odd values that were accepted may have charged or provisioned; ledger, processor's records and rows must still
      // agree.
      for (const table of ['partners', 'api_keys', 'organizations', 'processing_accounts', 'payments', 'transactions'])
        expect(after[table], table).toBeGreaterThanOrEqual(before[table] ?? 0);
    },
    timeout,
  );

  test(
    `no 500 and no timeout for ${operationCount} GraphQL operations with an odd value in one variable`,
    async () => {
      await many(badGraphql, operationCount, async (request, index) => {
        const answer = await send(request, index % 3 === 0 ? partner.partnerKey : account.subKey);
        assertGraphqlRefusal(answer, request);
      });
    },
    timeout,
  );

  test(
    `no 500 and no timeout for ${documentCount} GraphQL documents with odd literals`,
    async () => {
      await many(badDocument, documentCount, async (request) =>
        assertGraphqlRefusal(await send(request, partner.partnerKey), request),
      );
    },
    timeout,
  );

  test('no log line reports a failure', () => {
    expect(platform.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  test('a rejected request stores no row', async () => {
    const before = await rowCounts();
    let refused = 0;
    const wrong = fc
      .constantFrom(...endpoints.filter(({ isMutation, method }) => isMutation && method !== 'DELETE'))
      .map((endpoint): BadRequest => {
        const body =
          endpoint.body.wholeAs === null
            ? Object.fromEntries([...endpoint.body.fields].map((name) => [name, [{}]]))
            : Object.fromEntries([...endpoint.body.fields].map((name) => [name, [{}]]));
        return {
          url: `/api/public/v1${endpoint.path.replace(/:(\w+)/g, (_all, name: string) => String(ids[name]))}`,
          method: endpoint.method,
          headers: {},
          body: JSON.stringify(body),
        };
      });
    await many(wrong, 100, async (request) => {
      const answer = await send(request, partner.partnerKey);
      if (answer.status === 400) refused++;
    });
    expect(refused).toBeGreaterThan(50);
    expect(await rowCounts()).toEqual({ ...before, api_keys: before['api_keys'] });
  });
});

function assertGraphqlRefusal(answer: { status: number; body: Record<string, unknown> }, request: BadRequest): void {
  const shown = `${request.body?.slice(0, 800)} → ${JSON.stringify(answer.body).slice(0, 800)}`;
  expect(answer.status, shown).toBeLessThan(500);
  const errors = answer.body['errors'] as { extensions: { code: string; data: unknown } }[] | undefined;
  for (const { extensions } of errors ?? []) {
    expect(extensions.code, shown).not.toBe('INTERNAL_SERVER_ERROR');
    expect(extensions.code, shown).toMatch(/^[A-Z_]+$/);
    if (extensions.code === 'INPUT_PARSE_ERROR')
      expect((extensions.data as { issues: unknown[] }).issues.length, shown).toBeGreaterThan(0);
  }
}
