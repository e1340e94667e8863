import { afterAll, beforeAll, expect, test } from 'vitest';
import { driveTestClock } from '../../../src/domains/test-clocks/drive.ts';
import { advanceTestClocks } from '../../../src/domains/test-clocks/jobs.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { clientOf } from '../../support/client.ts';
import { freshDatabase } from '../../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';
import { newSecrets } from '../../support/server-process.ts';
import { afterHours, expectEachExpiredOnceInOrder, holdOnClock } from '../../support/test-clock-holds.ts';
import { type FaultKind, withLostAnswers } from '../../support/unreliable-processor.ts';

const clock = manualClock(new Date());
const env: Record<string, string> = newSecrets();
let first: TestPlatform;
let second: TestPlatform;
let account: SeededAccount;
let fate: FaultKind = 'answered';

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  first = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env, clock });
  second = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env });
  withLostAnswers(first, (call) => (call === 'void' || call === 'findModification' ? fate : 'answered'));
  account = await (await seedPartner(first)).account();
});
afterAll(async () => {
  await second?.close();
  await first?.close();
});

const read = (clockId: string) => account.api.ok(`/test-clocks/${clockId}`);

test('two servers that advance one clock do each thing once', async () => {
  clock.set(new Date());
  const { clockId, paymentIds } = await holdOnClock(first, account, 10);
  const elsewhere = clientOf(second, account.subKey);
  const to = afterHours(1_000).toISOString();
  const answers = await Promise.all([
    account.api.call(`/test-clocks/${clockId}/advance`, { to }),
    elsewhere.call(`/test-clocks/${clockId}/advance`, { to }),
    ...[first, second, first, second].map((platform) => advanceTestClocks(platform.services)),
  ]);
  // The second of the two calls finds the clock either advancing or already at its target.
  expect(answers.slice(0, 2).map((answer) => (answer as { status: number }).status)).toContain(200);
  expect(await read(clockId)).toMatchObject({ status: 'ready', now: to });
  await expectEachExpiredOnceInOrder(first, paymentIds);
});

test('409 invalid_state for all but one of several advances at once', async () => {
  const { clockId } = await holdOnClock(first, account, 5);
  await first.services.pool.query(`UPDATE test_clocks SET status = 'advancing', target = $2 WHERE id = $1`, [
    clockId,
    afterHours(1),
  ]);
  const answers = await Promise.all(
    [1, 2, 3].map((hours) =>
      account.api.call(`/test-clocks/${clockId}/advance`, { to: afterHours(hours).toISOString() }),
    ),
  );
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 409, body: { code: 'CONFLICT', data: { reason: 'invalid_state' } } });
  await advanceTestClocks(first.services);
  expect(await read(clockId)).toMatchObject({ status: 'ready', now: afterHours(1).toISOString() });
});

test('an advance beyond its response time is released, and the next run of the job continues it', async () => {
  const { clockId, paymentIds } = await holdOnClock(first, account, 3);
  await first.services.pool.query(`UPDATE test_clocks SET status = 'advancing', target = $2 WHERE id = $1`, [
    clockId,
    afterHours(9),
  ]);
  await driveTestClock(first.services, clockId, AbortSignal.abort());
  expect(await first.services.prisma.testClock.findUniqueOrThrow({ where: { id: clockId } })).toMatchObject({
    status: 'advancing',
    drivenBy: null,
    leasedUntil: null,
  });
  expect(await advanceTestClocks(first.services)).toBe(1);
  expect(await read(clockId)).toMatchObject({ status: 'ready', now: afterHours(9).toISOString(), stepsDone: 3 });
  await expectEachExpiredOnceInOrder(first, paymentIds);
});

test('a step that fails permanently stops the clock with internal_failure; it can be advanced again', async () => {
  const { clockId, paymentIds } = await holdOnClock(first, account, 3);
  const advance = (hours: number) =>
    account.api.ok(`/test-clocks/${clockId}/advance`, { to: afterHours(hours).toISOString() });
  expect(await advance(1)).toMatchObject({ status: 'ready' });
  fate = 'neverArrived';
  const failed = await advance(100);
  expect(failed).toMatchObject({
    status: 'internal_failure',
    now: afterHours(2).toISOString(),
    target: afterHours(100).toISOString(),
  });
  expect(failed.failureReason).toBe(
    `The step payments failed at ${afterHours(2).toISOString()}. What came before it is done; advance the clock ` +
      'again to continue from there.',
  );
  fate = 'answered';
  expect(await advance(100)).toMatchObject({
    status: 'ready',
    now: afterHours(100).toISOString(),
    failureReason: null,
  });
  await expectEachExpiredOnceInOrder(first, paymentIds);
});
