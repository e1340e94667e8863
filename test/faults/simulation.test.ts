import { randomInt } from 'node:crypto';
import { expect, onTestFailed, test } from 'vitest';
import { verifyBooks } from '../../src/ledger/operations.ts';
import { expireAuthorizations } from '../../src/payments/follow-up-jobs.ts';
import { expireChallenges, settleUnknownPayments } from '../../src/payments/jobs.ts';
import { expectCountersToBeTrue, unsettledCount } from '../support/books.ts';
import { seededRandom } from './charge-load.ts';
import { pickStep } from './simulation/steps.ts';
import { makeWorld, type World } from './simulation/world.ts';

/** SIMULATION_SEED replays a run that failed, SIMULATION_STEPS makes it longer. */
const seed = Number(process.env['SIMULATION_SEED'] ?? randomInt(2 ** 31));
const count = Number(process.env['SIMULATION_STEPS'] ?? 1_500);
const wholeLookEvery = 5_000;
const dayMs = 86_400_000;

/*
 * The whole money path on a virtual clock, behind a line to the processor that loses, delays and doubles calls. After each step:
 * the books sum to zero, refunded ≤ captured ≤ authorized, no terminal state changes, one event a change without gaps, one effect
 * and one answer a key, and nothing of one mode or tenant is there for another.
 */
test(`${count} random operations over a bad line leave no trace that should not be there`, { timeout: 60_000 + count * 100 }, async () => {
  let at = 0;
  let doing = 'the start';
  onTestFailed(() => console.error(`Step ${at}, ${doing}. Replay with SIMULATION_SEED=${seed} SIMULATION_STEPS=${count}.`));
  const random = seededRandom(seed);
  const world = await makeWorld(random);
  const done = new Map<string, number>();
  try {
    for (; at < count; at++) {
      if (at % 40 === 0) await world.refillBuckets();
      world.setLine(true);
      await world.renewCards();
      world.setLine(false);
      const [name, , step] = pickStep(random);
      doing = name;
      world.clock.advance(1 + Math.floor(random() * 2_000));
      const since = world.clock.now();
      await step(world, random);
      await world.watch.check(since);
      done.set(name, (done.get(name) ?? 0) + 1);
      if (at % wholeLookEvery === wholeLookEvery - 1) await lookAtAll(world);
    }
    doing = 'the end';
    await settleAll(world);
    expect(world.watch.count()).toBe(world.paymentIds.size);
    console.info(`${count} steps, seed ${seed}: ${[...done].map(([name, times]) => `${name} ${times}`).join(', ')}; ${world.paymentIds.size} payments`);
  } finally {
    await world.platform.close();
  }
});

/** The line is mended, everything on its way arrives, and time runs on: then nothing is open, and both books tell the same. */
async function settleAll(world: World): Promise<void> {
  const { platform, clock, line } = world;
  world.setLine(true);
  while (line.pending() > 0) await line.deliver(0);
  for (const ms of [dayMs, 8 * dayMs, dayMs]) {
    clock.advance(ms);
    const since = clock.now();
    while ((await settleUnknownPayments(platform.env)) > 0);
    while ((await expireChallenges(platform.env)) > 0);
    while ((await expireAuthorizations(platform.env)) > 0);
    await world.watch.check(since);
  }
  expect(await unsettledCount(platform.env.pool)).toBe(0);
  await lookAtAll(world);
  expect((await verifyBooks(platform.env)).unsettled).toBe(0);
}

async function lookAtAll(world: World): Promise<void> {
  const { pool } = world.platform.env;
  await world.watch.checkAll();
  expect((await verifyBooks(world.platform.env)).differences).toEqual([]);
  await expectCountersToBeTrue(pool);
  const { rows: paidTwice } = await pool.query('SELECT "orderId" FROM payments WHERE "orderId" IS NOT NULL AND "capturedAmount" > 0 GROUP BY 1 HAVING count(*) > 1');
  expect(paidTwice).toEqual([]);
}
