import type { BlockRule } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import type { Mode } from '../../kit/mode.ts';
import { write } from '../../write/write.ts';
import { storeOf } from '../stores/public.ts';
import { assertPatternsFit, lifetimeOf } from './block-rule-rows.ts';
import type { CreateBlockRuleInput } from './inputs.ts';
import { assertCriteria, presentPan, storedCriteria } from './rule-criteria.ts';

/** Adds a rule to the account of the key, or with a partner key to the store that it names. */
export async function createBlockRule(
  context: KeyContext,
  input: typeof CreateBlockRuleInput.$inferInput,
): Promise<BlockRule> {
  const { name, operator, isPermanent, ttlHours, storeId, metadata, ...criteria } = input;
  if (isPermanent && ttlHours != null) throw invalid('ttlHours', 'must not stand beside isPermanent: true');
  assertCriteria(criteria, true);
  const owner = await ownerOfRule(context, storeId);
  await presentPan(context, owner, criteria);
  return write(context, 'createBlockRule', async ({ tx, now }) => {
    const kept = await storedCriteria(context, tx, { id: owner.platformAccountId, mode: owner.mode }, criteria);
    const id = newId('rule_', now);
    if (kept.hasPatterns) await assertPatternsFit(tx, owner.platformAccountId, kept.criteria, id);
    const data = {
      id,
      ...owner,
      name,
      operator,
      ...kept,
      ...lifetimeOf(isPermanent ?? false, ttlHours ?? null, now),
      metadata: metadata ?? {},
      createdAt: now,
      updatedAt: now,
    };
    return tx.blockRule.create({ data });
  });
}

async function ownerOfRule(
  context: KeyContext,
  storeId: string | null | undefined,
): Promise<{ partnerId: string; platformAccountId: string; mode: Mode; storeId: string | null }> {
  const { caller } = context;
  if (caller.kind === 'subKey' && storeId == null)
    return {
      partnerId: caller.partnerId,
      platformAccountId: caller.platformAccountId,
      mode: caller.mode,
      storeId: null,
    };
  const { partnerId, platformAccountId, id } = await storeOf(context, storeId);
  return { partnerId, platformAccountId, mode: caller.mode, storeId: id };
}
