// guards: src/limits rest/entrance.ts rest/engine/body.ts rest/engine/admit.ts
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { httpHead, type RawConnection, rawConnection } from '../support/raw-connection.ts';
import { seedPartner } from '../support/seed.ts';
import { newSecrets, type ServerProcess, startServerProcess } from '../support/server-process.ts';

const env: Record<string, string> = {
  ...newSecrets(),
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

/** Readers that keep ten requests open each, in a thread of their own: they must not delay the honest caller here. */
function pipelining(readers: number): Worker {
  const one = httpHead('GET', '/api/public/v1/openapi.json', { Authorization: `Bearer ${key}` });
  const workerData = { port: Number(new URL(server.url).port), one, readers };
  return new Worker(
    `const { workerData: { port, one, readers } } = require('node:worker_threads');
    for (let n = 0; n < readers; n++) {
      const socket = require('node:net').connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.on('data', (chunk) => chunk.includes('HTTP/1.1 ') && socket.write(one));
      socket.write(one.repeat(10));
    }`,
    { eval: true, workerData },
  );
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
  const readers = pipelining(12);
  const crowded = await honestCalls();
  await readers.terminate();
  const [before, after] = [quiet, crowded].map((times) => [times[30], times[57]].map((ms) => Math.round(ms ?? 0)));
  console.log(`p50 and p95 in ms: alone ${before?.join(', ')}; in the crowd ${after?.join(', ')}`);
});
