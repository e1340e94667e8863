import { sql } from '../../database/sql.ts';
import { toJson } from '../../kit/json.ts';
import type { Write } from '../../write/write.ts';

/** A count to add: for a step and its variant, or for the whole funnel, whose `stepId` is empty. */
export interface FigureChange {
  stepId: string;
  variantId: string | null;
  measure:
    | 'views'
    | 'conversions'
    | 'sessions'
    | 'converted'
    | 'abandoned'
    | `revenue/${string}`
    | `refunded/${string}`;
  n: number;
}

/** Counts in the transaction of the change. Rows are locked in one order, so that two visitors never deadlock. */
export async function countFigures({ tx }: Write, funnelId: string, changes: readonly FigureChange[]): Promise<void> {
  const rows = changes.map(({ stepId, variantId, measure, n }) => ({ stepId, variantId: variantId ?? '', measure, n }));
  await tx.$executeRaw(sql`
    INSERT INTO counters.funnel_figures AS f ("funnelId", "stepId", "variantId", measure, shard, n)
    SELECT ${funnelId}, c."stepId", c."variantId", c.measure, pg_backend_pid() % 8, sum(c.n)
    FROM jsonb_to_recordset(${toJson(rows)}::jsonb) AS c("stepId" text, "variantId" text, measure text, n bigint)
    GROUP BY 2, 3, 4
    ORDER BY 2, 3, 4
    ON CONFLICT ("funnelId", "stepId", "variantId", measure, shard) DO UPDATE SET n = f.n + excluded.n`);
}

/**
 * Stores the step a payment counts at, and returns the amount refunded before. The payment's row is locked until the
 * transaction ends: a refund either commits before and is returned here, or commits later and is counted by a trigger,
 * which finds the stored row.
 */
export async function placePayment(
  { tx }: Write,
  funnelId: string,
  { paymentId, stepId, variantId }: { paymentId: string; stepId: string; variantId: string | null },
): Promise<number> {
  const [locked] = await tx.$queryRaw<{ refundedAmount: bigint }[]>(sql`
    SELECT "refundedAmount" FROM payments WHERE id = ${paymentId} FOR SHARE`);
  await tx.$executeRaw(sql`
    INSERT INTO counters.funnel_payments ("paymentId", "funnelId", "stepId", "variantId")
    VALUES (${paymentId}, ${funnelId}, ${stepId}, ${variantId ?? ''})`);
  return Number(locked?.refundedAmount ?? 0);
}
