import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manualClock } from '../../src/kit/clock.ts';
import { driveTestClock } from '../../src/test-clocks/drive.ts';
import { advanceTestClocks } from '../../src/test-clocks/jobs.ts';
import { clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { startServerProcess } from '../support/server-process.ts';
import { loseAnswers, type Fate } from '../support/unreliable-processor.ts';

/** FAULTS_KILLS makes the run with kills longer. */
const kills = Number(process.env['FAULTS_KILLS'] ?? 2);

const clock = manualClock(new Date());
const env: Record<string, string> = {
  VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
  FINGERPRINT_KEY: randomBytes(32).toString('base64'),
};
/** Looks on, and by its own clock takes over what a killed server drove. */
let onlooker: TestPlatform;
let second: TestPlatform;
let account: SeededAccount;
let fate: Fate = 'answered';

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  onlooker = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env, clock });
  second = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env });
  loseAnswers(onlooker, (call) => (call === 'void' || call === 'findFollowUp' ? fate : 'answered'));
  account = await (await seedPartner(onlooker)).account();
});
afterAll(async () => {
  await second?.close();
  await onlooker?.close();
});

const begin = '2030-01-01T00:00:00.000Z';
const hourMs = 3_600_000;
const after = (hours: number) => new Date(Date.parse(begin) + hours * hourMs);

/** A customer on a new clock with so much money held, each hold an hour longer than the one before. */
async function held(count: number): Promise<{ clockId: string; paymentIds: string[] }> {
  const { id: clockId } = await account.api.ok('/test-clocks/create', { name: 'Faults', now: begin });
  const { id: customerId } = await account.api.ok('/customers/create', {
    email: `${clockId}@example.com`,
    testClockId: clockId,
  });
  const { paymentInstrument } = await account.api.ok('/payment-instruments/create-from-token', {
    token: 'tok_visa',
    customerId,
  });
  const paymentIds: string[] = [];
  for (let index = 0; index < count; index++) {
    const { payment } = await account.api.ok('/payments/process', {
      paymentInstrumentId: paymentInstrument.id,
      amount: 100,
      currency: 'USD',
      mode: 'auth',
    });
    await onlooker.env.pool.query('UPDATE payments SET "authorizationExpiresAt" = $2 WHERE id = $1', [
      payment.id,
      after(index + 1),
    ]);
    paymentIds.push(payment.id);
  }
  return { clockId, paymentIds };
}

/** Each hold ended once, here and at the processor, and at its own moment: so in their order, too. */
async function expectEachEndedOnceInOrder(paymentIds: readonly string[]): Promise<void> {
  const { rows } = await onlooker.env.pool.query<{ at: Date; voids: number; events: number }>(
    `SELECT min(e."createdAt") AS at, count(*)::int AS events, (SELECT count(*)::int FROM transactions t WHERE t."paymentId" = p.id AND t.type = 'void' AND t.status = 'succeeded') AS voids
     FROM unnest($1::text[]) WITH ORDINALITY AS p(id, place) LEFT JOIN events e ON e."objectId" = p.id AND e.type = 'payment/failed' GROUP BY p.id, place ORDER BY place`,
    [paymentIds],
  );
  expect(rows).toEqual(paymentIds.map((_id, index) => ({ at: after(index + 1), voids: 1, events: 1 })));
}

const read = (clockId: string) => account.api.ok(`/test-clocks/${clockId}`);
const endedCount = (paymentIds: readonly string[]) =>
  onlooker.env.prisma.payment.count({ where: { id: { in: [...paymentIds] }, subStatus: 'expired' } });

