import { noSuch, ownRow } from '../../auth/visible.ts';
import type { TenantContext } from '../../call/context.ts';
import { identifier, type Sql, sql } from '../../database/sql.ts';
import type { BlockRule } from '../../generated/prisma/client.ts';
import { invalid } from '../../lib/errors.ts';
import { type Mode, newRow } from '../../lib/ids.ts';
import { auditsOnBehalf } from '../../unit-of-work/records.ts';
import { recordOf } from '../../unit-of-work/statement.ts';
import { write } from '../../unit-of-work/write.ts';
import { ownerAt } from '../stores/public.ts';
import type { CreateBlockRuleInput, UpdateBlockRuleInput } from './inputs.ts';
import {
  assertCriteria,
  type Criteria,
  type CriteriaInput,
  presentPan,
  setsPattern,
  storedCriteria,
} from './rule-criteria.ts';
import { assertPatternsFit, lifetimeOf } from './rule-rows.ts';

/** Adds a rule to the account of the key, or with a partner key to the store that it names. */
export async function createBlockRule(
  context: TenantContext,
  input: typeof CreateBlockRuleInput.$inferInput,
): Promise<BlockRule> {
  const { name, operator, isPermanent, ttlHours, storeId, metadata, ...criteria } = input;
  if (isPermanent && ttlHours != null) throw invalid('ttlHours', 'cannot be combined with isPermanent: true');
  assertCriteria(criteria, true);
  const owner = await ownerAt(context, storeId);
  await presentPan(context, owner, criteria);
  return write(context, 'createBlockRule', async ({ tx, now, audit }) => {
    const kept = await storedCriteria(context, tx, { id: owner.platformAccountId, mode: owner.mode }, criteria);
    const row = newRow('rule_', owner, now);
    if (kept.hasPatterns) await assertPatternsFit(tx, owner.platformAccountId, kept.criteria, row.id);
    const data = {
      ...row,
      storeId: owner.storeId,
      name,
      operator,
      ...kept,
      ...lifetimeOf(isPermanent ?? false, ttlHours ?? null, now),
      metadata: metadata ?? {},
    };
    const created = await tx.blockRule.create({ data });
    for (const entry of auditsOnBehalf(context, created.id, null, auditedRule(created))) audit(entry);
    return created;
  });
}

/** Changes the fields that are given. A new lifetime starts now. */
export async function updateBlockRule(
  context: TenantContext,
  id: string,
  input: typeof UpdateBlockRuleInput.$inferInput,
): Promise<BlockRule> {
  const { name, operator, isPermanent, ttlHours, metadata, ...criteria } = input;
  if (isPermanent && ttlHours != null) throw invalid('ttlHours', 'cannot be combined with isPermanent: true');
  assertCriteria(criteria, false);
  await presentPanOf(context, id, criteria);
  return write(context, 'updateBlockRule', async ({ tx, now }) => {
    const before = await ownRow(tx, context.tenant, 'blockRule', id);
    const { platformAccountId, hasPatterns, keys } = before;
    const mode = before.mode as Mode; // a CHECK constraint limits the column to the two
    const kept = await storedCriteria(context, tx, { id: platformAccountId, mode }, criteria, {
      criteria: before.criteria as Criteria,
      keys,
      hasPatterns,
    }); // the column contains Criteria only
    // A change of other fields keeps patterns that were stored before there were bounds.
    if (setsPattern(criteria)) await assertPatternsFit(tx, platformAccountId, kept.criteria, id);
    const life =
      isPermanent != null || ttlHours !== undefined ? lifetimeOf(isPermanent ?? false, ttlHours ?? null, now) : {};
    const data = {
      ...(name != null && { name }),
      ...(operator != null && { operator }),
      ...kept,
      ...life,
      ...(metadata !== undefined && { metadata: metadata ?? {} }),
      updatedAt: now,
    };
    return tx.blockRule.update({ where: { id }, data });
  });
}

/** Runs before the transaction, since an error would roll its count back as well. */
async function presentPanOf(context: TenantContext, id: string, criteria: CriteriaInput): Promise<void> {
  if (criteria.pan == null) return;
  const where = { ...context.tenant, id };
  const rule = await context.services.prisma.blockRule.findFirst({ where });
  if (!rule) return; // 404, or the answer of an earlier call with the same key
  const { partnerId, platformAccountId } = rule;
  await presentPan(context, { partnerId, platformAccountId, mode: context.tenant.mode }, criteria);
}

export function deleteBlockRule(context: TenantContext, id: string): Promise<{ id: string; deleted: true }> {
  return write(context, 'deleteBlockRule', async ({ tx, audit }) => {
    const before = context.onBehalf && auditedRule(await ownRow(tx, context.tenant, 'blockRule', id));
    const { count } = await tx.blockRule.deleteMany({ where: { ...context.tenant, id } });
    if (count === 0) throw noSuch('blockRule');
    for (const entry of auditsOnBehalf(context, id, before, { deleted: true })) audit(entry);
    return { id, deleted: true };
  });
}

/** A rule as the audit rows of what people do record it: without the values of its criteria, which name a person. */
function auditedRule({ name, operator, criteria, expiresAt }: BlockRule): object {
  return { name, operator, criteria: Object.keys(criteria as Criteria), expiresAt }; // the column contains Criteria only
}

/** The CTE that adds a rule which was decided elsewhere. `guard` names a CTE that must have found a row. */
export function blockRulePart(rule: BlockRule, guard: string): Sql {
  return sql`blocked AS (
    INSERT INTO block_rules
    SELECT r.*
    FROM ${identifier(guard)}, ${recordOf('block_rules', rule)}
  )`;
}
