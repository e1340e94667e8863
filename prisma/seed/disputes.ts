import { advanceTestDispute, openTestDispute } from '../../src/disputes/test-disputes.ts';
import type { Env } from '../../src/env.ts';
import type { TravellingClock } from '../../src/kit/clock.ts';
import { listPayments } from '../../src/payments/operations.ts';
import { contextOf, type Shop } from './tenants.ts';

const dayMs = 86_400_000;

/** What became of each, the latest first. */
const stories = [
  { daysAgo: 2, reason: 'fraudulent', end: null },
  { daysAgo: 9, reason: 'product_not_received', end: 'under_review' },
  { daysAgo: 20, reason: 'duplicate', end: 'won' },
  { daysAgo: 30, reason: 'fraudulent', end: 'lost' },
] as const;

/** Payments that their cardholders disputed: one that waits for evidence, one under review, one won, one lost. */
export async function addDisputes(env: Env, at: TravellingClock['at'], { caller }: Shop, now: Date): Promise<void> {
  for (const { daysAgo, reason, end } of stories) {
    const opened = new Date(now.getTime() - daysAgo * dayMs);
    const before = { condition: 'is-before-date' as const, value: [new Date(opened.getTime() - dayMs).toISOString()] };
    const {
      items: [payment],
    } = await listPayments(contextOf(env, caller), {
      filters: { status: ['succeeded'], createdAt: before },
      pageSize: 1,
    });
    if (!payment) throw new Error('The demo has payments to dispute.');
    const { id } = await at(opened, () => openTestDispute(contextOf(env, caller), { paymentId: payment.id, reason }));
    if (end)
      await at(new Date(opened.getTime() + dayMs / 2), () => advanceTestDispute(contextOf(env, caller), id, end));
  }
}
