import { createHash } from 'node:crypto';
import { constant, queryRow, queryRows, sql } from '../../../database/sql.ts';
import type { Services } from '../../../services.ts';
import { type ChosenProcessor, usableSql } from '../rows.ts';

/** The fields of a flow that determine the processors of a charge. */
export interface RoutedFlow {
  strategy: 'simple' | 'cascade';
  processors: readonly { processorId: string; weight: number }[];
  fallbacks: readonly { processorId: string; order: number }[];
  maxRetries: number;
}

export interface RoutedCharge {
  /** The processors that are enabled and connected and support the currency. */
  usable: ReadonlySet<string>;
  /** The same seed results in the same choice. */
  seed: string;
  /** The processor that the customer stays with. Null if there is none. */
  keeps: string | null;
}

/**
 * The processors of a charge in the order in which they are tried, each once: the one that the customer stays with or
 * the weighted choice, and in a cascade the fallbacks after it. If no weighted processor is usable, a cascade starts
 * with its first fallback.
 */
export function routeOf(flow: RoutedFlow, { usable, seed, keeps }: RoutedCharge): string[] {
  const weighted = flow.processors.filter(({ processorId }) => usable.has(processorId));
  const isCascade = flow.strategy === 'cascade';
  const fallbacks = (isCascade ? [...flow.fallbacks] : [])
    .sort((left, right) => left.order - right.order)
    .map(({ processorId }) => processorId)
    .filter((id) => usable.has(id));
  const kept = [...weighted.map(({ processorId }) => processorId), ...fallbacks].find((id) => id === keeps);
  const first = kept ?? weightedPick(weighted, seed) ?? fallbacks[0];
  if (first === undefined) return [];
  return [first, ...fallbacks.filter((id) => id !== first)].slice(0, 1 + (isCascade ? flow.maxRetries : 0));
}

/**
 * Chooses by weight with rendezvous hashing: each candidate gets a value from the seed and its id, and the smallest one
 * wins. The order of candidates has no influence, and removing one changes only the choices that it had won.
 */
function weightedPick(candidates: RoutedFlow['processors'], seed: string): string | undefined {
  let winner: { processorId: string; value: number } | undefined;
  for (const { processorId, weight } of candidates) {
    // Exponentially distributed with the weight as its rate: each candidate has the smallest value with the
    // probability of its share.
    const value = -Math.log(unitOf(`${seed}:${processorId}`)) / weight;
    if (!winner || value < winner.value) winner = { processorId, value };
  }
  return winner?.processorId;
}

/** A number above 0 and below 1, determined by the text. */
export function unitOf(text: string): number {
  return (createHash('sha256').update(text).digest().readUIntBE(0, 6) + 0.5) / 2 ** 48;
}

/** The payment flow of a charge, as the facts of the charge contain it. */
export interface ChargeFlow {
  id: string;
  strategy: RoutedFlow['strategy'];
  maxRetries: number;
  sticky: boolean;
  threeDs: 'automatic' | 'force' | 'skip';
}

/** The processors of a charge: the first one, and the ids of those tried after it. */
export interface ChargeRoute {
  first: ChosenProcessor | null;
  rest: string[];
}

interface RouteRow extends ChosenProcessor {
  kind: 'weighted' | 'fallback';
  weight: number | null;
  position: number;
}

/** Chooses the processors of a charge by its flow, from those that are usable now. */
export async function routeOfCharge(
  { pool, processors }: Pick<Services, 'pool' | 'processors'>,
  flow: ChargeFlow,
  charge: { id: string; customerId: string; currency: string },
): Promise<ChargeRoute> {
  const rows = await queryRows<RouteRow>(
    pool,
    sql`
      SELECT r.kind, r.weight, r.position, p.id, p.type, p.options, p.secrets
      FROM payment_flow_routes r
      JOIN processors p ON p.id = r."processorId"
      WHERE r."flowId" = ${flow.id} AND ${usableSql({ types: processors.keys(), currency: charge.currency })}`,
  );
  const of = (kind: RouteRow['kind']) => rows.filter((row) => row.kind === kind);
  const usable = new Set(rows.map(({ id }) => id));
  const [first, ...rest] = routeOf(
    {
      ...flow,
      processors: of('weighted').map(({ id, weight }) => ({ processorId: id, weight: weight ?? 1 })),
      fallbacks: of('fallback').map(({ id, position }) => ({ processorId: id, order: position })),
    },
    // The seed of a sticky flow is the customer, so that a customer without an approved charge keeps one processor too.
    {
      usable,
      seed: flow.sticky ? charge.customerId : charge.id,
      keeps: flow.sticky ? await lastApproverOf(pool, charge.customerId, [...usable]) : null,
    },
  );
  return { first: rows.find(({ id }) => id === first) ?? null, rest };
}

/** The number of a customer's latest charges that are searched for the processor that approved one. */
const lookBackMax = 20;

/** The processor, of those given, that last approved a charge of the customer. */
async function lastApproverOf(
  pool: Services['pool'],
  customerId: string,
  processorIds: string[],
): Promise<string | null> {
  // An authorization that was voided or expired was approved as well.
  const approved = await queryRow<{ processorId: string }>(
    pool,
    sql`
      SELECT "processorId"
      FROM (
        SELECT "processorId", status, "subStatus", "createdAt", id
        FROM payments
        WHERE "customerId" = ${customerId}
        ORDER BY "createdAt" DESC, id DESC
        LIMIT ${constant(lookBackMax)}
      ) p
      WHERE "processorId" = ANY(${processorIds})
        AND (
          status IN ('succeeded', 'partially_refunded', 'refunded')
          OR "subStatus" IN ('authorized', 'voided', 'expired')
        )
      ORDER BY "createdAt" DESC, id DESC
      LIMIT 1`,
  );
  return approved?.processorId ?? null;
}