test('an advance cut short by kill -9 goes on after it, and does nothing twice and nothing out of order', {
  timeout: 60_000 + kills * 15_000,
}, async () => {
  const { clockId, paymentIds } = await held(kills * 12);
  for (let kill = 0; kill < kills; kill++) {
    const server = await startServerProcess(env);
    const asked =
      kill === 0
        ? clientOf(server, account.subKey)
            .call(`/test-clocks/${clockId}/advance`, { to: after(1_000).toISOString() })
            .catch(() => null)
        : null; // the connection dies with the server
    await expect.poll(() => endedCount(paymentIds), { interval: 2, timeout: 30_000 }).toBeGreaterThan(kill * 8 + 2);
    await server.kill();
    await asked;
    expect(await read(clockId)).toMatchObject({ status: 'advancing' });
    // The lease of the dead runs out before the next one starts.
    await onlooker.env.pool.query('UPDATE test_clocks SET "leasedUntil" = now() WHERE id = $1', [clockId]);
  }
  const left = paymentIds.length - (await endedCount(paymentIds));
  clock.set(new Date(Date.now() + 60_000));
  await advanceTestClocks(onlooker.env);
  clock.set(new Date());
  expect(await read(clockId)).toMatchObject({ status: 'ready', now: after(1_000).toISOString(), target: null });
  await expectEachEndedOnceInOrder(paymentIds);
  console.info(`${kills} kills during an advance, ${left} of ${paymentIds.length} steps left at the last`);
});

test('two servers that drive one clock do each thing once', async () => {
  clock.set(new Date());
  const { clockId, paymentIds } = await held(10);
  const elsewhere = clientOf(second, account.subKey);
  const to = after(1_000).toISOString();
  const answers = await Promise.all([
    account.api.call(`/test-clocks/${clockId}/advance`, { to }),
    elsewhere.call(`/test-clocks/${clockId}/advance`, { to }),
    ...[onlooker, second, onlooker, second].map((platform) => advanceTestClocks(platform.env)),
  ]);
  // Whichever of the two calls comes second either finds the clock on its way, or there already.
  expect(answers.slice(0, 2).map((answer) => (answer as { status: number }).status)).toContain(200);
  expect(await read(clockId)).toMatchObject({ status: 'ready', now: to });
  await expectEachEndedOnceInOrder(paymentIds);
});

test('409 invalid_state to all but one of several advances at once', async () => {
  const { clockId } = await held(5);
  await onlooker.env.pool.query(`UPDATE test_clocks SET status = 'advancing', target = $2 WHERE id = $1`, [
    clockId,
    after(1),
  ]);
  const answers = await Promise.all(
    [1, 2, 3].map((hours) => account.api.call(`/test-clocks/${clockId}/advance`, { to: after(hours).toISOString() })),
  );
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 409, body: { code: 'CONFLICT', data: { reason: 'invalid_state' } } });
  await advanceTestClocks(onlooker.env);
  expect(await read(clockId)).toMatchObject({ status: 'ready', now: after(1).toISOString() });
});

test('an advance whose answer was due before its end is let go of at once, and the next sweep goes on with it', async () => {
  const { clockId, paymentIds } = await held(3);
  await onlooker.env.pool.query(`UPDATE test_clocks SET status = 'advancing', target = $2 WHERE id = $1`, [
    clockId,
    after(9),
  ]);
  await driveTestClock(onlooker.env, clockId, AbortSignal.abort());
  expect(await onlooker.env.prisma.testClock.findUniqueOrThrow({ where: { id: clockId } })).toMatchObject({
    status: 'advancing',
    drivenBy: null,
    leasedUntil: null,
  });
  expect(await advanceTestClocks(onlooker.env)).toBe(1);
  expect(await read(clockId)).toMatchObject({ status: 'ready', now: after(9).toISOString(), stepsDone: 3 });
  await expectEachEndedOnceInOrder(paymentIds);
});

test('a step that fails for good stops the clock at its moment with internal_failure, and it can be advanced again', async () => {
  const { clockId, paymentIds } = await held(3);
  const advance = (hours: number) =>
    account.api.ok(`/test-clocks/${clockId}/advance`, { to: after(hours).toISOString() });
  expect(await advance(1)).toMatchObject({ status: 'ready' });
  fate = 'neverArrived';
  const failed = await advance(100);
  expect(failed).toMatchObject({
    status: 'internal_failure',
    now: after(2).toISOString(),
    target: after(100).toISOString(),
  });
  expect(failed.failureReason).toBe(
    `The step payments failed at ${after(2).toISOString()}. What came before it is done; advance the clock again to go on from there.`,
  );
  fate = 'answered';
  expect(await advance(100)).toMatchObject({ status: 'ready', now: after(100).toISOString(), failureReason: null });
  await expectEachEndedOnceInOrder(paymentIds);
});
