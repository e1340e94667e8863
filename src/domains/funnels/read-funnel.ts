import { tenantOf } from '../../auth/tenancy.ts';
import type { Funnel } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { noSuchFunnel } from './funnel-rows.ts';

export async function readFunnel({ services, caller }: KeyContext, id: string): Promise<Funnel> {
  const funnel = await services.prisma.funnel.findFirst({ where: { ...tenantOf(caller), id } });
  if (!funnel) throw noSuchFunnel();
  return funnel;
}
