import { expect } from 'vitest';
import { below, pick, remember } from './dice.ts';
import { expectedRoute } from './routes.ts';
import { type Merchant, type World, write } from './world.ts';

const rememberedPayments = 40;

export async function charge(
  world: World,
  random: () => number,
  more: { merchant?: Merchant; body?: Record<string, unknown> } = {},
): Promise<void> {
  const merchant = more.merchant ?? pick(world.merchants, random);
  const { id: paymentInstrumentId, customerId } = pick(merchant.instruments, random);
  const canRoute = merchant.processors.length > 0;
  const [flow, forced] = [
    canRoute && random() < 0.6 ? pick(merchant.flows, random) : undefined,
    canRoute && random() < 0.15 ? pick(merchant.processors, random).id : undefined,
  ];
  const requested = { ...(flow && { paymentFlowId: flow.id }), ...(forced !== undefined && { processorId: forced }) };
  const body = {
    storeId: merchant.storeId,
    paymentInstrumentId,
    amount: 1 + below(20_000, random),
    currency: 'USD',
    mode: random() < 0.35 ? 'auth' : 'purchase',
    ...requested,
    ...more.body,
  };
  const route = await expectedRoute(world.platform.services.pool, merchant, { ...requested, flow, customerId });
  const answer = await write(world, merchant, '/payments/process', body, random);
  if (answer.status !== 200) return;
  const { payment } = answer.body;
  expect(world.paymentIds.has(payment.id), 'a new call makes a new payment').toBe(false);
  world.paymentIds.add(payment.id);
  world.routes.set(payment.id, route);
  remember(
    merchant.payments,
    { id: payment.id, amount: body.amount, challenge: payment.requireActionData?.threedsSessionId },
    rememberedPayments,
  );
}

export async function payOrder(world: World, random: () => number): Promise<void> {
  const merchant = pick(world.merchants, random);
  const unitAmount = 1 + below(5_000, random);
  const order = await write(
    world,
    merchant,
    '/orders/create',
    { storeId: merchant.storeId, currency: 'USD', items: [{ name: 'Item', quantity: 2, unitAmount }] },
    random,
  );
  // The order is paid twice, the second time during or after the first payment: only one succeeds.
  for (const _ of [1, 2])
    await charge(world, random, { merchant, body: { orderId: order.body.id, amount: 2 * unitAmount } });
}

export async function modify(
  world: World,
  random: () => number,
  what: 'capture' | 'void' | 'refund' | 'continue',
): Promise<void> {
  const merchant = pick(world.merchants, random);
  if (merchant.payments.length === 0) return;
  const { id: paymentId, amount } = pick(merchant.payments, random);
  const part =
    what === 'capture' || what === 'refund' ? { ...(random() < 0.7 && { amount: 1 + below(amount + 1, random) }) } : {};
  await write(world, merchant, `/payments/${what}`, { paymentId, ...part }, random);
}

export async function answerChallenge({ merchants, platform }: World, random: () => number): Promise<void> {
  const { challenge } = pick(merchants, random).payments.findLast((payment) => payment.challenge !== undefined) ?? {};
  if (challenge === undefined) return;
  const outcome = random() < 0.8 ? 'success' : 'fail';
  const { status } = await fetch(`${platform.url}/test/3ds/${challenge}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ outcome }),
  });
  expect([200, 409]).toContain(status);
}
