import { deliverTestDisputes } from '../../../src/domains/disputes/domain.ts';
import { receiveDispute } from '../../../src/domains/disputes/receive-dispute.ts';
import { Conflict } from '../../../src/lib/errors.ts';
import type { DisputeNotice } from '../../../src/ports/card-processor.ts';
import type { TestProcessor } from '../../../src/ports/test-processor.ts';
import { below, pick, remember } from './dice.ts';
import { type Merchant, type World, write } from './world.ts';

const rememberedDisputes = 30;
const statuses = ['under_review', 'won', 'lost'] as const;

/** Opens a dispute through the API: the platform is notified at once. */
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

/** The bank opens a dispute or changes its status, and the platform is not notified yet. */
export async function openDisputeAtBank(world: World, random: () => number): Promise<void> {
  // only the test processor has this function
  const { disputes } = world.platform.services.processors.get('test') as TestProcessor;
  const known = world.notifiedDisputes.length > 0 && random() < 0.5 ? pick(world.notifiedDisputes, random) : undefined;
  const charge = known ? undefined : await chargeOf(world, pick(world.merchants, random), random);
  if (known) {
    const notice = await disputes.move(known.notice.processorReference, pick(statuses, random));
    if (notice) rememberNotice(world, known.processorId, notice);
  }
  if (!charge) return;
  const notice = await disputes.open({
    reference: `bank-${below(2 ** 50, random)}`,
    authorizationReference: charge.processorReference,
    amount: 1 + below(charge.amount, random),
    reason: 'unrecognized',
  });
  if (typeof notice !== 'string') rememberNotice(world, charge.processorId, notice);
}

/**
 * A notice of a processor arrives: late, twice, or after a newer one. The processor repeats a notice that is rejected.
 */
export async function repeatDisputeNotice(
  { platform: { services }, notifiedDisputes }: World,
  random: () => number,
): Promise<void> {
  if (notifiedDisputes.length === 0) return;
  const { processorId, notice } = pick(notifiedDisputes, random);
  const now = services.clock.now();
  const by = {
    actor: { kind: 'processor' as const, id: processorId },
    requestId: `notice_${now.getTime()}`,
    ip: null,
    now,
    auditKeys: services.auditKeys,
    testClockId: null,
  };
  await receiveDispute(services, by, processorId, notice).catch((error: unknown) => {
    if (!(error instanceof Conflict)) throw error;
  });
}

export function notifyOfDisputes({ platform }: World): Promise<number> {
  return deliverTestDisputes(platform.services);
}

function rememberNotice({ notifiedDisputes }: World, processorId: string, notice: DisputeNotice): void {
  remember(notifiedDisputes, { processorId, notice }, rememberedDisputes);
}

interface RecordedCharge {
  processorId: string;
  processorReference: string;
  amount: number;
}

async function chargeOf(
  { platform }: World,
  { payments }: Merchant,
  random: () => number,
): Promise<RecordedCharge | undefined> {
  if (payments.length === 0) return undefined;
  const { rows } = await platform.services.pool.query<RecordedCharge>({
    name: 'simulation-booked-charge',
    text: `SELECT t."processorId", c."processorReference", c."capturedAmount" AS amount
      FROM transactions t
      JOIN test_processor.charges c ON c.reference = t.id
      WHERE t."paymentId" = $1 AND c."capturedAmount" > 0`,
    values: [pick(payments, random).id],
  });
  return rows[0];
}
