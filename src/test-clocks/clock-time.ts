import { tenantSql } from '../auth/tenancy.ts';
import type { Env } from '../env.ts';
import type { KeyContext } from '../graph/context.ts';
import type { TestClockTime } from '../kit/clock.ts';

/** What names the customer a call is about: itself, what belongs to it, or its e-mail address at a store. */
export type Customers =
  | { customerId: string }
  | { paymentInstrumentId: string }
  | { paymentId: string }
  | { storeId: string; emailLower: string };

/**
 * Runs a key's call at the time of its customer's test clock, or in real time when it hangs on none. Live mode has no test clocks
 * and never asks. While the clock is being advanced the call happens at the moment the clock has come to, as in real time.
 */
export async function atCustomersTime<Result>(
  context: KeyContext,
  of: Customers | null,
  run: () => Promise<Result>,
): Promise<Result> {
  const { env, caller } = context;
  if (of === null || caller.mode !== 'test' || env.clock.testClockId !== null) return run();
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const [name, found] = findersOf(of, bind);
  const text = `SELECT c.id, c.now FROM ${found} AND ${tenantSql(caller, bind)}`;
  const { rows } = await env.pool.query<TestClockTime>({ name: `test-clock-of-${name}-${caller.kind}`, text, values });
  return onClock(env, rows[0], run);
}

function findersOf(of: Customers, bind: (value: unknown) => string): [name: string, found: string] {
  const joined = (on: string) => `JOIN test_clocks c ON c.id = ${on}."testClockId"`;
  if ('customerId' in of) return ['customer', `customers t ${joined('t')} WHERE t.id = ${bind(of.customerId)}`];
  if ('paymentId' in of) return ['payment', `payments t ${joined('t')} WHERE t.id = ${bind(of.paymentId)}`];
  if ('emailLower' in of)
    return [
      'email',
      `customers t ${joined('t')} WHERE t."storeId" = ${bind(of.storeId)} AND t."emailLower" = ${bind(of.emailLower)}`,
    ];
  return [
    'instrument',
    `payment_instruments t JOIN customers o ON o.id = t."customerId" ${joined('o')} WHERE t.id = ${bind(of.paymentInstrumentId)}`,
  ];
}

/** Runs something at the time of a test clock whose row was read with what hangs on it. Work that a clock drives keeps the moment it is at. */
export function onClock<Result>(
  { clock }: Pick<Env, 'clock'>,
  testClock: TestClockTime | null | undefined,
  run: () => Promise<Result>,
): Promise<Result> {
  return testClock && clock.testClockId === null ? clock.on(testClock, run) : run();
}

/** The same for work that knows only which clock it is. */
export async function atClockTime<Result>(
  env: Pick<Env, 'clock' | 'pool'>,
  testClockId: string | null,
  run: () => Promise<Result>,
): Promise<Result> {
  if (testClockId === null || env.clock.testClockId !== null) return run();
  const { rows } = await env.pool.query<TestClockTime>({
    name: 'test-clock-time',
    text: 'SELECT id, now FROM test_clocks WHERE id = $1',
    values: [testClockId],
  });
  return onClock(env, rows[0], run);
}
