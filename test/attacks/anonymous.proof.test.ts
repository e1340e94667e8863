import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getIntrospectionQuery, graphqlSync, introspectionFromSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAsset, openStored } from '../../rest/pages/frame/assets.ts';
import { docsFiles, markdownAddressOf } from '../../rest/site/docs/library.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { schema } from '../../src/schema.ts';
import { writeDemo } from '../../src/settings/demo-credentials.ts';
import {
  anonymousRoutes,
  headers as hostile,
  type Requested,
  registeredWhile,
  requestsOf,
  withoutHash,
} from '../support/anonymous-routes.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type RawAnswer, rawAnswer } from '../support/raw-answer.ts';
import { seedPartner } from '../support/seed.ts';
import { countWork, watchWaitingCalls } from '../support/waiting-calls.ts';

const platformDir = mkdtempSync(join(tmpdir(), 'platform-anonymous-'));
const root = '/api/public/v1';
let platform: TestPlatform;
let paths: string[];
let requests: Requested[];
let key: string;

beforeAll(async () => {
  ({ started: platform, paths } = await registeredWhile(() =>
    // The document of the demo is made again after ten seconds of the clock.
    startTestPlatform({
      env: { PLATFORM_DIR: platformDir },
      identityProvider: 'embedded',
      clock: manualClock(new Date()),
    }),
  ));
  const partner = await seedPartner(platform);
  const { id, storeId, subKey } = await partner.account('Demo Merchant');
  key = subKey;
  writeDemo(
    { platformDir },
    {
      baseUrl: platform.url,
      partner: { id: partner.id, slug: partner.slug },
      partners: [],
      partnerKeys: { test: partner.partnerKey, live: null },
      accounts: { test: { id, storeId, subKey, paymentInstrumentId: null }, live: null },
      organizations: [],
      users: [],
    },
  );
  const page = (await get('/graphql', { Accept: 'text/html' })).body.toString();
  const files = [...page.matchAll(/"(graphql\/[^"]+)"/g)].map(([, path]) => ({ path: `/${path}` }));
  expect(files.length).toBeGreaterThan(4);
  const index = (await get('/console/')).body.toString();
  const built = [...index.matchAll(/"(?:\/console\/|\.\/)?(assets\/[^"]+\.(?:js|css))"/g)];
  expect(built.length).toBeGreaterThan(1);
  requests = [...requestsOf(paths), ...files, ...built.map(([, path]) => ({ path: `/console/${path}` }))];
});
afterAll(async () => {
  await platform?.close();
  rmSync(platformDir, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}): Promise<RawAnswer> =>
  rawAnswer(platform.url + path, { headers });

/** What `introspectionFromSchema` asks for. */
const every = {
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  experimentalDirectiveDeprecation: true,
  oneOf: true,
};

const encodings = ['br', 'gzip', 'identity'] as const;

const atOnce = 8;

/** Asks each in every encoding, and whether it is there. */
async function askAll(
  requested: readonly Requested[],
  more: Record<string, string> = {},
): Promise<Map<string, RawAnswer>> {
  const answers = new Map<string, RawAnswer>();
  const left = requested.flatMap((each) => encodings.map((encoding) => ({ ...each, encoding })));
  const askOn = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) {
      const { method = 'GET', path, body, encoding } = next;
      const headers = { 'Accept-Encoding': encoding, ...more };
      const answer = await rawAnswer(platform.url + path, { method, headers, ...(body && { body }) });
      answers.set(`${method} ${path} ${encoding} ${JSON.stringify(body ?? {})}`, answer);
      if (method === 'GET') await rawAnswer(platform.url + path, { method: 'HEAD', headers });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, askOn));
  return answers;
}

/** The files that are the same for everybody, which a client keeps by their tag. */
const isStored = ({ headers }: RawAnswer): boolean => headers['etag'] !== undefined;

