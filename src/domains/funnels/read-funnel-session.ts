import { tenantOf } from '../../auth/tenancy.ts';
import type { FunnelSession } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';

export async function readFunnelSession({ services, caller }: KeyContext, id: string): Promise<FunnelSession> {
  const session = await services.prisma.funnelSession.findFirst({ where: { ...tenantOf(caller), id } });
  if (!session) throw new NotFound('There is no such funnel session.');
  return session;
}
