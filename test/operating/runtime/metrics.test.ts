import { expect, test } from 'vitest';
import { usePlatform } from '../../support/platform.ts';
import { freePort } from '../../support/ports.ts';
import { httpHead, rawConnection } from '../../support/raw-connection.ts';

const token = 'a-token-of-the-monitoring';

const port: number = await freePort();
const platform = await usePlatform({ env: { METRICS_TOKEN: token, METRICS_PORT: String(port) } });

test('401 for metrics on the public port without the token or with another, 200 with it', async () => {
  const get = async (authorization?: string) =>
    (await fetch(`${platform.url}/metrics`, { headers: authorization ? { Authorization: authorization } : {} })).status;
  for (const wrong of [undefined, token, `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`])
    expect([wrong, await get(wrong)]).toEqual([wrong, 401]);
  expect(await get(`Bearer ${token}`)).toBe(200);
});

test('200 for metrics under any host with the token, as there is one; 401 without it, 421 for another path', async () => {
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const { socket, received, closed } = await rawConnection(platform);
    socket.write(httpHead('GET', path, { Host: '192.0.2.10', Connection: 'close', ...headers }));
    await closed;
    return received().slice(9, 12);
  };
  expect(await get('/metrics', { Authorization: `Bearer ${token}` })).toBe('200');
  expect(await get('/metrics')).toBe('401');
  expect(await get('/', { Authorization: `Bearer ${token}` })).toBe('421');
});

test('200 for metrics on their own port without a token, 404 for everything else there', async () => {
  const own = `http://127.0.0.1:${port}`;
  expect(await (await fetch(`${own}/metrics`)).text()).toContain('platform_request_duration_seconds');
  expect((await fetch(`${own}/metrics`, { method: 'POST' })).status).toBe(405);
  for (const path of ['/', '/graphql', '/health/ready', '/api/public/v1/auth/test'])
    expect((await fetch(`${own}${path}`)).status).toBe(404);
});
