import { runSubscription } from '../../../src/domains/subscriptions/periods/run-subscription.ts';
import { below, pick, remember } from './dice.ts';
import { type World, write } from './world.ts';

/** Per merchant: each subscription costs a charge a week. */
const liveSubscriptionsMax = 3;
const weekMs = 7 * 86_400_000;

export async function subscribe(world: World, random: () => number): Promise<void> {
  const merchant = pick(world.merchants, random);
  if (merchant.subscriptions.length >= liveSubscriptionsMax)
    await write(world, merchant, '/subscriptions/cancel', { subscriptionId: merchant.subscriptions.shift() }, random);
  const { id: paymentInstrumentId, customerId } = pick(merchant.instruments, random);
  const { status, body } = await write(
    world,
    merchant,
    '/subscriptions/create',
    {
      customerId,
      paymentInstrumentId,
      priceId: merchant.priceId,
      quantity: 1 + below(5, random),
      ...(random() < 0.3 && { trialDays: 1 + below(10, random) }),
    },
    random,
  );
  if (status !== 200) return;
  remember(merchant.subscriptions, body.id, liveSubscriptionsMax);
  if (body.latestPaymentId !== null) remember(merchant.payments, { id: body.latestPaymentId, amount: 1_000 }, 40);
}

export async function changeSubscription(world: World, random: () => number): Promise<void> {
  const merchant = pick(world.merchants, random);
  if (merchant.subscriptions.length === 0) return;
  const subscriptionId = pick(merchant.subscriptions, random);
  const inAWeek = new Date(world.clock.now().getTime() + weekMs).toISOString();
  const changes: readonly (readonly [string, object])[] = [
    ['pause', random() < 0.5 ? {} : { resumeAt: inAWeek }],
    ['resume', {}],
    ['rebill', {}],
    ['update', { quantity: 1 + below(5, random), prorate: random() < 0.5 }],
    ['cancel', { cancelAtPeriodEnd: true }],
  ];
  const [what, more] = pick(changes, random);
  await write(world, merchant, `/subscriptions/${what}`, { subscriptionId, ...more }, random);
}

/**
 * Runs due subscriptions as the job does, but in sequence: concurrent runs would use the connection in an order that no
 * seed replays.
 */
export async function renew({ platform: { services } }: World): Promise<number> {
  const now = services.clock.now();
  const { rows } = await services.pool.query<{ id: string }>({
    name: 'simulation-due',
    text: 'SELECT id FROM subscriptions WHERE "dueAt" <= $1 ORDER BY "dueAt", id',
    values: [now],
  });
  const by = {
    services,
    actor: { kind: 'system' as const, id: 'renew-subscriptions' },
    requestId: `job_renew-subscriptions_${now.getTime()}`,
    ip: '',
  };
  let done = 0;
  for (const { id } of rows) done += await runSubscription(by, id);
  return done;
}
