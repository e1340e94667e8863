import { expressionHolds, type ExpressionFacts } from './expression.ts';
import type { FunnelEdge, FunnelGraph, FunnelNode } from './graph-rules.ts';

/** The edge an event takes out of a step: of those that hold the one of the smallest priority, the first of equals. Null: the visitor stays. */
export function edgeFor({ edges }: FunnelGraph, stepId: string, facts: ExpressionFacts): FunnelEdge | null {
  const out = edges.filter(({ source }) => source === stepId).sort((left, right) => left.priority - right.priority);
  return out.find((edge) => holds(edge, facts)) ?? null;
}

/**
 * A declined payment leads on only by an edge that is for it: neither a default nor an expression may let somebody pass who has
 * not paid. An expression beside a condition narrows it.
 */
function holds({ condition: { when, expression } }: FunnelEdge, facts: ExpressionFacts): boolean {
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

/** Whether nothing leads on from a step. */
export function isEnd({ edges }: FunnelGraph, stepId: string): boolean {
  return edges.every(({ source }) => source !== stepId);
}
