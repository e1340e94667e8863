import { afterEach, beforeEach, expect, test } from 'vitest';
import { asOwner, dropDatabase, freshDatabase } from '../../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { httpHead, rawConnection } from '../../support/raw-connection.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';

let databaseUrl: string;
let platform: TestPlatform;
let account: SeededAccount;
let stopped: Promise<void> | undefined;

beforeEach(async () => {
  databaseUrl = await freshDatabase();
  platform = await startTestPlatform({ databaseUrl, env: { STOP_DELAY_MS: '3000' } });
  account = await (await seedPartner(platform)).account();
});
afterEach(async () => {
  await (stopped ?? platform?.close());
  await dropDatabase(databaseUrl);
});

function creation(email: string): string {
  const body = JSON.stringify({ email });
  const headers = { Authorization: `Bearer ${account.subKey}`, 'Content-Type': 'application/json' };
  return httpHead('POST', '/api/public/v1/customers/create', { ...headers, 'Content-Length': body.length }) + body;
}

test('for STOP_DELAY_MS readiness is 503 draining and calls are 200, each with Connection: close; then none connects; of the checks only that 503 is logged', async () => {
  const kept = await rawConnection(platform);
  kept.socket.write(creation('before@example.com'));
  await expect.poll(() => kept.received()).toContain('before@example.com');
  expect(kept.received()).not.toContain('Connection: close');

  stopped = platform.close();
  const ready = await fetch(`${platform.url}/health/ready`);
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
  expect(await ready.json()).toEqual({ status: 'unavailable', cause: 'draining' });
  expect((await fetch(`${platform.url}/health/live`)).status).toBe(200);
  const answer = await account.api.call('/auth/test');
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  // A connection that was open and idle at the signal.
  kept.socket.write(creation('during@example.com'));
  await kept.closed;
  expect(kept.received()).toContain('during@example.com');
  expect(kept.received()).toContain('Connection: close');

  await stopped;
  const lines = platform.logged.flatMap((line) => (line.includes('"route":"/health/') ? [JSON.parse(line)] : []));
  expect(lines.map(({ route, status }) => [route, status])).toEqual([['/health/ready', 503]]);
  expect(await platform.services.metrics.text()).not.toContain('/health/');
  await expect(fetch(`${platform.url}/health/live`)).rejects.toThrow();
});

test('a request behind one that is answered with Connection: close has no effect', async () => {
  stopped = platform.close();
  const { socket, received, closed } = await rawConnection(platform);
  socket.write(creation('first@example.com') + creation('second@example.com'));
  await closed;
  expect(received()).toContain('first@example.com');
  await stopped;
  const { rows } = await asOwner({ databaseUrl }, 'SELECT email FROM customers');
  expect(rows).toEqual([{ email: 'first@example.com' }]);
});
