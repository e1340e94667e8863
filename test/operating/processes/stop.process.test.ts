// guards: src/main.ts src/server.ts src/runtime src/limits src/jobs rest/entrance.ts rest/health.ts
import { connect, type Socket } from 'node:net';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { resolveUnknownPayments } from '../../../src/domains/payments/resolution/resolve.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { clientOf } from '../../support/client.ts';
import { asOwner, freshDatabase } from '../../support/database.ts';
import { expectLedgersToAgree, unresolvedCount } from '../../support/ledger.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';
import { newSecrets, type ServerProcess, startServerProcess } from '../../support/server-process.ts';

const env: Record<string, string> = newSecrets();
const stopMaxMs = 10_000;
const clock = manualClock(new Date());
let observer: TestPlatform;
let account: SeededAccount;
let server: ServerProcess;
/** Locks the processor's records, so that a charge stays in flight as long as the test needs. */
let holder: pg.PoolClient;

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  observer = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env, clock });
  account = await (await seedPartner(observer)).account();
});
beforeEach(async () => {
  server = await startServerProcess(env);
  holder = await observer.services.pool.connect();
});
afterEach(async () => {
  await holder.query('ROLLBACK');
  holder.release();
  await server.kill();
});
afterAll(() => observer?.close());

/** A charge that has reached the processor and is not answered yet. */
async function chargeInFlight(): Promise<ReturnType<SeededAccount['api']['call']>[]> {
  const { id: paymentInstrumentId } = await account.instrument();
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE test_processor.charges IN EXCLUSIVE MODE');
  const answer = clientOf(server, account.subKey).call('/payments/process', {
    paymentInstrumentId,
    amount: 500,
    currency: 'USD',
  });
  answer.catch(() => {});
  const waiting = async () =>
    // The sessions of the server's role are not shown to others.
    (
      await asOwner(
        observer,
        `SELECT 1
          FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'test-processor' AND wait_event_type = 'Lock'
            -- A charge, and not the job that fails refunds.
            AND query NOT LIKE '%modifications%'`,
      )
    ).rowCount;
  await expect.poll(waiting).toBe(1);
  return [answer];
}

/** A raw connection, to send only the bytes of the test. */
async function rawConnection(): Promise<{ socket: Socket; received(): string; closed: Promise<void> }> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let received = '';
  socket.on('data', (data) => (received += data.toString()));
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, received: () => received, closed };
}

async function refusesConnections(): Promise<boolean> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
  }).then((refused) => {
    socket.destroy();
    return refused as boolean;
  });
}

test('SIGTERM finishes calls in flight and slow clients, closes idle connections and exits with 0', async () => {
  const idle = await rawConnection();
  idle.socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await expect.poll(() => idle.received()).toContain('"ok"');
  const slow = await rawConnection();
  const body = JSON.stringify({ email: 'slow@example.com' });
  slow.socket.write(
    `POST /api/public/v1/customers/create HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ` +
      `${account.subKey}\r\nContent-Type: application/json\r\nContent-Length: ` +
      `${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  const [charge] = await chargeInFlight();

  const stopped = server.stop();
  await expect.poll(refusesConnections).toBe(true);
  await idle.closed;
  slow.socket.write(body.slice(5));
  await expect.poll(() => slow.received()).toContain('"email":"slow@example.com"');
  await holder.query('COMMIT');
  expect(await charge).toMatchObject({ status: 200, body: { payment: { status: 'succeeded' } } });
  expect(await stopped).toMatchObject({ code: 0, signal: null });
});

test('SIGTERM exits with 0 in time despite unfinished requests; the payment is resolved later', async () => {
  const slow = await rawConnection();
  slow.socket.write(
    `POST /api/public/v1/customers/create HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ` +
      `${account.subKey}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  );
  const [charge] = await chargeInFlight();
  const { code, afterMs } = await server.stop();
  expect(code).toBe(0);
  expect(afterMs).toBeLessThan(stopMaxMs);
  await slow.closed;
  await expect(charge).rejects.toThrow();
  expect(await unresolvedCount(observer.services.pool)).toBe(2);
  await holder.query('COMMIT');
  clock.set(new Date(Date.now() + 60_000));
  expect(await resolveUnknownPayments(observer.services)).toBe(1);
  await expectLedgersToAgree(observer.services.pool);
});

test('a repeated signal, as npm sends at Ctrl-C, does not shorten the stop', async () => {
  const [charge] = await chargeInFlight();
  server.process.kill('SIGINT');
  // Two of one kind could become one before they are delivered.
  const stopped = server.stop('SIGTERM');
  await expect.poll(refusesConnections).toBe(true);
  await holder.query('COMMIT');
  expect((await charge)?.status).toBe(200);
  expect(await stopped).toMatchObject({ code: 0, signal: null });
});

test('a second signal ends the server at once, with 1 and a sentence', async () => {
  const [charge] = await chargeInFlight();
  const again = setInterval(() => server.process.kill('SIGTERM'), 100);
  expect(await server.exited).toMatchObject({ code: 1, signal: null });
  clearInterval(again);
  expect(server.output()).toContain('A second signal: the platform ends at once.');
  await expect(charge).rejects.toThrow();
});
