import { tenantOf } from '../../auth/tenancy.ts';
import type { KeyContext } from '../../graph/context.ts';
import { write } from '../../write/write.ts';
import { noSuchRule } from './block-rule-rows.ts';

export function deleteBlockRule(context: KeyContext, id: string): Promise<{ id: string; deleted: true }> {
  return write(context, 'deleteBlockRule', async ({ tx }) => {
    const { count } = await tx.blockRule.deleteMany({ where: { ...tenantOf(context.caller), id } });
    if (count === 0) throw noSuchRule();
    return { id, deleted: true };
  });
}
