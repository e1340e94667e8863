import type { Pool } from 'pg';
import { expect } from 'vitest';
import type { Arrival } from './line.ts';
import type { Route } from './routes.ts';
import type { Merchant } from './world.ts';

export interface InvariantContext {
  connection: { takeArrivals(): Arrival[] };
  routes: ReadonlyMap<string, Route>;
  merchants: readonly Merchant[];
}

/** A transaction of a payment, and the processor's record under its id. */
interface TransactionNow {
  id: string;
  paymentId: string;
  paymentState: string;
  paymentFailure: string | null;
  paymentProcessorId: string | null;
  captured: number;
  type: string;
  status: string;
  failureCode: string | null;
  processorId: string;
  booked: string | null;
  challenge: string | null;
  /**
   * Whether the amounts in the processor's record are consistent: no refund took what was refunded or disputed before
   * it. A dispute may exceed what is left, but no refund follows it then.
   */
  isEven: boolean | null;
}

const isCharge = ({ type }: TransactionNow): boolean => type === 'purchase' || type === 'authorization';
const hasCapturedMoney = ({ booked }: TransactionNow): boolean =>
  booked === 'captured' || booked === 'authorized' || booked === 'voided';
const softFailures = ['card_declined', 'insufficient_funds', 'processing_error'];
const isSoft = ({ booked, failureCode, challenge }: TransactionNow): boolean =>
  (booked === 'declined' || booked === 'error') && challenge === 'none' && softFailures.includes(failureCode ?? '');

/** Compares the calls to the processors with the platform's transactions and with the expected route of the charge. */
export function attemptWatch(pool: Pool, { connection, routes, merchants }: InvariantContext) {
  /** Every call refers to a transaction that was stored before, and is sent to the processor of that transaction. */
  async function paymentsAsked(): Promise<string[]> {
    const arrivals = connection.takeArrivals();
    if (arrivals.length === 0) return [];
    const { rows } = await pool.query<{ id: string; paymentId: string; processorId: string }>({
      name: 'simulation-asked',
      text: 'SELECT id, "paymentId", "processorId" FROM transactions WHERE id = ANY($1)',
      values: [arrivals.map(({ reference }) => reference)],
    });
    const at = new Map(rows.map(({ id, processorId }) => [id, processorId]));
    for (const { call, reference, processorId } of arrivals)
      expect(at.get(reference), `${call} of ${reference}`).toBe(processorId);
    return rows.map(({ paymentId }) => paymentId);
  }

  function checkPayment(paymentId: string, transactions: readonly TransactionNow[], hasChanged: boolean): void {
    const attempts = transactions.filter(isCharge);
    const taken = attempts.filter(hasCapturedMoney);
    expect(taken.map(({ id }) => id).slice(1), `${paymentId}: one attempt at most takes money`).toEqual([]);
    expect(new Set(attempts.map(({ processorId }) => processorId)).size, `${paymentId}: no processor twice`).toBe(
      attempts.length,
    );
    expect(
      attempts.slice(0, -1).filter((attempt) => !isSoft(attempt)),
      `${paymentId}: only soft declines and errors cascade`,
    ).toEqual([]);
    expect(
      transactions.filter(({ isEven }) => isEven === false),
      `${paymentId}: the processor's records`,
    ).toEqual([]);
    const [holder] = taken;
    if (holder && !isCharge(transactions.at(-1) ?? holder))
      expect(transactions.filter((one) => !isCharge(one) && one.processorId !== holder.processorId)).toEqual([]);
    const last = attempts.at(-1);
    if (last && last.captured > 0)
      expect({ id: last.id, processorId: last.paymentProcessorId }, `${paymentId}: the last attempt took it`).toEqual({
        id: holder?.id,
        processorId: holder?.processorId,
      });
    const route = routes.get(paymentId);
    if (route) checkRoute(paymentId, attempts, route, hasChanged);
  }

  function checkRoute(
    paymentId: string,
    attempts: readonly TransactionNow[],
    { first, then, max }: Route,
    hasChanged: boolean,
  ): void {
    const [started, ...further] = attempts.map(({ processorId }) => processorId);
    expect(attempts.length, `${paymentId}: so many attempts`).toBeLessThanOrEqual(first.length === 0 ? 0 : max);
    expect(started !== undefined, `${paymentId}: called if a processor was available`).toBe(first.length > 0);
    if (started === undefined) return;
    expect(first, `${paymentId}: starts at an allowed processor`).toContain(started);
    const down = then.filter((id) => id !== started).slice(0, max - 1);
    expect(further, `${paymentId}: follows the order of its fallbacks`).toEqual(
      down.filter((id) => further.includes(id)),
    );
    const last = attempts.at(-1);
    // It has just ended with a soft decline: no further processor was available.
    if (!hasChanged || !last || !isSoft(last) || !['declined', 'processing_error'].includes(last.paymentState)) return;
    const enabled = merchants
      .flatMap(({ processors }) => processors)
      .filter((processor) => processor.enabled)
      .map(({ id }) => id);
    expect(
      down.slice(down.indexOf(last.processorId) + 1).filter((id) => enabled.includes(id)),
      `${paymentId}: goes on while it can`,
    ).toEqual([]);
  }

  return {
    paymentsAsked,
    /** `changed`: the payments with a new event. */
    async check(paymentIds: readonly string[], changed: ReadonlySet<string>): Promise<void> {
      const { rows } = await pool.query<TransactionNow>({
        name: 'simulation-transactions',
        text: transactionsOf,
        values: [paymentIds],
      });
      for (const paymentId of paymentIds)
        checkPayment(
          paymentId,
          rows.filter((row) => row.paymentId === paymentId),
          changed.has(paymentId),
        );
      const none = paymentIds.filter((id) => routes.get(id)?.first.length === 0);
      if (none.length === 0) return;
      const { rows: unroutable } = await pool.query({
        name: 'simulation-unroutable',
        text: `SELECT id, status, "failureCode"
          FROM payments
          WHERE id = ANY($1) AND "failureCode" IS DISTINCT FROM 'no_processor'`,
        values: [none],
      });
      expect(unroutable).toEqual([]);
    },
  };
}

const transactionsOf = `SELECT
    t.id, t."paymentId", coalesce(p."subStatus", p.status) AS "paymentState",
    p."failureCode" AS "paymentFailure", p."processorId" AS "paymentProcessorId",
    p."capturedAmount" AS captured, t.type, t.status, t."failureCode", t."processorId",
    c.status AS booked, c.challenge,
    c."capturedAmount" <= c.amount AND c."refundedAmount" <= c."capturedAmount" AND NOT EXISTS (
      SELECT
      FROM test_processor.modifications r
      WHERE r."chargeReference" = c.reference AND r.type = 'refund' AND r.refusal IS NULL AND c."capturedAmount" < (
        SELECT coalesce(sum(f.amount), 0)
        FROM test_processor.modifications f
        WHERE f."chargeReference" = c.reference AND f.type = 'refund' AND f.refusal IS NULL
          AND (f."createdAt" < r."createdAt" OR f.reference = r.reference)
      ) + (
        SELECT coalesce(sum(d.amount), 0)
        FROM test_processor.disputes d
        WHERE d."chargeReference" = c.reference AND d.status <> 'won' AND d."createdAt" < r."createdAt"
      )
    ) AS "isEven"
  FROM transactions t
  JOIN payments p ON p.id = t."paymentId"
  LEFT JOIN test_processor.charges c ON c.reference = t.id
  WHERE t."paymentId" = ANY($1)
  ORDER BY t."createdAt", t.id`;