test('every route of the server is in the list of what anybody may ask', () => {
  expect(paths.map(withoutHash).filter((path) => !(path in anonymousRoutes))).toEqual([]);
  expect(Object.keys(anonymousRoutes).filter((path) => !paths.map(withoutHash).includes(path))).toEqual([]);
});

describe('while anybody asks', () => {
  test('a hundred first requests at once unpack and compress the bundle of the API reference once', async () => {
    const work = countWork();
    const calls = watchWaitingCalls();
    // Without the body: a hundred times four megabytes take a slow machine longer than a client may take.
    const ask = async (encoding: string) => {
      const headers = { 'Accept-Encoding': encoding };
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          rawAnswer(`${platform.url}${root}/docs/scalar.js?${index}`, { method: 'HEAD', headers }),
        ),
      );
      return new Set(answers.map((answer) => answer.headers['content-length'])).size;
    };
    expect([await ask('identity'), work.compressed()]).toEqual([1, 1]);
    expect([await ask('gzip'), work.compressed()]).toEqual([1, 2]);
    await ask('br');
    expect(work.compressed()).toBe(2);
    work.stop();
    calls.stop();
    expect(calls.calls).toEqual([]);
  });

  test('a hundred first requests at once make the OpenAPI document of the demo once', async () => {
    const work = countWork();
    const bodies = await Promise.all(
      Array.from({ length: 100 }, (_, index) => get(`${root}/openapi.json?${index}`, { 'Accept-Encoding': 'br' })),
    );
    expect(work.compressed()).toBe(1);
    expect(new Set(bodies.map(({ headers }) => headers['etag'])).size).toBe(1);
    work.stop();
  });

  test('a hundred first requests at once render a page of the documentation once, and answer GraphQL tools once', async () => {
    const work = countWork();
    const br = { 'Accept-Encoding': 'br' };
    await Promise.all(Array.from({ length: 100 }, () => get('/docs/glossary', br)));
    expect(work.compressed()).toBe(1);
    const body = { query: getIntrospectionQuery() };
    const ask = () => rawAnswer(`${platform.url}/graphql`, { method: 'POST', body, headers: br });
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    expect(work.compressed()).toBe(2);
    expect(new Set(answers.map(({ status, body: own }) => `${status} ${own.length}`)).size).toBe(1);
    work.stop();
  });

  test.each([
    ['as a program', {}],
    ['as a browser', hostile.page],
    ['with hundreds of encodings, languages and types, and a range', hostile.many],
    ['with hundreds of tags', hostile.tags],
  ])('%s, no route waits for a file or for compression, in any encoding', async (_how, headers) => {
    const watched = watchWaitingCalls();
    const answers = await askAll(requests, headers);
    watched.stop();
    expect([...new Set(watched.calls)]).toEqual([]);
    expect([...answers].filter(([, { status }]) => status >= 500).map(([what]) => what)).toEqual([]);
  });

  test('no route compresses anything twice, whatever the query string says', async () => {
    const first = await askAll(requests, hostile.page);
    const work = countWork();
    const second = await askAll(requests, hostile.page);
    const busted = requests
      .filter(({ path }) => !path.includes('?'))
      .map((requested) => ({ ...requested, path: `${requested.path}?${'x'.repeat(99)}` }));
    await askAll(busted, hostile.page);
    work.stop();
    expect(work.compressed()).toBe(0);
    const kept = [...first].filter(([, answer]) => isStored(answer));
    expect(kept.length).toBeGreaterThan(60);
    for (const [what, { body, headers }] of kept)
      expect([what, second.get(what)?.headers['etag'], second.get(what)?.body.equals(body)]).toEqual([
        what,
        headers['etag'],
        true,
      ]);
  });

  test('304 for each file that the client has: by its tag, a weak one, one of many, `*`, and without a cache', async () => {
    const kept = [...(await askAll(requests))].filter(([, answer]) => isStored(answer));
    for (const [what, { headers, body }] of kept) {
      const [, path = '', encoding = ''] = what.split(' ');
      const etag = String(headers['etag']);
      const many = `${hostile.tags['If-None-Match']}, W/${etag}`;
      for (const [tags, more] of [
        [etag],
        [`W/${etag}`],
        [many],
        ['*'],
        [etag, { 'Cache-Control': 'no-cache' }],
      ] as const) {
        const again = await get(path, { 'Accept-Encoding': encoding, 'If-None-Match': tags, ...more });
        expect([what, tags, again.status, again.body.length]).toEqual([what, tags, 304, 0]);
      }
      const other = await get(path, { 'Accept-Encoding': encoding, 'If-None-Match': `"${'0'.repeat(16)}"` });
      expect([what, other.status, other.body.equals(body)]).toEqual([what, 200, true]);
    }
  });

  test('every page of the documentation is rendered once, and nothing that is not there is kept', async () => {
    const files = [...(await docsFiles()).values()];
    const work = countWork();
    const pages = files.filter(({ isPage }) => isPage);
    const addresses = pages.flatMap(({ address }) => [address, markdownAddressOf(address)]);
    for (let round = 0; round < 2; round++)
      await Promise.all(addresses.map((address) => get(`/docs/${address}?${round}`, { 'Accept-Encoding': 'br' })));
    const compressed = work.compressed();
    expect(compressed).toBeLessThanOrEqual(addresses.length);
    for (let index = 0; index < 50; index++) expect((await get(`/docs/nowhere-${index}`)).status).toBe(404);
    expect(work.compressed()).toBe(compressed);
    work.stop();
  });
});

