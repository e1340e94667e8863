import { tenantWhere } from '../../../auth/tenancy.ts';
import { objectVisibilityOf } from '../../../auth/visibility.ts';
import type { ViewerContext } from '../../../call/context.ts';
import type { Funnel } from '../../../generated/prisma/client.ts';
import { NotFound } from '../../../lib/errors.ts';
import type { FunnelGraph } from './rules.ts';

export function noSuchFunnel(): NotFound {
  return new NotFound('There is no such funnel.');
}

/** The stored graph of a funnel or of one of its versions. */
export function storedGraph({ nodes, edges }: Pick<Funnel, 'nodes' | 'edges'>): FunnelGraph {
  return { nodes, edges } as unknown as FunnelGraph; // written by createFunnel and updateFunnel only
}

export async function readFunnel(context: ViewerContext, id: string): Promise<Funnel> {
  const where = { ...tenantWhere(await objectVisibilityOf(context)), id };
  const funnel = await context.services.prisma.funnel.findFirst({ where });
  if (!funnel) throw noSuchFunnel();
  return funnel;
}
