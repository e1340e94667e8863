import { deliverTestDisputes } from '../../../src/disputes/test-disputes.ts';
import { receiveDispute } from '../../../src/disputes/operations.ts';
import { Conflict } from '../../../src/kit/errors.ts';
import type { DisputeNotice } from '../../../src/ports/card-processor.ts';
import type { TestProcessor } from '../../../src/processors/test-processor.ts';
import { below, pick, remember } from './dice.ts';
import { type Merchant, type World, write } from './world.ts';

const rememberedDisputes = 30;
const statuses = ['under_review', 'won', 'lost'] as const;

/** The switch of the API: what the bank does is told at once. */
export async function openDispute(world: World, random: () => number): Promise<void> {
  const merchant = pick(world.merchants, random);
  if (merchant.mode === 'live' || merchant.payments.length === 0) return;
  const { id: paymentId, amount } = pick(merchant.payments, random);
  const { status, body } = await write(
    world,
    merchant,
    '/test-disputes/create',
    { paymentId, ...(random() < 0.7 && { amount: 1 + below(amount + 1, random) }) },
    random,
  );
  if (status === 200) remember(merchant.disputes, body.id, rememberedDisputes);
}

export async function decideDispute(world: World, random: () => number): Promise<void> {
  const merchant = pick(world.merchants, random);
  if (merchant.disputes.length === 0) return;
  await write(
    world,
    merchant,
    `/test-disputes/${pick(merchant.disputes, random)}/advance`,
    { status: pick(statuses, random) },
    random,
  );
}

/** The bank opens a dispute or moves one on, and nobody is told yet. */
export async function openAtTheBank(world: World, random: () => number): Promise<void> {
  const { disputes } = world.platform.env.processors.get('test') as TestProcessor; // the one processor that has such a switch
  const known = world.told.length > 0 && random() < 0.5 ? pick(world.told, random) : undefined;
  const charge = known ? undefined : await chargeOf(world, pick(world.merchants, random), random);
  if (known) {
    const notice = await disputes.move(known.notice.processorReference, pick(statuses, random));
    if (notice) keep(world, known.processorId, notice);
  }
  if (!charge) return;
  const notice = await disputes.open({
    reference: `bank-${below(2 ** 50, random)}`,
    authorizationReference: charge.processorReference,
    amount: 1 + below(charge.amount, random),
    reason: 'unrecognized',
  });
  if (typeof notice !== 'string') keep(world, charge.processorId, notice);
}

/** What a processor said once arrives: late, twice, or after what it said later. A processor that is refused says it again. */
export async function tellAgain({ platform: { env }, told }: World, random: () => number): Promise<void> {
  if (told.length === 0) return;
  const { processorId, notice } = pick(told, random);
  const now = env.clock.now();
  const by = {
    actor: { kind: 'processor' as const, id: processorId },
    requestId: `told_${now.getTime()}`,
    ip: null,
    now,
    testClockId: null,
  };
  await receiveDispute(env, by, processorId, notice).catch((error: unknown) => {
    if (!(error instanceof Conflict)) throw error;
  });
}

export function tellOfDisputes({ platform }: World): Promise<number> {
  return deliverTestDisputes(platform.env);
}

function keep({ told }: World, processorId: string, notice: DisputeNotice): void {
  remember(told, { processorId, notice }, rememberedDisputes);
}

interface BookedCharge {
  processorId: string;
  processorReference: string;
  amount: number;
}

async function chargeOf(
  { platform }: World,
  { payments }: Merchant,
  random: () => number,
): Promise<BookedCharge | undefined> {
  if (payments.length === 0) return undefined;
  const { rows } = await platform.env.pool.query<BookedCharge>({
    name: 'simulation-booked-charge',
    text: `SELECT t."processorId", c."processorReference", c."capturedAmount" AS amount FROM transactions t JOIN test_processor.charges c ON c.reference = t.id WHERE t."paymentId" = $1 AND c."capturedAmount" > 0`,
    values: [pick(payments, random).id],
  });
  return rows[0];
}
