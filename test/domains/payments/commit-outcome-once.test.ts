import { expect, test } from 'vitest';
import { commitOutcome } from '../../../src/domains/payments/charge/commit-outcome.ts';
import type { PaymentWithTransactions } from '../../../src/domains/payments/payment/rows.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const platform = await usePlatform();
const account = await (await seedPartner(platform)).account();

/** The payment as a worker reads it, and then resolves it with the processor's answer. */
async function commitOutcomeAgain(
  paymentId: unknown,
  result: 'approved' | 'challenge',
): Promise<PaymentWithTransactions | null> {
  const { transactions, ...payment } = await platform.services.prisma.payment.findUniqueOrThrow({
    where: { id: String(paymentId) },
    include: { transactions: true },
  });
  const by = {
    actor: { kind: 'system', id: 'late-worker' },
    requestId: 'late_worker',
    ip: null,
    auditKeys: platform.services.auditKeys,
    testClockId: null,
    now: platform.services.clock.now(),
  };
  const end = { result, url: null, processorReference: transactions[0]?.processorReference ?? '' };
  return commitOutcome(platform.services, { payment, transactions }, end, {
    by,
    challengeUrl: (id) => id,
    answers: false,
  });
}

const eventsOf = (paymentId: unknown) =>
  platform.services.prisma.event.count({ where: { objectId: String(paymentId) } });

test('a job that reads a payment already authorized writes nothing: one authorization, one event', async () => {
  const { payment } = await account.charge('tok_visa', { mode: 'auth' });
  expect(payment['subStatus']).toBe('authorized');
  expect(await commitOutcomeAgain(payment['id'], 'approved')).toBeNull();
  expect(await eventsOf(payment['id'])).toBe(2);
});

test('a job that reads a payment already challenged writes nothing: one challenge', async () => {
  const { payment } = await account.charge('4000000000003220');
  expect(payment['subStatus']).toBe('requires_action');
  expect(await commitOutcomeAgain(payment['id'], 'challenge')).toBeNull();
  expect(await platform.services.prisma.threeDsSession.count({ where: { paymentId: String(payment['id']) } })).toBe(1);
  expect(await eventsOf(payment['id'])).toBe(2);
});
