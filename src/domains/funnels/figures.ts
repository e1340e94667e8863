import type { Context } from '../../call/context.ts';
import { queryRows, sql } from '../../database/sql.ts';
import type { Funnel, FunnelSession } from '../../generated/prisma/client.ts';
import { toJson } from '../../lib/json.ts';
import type { Write } from '../../unit-of-work/write.ts';
import { storedGraph } from './graph/funnel-rows.ts';
import { isConversion } from './graph/rules.ts';
import type { SessionEvent } from './sessions/move-session.ts';

/** A count to add: for a step and its variant, or for the whole funnel, whose `stepId` is empty. */
interface FigureChange {
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

/**
 * Adds the counts in the transaction of the change. Rows are locked in a fixed order, so that two visitors never
 * deadlock.
 */
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

/** The CTE that counts the sessions of the CTE `abandoned`. */
export const abandonedFiguresPart = sql`counted AS (
  INSERT INTO counters.funnel_figures AS f ("funnelId", "stepId", "variantId", measure, shard, n)
  SELECT "funnelId", "currentStepId", coalesce("variantId", ''), 'abandoned', pg_backend_pid() % 8, count(*)
  FROM abandoned
  GROUP BY 1, 2, 3
  ORDER BY 1, 2, 3
  ON CONFLICT ("funnelId", "stepId", "variantId", measure, shard) DO UPDATE SET n = f.n + excluded.n
)`;

/**
 * Stores the step at which a payment counts, and returns the amount refunded before. The payment's row is locked until
 * the transaction ends: a refund either commits before and is returned here, or commits later and is counted by a
 * trigger, which finds the stored row.
 */
async function placePayment(
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

/** The counts of an event that moved a session from `before` to `after`, or did not move it. */
export function figuresOfMove(before: FunnelSession, after: FunnelSession, event: SessionEvent): FigureChange[] {
  const left = { stepId: before.currentStepId, variantId: before.variantId };
  const changes: FigureChange[] = [];
  if (after !== before) {
    if (isConversion(event.type)) changes.push({ ...left, measure: 'conversions', n: 1 });
    changes.push(...figuresOfEntry(after, after.convertedAt !== null && before.convertedAt === null));
  }
  // A visitor who pays after all has not abandoned the session.
  if (before.status === 'abandoned' && after.status !== 'abandoned')
    changes.push({ ...left, measure: 'abandoned', n: -1 });
  return changes;
}

export function figuresOfEntry(
  { currentStepId: stepId, variantId }: FunnelSession,
  converted: boolean,
): FigureChange[] {
  return [
    { stepId, variantId, measure: 'views', n: 1 },
    ...(converted ? [{ stepId: '', variantId: null, measure: 'converted', n: 1 } as const] : []),
  ];
}

/** The revenue of a payment at the step where it was made. The session may have left that step since. */
export async function figuresOfPayment(
  change: Write,
  before: FunnelSession,
  { type, stepId: given, variantId: ofStep, payment }: SessionEvent,
): Promise<FigureChange[]> {
  if (!payment || !isConversion(type)) return [];
  const place = { stepId: given ?? before.currentStepId, variantId: ofStep === undefined ? before.variantId : ofStep };
  const refunded = await placePayment(change, before.funnelId, { paymentId: payment.id, ...place });
  return [
    { ...place, measure: `revenue/${payment.currency}`, n: Number(payment.amount) },
    ...(refunded > 0 ? [{ ...place, measure: `refunded/${payment.currency}`, n: refunded } as const] : []),
  ];
}

export interface Revenue {
  currency: string;
  /** Sums of amounts, which are unbounded. */
  amount: bigint;
  refunded: bigint;
}

interface Figures {
  views: number;
  conversions: number;
  abandoned: number;
  revenue: Revenue[];
}

export type VariantFigures = Figures & { variantId: string };

export type StepFigures = Figures & {
  stepId: string;
  name: string | null;
  type: string;
  variants: VariantFigures[];
};

export interface FunnelFigures {
  funnelId: string;
  sessions: number;
  converted: number;
  abandoned: number;
  revenue: Revenue[];
  steps: StepFigures[];
}

/**
 * The figures of a funnel that is visible to the caller. The number of rows read depends on its steps, variants and
 * measures, not on the number of sessions.
 */
export async function readFunnelFigures({ services }: Context, funnel: Funnel): Promise<FunnelFigures> {
  const rows = await queryRows<FigureRow>(
    services.pool,
    sql`
SELECT "stepId", "variantId", measure, sum(n)::text AS n
FROM counters.funnel_figures
WHERE "funnelId" = ${funnel.id}
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3`,
  );
  const steps = storedGraph(funnel).nodes.map(({ id, name, type, variants }) => {
    const rowsOfStep = rows.filter(({ stepId }) => stepId === id);
    return {
      stepId: id,
      name,
      type,
      ...figuresIn(rowsOfStep),
      variants: variants.map((variant) => ({
        variantId: variant.id,
        ...figuresIn(rowsOfStep.filter(({ variantId }) => variantId === variant.id)),
      })),
    };
  });
  return {
    funnelId: funnel.id,
    sessions: countOf(rows, 'sessions'),
    converted: countOf(rows, 'converted'),
    abandoned: countOf(rows, 'abandoned'),
    revenue: revenueIn(rows),
    steps,
  };
}

interface FigureRow {
  stepId: string;
  variantId: string;
  measure: string;
  n: string;
}

function figuresIn(rows: readonly FigureRow[]): Figures {
  return {
    views: countOf(rows, 'views'),
    conversions: countOf(rows, 'conversions'),
    abandoned: countOf(rows, 'abandoned'),
    revenue: revenueIn(rows),
  };
}

function revenueIn(rows: readonly FigureRow[]): Revenue[] {
  const measures = rows.map(({ measure }) => measure).filter((measure) => measure.startsWith('revenue/'));
  const currencies = [...new Set(measures.map((measure) => measure.slice('revenue/'.length)))].sort();
  return currencies.map((currency) => ({
    currency,
    amount: sumOf(rows, `revenue/${currency}`),
    refunded: sumOf(rows, `refunded/${currency}`),
  }));
}

function countOf(rows: readonly FigureRow[], measure: string): number {
  return Number(sumOf(rows, measure));
}

function sumOf(rows: readonly FigureRow[], measure: string): bigint {
  return rows.filter((row) => row.measure === measure).reduce((sum, { n }) => sum + BigInt(n), 0n);
}
