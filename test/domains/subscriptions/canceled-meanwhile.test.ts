import { expect, test } from 'vitest';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { resolveUnknownPayments } from '../../../src/domains/payments/resolution/resolve.ts';
import {
  jobOf,
  runDueSubscriptions,
  runSubscription,
} from '../../../src/domains/subscriptions/periods/run-subscription.ts';
import { answerOperation } from '../../../src/unit-of-work/idempotency.ts';
import { lockTable, untilWaiting } from '../../support/lock-waits.ts';
import { chargesOf, dayMs, expectOneEventATransition, priceOf } from '../../support/subscriptions.ts';
import { cardholderWorld } from './cardholder-world.ts';

const world = cardholderWorld();
const ok = (what: string, id: string, more: object = {}) =>
  world.account.api.ok(`/subscriptions/${what}`, { subscriptionId: id, ...more });
const call = (what: string, id: string, more: object = {}, key = `${what} ${id}`) =>
  world.account.api.call(
    `/subscriptions/${what}`,
    { subscriptionId: id, ...more },
    { headers: { 'Idempotency-Key': key } },
  );

async function subscribed(terms: object, more: object = {}): Promise<string> {
  const { customerId } = await world.account.instrument();
  const priceId = await priceOf(world.account, { ...terms });
  return (await world.account.api.ok('/subscriptions/create', { customerId, priceId, ...more })).id;
}

/** Calls, jobs and pages that have opened a period and have not yet begun its charge. */
async function beginnings(): Promise<{ name: string; id: string; begin: () => Promise<unknown> }[]> {
  const trial = await subscribed({}, { trialDays: 3 });
  const paused = await subscribed({ interval: 'day' });
  await ok('pause', paused);
  const [retried, page] = [await world.pastDue(), await world.pastDue()];
  const [ahead, ahead2, changed, changed2] = [
    await subscribed({}),
    await subscribed({}),
    await subscribed({}),
    await subscribed({}),
  ];
  const daily = await priceOf(world.account, { amount: 3000, interval: 'year' });
  world.clock.set(new Date(world.clock.now().getTime() + dayMs - 1));
  return [
    { name: 'canceled: a rebill', id: ahead, begin: () => call('rebill', ahead) },
    { name: 'canceled: a retry by rebill', id: retried.id, begin: () => call('rebill', retried.id) },
    { name: 'canceled: a resumption', id: paused, begin: () => call('resume', paused) },
    { name: 'canceled: a change of interval', id: changed, begin: () => call('update', changed, { priceId: daily }) },
    { name: 'canceled: the page', id: page.id, begin: () => world.act(page.url, 'pay', world.cardOf()) },
    {
      name: 'canceled: the end of a trial, by the job',
      id: trial,
      begin: () => {
        world.clock.set(new Date(world.clock.now().getTime() + 1));
        return runSubscription(jobOf(world.platform.services), trial);
      },
    },
    { name: 'refunded: a rebill', id: ahead2, begin: () => call('rebill', ahead2) },
    { name: 'refunded: a change of interval', id: changed2, begin: () => call('update', changed2, { priceId: daily }) },
  ];
}

test('who cancels before the charge of an opened period begins is not charged, whatever has opened it', async () => {
  const begun = await beginnings();
  const chargesBefore = await Promise.all(begun.map(({ id }) => chargesOf(world.platform, id)));
  // A charge reads the flows of its account first.
  const release = await lockTable(world.platform, 'payment_flows');
  const under = begun.map(({ begin }) => begin());
  await untilWaiting(world.platform);
  const opened = () =>
    world.platform.services.prisma.subscriptionPeriod.count({
      where: { status: 'charging', paymentId: { not: null } },
    });
  await expect.poll(opened).toBe(begun.length);
  for (const { name, id } of begun) {
    const { latestPaymentId } = await world.read(id);
    if (name.startsWith('canceled')) await ok('cancel', id);
    else await world.account.api.ok('/payments/refund', { paymentId: latestPaymentId, cancelSubscription: true });
    expect([name, (await world.read(id)).status]).toEqual([name, 'canceled']);
  }
  await release();
  await Promise.all(under);
  const shown = async () =>
    Promise.all(
      begun.map(async ({ name, id }) => ({
        name,
        status: (await world.read(id)).status,
        charges: (await chargesOf(world.platform, id)).map((charge) => charge.replace('refunded', 'succeeded')),
      })),
    );
  const expected = begun.map(({ name }, index) => ({ name, status: 'canceled', charges: chargesBefore[index] }));
  expect(await shown()).toEqual(expected);
  world.clock.set(new Date(world.clock.now().getTime() + 400 * dayMs));
  await runDueSubscriptions(world.platform.services);
  expect(await shown()).toEqual(expected);
  expect(await opened()).toBe(0);
  await expectOneEventATransition(world.platform);
  expect((await verifyLedger(world.platform.services)).differences).toEqual([]);
});

test('a charge whose outcome is unknown is not taken for refused by a repeat after the server died', async () => {
  const { pool } = world.platform.services;
  const id = await subscribed({});
  const { customerId } = await world.read(id);
  await ok('update', id, { paymentInstrumentId: (await world.account.instrument('4000000000006975', customerId)).id });
  expect((await call('rebill', id)).status).toBe(200);
  // As the server leaves it that dies before it has stored the answer, at a store that takes another currency since.
  await pool.query(`DELETE FROM idempotency_records WHERE key = $1 AND operation = $2`, [
    `rebill ${id}`,
    answerOperation('rebillSubscription'),
  ]);
  const currencies = (to: string[]) =>
    pool.query('UPDATE stores SET "chargeCurrencies" = $1 WHERE id = $2', [to, world.account.storeId]);
  await currencies(['EUR']);
  await call('rebill', id);
  await currencies(['USD']);
  expect(await chargesOf(world.platform, id)).toEqual(['1000 succeeded', '1000 pending']);
  world.clock.set(new Date(world.clock.now().getTime() + dayMs));
  const again = await call('rebill', id, {}, 'another');
  await resolveUnknownPayments(world.platform.services);
  await runDueSubscriptions(world.platform.services);
  expect(again.status).toBe(409);
  expect(await chargesOf(world.platform, id)).toEqual(['1000 succeeded', '1000 succeeded']);
});
