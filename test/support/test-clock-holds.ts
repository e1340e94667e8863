import { expect } from 'vitest';
import type { TestPlatform } from './platform.ts';
import type { SeededAccount } from './seed.ts';

const start = '2030-01-01T00:00:00.000Z';
const hourMs = 3_600_000;

/** The time this many hours after the start of the clocks created here. */
export const afterHours = (hours: number): Date => new Date(Date.parse(start) + hours * hourMs);

/** A customer on a new test clock with `count` authorizations, each expiring an hour after the previous one. */
export async function holdOnClock(
  platform: TestPlatform,
  account: SeededAccount,
  count: number,
): Promise<{ clockId: string; paymentIds: string[] }> {
  const { id: clockId } = await account.api.ok('/test-clocks/create', { name: 'Faults', now: start });
  const { id: customerId } = await account.api.ok('/customers/create', {
    email: `${clockId}@example.com`,
    testClockId: clockId,
  });
  const { paymentInstrument } = await account.api.ok('/payment-instruments/create-from-token', {
    token: 'tok_visa',
    customerId,
  });
  const paymentIds: string[] = [];
  for (let index = 0; index < count; index++) {
    const { payment } = await account.api.ok('/payments/process', {
      paymentInstrumentId: paymentInstrument.id,
      amount: 100,
      currency: 'USD',
      mode: 'auth',
    });
    await platform.services.pool.query('UPDATE payments SET "authorizationExpiresAt" = $2 WHERE id = $1', [
      payment.id,
      afterHours(index + 1),
    ]);
    paymentIds.push(payment.id);
  }
  return { clockId, paymentIds };
}

/** Each authorization expired once, in the ledger and at the processor, at its own time and therefore in order. */
export async function expectEachExpiredOnceInOrder(
  platform: TestPlatform,
  paymentIds: readonly string[],
): Promise<void> {
  const { rows } = await platform.services.pool.query<{ at: Date; voids: number; events: number }>(
    `SELECT
      min(e."createdAt") AS at,
      count(*)::int AS events,
      (
        SELECT count(*)::int
        FROM transactions t
        WHERE t."paymentId" = p.id AND t.type = 'void' AND t.status = 'succeeded'
      ) AS voids
    FROM unnest($1::text[]) WITH ORDINALITY AS p(id, place)
    LEFT JOIN events e ON e."objectId" = p.id AND e.type = 'payment/failed'
    GROUP BY p.id, place
    ORDER BY place`,
    [paymentIds],
  );
  expect(rows).toEqual(paymentIds.map((_id, index) => ({ at: afterHours(index + 1), voids: 1, events: 1 })));
}
