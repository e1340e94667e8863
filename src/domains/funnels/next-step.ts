import { type ExpressionFacts, expressionHolds } from './expression.ts';
import type { FunnelEdge, FunnelGraph, FunnelNode } from './graph-rules.ts';

/**
 * The edge that an event takes out of a step: of the matching edges the one with the smallest priority, and of equal
 * ones the first. Null if no edge matches and the visitor stays.
 */
export function edgeFor({ edges }: FunnelGraph, stepId: string, facts: ExpressionFacts): FunnelEdge | null {
  const out = edges.filter(({ source }) => source === stepId).sort((left, right) => left.priority - right.priority);
  return out.find((edge) => isMatch(edge, facts)) ?? null;
}

/**
 * A declined payment takes only an edge for `payment_declined`: neither a default edge nor an expression may let a
 * visitor continue who has not paid. An expression beside another condition narrows it.
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
