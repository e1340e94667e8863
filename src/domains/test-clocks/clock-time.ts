import { tenantCondition } from '../../auth/tenancy.ts';
import type { TenantContext } from '../../call/context.ts';
import { queryRow, type Sql, sql } from '../../database/sql.ts';
import type { TestClockTime } from '../../lib/clock.ts';
import type { Services } from '../../services.ts';

/** Identifies the customer of a call: by its id, by an object of it, or by its email address at a store. */
export type Customers =
  | { customerId: string }
  | { paymentInstrumentId: string }
  | { paymentId: string }
  | { storeId: string; emailLower: string };

/**
 * Runs a call at the time of its customer's test clock, or in real time if the customer has none. Live mode has no test
 * clocks and skips the query. While the clock is advancing, the call runs at the time the clock has reached.
 */
export async function atCustomersTime<Result>(
  context: TenantContext,
  of: Customers | null,
  run: () => Promise<Result>,
): Promise<Result> {
  const { services, tenant } = context;
  if (of === null || tenant.mode !== 'test' || services.clock.testClockId !== null) return run();
  const testClock = await queryRow<TestClockTime>(
    services.pool,
    sql`
      SELECT c.id, c.now
      ${fromCustomers(of)} AND ${tenantCondition(tenant)}`,
  );
  return onClock(services, testClock, run);
}

function fromCustomers(of: Customers): Sql {
  if ('customerId' in of)
    return sql`
      FROM customers t
      JOIN test_clocks c ON c.id = t."testClockId"
      WHERE t.id = ${of.customerId}`;
  if ('paymentId' in of)
    return sql`
      FROM payments t
      JOIN test_clocks c ON c.id = t."testClockId"
      WHERE t.id = ${of.paymentId}`;
  if ('emailLower' in of)
    return sql`
      FROM customers t
      JOIN test_clocks c ON c.id = t."testClockId"
      WHERE t."storeId" = ${of.storeId} AND t."emailLower" = ${of.emailLower} AND t."guestSessionId" IS NULL`;
  return sql`
      FROM payment_instruments t
      JOIN customers o ON o.id = t."customerId"
      JOIN test_clocks c ON c.id = o."testClockId"
      WHERE t.id = ${of.paymentInstrumentId}`;
}

/** Runs at the time of a test clock whose row was read. A step that a test clock drives keeps its time. */
export function onClock<Result>(
  { clock }: Pick<Services, 'clock'>,
  testClock: TestClockTime | null | undefined,
  run: () => Promise<Result>,
): Promise<Result> {
  return testClock && clock.testClockId === null ? clock.on(testClock, run) : run();
}

/** The same for a caller that knows only the id of the clock. */
export async function atClockTime<Result>(
  services: Pick<Services, 'clock' | 'prisma'>,
  testClockId: string | null,
  run: () => Promise<Result>,
): Promise<Result> {
  if (testClockId === null || services.clock.testClockId !== null) return run();
  const testClock = await services.prisma.testClock.findUnique({
    where: { id: testClockId },
    select: { id: true, now: true },
  });
  return onClock(services, testClock, run);
}
