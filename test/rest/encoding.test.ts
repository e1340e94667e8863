import { request as httpRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { encodingFor } from '../../rest/engine/respond.ts';
import { boundHeaders } from '../../rest/entrance.ts';
import { usePlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
await disableRateLimits(platform);
const account = await (await seedPartner(platform)).account('Merchant');
const { id: paymentInstrumentId } = await account.instrument();
for (let count = 0; count < 16; count++) await account.charge('4242424242424242', { paymentInstrumentId });

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** The bytes as they are sent: `fetch` decodes them. */
function raw(path: string, headers: Record<string, string>, body?: object): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(
      platform.url + path,
      {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    call.on('error', reject);
    call.end(body && JSON.stringify(body));
  });
}

function decoded({ headers, body }: Raw): string {
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(body).toString();
  return (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
}

test.each([
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'br'],
  ['GZIP', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br; q=0.000', null],
  ['deflate', null],
  ['identity', null],
  ['', null],
  [undefined, null],
])('Accept-Encoding %j is answered with %s', (given, encoding) => {
  expect(encodingFor({ headers: { ...(given !== undefined && { 'accept-encoding': given }) } })).toBe(encoding);
});

test('of Accept, Accept-Encoding and Accept-Language the first 1,000 characters are read', async () => {
  const within = {
    accept: `xx,${'x,'.repeat(494)}text/html`,
    'accept-encoding': `${'x,'.repeat(498)}gzip`,
    'accept-language': `${'x,'.repeat(499)}de`,
  };
  for (const [name, value] of Object.entries(within)) {
    const headers = { [name]: value };
    boundHeaders({ headers });
    expect([value.length, headers[name]]).toEqual([1_000, value]);
    headers[name] = `x${value}`;
    boundHeaders({ headers });
    expect(headers[name]).toBe(`x${value.slice(0, -1)}`);
  }
  const encodingOf = async (given: string) =>
    (await raw('/api/public/v1/openapi.json', { 'Accept-Encoding': given })).headers['content-encoding'];
  expect(await encodingOf(within['accept-encoding'])).toBe('gzip');
  expect(await encodingOf(`x${within['accept-encoding']}`)).toBeUndefined();
  const typeOf = async (given: string) => (await raw('/cardholder/none', { Accept: given })).headers['content-type'];
  expect(await typeOf(within.accept)).toContain('text/html');
  expect(await typeOf(`x${within.accept}`)).toContain('application/json');
});

describe('JSON', () => {
  test('a list above 8 KiB is compressed for a client that takes it, with the same content', async () => {
    const Authorization = `Bearer ${account.subKey}`;
    const plain = await raw('/api/public/v1/payments', { Authorization }, { pageSize: 100 });
    expect(plain.body.length).toBeGreaterThan(8 * 1024);
    expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const encoding of ['br', 'gzip']) {
      const answer = await raw(
        '/api/public/v1/payments',
        { Authorization, 'Accept-Encoding': encoding },
        { pageSize: 100 },
      );
      expect(answer.headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' });
      expect(Number(answer.headers['content-length'])).toBe(answer.body.length);
      expect(answer.body.length).toBeLessThan(plain.body.length / 3);
      expect(JSON.parse(decoded(answer))).toEqual(JSON.parse(plain.body.toString()));
    }
  });

  test('over GraphQL too, but not the answer of a mutation, nor one below 8 KiB', async () => {
    const headers = { Authorization: `Bearer ${account.subKey}`, 'Accept-Encoding': 'br' };
    const encodingOf = async (query: string): Promise<unknown> => {
      const answer = await raw('/graphql', headers, { query });
      expect(JSON.parse(decoded(answer)).errors).toBeUndefined();
      return answer.headers['content-encoding'];
    };
    expect(await encodingOf('{ __schema { types { name description } } }')).toBe('br');
    expect(await encodingOf('{ authTest { mode } }')).toBeUndefined();
    const secrets = Array.from({ length: 10 }, (_, index) => {
      const url = `https://93.184.216.34/${index}/${'x'.repeat(1000)}`;
      return `m${index}: createWebhookEndpoint(input: {url: "${url}", eventTypes: ["payment/created"]}) { secret url }`;
    });
    expect(await encodingOf(`mutation { ${secrets.join(' ')} }`)).toBeUndefined();
  });
});

describe('files', () => {
  async function fileOf(page: string, pattern: RegExp): Promise<string> {
    const html = await (await fetch(platform.url + page, { headers: { Accept: 'text/html' } })).text();
    return pattern.exec(html)?.[1] ?? 'none';
  }

  test("GraphiQL's files are compressed, and kept forever under the hash of their content", async () => {
    const path = `/${await fileOf('/graphql', /modulepreload" href="([^"]+)"/)}`;
    expect(path).toMatch(/^\/graphql\/graphiql-[0-9a-f]{16}\.js$/);
    const plain = await raw(path, {});
    expect(plain.status).toBe(200);
    for (const encoding of ['br', 'gzip']) {
      const answer = await raw(path, { 'Accept-Encoding': encoding });
      expect(answer.headers).toMatchObject({
        'content-encoding': encoding,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'text/javascript; charset=utf-8',
        vary: 'Accept-Encoding',
      });
      expect(decoded(answer)).toBe(plain.body.toString());
      const etag = String(answer.headers['etag']);
      const again = await raw(path, { 'Accept-Encoding': encoding, 'If-None-Match': etag });
      expect([again.status, again.body.length, again.headers['etag']]).toEqual([304, 0, etag]);
      expect((await raw(path, { 'Accept-Encoding': encoding, 'If-None-Match': '"other"' })).status).toBe(200);
    }
  });

  test.each([
    ['/docs/configuration', 'text/html; charset=utf-8'],
    ['/docs/configuration.md', 'text/markdown; charset=utf-8'],
    ['/llms.txt', 'text/plain; charset=utf-8'],
  ])('%s of the documentation is compressed, asked for each time, and 304 for a client that has it', async (path, type) => {
    const answer = await raw(path, { 'Accept-Encoding': 'br' });
    expect(answer.headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'no-cache',
      'content-type': type,
      vary: 'Accept-Encoding',
    });
    const etag = String(answer.headers['etag']);
    const again = await raw(path, { 'Accept-Encoding': 'br', 'If-None-Match': etag });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect((await raw(path, { 'Accept-Encoding': 'gzip', 'If-None-Match': etag })).status).toBe(200);
  });

  test('the OpenAPI document is compressed, and 304 for a client that has it', async () => {
    const path = '/api/public/v1/openapi.json';
    const answer = await raw(path, { 'Accept-Encoding': 'br' });
    expect(answer.headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'no-cache',
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': '*',
    });
    expect(answer.body.length).toBeLessThan(100_000);
    expect(JSON.parse(decoded(answer)).openapi).toBe('3.1.0');
    const etag = String(answer.headers['etag']);
    const again = await raw(path, { 'Accept-Encoding': 'br', 'If-None-Match': etag });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect((await raw(path, { 'Accept-Encoding': 'gzip', 'If-None-Match': etag })).status).toBe(200);
  });

  test.each([
    '/graphql/graphiql-0000000000000000.js',
    '/graphql/..%2fx',
    '/graphql/x/y',
    '/graphql/__proto__',
  ])('404 for %s', async (path) => expect((await raw(path, {})).status).toBe(404));
});
