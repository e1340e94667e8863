import { expect } from 'vitest';
import { expireAuthorizations, expireChallenges } from '../../../src/domains/payments/resolution/expire.ts';
import { failTestRefunds } from '../../../src/domains/payments/resolution/notices.ts';
import { resolveUnknownPayments } from '../../../src/domains/payments/resolution/resolve.ts';
import { below, pick } from './dice.ts';
import {
  decideDispute,
  notifyOfDisputes,
  openDispute,
  openDisputeAtBank,
  repeatDisputeNotice,
} from './dispute-steps.ts';
import { readFromOtherTenant } from './isolation-steps.ts';
import { answerChallenge, charge, modify, payOrder } from './payment-steps.ts';
import { changeFlow, throwSwitch } from './routing-steps.ts';
import { changeSubscription, renew, subscribe } from './subscription-steps.ts';
import type { World } from './world.ts';

/** One step of the simulation. `random` belongs to the run, so that a seed replays it. */
type Step = (world: World, random: () => number) => Promise<unknown>;

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** The weight of each step, relative to the sum of the weights. */
export const steps: readonly (readonly [name: string, weight: number, step: Step])[] = [
  ['charge', 30, charge],
  ['pay an order', 4, payOrder],
  ['capture', 9, (world, random) => modify(world, random, 'capture')],
  ['void', 5, (world, random) => modify(world, random, 'void')],
  ['refund', 15, (world, random) => modify(world, random, 'refund')],
  ['answer a challenge', 5, answerChallenge],
  ['continue', 6, (world, random) => modify(world, random, 'continue')],
  ['throw a switch', 6, throwSwitch],
  ['change a flow', 2, changeFlow],
  ['dispute', 5, openDispute],
  ['decide a dispute', 4, decideDispute],
  ['dispute at the bank', 4, openDisputeAtBank],
  ['repeat a notice of a dispute', 4, repeatDisputeNotice],
  ['notify of disputes', 2, notifyOfDisputes],
  ['fail refunds', 3, ({ platform }) => failTestRefunds(platform.services)],
  ['subscribe', 2, subscribe],
  ['change a subscription', 2, changeSubscription],
  ['renew', 4, renew],
  ['repeat a call', 8, repeat],
  ['advance time', 5, advanceTime],
  ['resolve', 6, ({ platform }) => resolveUnknownPayments(platform.services)],
  ['expire', 3, expire],
  ['a late call arrives', 5, ({ connection }, random) => connection.deliver(below(connection.pending(), random))],
  ['read from another tenant', 3, readFromOtherTenant],
];

const weightSum = steps.reduce((sum, [, weight]) => sum + weight, 0);

export function pickStep(random: () => number): (typeof steps)[number] {
  let left = random() * weightSum;
  const picked = steps.find(([, weight]) => (left -= weight) < 0) ?? steps[0];
  if (!picked) throw new Error('There is nothing to do.');
  return picked;
}

/** A repeated key returns the same answer and has no effect. */
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

async function advanceTime({ clock }: World, random: () => number): Promise<void> {
  clock.advance(random() < 0.8 ? below(45 * minuteMs, random) : below(4 * dayMs, random));
}

async function expire({ platform }: World): Promise<void> {
  await expireChallenges(platform.services);
  await expireAuthorizations(platform.services);
}
