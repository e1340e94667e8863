import { type Reach, tenantOf } from '../auth/tenancy.ts';
import type { Funnel, Prisma, Store } from '../generated/prisma/client.ts';
import type { Context, KeyContext } from '../graph/context.ts';
import { is, oneOf, text } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { Conflict, invalid, InvalidInput } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { write, type Write } from '../kit/write.ts';
import { atStore } from '../stores/operations.ts';
import { type FunnelFigures, readFigures } from './figures.ts';
import { keptGraph, noSuchFunnel } from './funnel-records.ts';
import { type FunnelGraph, graphIssues } from './graph-rules.ts';
import type { CreateFunnelInput, FunnelFilters, UpdateFunnelInput } from './schema.ts';
import { type StepConfig, textIn } from './step-config.ts';
import { pricedGraph } from './step-prices.ts';

const funnelList: ListDefinition<typeof FunnelFilters.$inferInput> = {
  table: 'funnels',
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: { storeId: oneOf('storeId'), name: text('name'), isDefault: is('isDefault') },
  counted: true,
};

export function listFunnels(
  context: KeyContext,
  args: ListArguments<typeof FunnelFilters.$inferInput>,
): Promise<Page<Funnel>> {
  return listFunnelsWithin(context, context.caller, args);
}

/** The same list for whoever else looks at funnels. */
export function listFunnelsWithin(
  { env }: Context,
  reach: Reach,
  args: ListArguments<typeof FunnelFilters.$inferInput>,
): Promise<Page<Funnel>> {
  return readList(env.pool, reach, funnelList, args);
}

export async function readFunnel({ env, caller }: KeyContext, id: string): Promise<Funnel> {
  const funnel = await env.prisma.funnel.findFirst({ where: { ...tenantOf(caller), id } });
  if (!funnel) throw noSuchFunnel();
  return funnel;
}

/** What a funnel that the caller was already allowed to see has come to. */
export function figuresOfFunnel({ env }: Context, funnel: Funnel): Promise<FunnelFigures> {
  return readFigures(env.pool, funnel.id, keptGraph(funnel));
}

const funnelsMax = 200;

export async function createFunnel(
  context: KeyContext,
  { storeId, name, isDefault, ...given }: typeof CreateFunnelInput.$inferInput,
): Promise<Funnel> {
  const graph = graphGiven(given);
  assertGraph(graph);
  return atStore(context, 'createFunnel', storeId, (store) => {
    assertCurrencies(graph, store);
    return write(context, 'createFunnel', async (change) => {
      const { tx, now } = change;
      await assertRoom(tx, store.platformAccountId);
      await assertReferences(tx, graph, store);
      const priced = await pricedGraph(tx, graph, store);
      if (isDefault === true) await unsetDefault(change, store.id);
      const { partnerId, platformAccountId, mode } = store;
      const funnel = await tx.funnel.create({
        data: {
          id: newId('funnel', now),
          partnerId,
          platformAccountId,
          mode,
          storeId: store.id,
          name,
          isDefault: isDefault ?? false,
          version: 1,
          ...json(priced),
          createdAt: now,
          updatedAt: now,
        },
      });
      await keepVersion(change, funnel);
      return funnel;
    });
  });
}

/** Changes what is named. New sessions begin with what it is then; those under way go on with what they began with. */
export function updateFunnel(
  context: KeyContext,
  id: string,
  { name, isDefault, nodes, edges }: typeof UpdateFunnelInput.$inferInput,
): Promise<Funnel> {
  for (const [field, value] of Object.entries({ name, isDefault, nodes, edges }))
    if (value === null) throw invalid(field, 'must not be null: leave it out instead');
  return write(context, 'updateFunnel', async (change) => {
    const { tx, now } = change;
    const found = await tx.funnel.findFirst({ where: { ...tenantOf(context.caller), id }, include: { store: true } });
    if (!found) throw noSuchFunnel();
    // The store before the funnel, as everybody takes them.
    if (isDefault === true) await unsetDefault(change, found.storeId);
    // Of two changes at once each makes a version of its own.
    await tx.$queryRaw`SELECT id FROM funnels WHERE id = ${id} FOR NO KEY UPDATE`;
    const before = await tx.funnel.findFirst({ where: { id }, include: { store: true } });
    if (!before) throw noSuchFunnel();
    const kept = keptGraph(before);
    const given = graphGiven({ nodes: nodes ?? [], edges: edges ?? [] });
    const graph = { nodes: nodes == null ? kept.nodes : given.nodes, edges: edges == null ? kept.edges : given.edges };
    const changes = nodes != null || edges != null;
    if (changes) {
      assertGraph(graph);
      assertCurrencies(graph, before.store);
      await assertReferences(tx, graph, before.store);
    }
    const priced = changes ? await pricedGraph(tx, graph, before.store) : graph;
    const funnel = await tx.funnel.update({
      where: { id },
      data: {
        ...(name != null && { name }),
        ...(isDefault != null && { isDefault }),
        ...(changes && { ...json(priced), version: before.version + 1 }),
        updatedAt: now,
      },
    });
    if (changes) await keepVersion(change, funnel);
    return funnel;
  });
}

