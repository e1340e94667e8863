import { sql } from '../../database/sql.ts';
import type { Funnel } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { type Write, write } from '../../write/write.ts';
import { atStore } from '../stores/public.ts';
import { graphColumns, storeFunnelVersion, unsetDefault } from './funnel-rows.ts';
import { assertCurrencies, assertGraph, assertReferences, graphFromInput } from './graph-input.ts';
import type { CreateFunnelInput } from './inputs.ts';
import { pricedGraph } from './step-prices.ts';

export async function createFunnel(
  context: KeyContext,
  { storeId, name, isDefault, ...given }: typeof CreateFunnelInput.$inferInput,
): Promise<Funnel> {
  const graph = graphFromInput(given);
  assertGraph(graph);
  return atStore(context, storeId, (store) => {
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
          id: newId('funnel_', now),
          partnerId,
          platformAccountId,
          mode,
          storeId: store.id,
          name,
          isDefault: isDefault ?? false,
          version: 1,
          ...graphColumns(priced),
          createdAt: now,
          updatedAt: now,
        },
      });
      await storeFunnelVersion(change, funnel);
      return funnel;
    });
  });
}

const funnelsMax = 200;

/** Locks the account's row while it counts, so that of two calls at once one counts the other's funnel. */
async function assertRoom(tx: Write['tx'], platformAccountId: string): Promise<void> {
  await tx.$queryRaw(sql`SELECT id FROM processing_accounts WHERE id = ${platformAccountId} FOR NO KEY UPDATE`);
  if ((await tx.funnel.count({ where: { platformAccountId } })) >= funnelsMax)
    throw new Conflict('limit_reached', `An account has at most ${funnelsMax} funnels.`);
}
