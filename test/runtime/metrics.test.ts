import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/dev/postgres-server.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';

const token = 'a-token-of-the-monitoring';
let platform: TestPlatform;
let port: number;

beforeAll(async () => {
  port = await freePort();
  platform = await startTestPlatform({ env: { METRICS_TOKEN: token, METRICS_PORT: String(port) } });
});
afterAll(() => platform.close());

test('401 for metrics on the public port without the token or with another, 200 with it', async () => {
  const get = async (authorization?: string) =>
    (await fetch(`${platform.url}/metrics`, { headers: authorization ? { Authorization: authorization } : {} })).status;
  for (const wrong of [undefined, token, `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`])
    expect([wrong, await get(wrong)]).toEqual([wrong, 401]);
  expect(await get(`Bearer ${token}`)).toBe(200);
});

test('200 for metrics on their own port without a token, 404 for everything else there', async () => {
  const own = `http://127.0.0.1:${port}`;
  expect(await (await fetch(`${own}/metrics`)).text()).toContain('platform_request_duration_seconds');
  expect((await fetch(`${own}/metrics`, { method: 'POST' })).status).toBe(405);
  for (const path of ['/', '/graphql', '/health/ready', '/api/public/v1/auth/test'])
    expect((await fetch(`${own}${path}`)).status).toBe(404);
});

test('200 for / with the addresses: a page for a browser, JSON for others; other unknown paths stay 404', async () => {
  const page = await fetch(`${platform.url}/`, { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await page.text()).toContain(`<a href="${platform.url}/graphql">GraphiQL</a>`);
  const json = await fetch(`${platform.url}/`);
  expect([json.status, await json.json()]).toMatchObject([
    200,
    { documentation: `${platform.url}/api/public/v1/docs` },
  ]);
  const unknown = await fetch(`${platform.url}/nothing`, { headers: { Accept: 'text/html' } });
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
});
