// guards: src/limits rest/entrance.ts rest/engine/body.ts rest/engine/admit.ts
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { httpHead, type RawConnection, rawConnection } from '../support/raw-connection.ts';
import { seedPartner } from '../support/seed.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const env: Record<string, string> = {
  VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
  FINGERPRINT_KEY: randomBytes(32).toString('base64'),
  IDP_SECRET: randomBytes(32).toString('base64'),
  DATABASE_POOL_SIZE: '2',
  CONNECTIONS_PER_ADDRESS: '4000',
  LOG_LEVEL: 'error',
};
let observer: TestPlatform;
let server: ServerProcess;
let api: Client;
let key: string;
const opened: RawConnection[] = [];

beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  observer = await startTestPlatform({ databaseUrl, env });
  const { subKey } = await (await seedPartner(observer)).account();
  server = await startServerProcess({ ...env, DATABASE_URL: databaseUrl });
  // The crowd has the key of another partner.
  key = (await (await seedPartner(observer)).account()).subKey;
  api = clientOf(server, subKey);
});
afterAll(async () => {
  for (const { socket } of opened) socket.destroy();
  await server?.kill();
  await observer?.close();
});

/** The times of calls one after the other in milliseconds, shortest first. */
async function honestCalls(): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < 60; n++) {
    const begun = performance.now();
    const { status } = await api.call('/customers/create', { email: `honest${n}@example.com` });
    times.push(performance.now() - begun);
    expect(status).toBe(200);
  }
  return times.sort((left, right) => left - right);
}

/** A reader that sends its next ten requests when it has read the answers to those before. */
async function pipelining(until: AbortSignal): Promise<void> {
  const connection = await rawConnection(server);
  opened.push(connection);
  const ten = httpHead('GET', '/api/public/v1/openapi.json', { Authorization: `Bearer ${key}` }).repeat(10);
  let read = 0;
  connection.socket.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (!until.aborted && read > 1_000_000) {
      read = 0;
      connection.socket.write(ten);
    }
  });
  connection.socket.write(ten);
}

test('200 for every honest call beside 1,600 half-sent requests and twelve pipelining readers, with two connections of the database', {
  timeout: 300_000,
}, async () => {
  const quiet = await honestCalls();
  const head = httpHead('POST', '/api/public/v1/customers/create', {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    'Content-Length': 40,
  });
  for (let group = 0; group < 16; group++)
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const connection = await rawConnection(server);
        opened.push(connection);
        connection.socket.write(`${head}{`);
      }),
    );
  const stop = new AbortController();
  await Promise.all(Array.from({ length: 12 }, () => pipelining(stop.signal)));
  const crowded = await honestCalls();
  stop.abort();
  const [before, after] = [quiet, crowded].map((times) => [times[30], times[57]].map((ms) => Math.round(ms ?? 0)));
  console.log(`p50 and p95 in ms: alone ${before?.join(', ')}; in the crowd ${after?.join(', ')}`);
});
