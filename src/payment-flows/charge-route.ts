import type { Env } from '../env.ts';
import { type ChosenProcessor, usableSql } from '../processors/operations.ts';
import { routeOf, type RoutedFlow } from './route.ts';

/** The flow of a charge, as its facts bring it along. */
export interface ChargeFlow {
  id: string;
  strategy: RoutedFlow['strategy'];
  maxRetries: number;
  sticky: boolean;
  threeDs: 'automatic' | 'force' | 'skip';
}

/** Where a charge goes: the processor that is asked first, and the ids of those after it. */
export interface ChargeRoute {
  first: ChosenProcessor | null;
  rest: string[];
}

interface RouteRow extends ChosenProcessor {
  kind: 'weighted' | 'fallback';
  weight: number | null;
  position: number;
}

/** Picks the processors of a charge by its flow, from those that can be asked now. */
export async function routeOfCharge(
  { pool, processors }: Pick<Env, 'pool' | 'processors'>,
  flow: ChargeFlow,
  charge: { id: string; customerId: string; currency: string },
): Promise<ChargeRoute> {
  const { rows } = await pool.query<RouteRow>({
    name: 'routes-of-flow',
    text: routesOfFlow,
    values: [flow.id, [...processors.keys()], charge.currency],
  });
  const of = (kind: RouteRow['kind']) => rows.filter((row) => row.kind === kind);
  const usable = new Set(rows.map(({ id }) => id));
  const [first, ...rest] = routeOf(
    {
      ...flow,
      processors: of('weighted').map(({ id, weight }) => ({ processorId: id, weight: weight ?? 1 })),
      fallbacks: of('fallback').map(({ id, position }) => ({ processorId: id, order: position })),
    },
    // A sticky flow draws for the customer, so that who was never approved yet stays with one, too.
    {
      usable,
      seed: flow.sticky ? charge.customerId : charge.id,
      keeps: flow.sticky ? await lastApproverOf(pool, charge.customerId, [...usable]) : null,
    },
  );
  return { first: rows.find(({ id }) => id === first) ?? null, rest };
}

/** How far back a customer's charges are looked through for the processor that approved. */
const lookBackMax = 20;

/** Of some processors the one that last approved a charge of the customer. */
async function lastApproverOf(pool: Env['pool'], customerId: string, processorIds: string[]): Promise<string | null> {
  const { rows } = await pool.query<{ processorId: string }>({
    name: 'last-approver',
    text: lastApprover,
    values: [customerId, processorIds],
  });
  return rows[0]?.processorId ?? null;
}

const routesOfFlow = `SELECT r.kind, r.weight, r.position, p.id, p.type, p.options, p.secrets
FROM payment_flow_routes r JOIN processors p ON p.id = r."processorId" WHERE r."flowId" = $1 AND ${usableSql({ types: '$2', currency: '$3' })}`;

// Held money that was let go of was approved, too.
const lastApprover = `SELECT "processorId" FROM (SELECT "processorId", status, "subStatus", "createdAt", id FROM payments WHERE "customerId" = $1 ORDER BY "createdAt" DESC, id DESC LIMIT ${lookBackMax}) p
WHERE "processorId" = ANY($2) AND (status IN ('succeeded', 'partially_refunded', 'refunded') OR "subStatus" IN ('authorized', 'voided', 'expired')) ORDER BY "createdAt" DESC, id DESC LIMIT 1`;
