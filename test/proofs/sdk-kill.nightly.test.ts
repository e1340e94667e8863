// guards: sdk/src
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LogEntry, Platform } from '../../sdk/src/index.ts';
import { freshDatabase } from '../support/database.ts';
import { expectLedgersToAgree } from '../support/ledger.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { freePort } from '../support/ports.ts';
import { seedPartner } from '../support/seed.ts';
import { newSecrets, startServerProcess } from '../support/server-process.ts';

const env: Record<string, string> = {
  ...newSecrets(),
  PROCESSOR_TIMEOUT_MS: '500',
};
const kills = 2;
const callers = 4;
const charges = 30;
/** Observes only: the successor of the killed server must complete what it left. */
let observer: TestPlatform;

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  env['PORT'] = String(await freePort());
  observer = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env });
});
afterAll(() => observer?.close());

test('one charge for each call of the SDK while the platform is killed and started again below it', {
  timeout: 300_000,
}, async () => {
  const account = await (await seedPartner(observer)).account();
  const { id: paymentInstrumentId } = await account.instrument();
  const entries: LogEntry[] = [];
  let heard = Promise.withResolvers<void>();
  const shop = Platform.test(account.subKey, {
    baseUrl: `http://127.0.0.1:${env['PORT']}`,
    maxRetries: 100,
    log: (entry) => {
      entries.push(entry);
      if (entry.status === 200) heard.resolve();
    },
  });
  let server = await startServerProcess(env);
  const answers: string[] = [];
  let next = 1;
  const caller = async (): Promise<void> => {
    while (next <= charges) {
      const amount = 1000 + next++;
      const { payment } = await shop.payments.process({ paymentInstrumentId, amount, currency: 'USD' });
      const known = await shop.payments.wait(payment.id);
      expect(known.payment).toMatchObject({ amount, status: 'succeeded' });
      answers.push(payment.id);
    }
  };
  try {
    const running = Promise.all(Array.from({ length: callers }, caller));
    for (let kill = 0; kill < kills; kill += 1) {
      heard = Promise.withResolvers();
      await Promise.race([heard.promise, running]); // in the middle: others are on their way
      await server.kill();
      server = await startServerProcess(env);
    }
    await running;
  } finally {
    await server.stop();
  }
  expect(new Set(answers).size).toBe(charges);
  expect(await observer.services.prisma.payment.count()).toBe(charges);
  expect(entries.some(({ error }) => error === 'ConnectionError')).toBe(true);
  await expectLedgersToAgree(observer.services.pool);
});
