import { tenantOf } from '../../auth/tenancy.ts';
import type { KeyContext } from '../../graph/context.ts';
import { write } from '../../write/write.ts';
import { noSuchFunnel } from './funnel-rows.ts';

/** No session can start with a deleted funnel. Sessions in progress continue to their end. */
export function deleteFunnel(context: KeyContext, id: string): Promise<{ id: string; deleted: true }> {
  return write(context, 'deleteFunnel', async ({ tx }) => {
    const { count } = await tx.funnel.deleteMany({ where: { ...tenantOf(context.caller), id } });
    if (count === 0) throw noSuchFunnel();
    return { id, deleted: true };
  });
}
