import { tenantOf } from '../auth/tenancy.ts';
import type { BlockRule, Prisma } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { oneOf } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { Conflict, invalid, NotFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Mode } from '../kit/mode.ts';
import { write } from '../kit/write.ts';
import { storeOf } from '../stores/operations.ts';
import { patternRulesMax } from './blocking-rule.ts';
import { keyOf } from './rule-match.ts';
import { assertCriteria, type Criteria, type KeptCriteria, keptCriteria } from './rule-criteria.ts';
import type { BlockRuleFilters, CreateBlockRuleInput, UpdateBlockRuleInput } from './schema.ts';

export { blockingRule, type RuledCharge, ruleFacts } from './blocking-rule.ts';

const ruleList: ListDefinition<typeof BlockRuleFilters.$inferInput> = {
  table: 'block_rules',
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: { storeId: oneOf('storeId') },
  counted: true,
};

export function listBlockRules(
  context: KeyContext,
  args: ListArguments<typeof BlockRuleFilters.$inferInput>,
): Promise<Page<BlockRule>> {
  return readList(context.env.pool, context.caller, ruleList, args);
}

export async function readBlockRule(context: KeyContext, id: string): Promise<BlockRule> {
  const rule = await context.env.prisma.blockRule.findFirst({ where: { ...tenantOf(context.caller), id } });
  if (!rule) throw noSuchRule();
  return rule;
}

/** Adds a rule to the account; a partner key names the store it is for. */
export async function createBlockRule(
  context: KeyContext,
  input: typeof CreateBlockRuleInput.$inferInput,
): Promise<BlockRule> {
  const { name, operator, isPermanent, ttlHours, storeId, metadata, ...criteria } = input;
  if (isPermanent && ttlHours != null) throw invalid('ttlHours', 'must not stand beside isPermanent: true');
  assertCriteria(criteria, true);
  const scope = await scopeOfRule(context, storeId);
  return write(context, 'createBlockRule', async ({ tx, now }) => {
    const kept = await keptCriteria(context, tx, { id: scope.platformAccountId, mode: scope.mode }, criteria);
    await assertPatternsFit(tx, scope.platformAccountId, kept.hasPatterns);
    const data = {
      id: newId('blockRule', now),
      ...scope,
      name,
      operator,
      ...kept,
      ...lifeOf(isPermanent ?? false, ttlHours ?? null, now),
      metadata: (metadata ?? {}) as Prisma.InputJsonObject,
      createdAt: now,
      updatedAt: now,
    }; // the scalar has checked that metadata is plain JSON
    return tx.blockRule.create({ data });
  });
}

/** Changes what is named. A new life begins now. */
export function updateBlockRule(
  context: KeyContext,
  id: string,
  input: typeof UpdateBlockRuleInput.$inferInput,
): Promise<BlockRule> {
  const { name, operator, isPermanent, ttlHours, metadata, ...criteria } = input;
  if (isPermanent && ttlHours != null) throw invalid('ttlHours', 'must not stand beside isPermanent: true');
  for (const [field, value] of Object.entries({ name, operator, isPermanent }))
    if (value === null) throw invalid(field, 'must not be null: leave it out instead');
  assertCriteria(criteria, false);
  return write(context, 'updateBlockRule', async ({ tx, now }) => {
    const before = await tx.blockRule.findFirst({ where: { ...tenantOf(context.caller), id } });
    if (!before) throw noSuchRule();
    const { platformAccountId, hasPatterns, keys } = before;
    const mode = before.mode as Mode; // its account's, which a CHECK constraint holds to the two
    const kept = await keptCriteria(context, tx, { id: platformAccountId, mode }, criteria, {
      criteria: before.criteria as Criteria,
      keys,
      hasPatterns,
    }); // written as Criteria only
    await assertPatternsFit(tx, platformAccountId, kept.hasPatterns && !hasPatterns);
    const life =
      isPermanent != null || ttlHours !== undefined ? lifeOf(isPermanent ?? false, ttlHours ?? null, now) : {};
    const data = {
      ...(name != null && { name }),
      ...(operator != null && { operator }),
      ...kept,
      ...life,
      ...(metadata !== undefined && { metadata: (metadata ?? {}) as Prisma.InputJsonObject }),
      updatedAt: now,
    }; // as above
    return tx.blockRule.update({ where: { id }, data });
  });
}

export function deleteBlockRule(context: KeyContext, id: string): Promise<{ id: string; deleted: true }> {
  return write(context, 'deleteBlockRule', async ({ tx }) => {
    const { count } = await tx.blockRule.deleteMany({ where: { ...tenantOf(context.caller), id } });
    if (count === 0) throw noSuchRule();
    return { id, deleted: true };
  });
}

/** The rule that keeps a customer from paying again, as a row to be written beside the refund that asks for it. */
export function customerRule(
  payment: {
    id: string;
    partnerId: string;
    platformAccountId: string;
    mode: string;
    customerId: string;
    customerEmailLower: string;
  },
  now: Date,
): BlockRule {
  const { partnerId, platformAccountId, mode, customerId, customerEmailLower: email } = payment;
  const kept: KeptCriteria = {
    criteria: { customerId, email },
    keys: [keyOf('customerId', customerId), keyOf('email', email)],
    hasPatterns: false,
  };
  return {
    id: newId('blockRule', now),
    partnerId,
    platformAccountId,
    mode,
    storeId: null,
    name: `Customer of refunded payment ${payment.id}`,
    operator: 'OR',
    ...kept,
    ...lifeOf(true, null, now),
    metadata: {},
    createdAt: now,
    updatedAt: now,
  };
}

const hourMs = 3_600_000;
const ttlHoursDefault = 24;

function lifeOf(
  isPermanent: boolean,
  ttlHours: number | null,
  now: Date,
): { isPermanent: boolean; ttlHours: number | null; expiresAt: Date | null } {
  if (isPermanent) return { isPermanent, ttlHours: null, expiresAt: null };
  const hours = ttlHours ?? ttlHoursDefault;
  return { isPermanent, ttlHours: hours, expiresAt: new Date(now.getTime() + hours * hourMs) };
}

async function scopeOfRule(
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

/** Each pattern is tried at every charge of the account. */
async function assertPatternsFit(
  tx: Prisma.TransactionClient,
  platformAccountId: string,
  adds: boolean,
): Promise<void> {
  if (!adds) return;
  // One after the other, so that two at once do not both fit into the last place.
  await tx.$queryRaw`SELECT id FROM processing_accounts WHERE id = ${platformAccountId} FOR NO KEY UPDATE`;
  if ((await tx.blockRule.count({ where: { platformAccountId, hasPatterns: true } })) >= patternRulesMax)
    throw new Conflict('limit_reached', `An account has at most ${patternRulesMax} rules with patterns.`);
}

function noSuchRule(): NotFound {
  return new NotFound('There is no such block rule.');
}
