import { tenantOf } from '../../auth/tenancy.ts';
import { sql } from '../../database/sql.ts';
import type { Funnel } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { graphColumns, noSuchFunnel, storedGraph, storeFunnelVersion, unsetDefault } from './funnel-rows.ts';
import { assertCurrencies, assertGraph, assertReferences, graphFromInput } from './graph-input.ts';
import type { UpdateFunnelInput } from './inputs.ts';
import { pricedGraph } from './step-prices.ts';

/** Changed steps or edges make a new version. Sessions in progress continue with the version they started with. */
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
    // The store is locked before the funnel, as everywhere, so that two changes never deadlock.
    if (isDefault === true) await unsetDefault(change, found.storeId);
    // Locked, so that two changes at once make two versions.
    await tx.$queryRaw(sql`SELECT id FROM funnels WHERE id = ${id} FOR NO KEY UPDATE`);
    const before = await tx.funnel.findFirst({ where: { id }, include: { store: true } });
    if (!before) throw noSuchFunnel();
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