/** No session begins with it any more; those under way go on to their end. */
export function deleteFunnel(context: KeyContext, id: string): Promise<{ id: string; deleted: true }> {
  return write(context, 'deleteFunnel', async ({ tx }) => {
    const { count } = await tx.funnel.deleteMany({ where: { ...tenantOf(context.caller), id } });
    if (count === 0) throw noSuchFunnel();
    return { id, deleted: true };
  });
}

type GivenGraph = Pick<typeof CreateFunnelInput.$inferInput, 'nodes' | 'edges'>;

/** The graph as it is kept, with every default written out. */
function graphGiven({ nodes, edges }: GivenGraph): FunnelGraph {
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
        config: (variant.config ?? {}) as StepConfig,
      })), // as above
    })),
    edges: edges.map(({ source, target, condition, priority }) => ({
      source,
      target,
      condition: { when: condition?.when ?? 'default', expression: condition?.expression ?? null },
      priority: priority ?? 0,
    })),
  };
}

function assertGraph(graph: FunnelGraph): void {
  const issues = graphIssues(graph);
  if (issues.length > 0) throw new InvalidInput(issues.slice(0, 100));
}

/** Every configuration of a graph, and where it stands. */
function configsOf({ nodes }: FunnelGraph): { config: StepConfig; path: string }[] {
  return nodes.flatMap(({ config, variants }, index) => [
    { config, path: `nodes[${index}].config` },
    ...variants.map((variant, at) => ({ config: variant.config, path: `nodes[${index}].variants[${at}].config` })),
  ]);
}

/** A price in a currency the store cannot charge would fail at the till. */
function assertCurrencies(graph: FunnelGraph, { chargeCurrencies }: Store): void {
  const issues = configsOf(graph)
    .filter(({ config: { currency } }) => typeof currency === 'string' && !chargeCurrencies.includes(currency))
    .map(({ path }) => ({
      path: `${path}.currency`,
      message: `must be one of the store's charge currencies: ${chargeCurrencies.join(', ')}`,
    }));
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** Plugin instances are the store's, payment flows the account's. */
async function assertReferences(
  tx: Write['tx'],
  graph: FunnelGraph,
  { id: storeId, platformAccountId }: Pick<Store, 'id' | 'platformAccountId'>,
): Promise<void> {
  const configs = configsOf(graph);
  const named = (name: 'instanceId' | 'paymentFlowId') =>
    configs
      .flatMap(({ config, path }) => ({ id: textIn(config, name) ?? '', path: `${path}.${name}` }))
      .filter(({ id }) => id !== '');
  const [instances, flows] = [named('instanceId'), named('paymentFlowId')];
  const ids = (rows: readonly { id: string }[]) => new Set(rows.map(({ id }) => id));
  const knownInstances =
    instances.length === 0
      ? ids([])
      : ids(
          await tx.pluginInstance.findMany({
            where: { id: { in: [...ids(instances)] }, storeId },
            select: { id: true },
          }),
        );
  const knownFlows =
    flows.length === 0
      ? ids([])
      : ids(
          await tx.paymentFlow.findMany({
            where: { id: { in: [...ids(flows)] }, platformAccountId },
            select: { id: true },
          }),
        );
  const issues = [
    ...instances
      .filter(({ id }) => !knownInstances.has(id))
      .map(({ path }) => ({ path, message: 'must be a plugin instance of the store' })),
    ...flows
      .filter(({ id }) => !knownFlows.has(id))
      .map(({ path }) => ({ path, message: 'must be a payment flow of the account' })),
  ];
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** Holds the account's row while it counts, so that of two calls at once one sees the other's funnel. */
async function assertRoom(tx: Write['tx'], platformAccountId: string): Promise<void> {
  await tx.$queryRaw`SELECT id FROM processing_accounts WHERE id = ${platformAccountId} FOR NO KEY UPDATE`;
  if ((await tx.funnel.count({ where: { platformAccountId } })) >= funnelsMax)
    throw new Conflict('limit_reached', `An account has at most ${funnelsMax} funnels.`);
}

/** There is one default a store: who becomes it takes it from another. The store's row keeps two from becoming it at once. */
async function unsetDefault({ tx, now }: Write, storeId: string): Promise<void> {
  await tx.$queryRaw`SELECT id FROM stores WHERE id = ${storeId} FOR NO KEY UPDATE`;
  await tx.funnel.updateMany({ where: { storeId, isDefault: true }, data: { isDefault: false, updatedAt: now } });
}

async function keepVersion(
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
      nodes: nodes as Prisma.InputJsonValue,
      edges: edges as Prisma.InputJsonValue,
      createdAt: now,
    },
  }); // plain JSON, as they were read
}

function json({ nodes, edges }: FunnelGraph): { nodes: Prisma.InputJsonValue; edges: Prisma.InputJsonValue } {
  return { nodes, edges } as unknown as { nodes: Prisma.InputJsonValue; edges: Prisma.InputJsonValue }; // plain JSON, but for its read-only types
}
