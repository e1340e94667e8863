import type { Funnel } from '../generated/prisma/client.ts';
import { NotFound } from '../kit/errors.ts';
import type { FunnelGraph } from './graph-rules.ts';

export function noSuchFunnel(): NotFound {
  return new NotFound('There is no such funnel.');
}

/** The graph of a funnel, or of a version of it, as it is kept. */
export function keptGraph({ nodes, edges }: Pick<Funnel, 'nodes' | 'edges'>): FunnelGraph {
  return { nodes, edges } as unknown as FunnelGraph; // written by createFunnel and updateFunnel only
}
