import type { Store } from '../../generated/prisma/client.ts';
import { InvalidInput } from '../../kit/errors.ts';
import type { Write } from '../../write/write.ts';
import { type FunnelGraph, graphIssues } from './graph-rules.ts';
import type { CreateFunnelInput } from './inputs.ts';
import { type StepConfig, textIn } from './step-config.ts';

/** The graph of a request, with every default filled in. */
export function graphFromInput({
  nodes,
  edges,
}: Pick<typeof CreateFunnelInput.$inferInput, 'nodes' | 'edges'>): FunnelGraph {
  return {
    nodes: nodes.map(({ id, name, type, isEntry, isConversion, config, variants }) => ({
      id,
      name: name ?? null,
      type,
      isEntry: isEntry ?? false,
      isConversion: isConversion ?? false,
      config: (config ?? {}) as StepConfig, // a JSON object, which the scalar has checked
      variants: (variants ?? []).map((variant) => ({
        id: variant.id,
        percentage: variant.percentage,
        config: (variant.config ?? {}) as StepConfig, // the same
      })),
    })),
    edges: edges.map(({ source, target, condition, priority }) => ({
      source,
      target,
      condition: { when: condition?.when ?? 'default', expression: condition?.expression ?? null },
      priority: priority ?? 0,
    })),
  };
}

/** Rejects a graph that breaks a rule, with at most 100 issues. */
export function assertGraph(graph: FunnelGraph): void {
  const issues = graphIssues(graph);
  if (issues.length > 0) throw new InvalidInput(issues.slice(0, 100));
}

/** Rejects a price in a currency that the store cannot charge: the payment would fail at checkout. */
export function assertCurrencies(graph: FunnelGraph, { chargeCurrencies }: Store): void {
  const issues = configsOf(graph)
    .filter(({ config: { currency } }) => typeof currency === 'string' && !chargeCurrencies.includes(currency))
    .map(({ path }) => ({
      path: `${path}.currency`,
      message: `must be one of the store's charge currencies: ${chargeCurrencies.join(', ')}`,
    }));
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** Rejects plugin instances of another store and payment flows of another account. */
export async function assertReferences(
  tx: Write['tx'],
  graph: FunnelGraph,
  { id: storeId, platformAccountId }: Pick<Store, 'id' | 'platformAccountId'>,
): Promise<void> {
  const instances = referencesIn(graph, 'instanceId');
  const flows = referencesIn(graph, 'paymentFlowId');
  const select = { id: true };
  const knownInstances =
    instances.length === 0
      ? []
      : await tx.pluginInstance.findMany({ where: { id: { in: idsOf(instances) }, storeId }, select });
  const knownFlows =
    flows.length === 0
      ? []
      : await tx.paymentFlow.findMany({ where: { id: { in: idsOf(flows) }, platformAccountId }, select });
  const issues = [
    ...unknownOf(instances, knownInstances, 'must be a plugin instance of the store'),
    ...unknownOf(flows, knownFlows, 'must be a payment flow of the account'),
  ];
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** Every configuration of a graph with its path. */
function configsOf({ nodes }: FunnelGraph): { config: StepConfig; path: string }[] {
  return nodes.flatMap(({ config, variants }, index) => [
    { config, path: `nodes[${index}].config` },
    ...variants.map((variant, at) => ({ config: variant.config, path: `nodes[${index}].variants[${at}].config` })),
  ]);
}

interface Reference {
  id: string;
  path: string;
}

function referencesIn(graph: FunnelGraph, name: 'instanceId' | 'paymentFlowId'): Reference[] {
  return configsOf(graph)
    .map(({ config, path }) => ({ id: textIn(config, name) ?? '', path: `${path}.${name}` }))
    .filter(({ id }) => id !== '');
}

function idsOf(references: readonly Reference[]): string[] {
  return [...new Set(references.map(({ id }) => id))];
}

function unknownOf(references: readonly Reference[], known: readonly { id: string }[], message: string) {
  const ids = new Set(known.map(({ id }) => id));
  return references.filter(({ id }) => !ids.has(id)).map(({ path }) => ({ path, message }));
}
