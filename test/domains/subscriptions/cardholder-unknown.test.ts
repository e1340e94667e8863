import { beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { resolveUnknownPayments } from '../../../src/domains/payments/resolution/resolve.ts';
import { runDueSubscriptions } from '../../../src/domains/subscriptions/periods/run-subscription.ts';
import { chargesOf, dayMs, expectOneEventATransition } from '../../support/subscriptions.ts';
import { type FaultKind, withLostAnswers } from '../../support/unreliable-processor.ts';
import { cardholderWorld } from './cardholder-world.ts';

const world = cardholderWorld();
const { act, cardOf, page, pastDue, read } = world;

/** What becomes of a card at the processor whose answer does not come. */
const lost: Readonly<Record<string, FaultKind>> = {
  '4242424242424242': 'answerLost',
  '4000000000000002': 'answerLost',
  '4000000000009987': 'answerLost',
  '5555555555554444': 'neverArrived',
};
let isSilent = false;
beforeAll(() => {
  withLostAnswers(world.platform, (call, _reference, card) => {
    if (call === 'find') return isSilent ? 'neverArrived' : 'answered';
    return (isSilent && lost[card ?? '']) || 'answered';
  });
});

/** The jobs after some days. */
async function later(days: number): Promise<void> {
  const { services } = world.platform;
  world.clock.set(new Date(world.clock.now().getTime() + days * dayMs));
  await resolveUnknownPayments(services);
  await runDueSubscriptions(services);
}

test.each([
  ['succeeded', '4242424242424242', 'active', ['1000 declined', '1000 succeeded']],
  ['declined', '4000000000000002', 'past_due', ['1000 declined', '1000 declined', '1000 declined']],
  ['declined for good', '4000000000009987', 'past_due', ['1000 declined', '1000 declined', '1000 declined']],
  ['sent, since it had not arrived', '5555555555554444', 'active', ['1000 declined', '1000 succeeded']],
])('a payment of the page is unknown for days, and then %s: meanwhile nothing charges', async (_outcome, number, status, charges) => {
  const { id, url, dueAt, paymentInstrumentId } = await pastDue();
  const call = async (what: string, more: object = {}) =>
    (await world.account.api.call(`/subscriptions/${what}`, { subscriptionId: id, ...more })).status;
  isSilent = true;
  expect((await act(url, 'pay', cardOf(number))).body).toEqual({ redirectUrl: url });
  // Two retries fall due.
  await later(1.5);
  await later(2);
  for (const body of [cardOf(), cardOf(number)])
    expect((await act(url, 'pay', body)).body).toEqual({ redirectUrl: url });
  expect((await act(url, 'confirm')).body).toEqual({ redirectUrl: url });
  expect((await page(url)).text).toContain('You are charged at most once');
  expect([await call('rebill'), await call('update', { quantity: 2 }), await call('pause')]).toEqual([409, 409, 409]);
  expect((await chargesOf(world.platform, id)).sort()).toEqual(['1000 declined', '1000 pending']);
  expect(await read(id)).toMatchObject({ status: 'past_due', paymentInstrumentId });
  isSilent = false;
  await later(0.5);
  const shown = await read(id);
  expect([shown.status, (await chargesOf(world.platform, id)).sort()]).toEqual([status, charges]);
  // Only a card that has paid becomes that of the subscription. Other retries come at their times.
  expect(shown.paymentInstrumentId !== paymentInstrumentId).toBe(status === 'active');
  if (status === 'active') expect([(await page(url)).status, shown.actionRequired]).toEqual([410, null]);
  else expect(shown.nextBillingDate).toBe(new Date(dueAt.getTime() + 5 * dayMs).toISOString());
  await world.account.api.ok('/subscriptions/cancel', { subscriptionId: id });
});

test.each([
  ['stands', '4242424242424242', 'succeeded'],
  ['is not sent any more, since it had not arrived', '5555555555554444', 'failed'],
])('a payment of the page is unknown when the subscription is canceled: it %s, and nothing follows it', async (_what, number, status) => {
  const { id, url } = await pastDue();
  isSilent = true;
  await act(url, 'pay', cardOf(number));
  await world.account.api.ok('/subscriptions/cancel', { subscriptionId: id });
  expect((await act(url, 'pay', cardOf())).body).toEqual({ redirectUrl: url });
  isSilent = false;
  await later(9);
  expect([(await read(id)).status, (await chargesOf(world.platform, id)).sort()]).toEqual([
    'canceled',
    ['1000 declined', `1000 ${status}`],
  ]);
  await expectOneEventATransition(world.platform);
  expect((await verifyLedger(world.platform.services)).differences).toEqual([]);
});
