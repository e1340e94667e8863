import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitSettlement } from '../../src/payments/charge-statements.ts';
import type { PaymentWithTransactions } from '../../src/payments/types.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { seedPartner, type SeededAccount } from '../support/seed.ts';

let platform: TestPlatform;
let account: SeededAccount;

beforeAll(async () => {
  platform = await startTestPlatform();
  account = await (await seedPartner(platform)).account();
});
afterAll(() => platform?.close());

/** What a worker reads, and then settles as the processor tells it. */
async function settleAgain(
  paymentId: unknown,
  result: 'approved' | 'challenge',
): Promise<PaymentWithTransactions | null> {
  const { transactions, ...payment } = await platform.env.prisma.payment.findUniqueOrThrow({
    where: { id: String(paymentId) },
    include: { transactions: true },
  });
  const by = {
    actor: { kind: 'system', id: 'late-worker' },
    requestId: 'late_worker',
    ip: null,
    testClockId: null,
    now: platform.env.clock.now(),
  };
  const end = { result, url: null, processorReference: transactions[0]?.processorReference ?? '' };
  return commitSettlement(platform.env.pool, { payment, transactions }, end, {
    by,
    challengeUrl: (id) => id,
    answers: false,
  });
}

const eventsOf = (paymentId: unknown) => platform.env.prisma.event.count({ where: { objectId: String(paymentId) } });

test('a worker that reads a payment already authorized writes nothing: no second hold, no second event', async () => {
  const { payment } = await account.charge('tok_visa', { mode: 'auth' });
  expect(payment['subStatus']).toBe('authorized');
  expect(await settleAgain(payment['id'], 'approved')).toBeNull();
  expect(await eventsOf(payment['id'])).toBe(2);
});

test('a worker that reads a payment already challenged writes nothing: no second challenge', async () => {
  const { payment } = await account.charge('4000000000003220');
  expect(payment['subStatus']).toBe('requires_action');
  expect(await settleAgain(payment['id'], 'challenge')).toBeNull();
  expect(await platform.env.prisma.threeDsSession.count({ where: { paymentId: String(payment['id']) } })).toBe(1);
  expect(await eventsOf(payment['id'])).toBe(2);
});
