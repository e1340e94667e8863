import { advanceTestDispute, openTestDispute } from '../../src/domains/disputes/test-disputes.ts';
import { payments } from '../../src/domains/payments/list-payments.ts';
import type { TravelingClock } from '../../src/lib/clock.ts';
import type { Services } from '../../src/services.ts';
import { contextOf, type Shop } from './tenants.ts';

const dayMs = 86_400_000;

/** The state of each dispute, the latest first. */
const stories = [
  { daysAgo: 2, reason: 'fraudulent', end: null },
  { daysAgo: 9, reason: 'product_not_received', end: 'under_review' },
  { daysAgo: 20, reason: 'duplicate', end: 'won' },
  { daysAgo: 30, reason: 'fraudulent', end: 'lost' },
] as const;

/** Disputed payments: one that needs evidence, one under review, one won, one lost. */
export async function addDisputes(
  services: Services,
  at: TravelingClock['at'],
  { key }: Shop,
  now: Date,
): Promise<void> {
  for (const { daysAgo, reason, end } of stories) {
    const opened = new Date(now.getTime() - daysAgo * dayMs);
    const before = { condition: 'is-before-date' as const, value: [new Date(opened.getTime() - dayMs).toISOString()] };
    const {
      items: [payment],
    } = await payments.read(contextOf(services, key), key.tenant, {
      filters: { status: ['succeeded'], createdAt: before },
      pageSize: 1,
    });
    if (!payment) throw new Error('The demo has payments to dispute.');
    const { id } = await at(opened, () => openTestDispute(contextOf(services, key), { paymentId: payment.id, reason }));
    if (end)
      await at(new Date(opened.getTime() + dayMs / 2), () => advanceTestDispute(contextOf(services, key), id, end));
  }
}