describe('what is read of the schema', () => {
  const ask = async (query: string, more: object = {}, headers: Record<string, string> = {}) => {
    const options = { method: 'POST', headers, body: { query, ...more } };
    const { status, body } = await rawAnswer(`${platform.url}/graphql`, options);
    return { status, ...(JSON.parse(body.toString()) as { data?: unknown; errors?: { message: string }[] }) };
  };

  test('is what the schema itself answers, by POST and by GET, with variables, and in the file of GraphiQL', async () => {
    const whole = { data: introspectionFromSchema(schema) };
    const query = getIntrospectionQuery(every);
    expect(JSON.stringify((await ask(query)).data)).toBe(JSON.stringify(whole.data));
    const { path = '' } = requests.find((each) => each.path.startsWith('/graphql/schema-')) ?? {};
    expect((await get(path)).body.toString()).toBe(JSON.stringify(whole));
    const one = 'query ($name: String!) { __type(name: $name) { name kind fields { name } } __typename }';
    const requested = `query=${encodeURIComponent(one)}&variables=${encodeURIComponent('{"name":"Payment"}')}`;
    const byGet = await get(`/graphql?${requested}`, { Accept: 'application/json' });
    const direct = graphqlSync({ schema, source: one, variableValues: { name: 'Payment' } });
    expect(byGet.body.toString()).toBe(JSON.stringify(direct));
    expect((await ask(one, { variables: { name: 'Payment' } })).data).toEqual(JSON.parse(JSON.stringify(direct.data)));
  });

  test('with a key something else may be read beside it', async () => {
    const mixed = '{ authTest { mode } __schema { types { name } } }';
    const { data } = await ask(mixed, {}, { Authorization: `Bearer ${key}` });
    expect(data).toMatchObject({ authTest: { mode: 'test' }, __schema: { types: expect.anything() } });
  });
});

describe('a file', () => {
  test('is made in each encoding once, also for a hundred at once, and has the same bytes later', async () => {
    const stored = await openStored(join(import.meta.dirname, '../../rest/vendor/scalar.js.br'));
    for (const asset of [createAsset('x.txt', 'text '.repeat(10_000)), stored])
      for (const encoding of encodings) {
        const bodies = await Promise.all(Array.from({ length: 100 }, () => asset.bodyIn(encoding)));
        expect(new Set(bodies).size).toBe(1);
        expect(await asset.bodyIn(encoding)).toBe(bodies[0]);
      }
  });
});
