import type { InputIssue } from '../../../lib/errors.ts';
import { expressionProblem } from './expression.ts';
import { configIssues, type StepConfig } from './step-config.ts';

/** The stored form of a funnel: the content of one version. */
export interface FunnelGraph {
  nodes: readonly FunnelNode[];
  edges: readonly FunnelEdge[];
}

export type FunnelNode = {
  id: string;
  name: string | null;
  type: FunnelStepType;
  isEntry: boolean;
  isConversion: boolean;
  config: StepConfig;
  variants: readonly FunnelVariant[];
};

export type FunnelVariant = {
  id: string;
  percentage: number;
  config: StepConfig;
};

export type FunnelEdge = {
  source: string;
  target: string;
  condition: { when: EdgeConditionWhen; expression: string | null };
  priority: number;
};

const nodesMax = 50;
export const edgesMax = 200;
const variantsMax = 10;
const idPattern = /^[A-Za-z0-9_-]{1,64}$/;
const idWords = 'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -';

/** Every rule that a funnel breaks, with the path of the field. Pure. */
export function graphIssues(graph: FunnelGraph): InputIssue[] {
  const { nodes, edges } = graph;
  if (nodes.length === 0 || nodes.length > nodesMax)
    return [{ path: 'nodes', message: `must contain 1 to ${nodesMax} items` }];
  if (edges.length > edgesMax) return [{ path: 'edges', message: `must contain at most ${edgesMax} items` }];
  const issues = [
    ...nodes.flatMap((node, index) => nodeIssues(node, `nodes[${index}]`)),
    ...edges.flatMap((edge, index) => edgeIssues(edge, `edges[${index}]`)),
  ];
  const ids = new Set<string>();
  for (const [index, { id }] of nodes.entries()) {
    if (ids.has(id)) issues.push({ path: `nodes[${index}].id`, message: 'must be unique' });
    ids.add(id);
  }
  const ends = edges.flatMap((edge, index) =>
    (['source', 'target'] as const)
      .filter((end) => !ids.has(edge[end]))
      .map((end) => ({ path: `edges[${index}].${end}`, message: 'must be the id of a node' })),
  );
  const entries = entryIssues(nodes);
  // Without a known entry and known ends of every edge, cycles and unreachable steps cannot be determined.
  if (ends.length > 0 || entries.length > 0 || ids.size < nodes.length) return [...issues, ...entries, ...ends];
  return [...issues, ...cycleIssues(graph), ...unreachableStepIssues(graph)];
}

function nodeIssues({ id, config, variants }: FunnelNode, path: string): InputIssue[] {
  return [
    ...(idPattern.test(id) ? [] : [{ path: `${path}.id`, message: idWords }]),
    ...configIssues(config, `${path}.config`),
    ...variantIssues(variants, path, config),
  ];
}

function variantIssues(variants: readonly FunnelVariant[], nodePath: string, base: StepConfig): InputIssue[] {
  const path = `${nodePath}.variants`;
  if (variants.length === 0) return [];
  if (variants.length > variantsMax) return [{ path, message: `must contain at most ${variantsMax} items` }];
  const issues: InputIssue[] = [];
  for (const [index, { id, percentage, config }] of variants.entries()) {
    const at = `${path}[${index}]`;
    if (!idPattern.test(id)) issues.push({ path: `${at}.id`, message: idWords });
    if (variants.findIndex((other) => other.id === id) !== index)
      issues.push({ path: `${at}.id`, message: 'must be unique' });
    if (!isPercentage(percentage))
      issues.push({ path: `${at}.percentage`, message: 'must be a number from 0 to 100 with at most two decimals' });
    issues.push(...configIssues(config, `${at}.config`, base));
  }
  const sum = variants.reduce((hundredths, { percentage }) => hundredths + Math.round(percentage * 100), 0);
  if (sum !== 10_000) issues.push({ path, message: `must have percentages with a sum of 100, not ${sum / 100}` });
  return issues;
}

function isPercentage(value: number): boolean {
  return value >= 0 && value <= 100 && Math.abs(value * 100 - Math.round(value * 100)) < 1e-6;
}

