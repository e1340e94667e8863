import { expect } from 'vitest';
import { expireAuthorizations } from '../../../src/payments/follow-up-jobs.ts';
import { expireChallenges, settleUnknownPayments } from '../../../src/payments/jobs.ts';
import { clientOf } from '../../support/client.ts';
import { ask, type Merchant, type World } from './world.ts';

/** One thing that happens in the world. `random` is the run's own, so that a seed replays it. */
type Step = (world: World, random: () => number) => Promise<unknown>;

const rememberedCalls = 400;
const rememberedPayments = 40;
const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** How often each happens, out of their sum. */
export const steps: readonly (readonly [name: string, weight: number, step: Step])[] = [
  ['charge', 30, charge],
  ['pay an order', 5, payOrder],
  ['capture', 10, (world, random) => followUp(world, random, 'capture')],
  ['void', 6, (world, random) => followUp(world, random, 'void')],
  ['refund', 16, (world, random) => followUp(world, random, 'refund')],
  ['answer a challenge', 6, answerChallenge],
  ['continue', 7, (world, random) => followUp(world, random, 'continue')],
  ['repeat a call', 8, repeat],
  ['let time pass', 5, letTimePass],
  ['settle', 6, ({ platform }) => settleUnknownPayments(platform.env)],
  ['expire', 4, expire],
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

async function charge(world: World, random: () => number, more: { merchant?: Merchant; body?: Record<string, unknown> } = {}): Promise<void> {
  const merchant = more.merchant ?? pick(world.merchants, random);
  const amount = 1 + below(20_000, random);
  const body = { storeId: merchant.storeId, paymentInstrumentId: pick(merchant.instruments, random), amount, currency: 'USD', mode: random() < 0.35 ? 'auth' : 'purchase', ...more.body };
  const answer = await write(world, merchant, '/payments/process', body, random);
  if (answer.status !== 200) return;
  const { payment } = answer.body;
  expect(world.paymentIds.has(payment.id), 'a new call makes a new payment').toBe(false);
  world.paymentIds.add(payment.id);
  merchant.payments.push({ id: payment.id, amount: body.amount, challenge: payment.requireActionData?.threedsSessionId });
  if (merchant.payments.length > rememberedPayments) merchant.payments.shift();
}

async function payOrder(world: World, random: () => number): Promise<void> {
  const merchant = pick(world.merchants, random);
  const unitAmount = 1 + below(5_000, random);
  const order = await write(world, merchant, '/orders/create', { storeId: merchant.storeId, currency: 'USD', items: [{ name: 'Item', quantity: 2, unitAmount }] }, random);
  // Twice, the second time while or after the first: an order is paid once.
  for (const _ of [1, 2]) await charge(world, random, { merchant, body: { orderId: order.body.id, amount: 2 * unitAmount } });
}

async function followUp(world: World, random: () => number, what: 'capture' | 'void' | 'refund' | 'continue'): Promise<void> {
  const merchant = pick(world.merchants, random);
  if (merchant.payments.length === 0) return;
  const { id: paymentId, amount } = pick(merchant.payments, random);
  const part = what === 'capture' || what === 'refund' ? { ...(random() < 0.7 && { amount: 1 + below(amount + 1, random) }) } : {};
  await write(world, merchant, `/payments/${what}`, { paymentId, ...part }, random);
}

async function answerChallenge({ merchants, platform }: World, random: () => number): Promise<void> {
  const { challenge } = pick(merchants, random).payments.findLast((payment) => payment.challenge !== undefined) ?? {};
  if (challenge === undefined) return;
  const outcome = random() < 0.8 ? 'success' : 'fail';
  const { status } = await fetch(`${platform.url}/test/3ds/${challenge}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ outcome }) });
  expect([200, 409]).toContain(status);
}

/** The same key again is told the same again, and nothing happens. */
async function repeat({ answered, clock }: World, random: () => number): Promise<void> {
  const call = answered.length > 0 ? pick(answered, random) : undefined;
  if (!call || clock.now().getTime() - call.at.getTime() > dayMs) return;
  const again = await call.account.api.call(call.path, call.body, { headers: { 'Idempotency-Key': call.key } });
  expect({ status: again.status, replayed: again.headers.get('Idempotent-Replayed'), body: again.body }).toEqual({ status: 200, replayed: 'true', body: call.answer });
}

async function letTimePass({ clock }: World, random: () => number): Promise<void> {
  clock.advance(random() < 0.8 ? below(45 * minuteMs, random) : below(4 * dayMs, random));
}

async function expire({ platform }: World): Promise<void> {
  await expireChallenges(platform.env);
  await expireAuthorizations(platform.env);
}

/** Nothing of one mode or tenant is there for another. */
async function lookFromElsewhere({ merchants, platform }: World, random: () => number): Promise<void> {
  const [owner, stranger] = [pick(merchants, random), pick(merchants, random)];
  if (owner === stranger || owner.payments.length === 0) return;
  const { id } = pick(owner.payments, random);
  const answers = [await stranger.api.call(`/payments/${id}`), await stranger.api.call('/payments/refund', { paymentId: id })];
  if (owner.mode !== stranger.mode) answers.push(await clientOf(platform, stranger.partnerKey).call('/payments/capture', { paymentId: id }));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
}

async function write(world: World, merchant: Merchant, path: string, body: Record<string, unknown>, random: () => number) {
  const key = random() < 0.7 ? `key-${below(2 ** 50, random)}` : undefined;
  const answer = await ask(merchant, path, body, key);
  if (key !== undefined && answer.status === 200) {
    world.answered.push({ account: merchant, path, body, key, answer: answer.body, at: world.clock.now() });
    if (world.answered.length > rememberedCalls) world.answered.shift();
  }
  return answer;
}

function below(end: number, random: () => number): number {
  return Math.floor(random() * end);
}

function pick<T>(of: readonly T[], random: () => number): T {
  const one = of[below(of.length, random)];
  if (one === undefined) throw new Error('There is nothing to pick from.');
  return one;
}
