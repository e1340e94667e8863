import type pg from 'pg';
import { toJson } from '../kit/json.ts';
import type { Write } from '../kit/write.ts';
import type { FunnelGraph } from './graph-rules.ts';

/** What is counted: at a step and its variant, or over the whole funnel, which is the step of no name. */
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

export interface Revenue {
  currency: string;
  amount: number;
  refunded: number;
}

interface Counted {
  views: number;
  conversions: number;
  abandoned: number;
  revenue: Revenue[];
}

export interface FunnelFigures {
  funnelId: string;
  sessions: number;
  converted: number;
  abandoned: number;
  revenue: Revenue[];
  steps: (Counted & {
    stepId: string;
    name: string | null;
    type: string;
    variants: (Counted & { variantId: string })[];
  })[];
}

/** Counts within the change that makes it so. Rows are taken in one order, so that two visitors never wait for one another in a circle. */
export async function countFigures({ tx }: Write, funnelId: string, changes: readonly FigureChange[]): Promise<void> {
  const rows = changes.map(({ stepId, variantId, measure, n }) => ({ stepId, variantId: variantId ?? '', measure, n }));
  await tx.$executeRaw`INSERT INTO counters.funnel_figures AS f ("funnelId", "stepId", "variantId", measure, shard, n)
    SELECT ${funnelId}, c."stepId", c."variantId", c.measure, pg_backend_pid() % 8, sum(c.n) FROM jsonb_to_recordset(${toJson(rows)}::jsonb) AS c("stepId" text, "variantId" text, measure text, n bigint)
    GROUP BY 2, 3, 4 ORDER BY 2, 3, 4 ON CONFLICT ("funnelId", "stepId", "variantId", measure, shard) DO UPDATE SET n = f.n + excluded.n`;
}

/**
 * Remembers where a payment counts, and gives what was refunded of it before. The payment is held until the change ends: a refund
 * comes before, and is given here, or after, and is counted by the database, which finds the row.
 */
export async function placePayment(
  { tx }: Write,
  funnelId: string,
  { paymentId, stepId, variantId }: { paymentId: string; stepId: string; variantId: string | null },
): Promise<number> {
  const [held] = await tx.$queryRaw<
    { refundedAmount: bigint }[]
  >`SELECT "refundedAmount" FROM payments WHERE id = ${paymentId} FOR SHARE`;
  await tx.$executeRaw`INSERT INTO counters.funnel_payments ("paymentId", "funnelId", "stepId", "variantId") VALUES (${paymentId}, ${funnelId}, ${stepId}, ${variantId ?? ''})`;
  return Number(held?.refundedAmount ?? 0);
}

type FigureRow = { stepId: string; variantId: string; measure: string; n: number };

/** Reads as many rows as the funnel has steps, variants and measures, however many visitors there were. */
export async function readFigures(pool: pg.Pool, funnelId: string, { nodes }: FunnelGraph): Promise<FunnelFigures> {
  const text =
    'SELECT "stepId", "variantId", measure, sum(n)::bigint AS n FROM counters.funnel_figures WHERE "funnelId" = $1 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3';
  const { rows } = await pool.query<FigureRow>({ name: 'funnel-figures', text, values: [funnelId] });
  const steps = nodes.map(({ id, name, type, variants }) => {
    const ofStep = rows.filter(({ stepId }) => stepId === id);
    return {
      stepId: id,
      name,
      type,
      ...countedIn(ofStep),
      variants: variants.map((variant) => ({
        variantId: variant.id,
        ...countedIn(ofStep.filter(({ variantId }) => variantId === variant.id)),
      })),
    };
  });
  const total = (measure: string) => sumOf(rows.filter((row) => row.measure === measure));
  return {
    funnelId,
    sessions: total('sessions'),
    converted: total('converted'),
    abandoned: total('abandoned'),
    revenue: revenueIn(rows),
    steps,
  };
}

function countedIn(rows: readonly FigureRow[]): Counted {
  const of = (measure: string) => sumOf(rows.filter((row) => row.measure === measure));
  return { views: of('views'), conversions: of('conversions'), abandoned: of('abandoned'), revenue: revenueIn(rows) };
}

function revenueIn(rows: readonly FigureRow[]): Revenue[] {
  const currencies = [
    ...new Set(
      rows
        .filter(({ measure }) => measure.startsWith('revenue/'))
        .map(({ measure }) => measure.slice('revenue/'.length)),
    ),
  ].sort();
  const of = (measure: string) => sumOf(rows.filter((row) => row.measure === measure));
  return currencies.map((currency) => ({
    currency,
    amount: of(`revenue/${currency}`),
    refunded: of(`refunded/${currency}`),
  }));
}

function sumOf(rows: readonly FigureRow[]): number {
  return rows.reduce((sum, { n }) => sum + n, 0);
}