function edgeIssues({ condition, priority }: FunnelEdge, path: string): InputIssue[] {
  const { when, expression } = condition;
  const issues: InputIssue[] = [];
  if (!Number.isInteger(priority) || Math.abs(priority) > 1_000_000)
    issues.push({ path: `${path}.priority`, message: 'must be a whole number from -1000000 to 1000000' });
  if (when === 'expression' && expression === null)
    issues.push({ path: `${path}.condition.expression`, message: 'is required with when: expression' });
  const problem = expression === null ? null : expressionProblem(expression);
  if (problem !== null) issues.push({ path: `${path}.condition.expression`, message: problem });
  return issues;
}

function entryIssues(nodes: readonly FunnelNode[]): InputIssue[] {
  const entries = nodes.flatMap(({ isEntry }, index) => (isEntry ? [index] : []));
  if (entries.length === 0) return [{ path: 'nodes', message: 'must contain one node with isEntry: true' }];
  return entries
    .slice(1)
    .map((index) => ({ path: `nodes[${index}].isEntry`, message: `must be false: nodes[${entries[0]}] is the entry` }));
}

/** The first edge that closes a cycle, found by a depth-first search. */
function cycleIssues({ nodes, edges }: FunnelGraph): InputIssue[] {
  const open = new Set<string>();
  const free = new Set<string>();
  const visit = (id: string): InputIssue | null => {
    open.add(id);
    for (const [index, { source, target }] of edges.entries()) {
      if (source !== id || free.has(target)) continue;
      if (open.has(target))
        return {
          path: `edges[${index}]`,
          message: `must not lead back to ${JSON.stringify(target)}: a funnel cannot contain a cycle`,
        };
      const found = visit(target);
      if (found) return found;
    }
    open.delete(id);
    free.add(id);
    return null;
  };
  for (const { id } of nodes) {
    const found = free.has(id) ? null : visit(id);
    if (found) return [found];
  }
  return [];
}

function unreachableStepIssues({ nodes, edges }: FunnelGraph): InputIssue[] {
  const reached = new Set(nodes.filter(({ isEntry }) => isEntry).map(({ id }) => id));
  // Iterating over a set includes the entries that are added during the iteration.
  for (const id of reached) for (const { source, target } of edges) if (source === id) reached.add(target);
  return nodes.flatMap(({ id }, index) =>
    reached.has(id) ? [] : [{ path: `nodes[${index}]`, message: 'must be reachable from the entry' }],
  );
}

/** The statuses of a session. A payment that succeeds later resumes an abandoned session. */
export const funnelSessionStatuses = ['active', 'completed', 'abandoned'] as const;
export const funnelStepTypes = ['landing', 'checkout', 'offer', 'upsell', 'downsell', 'thankyou'] as const;
type FunnelStepType = (typeof funnelStepTypes)[number];

/** Steps with an offer, which is paid with the card that paid before. */
export const offeringStepTypes: readonly FunnelStepType[] = ['offer', 'upsell', 'downsell'];

export const edgeConditions = [
  'default',
  'payment_succeeded',
  'payment_declined',
  'offer_accepted',
  'offer_declined',
  'expression',
] as const;
type EdgeConditionWhen = (typeof edgeConditions)[number];

/** Events about payments. They are accepted only with the id of a payment, which is checked. */
export const paymentEvents: readonly string[] = ['payment_succeeded', 'payment_declined'];

/**
 * The event of a session for a payment of its order with this status; null while the payment has no final outcome. An
 * offer is accepted by paying it.
 */
export function eventOfPayment(status: string, kind: 'checkout' | 'offer'): string | null {
  switch (status) {
    case 'succeeded':
    case 'partially_refunded':
    case 'refunded':
      return kind === 'offer' ? 'offer_accepted' : 'payment_succeeded';
    case 'declined':
    case 'failed':
      return 'payment_declined';
    default:
      return null;
  }
}

/** Whether leaving a step by this event counts as a conversion of the step. */
export function isConversion(eventType: string): boolean {
  return eventType !== 'payment_declined' && eventType !== 'offer_declined';
}
