import { tenantOf } from '../../../auth/tenancy.ts';
import type { KeyContext } from '../../../call/context.ts';
import { sql } from '../../../database/sql.ts';
import type { Funnel, Prisma } from '../../../generated/prisma/client.ts';
import { NotFound } from '../../../lib/errors.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import type { FunnelGraph } from './rules.ts';

export function noSuchFunnel(): NotFound {
  return new NotFound('There is no such funnel.');
}

/** The stored graph of a funnel or of one of its versions. */
export function storedGraph({ nodes, edges }: Pick<Funnel, 'nodes' | 'edges'>): FunnelGraph {
  return { nodes, edges } as unknown as FunnelGraph; // written by createFunnel and updateFunnel only
}

/** The columns of a graph. */
export function graphColumns({ nodes, edges }: FunnelGraph): Record<'nodes' | 'edges', Prisma.InputJsonArray> {
  return { nodes: nodes as Prisma.InputJsonArray, edges }; // a config is plain JSON, as it was received
}

export async function storeFunnelVersion(
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
export async function unsetDefault({ tx, now }: Write, storeId: string): Promise<void> {
  await tx.$queryRaw(sql`SELECT id FROM stores WHERE id = ${storeId} FOR NO KEY UPDATE`);
  await tx.funnel.updateMany({ where: { storeId, isDefault: true }, data: { isDefault: false, updatedAt: now } });
}

export async function readFunnel({ services, caller }: KeyContext, id: string): Promise<Funnel> {
  const funnel = await services.prisma.funnel.findFirst({ where: { ...tenantOf(caller), id } });
  if (!funnel) throw noSuchFunnel();
  return funnel;
}
