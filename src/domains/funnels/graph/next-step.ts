import { createHash } from 'node:crypto';
import type { FunnelSession } from '../../../generated/prisma/client.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import type { SessionEvent } from '../sessions/move-session.ts';
import { sessionEvent } from '../sessions/rows.ts';
import { type ExpressionFacts, expressionHolds } from './expression.ts';
import type { FunnelEdge, FunnelGraph, FunnelNode } from './rules.ts';

/**
 * The edge for an event out of a step: of the matching edges the one with the smallest priority, and of equal ones the
 * first. Null if no edge matches and the visitor stays.
 */
export function edgeFor({ edges }: FunnelGraph, stepId: string, facts: ExpressionFacts): FunnelEdge | null {
  const out = edges.filter(({ source }) => source === stepId).sort((left, right) => left.priority - right.priority);
  return out.find((edge) => isMatch(edge, facts)) ?? null;
}

/**
 * A declined payment follows only an edge for `payment_declined`: neither a default edge nor an expression may let a
 * visitor continue who has not paid. An expression in addition to another condition narrows it.
 */
function isMatch({ condition: { when, expression } }: FunnelEdge, facts: ExpressionFacts): boolean {
  const { type } = facts.event;
  if (when === 'default' || when === 'expression' ? type === 'payment_declined' : when !== type) return false;
  return expression === null || expressionHolds(expression, facts);
}

export function entryOf({ nodes }: FunnelGraph): FunnelNode {
  const entry = nodes.find(({ isEntry }) => isEntry);
  if (!entry) throw new Error('A funnel has an entry.');
  return entry;
}

export function nodeOf({ nodes }: FunnelGraph, stepId: string): FunnelNode {
  const node = nodes.find(({ id }) => id === stepId);
  if (!node) throw new Error(`The funnel has no step ${stepId}.`);
  return node;
}

/** Whether no edge leaves a step. */
export function isEnd({ edges }: FunnelGraph, stepId: string): boolean {
  return edges.every(({ source }) => source !== stepId);
}

/** The facts for the expressions of the current step's edges. Order and customer are read only if there is one. */
export async function factsOf(
  tx: Write['tx'],
  graph: FunnelGraph,
  session: FunnelSession,
  { id, type, data, payment }: SessionEvent,
): Promise<ExpressionFacts> {
  const isRequested = graph.edges.some(
    ({ source, condition }) => source === session.currentStepId && condition.expression !== null,
  );
  const customerId = payment?.customerId ?? session.customerId;
  const customer =
    isRequested && customerId !== null ? await tx.customer.findUnique({ where: { id: customerId } }) : null;
  const order = isRequested && payment?.orderId ? await tx.order.findUnique({ where: { id: payment.orderId } }) : null;
  return {
    event: { id, type, data },
    payment,
    order: order ?? undefined,
    customer: customer
      ? { id: customer.id, email: customer.email, country: countryOf(customer.billingAddress), tags: customer.tags }
      : undefined,
    session: { id: session.id, stepId: session.currentStepId, variantId: session.variantId, moves: session.moves },
  };
}

function countryOf(address: unknown): string | null {
  return typeof address === 'object' && address !== null && 'country' in address && typeof address.country === 'string'
    ? address.country
    : null;
}

/**
 * The variant of a step, chosen by a hash of visitor and step, so that a visitor always gets the same variant and each
 * variant gets its share. Null if the step has no variants.
 */
export function variantFor(
  visitor: string,
  stepId: string,
  variants: readonly { id: string; percentage: number }[],
): string | null {
  const point = pointOf(`${visitor}/${stepId}`);
  let end = 0;
  for (const { id, percentage } of variants) {
    end += percentage / 100;
    if (point < end) return id;
  }
  // Because of rounding the sum of the shares may be slightly below 1.
  return variants.findLast(({ percentage }) => percentage > 0)?.id ?? null;
}

/** A number from 0 to 1, evenly distributed over many strings. */
function pointOf(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48;
}

/** The session at its next step. */
export function enterStep(graph: FunnelGraph, session: FunnelSession, stepId: string, now: Date): FunnelSession {
  const node = nodeOf(graph, stepId);
  return {
    ...session,
    currentStepId: stepId,
    variantId: variantFor(session.variantKey, stepId, node.variants),
    status: isEnd(graph, stepId) ? 'completed' : 'active',
    convertedAt: session.convertedAt ?? (node.isConversion ? now : null),
  };
}

/** Records the events of entering a step. */
export function recordStepEvents(
  change: Write,
  session: FunnelSession,
  sequenceBefore: number,
  { converted, done }: { converted: boolean; done: boolean },
): void {
  change.event(sessionEvent('funnel/stepEntered', session, sequenceBefore + 1, done));
  if (converted) change.event(sessionEvent('funnel/converted', session, sequenceBefore + 2, done));
}
