import { expect, onTestFailed, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { expireAuthorizations, expireChallenges } from '../../src/domains/payments/resolution/expire.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolution/resolve.ts';
import { expectCountersToBeTrue, unresolvedCount } from '../support/ledger.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { drawIdsFromSeed, seed } from './simulation/dice.ts';
import { notifyOfDisputes } from './simulation/dispute-steps.ts';
import { throwAllSwitchesBack } from './simulation/routing-steps.ts';
import { pickStep } from './simulation/steps.ts';
import { expectPeriodsToBeTrue } from './simulation/subscription-invariants.ts';
import { renew } from './simulation/subscription-steps.ts';
import { makeWorld, type World } from './simulation/world.ts';

/** SIMULATION_STEPS makes it longer; SIMULATION_SEED replays a failed run. */
const count = Number(process.env['SIMULATION_STEPS'] ?? 200);
const wholeLookEvery = 5_000;
const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const notificationsMax = 50;

/*
 * The complete payment path on a virtual clock, behind connections to the processors that lose, delay and duplicate
 * calls: charges by flow and by switch, modifications, disputes, renewals. After each step: the ledger sums to zero and
 * payments can be rebuilt from it; refunded and disputed ≤ captured ≤ authorized; one attempt of a payment and one
 * charge of a period captures an amount; only soft declines cascade; no final state changes; each change has one event,
 * without gaps; each key has one effect and one answer; and no object is visible to another mode or tenant. The run has
 * its own clock, so a slow machine does not fail it.
 */
test(`${count} random operations over an unreliable connection keep every invariant`, {
  timeout: 120_000 + count * 500,
}, async () => {
  let at = 0;
  let doing = 'the start';
  onTestFailed(() =>
    console.error(`Step ${at}, ${doing}. Replay with SIMULATION_SEED=${seed} SIMULATION_STEPS=${count}.`),
  );
  const drawIdsAgain = drawIdsFromSeed();
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
      if (at % wholeLookEvery === wholeLookEvery - 1) await checkInvariants(world);
    }
    doing = 'the end';
    await resolveAllOutcomes(world);
    expect(await world.platform.services.prisma.payment.count({ where: { subscriptionId: null } })).toBe(
      world.paymentIds.size,
    );
    console.info(
      `${count} steps, seed ${seed}: ${[...done].map(([name, times]) => `${name} ${times}`).join(', ')}; ` +
        `${world.watch.count()} payments, ${JSON.stringify(await sumsOf(world))}`,
    );
  } finally {
    drawIdsAgain();
    await world.platform.close();
  }
});

/**
 * The connection is restored, every delayed call arrives, and time advances: then no outcome is unknown, and the ledger
 * and the processor's records agree.
 */
async function resolveAllOutcomes(world: World): Promise<void> {
  const { platform, clock, connection } = world;
  world.setLine(true);
  await throwAllSwitchesBack(world);
  while (connection.pending() > 0) await connection.deliver(0);
  // Renewals start charges whose answer is lost, which a later pass resolves; the last passes are too short for new
  // ones to become due.
  for (const ms of [dayMs, 8 * dayMs, dayMs, minuteMs, minuteMs, minuteMs]) {
    clock.advance(ms);
    const since = clock.now();
    while ((await resolveUnknownPayments(platform.services)) > 0);
    while ((await expireChallenges(platform.services)) > 0);
    while ((await expireAuthorizations(platform.services)) > 0);
    await renew(world);
    await world.watch.check(since);
  }
  clock.advance(minuteMs);
  const since = clock.now();
  for (let sent = 0; sent < notificationsMax && (await notifyOfDisputes(world)) > 0; sent++);
  await world.watch.check(since);
  const { rows: unnotified } = await platform.services.pool.query(
    'SELECT * FROM test_processor.disputes WHERE "reportedStatus" IS DISTINCT FROM status LIMIT 1',
  );
  expect(unnotified).toEqual([]);
  await expectPeriodsToBeTrue(platform.services.pool);
  expect(await unresolvedCount(platform.services.pool)).toBe(0);
  await checkInvariants(world);
  expect((await verifyLedger(platform.services)).unresolved).toBe(0);
}

async function checkInvariants(world: World): Promise<void> {
  const { pool } = world.platform.services;
  await world.watch.checkAll();
  expect((await verifyLedger(world.platform.services)).differences).toEqual([]);
  await expectCountersToBeTrue(pool);
  const { rows: paidTwice } = await pool.query(
    'SELECT "orderId" FROM payments WHERE "orderId" IS NOT NULL AND "capturedAmount" > 0 GROUP BY 1 HAVING ' +
      'count(*) > 1',
  );
  expect(paidTwice).toEqual([]);
}

/** A summary of the run: the same for the same seed. */
async function sumsOf({ platform }: World): Promise<object> {
  const { rows } = await platform.services.pool.query(`SELECT
        count(DISTINCT "processorId") AS processors, sum("capturedAmount")::text AS captured,
        sum("refundedAmount")::text AS refunded, sum("disputedAmount")::text AS disputed,
        (SELECT count(*) FROM disputes) AS disputes,
        (SELECT count(*) FROM subscription_periods WHERE status = 'paid') AS "periodsPaid",
        (SELECT count(*) FROM transactions WHERE status = 'declined') AS declines
      FROM payments`);
  return rows[0] ?? {};
}
