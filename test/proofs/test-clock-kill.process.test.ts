// guards: src/unit-of-work src/database src/domains/test-clocks src/domains/subscriptions src/domains/payments src/jobs
import { afterAll, beforeAll, expect, test } from 'vitest';
import { advanceTestClocks } from '../../src/domains/test-clocks/jobs.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { newSecrets, startServerProcess } from '../support/server-process.ts';
import { afterHours, expectEachExpiredOnceInOrder, holdOnClock } from '../support/test-clock-holds.ts';

/** FAULTS_KILLS makes the run longer. */
const kills = Number(process.env['FAULTS_KILLS'] ?? 2);

const clock = manualClock(new Date());
const env: Record<string, string> = newSecrets();
/** Observes, and resumes on its own clock what a killed server was advancing. */
let observer: TestPlatform;
let account: SeededAccount;

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  observer = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env, clock });
  account = await (await seedPartner(observer)).account();
});
afterAll(() => observer?.close());

const read = (clockId: string) => account.api.ok(`/test-clocks/${clockId}`);
const endedCount = (paymentIds: readonly string[]) =>
  observer.services.prisma.payment.count({ where: { id: { in: [...paymentIds] }, subStatus: 'expired' } });

test('an advance interrupted by kill -9 continues after it, does nothing twice and nothing out of order', {
  timeout: 60_000 + kills * 15_000,
}, async () => {
  const { clockId, paymentIds } = await holdOnClock(observer, account, kills * 12);
  for (let kill = 0; kill < kills; kill++) {
    const server = await startServerProcess(env);
    const requested =
      kill === 0
        ? clientOf(server, account.subKey)
            .call(`/test-clocks/${clockId}/advance`, { to: afterHours(1_000).toISOString() })
            .catch(() => null)
        : null; // the connection dies with the server
    await expect.poll(() => endedCount(paymentIds), { interval: 2, timeout: 30_000 }).toBeGreaterThan(kill * 8 + 2);
    await server.kill();
    await requested;
    expect(await read(clockId)).toMatchObject({ status: 'advancing' });
    // The lease of the killed server expires before the next one starts.
    await observer.services.pool.query('UPDATE test_clocks SET "leasedUntil" = now() WHERE id = $1', [clockId]);
  }
  const left = paymentIds.length - (await endedCount(paymentIds));
  clock.set(new Date(Date.now() + 60_000));
  await advanceTestClocks(observer.services);
  clock.set(new Date());
  expect(await read(clockId)).toMatchObject({ status: 'ready', now: afterHours(1_000).toISOString(), target: null });
  await expectEachExpiredOnceInOrder(observer, paymentIds);
  console.info(`${kills} kills during an advance, ${left} of ${paymentIds.length} steps left at the last`);
});
