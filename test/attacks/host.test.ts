import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform, usePlatform } from '../support/platform.ts';
import { httpHead, rawConnection } from '../support/raw-connection.ts';
import { newSecrets } from '../support/server-process.ts';

const keys = newSecrets();

const platform = await usePlatform({ env: { ...keys, ALLOWED_HOSTS: 'payments.internal,10.0.0.7' } });

/** `fetch` sets the Host header itself. */
async function get(
  path: string,
  host: string,
  server: { url: string } = platform,
): Promise<{ status: string; text: string }> {
  const { socket, received, closed } = await rawConnection(server);
  socket.write(httpHead('GET', path, { Host: host, Connection: 'close' }));
  await closed;
  return { status: received().slice(9, 12), text: received() };
}

const secretsOfDevelopment = [
  '/',
  '/idp/mail',
  '/metrics',
  '/idp/sign-in',
  '/api/public/v1/docs',
  '/api/public/v1/docs/start.js',
  '/api/public/v1/auth/test',
  '/api/v1/iam/users/list',
  '/api/public/v1/plugins/list',
  '/graphql?query={__typename}',
];

test.each(
  secretsOfDevelopment.flatMap((path) =>
    ['rebound.example', 'localhost.rebound.example', '127.0.0.1.nip.io', ''].map((host) => [path, host] as const),
  ),
)('421 for %s of the host "%s", which a page of another site may point here', async (path, host) => {
  const { status, text } = await get(path, host);
  expect(status).toBe('421');
  expect(text).toContain('ALLOWED_HOSTS');
  expect(text).toContain('MISDIRECTED_REQUEST');
});

test.each([
  'localhost',
  'LOCALHOST:4000',
  'localhost.',
  '127.0.0.1:80',
  '[::1]:4000',
  'payments.internal',
  '10.0.0.7:4000',
])('200 for the host %s, with any port', async (host) =>
  expect((await get('/api/public/v1/docs', host)).status).toBe('200'));

test.each(
  [
    'http://localhost',
    'http://evil.example',
    'https://localhost:4000',
    'http://a@localhost',
    'ftp://localhost',
  ].flatMap((origin) =>
    ['', '/health/live', '/idp/sign-in', '/api/public/v1/auth/test', '/graphql'].map((path) => origin + path),
  ),
)('400 in JSON for the target %s, whatever the method and Host: only a path is a target', async (target) => {
  for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
    const { socket, received, closed } = await rawConnection(platform);
    socket.write(httpHead(method, target, { Connection: 'close' }));
    await closed;
    const [head = '', body = ''] = received().split('\r\n\r\n');
    expect([method, head.slice(9, 12)]).toEqual([method, '400']);
    expect(JSON.stringify(JSON.parse(body))).toContain('send its path');
    expect(head).toMatch(/^request-id: req_/im);
  }
});

test.each(['/health/live', '/health/ready'])('200 for %s under any host, for load balancers', async (path) => {
  expect((await get(path, '192.0.2.10')).status).toBe('200');
});

test("the key of the demo cannot be read by another site's page that loads the script", async () => {
  const { headers } = await fetch(`${platform.url}/api/public/v1/docs/start.js`);
  expect(headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
});

describe('in production', () => {
  let production: TestPlatform;

  beforeAll(async () => {
    production = await startTestPlatform({
      databaseUrl: platform.databaseUrl,
      publicUrl: 'https://pay.example.com',
      env: { ...keys, NODE_ENV: 'production', TRUST_PROXY: 'none', IDP_EMBEDDED_IN_PRODUCTION: 'yes' },
    });
  });
  afterAll(() => production?.close());

  test('200 for the host of the public URL, 421 for localhost', async () => {
    expect((await get('/', 'pay.example.com', production)).status).toBe('200');
    expect((await get('/', 'localhost', production)).status).toBe('421');
  });

  test('404 for the pages of development and for metrics', async () => {
    for (const path of ['/idp/mail', '/metrics'])
      expect([path, (await get(path, 'pay.example.com', production)).status]).toEqual([path, '404']);
  });

  test('a session has Secure cookies of this host alone', async () => {
    const person = { email: 'owner@example.com', password: 'correct horse battery' };
    await platform.idp.createUser(person);
    const body = JSON.stringify(person);
    const { socket, received, closed } = await rawConnection(production);
    const headers = { Host: 'pay.example.com', 'Content-Type': 'application/json', Connection: 'close' };
    socket.write(httpHead('POST', '/idp/sign-in/email', { ...headers, 'Content-Length': body.length }) + body);
    await closed;
    expect(received()).toContain('HTTP/1.1 200');
    const cookies = received().match(/^set-cookie: .*$/gim) ?? [];
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies)
      expect(cookie).toMatch(/^set-cookie: __Host-[^;]+;.*; Path=\/; (?:Expires=[^;]+; )?HttpOnly; Secure/i);
  });
});

test('404 for kept mail, no GraphiQL and no demo key on a development server that others reach', async () => {
  // Names of the network in ALLOWED_HOSTS say that others reach it.
  expect(platform.services.config).toMatchObject({ isProduction: false, isLocal: false, graphiql: false });
  expect((await get('/idp/mail', 'localhost')).status).toBe('404');
  const page = await fetch(`${platform.url}/graphql`, { headers: { Accept: 'text/html' }, redirect: 'manual' });
  expect([page.status, page.headers.get('Location')]).toEqual([303, './']);
  const home = await fetch(`${platform.url}/`, { headers: { Accept: 'text/html' } });
  expect(await home.text()).not.toContain('Demo credentials');
  const own = await startTestPlatform({ databaseUrl: platform.databaseUrl, env: keys });
  expect((await get('/idp/mail', 'localhost', own)).status).toBe('200');
  await own.close();
});
