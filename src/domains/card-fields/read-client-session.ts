import { tenantOf } from '../../auth/tenancy.ts';
import type { ClientSession } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';

export async function readClientSession({ caller, services }: KeyContext, id: string): Promise<ClientSession> {
  const found = await services.prisma.clientSession.findFirst({ where: { ...tenantOf(caller), id } });
  if (!found) throw new NotFound('There is no such client session.');
  return found;
}
