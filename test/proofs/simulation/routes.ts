import type { Pool } from 'pg';
import type { Merchant } from './world.ts';

/** A flow as submitted to the platform. */
export interface Flow {
  id: string;
  strategy: 'simple' | 'cascade';
  processors: { processorId: string; weight: number }[];
  fallbacks: { processorId: string; order: number }[];
  maxRetries: number;
  sticky: boolean;
}

/**
 * The allowed route of a charge, by contract section 16: one of `first`, then the processors of `then` in order, `max`
 * in all.
 */
export interface Route {
  first: readonly string[];
  then: readonly string[];
  max: number;
}

export interface RouteAsked {
  processorId?: string;
  flow?: Flow | undefined;
  customerId: string;
}

/** An independent implementation on the model, not on the platform's rows. */
export async function expectedRoute(
  pool: Pool,
  { processors }: Merchant,
  { processorId, flow, customerId }: RouteAsked,
): Promise<Route> {
  const usable = processors.filter(({ enabled }) => enabled).map(({ id }) => id);
  if (processorId !== undefined) return { first: usable.filter((id) => id === processorId), then: [], max: 1 };
  if (!flow) return { first: usable.slice(0, 1), then: [], max: 1 };
  const weighted = flow.processors.map((one) => one.processorId).filter((id) => usable.includes(id));
  const then =
    flow.strategy === 'simple'
      ? []
      : [...flow.fallbacks]
          .sort((left, right) => left.order - right.order)
          .map((one) => one.processorId)
          .filter((id) => usable.includes(id));
  const kept = flow.sticky ? await lastApprover(pool, customerId, [...weighted, ...then]) : undefined;
  const first = kept !== undefined ? [kept] : weighted.length > 0 ? weighted : then.slice(0, 1);
  return { first, then, max: 1 + (flow.strategy === 'simple' ? 0 : flow.maxRetries) };
}

async function lastApprover(pool: Pool, customerId: string, among: readonly string[]): Promise<string | undefined> {
  const { rows } = await pool.query<{ processorId: string | null; state: string }>({
    name: 'simulation-customers-charges',
    text: `SELECT "processorId", coalesce("subStatus", status) AS state
      FROM payments
      WHERE "customerId" = $1
      ORDER BY "createdAt" DESC, id DESC
      LIMIT 20`,
    values: [customerId],
  });
  const approved = ['captured', 'partially_refunded', 'refunded', 'authorized', 'voided', 'expired'];
  return (
    rows.find(
      ({ processorId, state }) => processorId !== null && among.includes(processorId) && approved.includes(state),
    )?.processorId ?? undefined
  );
}
