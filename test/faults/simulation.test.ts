import { expect, onTestFailed, test } from 'vitest';
import { verifyBooks } from '../../src/ledger/operations.ts';
import { expireAuthorizations } from '../../src/payments/follow-up-jobs.ts';
import { expireChallenges, settleUnknownPayments } from '../../src/payments/jobs.ts';
import { expectCountersToBeTrue, unsettledCount } from '../support/books.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { drawIdsFromSeed, seed } from './simulation/dice.ts';
import { tellOfDisputes } from './simulation/dispute-steps.ts';
import { throwAllSwitchesBack } from './simulation/routing-steps.ts';
import { pickStep } from './simulation/steps.ts';
import { expectPeriodsToBeTrue } from './simulation/subscription-invariants.ts';
import { renew } from './simulation/subscription-steps.ts';
import { makeWorld, type World } from './simulation/world.ts';

/** SIMULATION_STEPS makes it longer; SIMULATION_SEED replays a run that failed. */
const count = Number(process.env['SIMULATION_STEPS'] ?? 500);
const wholeLookEvery = 5_000;
const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const tellingsMax = 50;

/*
 * The whole money path on a virtual clock, behind a line to the processors that loses, delays and doubles calls: charges by flow and
 * switch, follow-ups, disputes, renewals. After each step: the books sum to zero and payments can be rebuilt from them, refunded and
 * disputed ≤ captured ≤ authorized, one attempt of a payment and one charge of a period takes money, soft declines alone go on, no
 * terminal state changes, one event a change without gaps, one effect and one answer a key, and nothing of one mode or tenant is
 * there for another. The time in it is its own, so a slow machine is no failure.
 */
test(`${count} random operations over a bad line leave no trace that should not be there`, {
  timeout: 120_000 + count * 500,
}, async () => {
  let at = 0;
  let doing = 'the start';
  onTestFailed(() =>
    console.error(`Step ${at}, ${doing}. Replay with SIMULATION_SEED=${seed} SIMULATION_STEPS=${count}.`),
  );
  drawIdsFromSeed();
  const random = seededRandom(seed);
  const world = await makeWorld(random);
  const done = new Map<string, number>();
  try {
    for (; at < count; at++) {
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
    expect(await world.platform.env.prisma.payment.count({ where: { subscriptionId: null } })).toBe(
      world.paymentIds.size,
    );
    console.info(
      `${count} steps, seed ${seed}: ${[...done].map(([name, times]) => `${name} ${times}`).join(', ')}; ${world.watch.count()} payments, ${JSON.stringify(await sumsOf(world))}`,
    );
  } finally {
    await world.platform.close();
  }
});

/** The line is mended, everything on its way arrives, and time runs on: then nothing is open, and both books tell the same. */
async function settleAll(world: World): Promise<void> {
  const { platform, clock, line } = world;
  world.setLine(true);
  await throwAllSwitchesBack(world);
  while (line.pending() > 0) await line.deliver(0);
  // Renewals begin charges whose answer is lost, which a next pass settles; the last ones are too short for anything new.
  for (const ms of [dayMs, 8 * dayMs, dayMs, minuteMs, minuteMs, minuteMs]) {
    clock.advance(ms);
    const since = clock.now();
    while ((await settleUnknownPayments(platform.env)) > 0);
    while ((await expireChallenges(platform.env)) > 0);
    while ((await expireAuthorizations(platform.env)) > 0);
    await renew(world);
    await world.watch.check(since);
  }
  clock.advance(minuteMs);
  const since = clock.now();
  for (let telling = 0; telling < tellingsMax && (await tellOfDisputes(world)) > 0; telling++);
  await world.watch.check(since);
  const { rows: untold } = await platform.env.pool.query(
    'SELECT * FROM test_processor.disputes WHERE "toldStatus" IS DISTINCT FROM status LIMIT 1',
  );
  expect(untold).toEqual([]);
  await expectPeriodsToBeTrue(platform.env.pool);
  expect(await unsettledCount(platform.env.pool)).toBe(0);
  await lookAtAll(world);
  expect((await verifyBooks(platform.env)).unsettled).toBe(0);
}

async function lookAtAll(world: World): Promise<void> {
  const { pool } = world.platform.env;
  await world.watch.checkAll();
  expect((await verifyBooks(world.platform.env)).differences).toEqual([]);
  await expectCountersToBeTrue(pool);
  const { rows: paidTwice } = await pool.query(
    'SELECT "orderId" FROM payments WHERE "orderId" IS NOT NULL AND "capturedAmount" > 0 GROUP BY 1 HAVING count(*) > 1',
  );
  expect(paidTwice).toEqual([]);
}

/** What came of it all: the same for the same seed. */
async function sumsOf({ platform }: World): Promise<object> {
  const { rows } =
    await platform.env.pool.query(`SELECT count(DISTINCT "processorId") AS processors, sum("capturedAmount")::text AS captured, sum("refundedAmount")::text AS refunded, sum("disputedAmount")::text AS disputed,
    (SELECT count(*) FROM disputes) AS disputes, (SELECT count(*) FROM subscription_periods WHERE status = 'paid') AS "periodsPaid", (SELECT count(*) FROM transactions WHERE status = 'declined') AS declines FROM payments`);
  return rows[0] ?? {};
}
