import { expireAuthorizations } from '../../../src/payments/follow-up-jobs.ts';
import { expireChallenges, settleUnknownPayments } from '../../../src/payments/jobs.ts';
import { expect } from 'vitest';
import { below, pick } from './dice.ts';
import { decideDispute, openAtTheBank, openDispute, tellAgain, tellOfDisputes } from './dispute-steps.ts';
import { lookFromElsewhere } from './isolation-steps.ts';
import { answerChallenge, charge, followUp, payOrder } from './payment-steps.ts';
import { changeFlow, throwSwitch } from './routing-steps.ts';
import { changeSubscription, renew, subscribe } from './subscription-steps.ts';
import type { World } from './world.ts';

/** One thing that happens in the world. `random` is the run's own, so that a seed replays it. */
type Step = (world: World, random: () => number) => Promise<unknown>;

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** How often each happens, out of their sum. */
export const steps: readonly (readonly [name: string, weight: number, step: Step])[] = [
  ['charge', 30, charge],
  ['pay an order', 4, payOrder],
  ['capture', 9, (world, random) => followUp(world, random, 'capture')],
  ['void', 5, (world, random) => followUp(world, random, 'void')],
  ['refund', 15, (world, random) => followUp(world, random, 'refund')],
  ['answer a challenge', 5, answerChallenge],
  ['continue', 6, (world, random) => followUp(world, random, 'continue')],
  ['throw a switch', 6, throwSwitch],
  ['change a flow', 2, changeFlow],
  ['dispute', 5, openDispute],
  ['decide a dispute', 4, decideDispute],
  ['dispute at the bank', 4, openAtTheBank],
  ['a word on a dispute comes again', 4, tellAgain],
  ['tell of disputes', 2, tellOfDisputes],
  ['subscribe', 2, subscribe],
  ['change a subscription', 2, changeSubscription],
  ['renew', 4, renew],
  ['repeat a call', 8, repeat],
  ['let time pass', 5, letTimePass],
  ['settle', 6, ({ platform }) => settleUnknownPayments(platform.env)],
  ['expire', 3, expire],
  ['a late call arrives', 5, ({ line }, random) => line.deliver(below(line.pending(), random))],
  ['look from elsewhere', 3, lookFromElsewhere],
];

const weightSum = steps.reduce((sum, [, weight]) => sum + weight, 0);

export function pickStep(random: () => number): (typeof steps)[number] {
  let left = random() * weightSum;
  const picked = steps.find(([, weight]) => (left -= weight) < 0) ?? steps[0];
  if (!picked) throw new Error('There is nothing to do.');
  return picked;
}

/** The same key again is told the same again, and nothing happens. */
async function repeat({ answered, clock }: World, random: () => number): Promise<void> {
  const call = answered.length > 0 ? pick(answered, random) : undefined;
  if (!call || clock.now().getTime() - call.at.getTime() > dayMs) return;
  const again = await call.account.api.call(call.path, call.body, { headers: { 'Idempotency-Key': call.key } });
  expect({
    path: call.path,
    status: again.status,
    replayed: again.headers.get('Idempotent-Replayed'),
    body: again.body,
  }).toEqual({ path: call.path, status: 200, replayed: 'true', body: call.answer });
}

async function letTimePass({ clock }: World, random: () => number): Promise<void> {
  clock.advance(random() < 0.8 ? below(45 * minuteMs, random) : below(4 * dayMs, random));
}

async function expire({ platform }: World): Promise<void> {
  await expireChallenges(platform.env);
  await expireAuthorizations(platform.env);
}
