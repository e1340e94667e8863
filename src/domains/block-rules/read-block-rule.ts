import { tenantOf } from '../../auth/tenancy.ts';
import type { BlockRule } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { noSuchRule } from './block-rule-rows.ts';

export async function readBlockRule(context: KeyContext, id: string): Promise<BlockRule> {
  const rule = await context.services.prisma.blockRule.findFirst({ where: { ...tenantOf(context.caller), id } });
  if (!rule) throw noSuchRule();
  return rule;
}
