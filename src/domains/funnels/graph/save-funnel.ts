import { noSuch, ownRow, requireRow } from '../../../auth/visible.ts';
import type { TenantContext } from '../../../call/context.ts';
import { lockRow } from '../../../database/lock-row.ts';
import type { Funnel, Prisma, Store } from '../../../generated/prisma/client.ts';
import { InvalidInput } from '../../../lib/errors.ts';
import { newRow } from '../../../lib/ids.ts';
import { assertRoom, type Write, write } from '../../../unit-of-work/write.ts';
import { atStore } from '../../stores/public.ts';
import type { CreateFunnelInput, UpdateFunnelInput } from '../inputs.ts';
import { storedGraph } from './funnel-rows.ts';
import { type FunnelGraph, graphIssues } from './rules.ts';
import { pricedGraph, type StepConfig, textIn } from './step-config.ts';

/** The graph of a request, with every default filled in. */
function graphFromInput({ nodes, edges }: Pick<typeof CreateFunnelInput.$inferInput, 'nodes' | 'edges'>): FunnelGraph {
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
function assertGraph(graph: FunnelGraph): void {
  const issues = graphIssues(graph);
  if (issues.length > 0) throw new InvalidInput(issues.slice(0, 100));
}

/** Rejects a price in a currency that the store cannot charge: the payment would fail at checkout. */
function assertCurrencies(graph: FunnelGraph, { chargeCurrencies }: Store): void {
  const issues = configsOf(graph)
    .filter(({ config: { currency } }) => typeof currency === 'string' && !chargeCurrencies.includes(currency))
    .map(({ path }) => ({
      path: `${path}.currency`,
      message: `must be one of the store's charge currencies: ${chargeCurrencies.join(', ')}`,
    }));
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** Rejects plugin instances of another store and payment flows of another account. */
async function assertReferences(
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

export async function createFunnel(
  context: TenantContext,
  { storeId, name, isDefault, ...given }: typeof CreateFunnelInput.$inferInput,
): Promise<Funnel> {
  const graph = graphFromInput(given);
  assertGraph(graph);
  return atStore(context, storeId, (store) => {
    assertCurrencies(graph, store);
    return write(context, 'createFunnel', async (change) => {
      const { tx, now } = change;
      await assertRoom(change, store.platformAccountId, {
        what: 'funnels',
        max: funnelsMax,
        count: (where) => tx.funnel.count({ where }),
      });
      await assertReferences(tx, graph, store);
      const priced = await pricedGraph(tx, graph, store);
      if (isDefault === true) await unsetDefault(change, store.id);
      const funnel = await tx.funnel.create({
        data: {
          ...newRow('funnel_', store, now),
          storeId: store.id,
          name,
          isDefault: isDefault ?? false,
          version: 1,
          ...graphColumns(priced),
        },
      });
      await storeFunnelVersion(change, funnel);
      return funnel;
    });
  });
}

const funnelsMax = 200;

/** Changed steps or edges make a new version. Sessions in progress continue with the version they started with. */
export function updateFunnel(
  context: TenantContext,
  id: string,
  { name, isDefault, nodes, edges }: typeof UpdateFunnelInput.$inferInput,
): Promise<Funnel> {
  return write(context, 'updateFunnel', async (change) => {
    const { tx, now } = change;
    const { storeId } = await ownRow(tx, context.tenant, 'funnel', id);
    // The store is locked before the funnel, as everywhere, so that two changes never deadlock.
    if (isDefault === true) await unsetDefault(change, storeId);
    // Locked, so that two concurrent changes create two versions.
    await lockRow(tx, 'funnels', id);
    const before = await requireRow(tx, 'funnel', { id }, { include: { store: true } });
    const stored = storedGraph(before);
    const given = graphFromInput({ nodes: nodes ?? [], edges: edges ?? [] });
    const graph = {
      nodes: nodes == null ? stored.nodes : given.nodes,
      edges: edges == null ? stored.edges : given.edges,
    };
    const isNewVersion = nodes != null || edges != null;
    if (isNewVersion) {
      assertGraph(graph);
      assertCurrencies(graph, before.store);
      await assertReferences(tx, graph, before.store);
    }
    const priced = isNewVersion ? await pricedGraph(tx, graph, before.store) : graph;
    const funnel = await tx.funnel.update({
      where: { id },
      data: {
        ...(name != null && { name }),
        ...(isDefault != null && { isDefault }),
        ...(isNewVersion && { ...graphColumns(priced), version: before.version + 1 }),
        updatedAt: now,
      },
    });
    if (isNewVersion) await storeFunnelVersion(change, funnel);
    return funnel;
  });
}

/** No session can start with a deleted funnel. Sessions in progress continue to their end. */
export function deleteFunnel(context: TenantContext, id: string): Promise<{ id: string; deleted: true }> {
  return write(context, 'deleteFunnel', async ({ tx }) => {
    const { count } = await tx.funnel.deleteMany({ where: { ...context.tenant, id } });
    if (count === 0) throw noSuch('funnel');
    return { id, deleted: true };
  });
}

/** The columns of a graph. */
function graphColumns({ nodes, edges }: FunnelGraph): Record<'nodes' | 'edges', Prisma.InputJsonArray> {
  return { nodes: nodes as Prisma.InputJsonArray, edges }; // a config is plain JSON, as it was received
}

async function storeFunnelVersion(
  { tx, now }: Write,
  { id: funnelId, version, partnerId, platformAccountId, mode, nodes, edges }: Funnel,
): Promise<void> {
  await tx.funnelVersion.create({
    data: {
      funnelId,
      version,
      partnerId,
      platformAccountId,
      mode,
      nodes: nodes as Prisma.InputJsonValue, // plain JSON, as it was read
      edges: edges as Prisma.InputJsonValue, // the same
      createdAt: now,
    },
  });
}

/**
 * A store has one default funnel: a new default replaces the old one. The lock on the store's row prevents that two
 * funnels become the default concurrently.
 */
async function unsetDefault({ tx, now }: Write, storeId: string): Promise<void> {
  await lockRow(tx, 'stores', storeId);
  await tx.funnel.updateMany({ where: { storeId, isDefault: true }, data: { isDefault: false, updatedAt: now } });
}
