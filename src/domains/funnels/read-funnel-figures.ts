import { queryRows, sql } from '../../database/sql.ts';
import type { Funnel } from '../../generated/prisma/client.ts';
import type { Context } from '../../graph/context.ts';
import { storedGraph } from './funnel-rows.ts';

export interface Revenue {
  currency: string;
  /** Sums of amounts, which have no bound. */
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
