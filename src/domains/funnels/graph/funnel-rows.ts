import type { Funnel } from '../../../generated/prisma/client.ts';
import type { FunnelGraph } from './rules.ts';

/** The stored graph of a funnel or of one of its versions. */
export function storedGraph({ nodes, edges }: Pick<Funnel, 'nodes' | 'edges'>): FunnelGraph {
  return { nodes, edges } as unknown as FunnelGraph; // written by createFunnel and updateFunnel only
}
