import ipaddr from 'ipaddr.js';
import { assertModeServed, assertSameMode } from '../../auth/modes.ts';
import { newSecret } from '../../auth/secret.ts';
import { ownRow, requireRow } from '../../auth/visible.ts';
import type { PartnerContext, TenantContext } from '../../call/context.ts';
import { execute, sql } from '../../database/sql.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { Conflict, type InputIssue, InvalidInput, NotFound } from '../../lib/errors.ts';
import { type Mode, newId } from '../../lib/ids.ts';
import type { Services } from '../../services.ts';
import type { Config } from '../../settings/config.ts';
import { auditsOnBehalf } from '../../unit-of-work/records.ts';
import { type Write, write } from '../../unit-of-work/write.ts';
import type { CreateApiKeyInput } from './inputs.ts';
import type { IssuedKey, KeyRow } from './types.ts';

const rangesMax = 50;

/** Checks the expiry and the IP ranges of a new key. */
export function assertLimitsConsistent(
  input: Pick<typeof CreateApiKeyInput.$inferInput, 'expiresAt' | 'allowedIps'>,
  now: Date,
): void {
  const issues: InputIssue[] = [];
  if (input.expiresAt != null && input.expiresAt <= now)
    issues.push({ path: 'expiresAt', message: 'must be in the future' });
  const ranges = input.allowedIps ?? [];
  if (ranges.length > rangesMax)
    issues.push({ path: 'allowedIps', message: `must contain at most ${rangesMax} items` });
  ranges.forEach((range, index) => {
    if (!ipaddr.isValidCIDR(range))
      issues.push({ path: `allowedIps[${index}]`, message: 'must be a CIDR range such as "203.0.113.0/24"' });
  });
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** Creates a sub-key. Only the returned value contains the secret; the answer stored for replay does not. */
export async function createApiKey(
  context: PartnerContext,
  accountId: string,
  input: typeof CreateApiKeyInput.$inferInput,
): Promise<IssuedKey> {
  assertSameMode(context.tenant, input.mode);
  return write(
    context,
    'createApiKey',
    async ({ tx, now, audit }) => {
      assertLimitsConsistent(input, now);
      const account = await ownRow(tx, context.tenant, 'processingAccount', accountId);
      const { secret, prefix, secretHash } = newSecret('sub', context.tenant.mode, context.services.config.cell);
      const { id: platformAccountId, partnerId, mode } = account;
      const limits = { expiresAt: input.expiresAt ?? null, allowedIps: input.allowedIps ?? [] };
      const key = {
        id: newId('ak_', now),
        kind: 'sub',
        mode,
        partnerId,
        platformAccountId,
        prefix,
        label: input.label,
        ...limits,
        createdAt: now,
      };
      await tx.apiKey.create({ data: { ...key, secretHash } });
      audit({ action: 'createApiKey', target: key.id, after: key });
      return { ...key, secret };
    },
    { forReplay: (key) => ({ ...key, secret: null }) },
  );
}

export interface PartnerKeyFacts {
  mode: Mode;
  label: string;
  expiresAt?: Date | null | undefined;
  allowedIps?: string[] | null | undefined;
  /** Why it is made, for the audit row. */
  reason?: string | null | undefined;
}

/** A new partner key with its secret, of which only the hash is stored. */
export type IssuedPartnerKey = KeyRow & { secret: string };

/** Inserts a partner key and its audit row. The caller has checked that the key may be created. */
export async function insertPartnerKey(
  { tx, now, audit }: Pick<Write, 'tx' | 'now' | 'audit'>,
  config: Pick<Config, 'sandbox' | 'cell'>,
  partnerSlug: string,
  { mode, label, expiresAt = null, allowedIps, reason }: PartnerKeyFacts,
): Promise<IssuedPartnerKey> {
  assertModeServed(config, mode);
  // Locked, so that the partner cannot be archived while the key is created.
  await tx.$queryRaw(sql`
    SELECT id
    FROM partners
    WHERE slug = ${partnerSlug}
    FOR SHARE`);
  const partner = await tx.partner.findUnique({ where: { slug: partnerSlug } });
  if (!partner) throw new NotFound('Partner not found (partner_not_found).');
  if (partner.status === 'offboarded')
    throw new Conflict('partner_offboarded', 'The partner is offboarded (partner_offboarded).');
  const { secret, prefix, secretHash } = newSecret('partner', mode, config.cell);
  const key = {
    id: newId('ak_', now),
    kind: 'partner',
    mode,
    partnerId: partner.id,
    platformAccountId: null,
    prefix,
    label,
    expiresAt,
    allowedIps: allowedIps ?? [],
    createdAt: now,
  };
  const row = await tx.apiKey.create({ data: { ...key, secretHash }, omit: { secretHash: true } });
  audit({
    action: 'createPartnerKey',
    target: key.id,
    partnerId: partner.id,
    after: { ...key, ...(reason != null && { reason }) },
    mode,
  });
  return { ...row, secret };
}

/** Revokes a sub-key of the partner. 404 for any other id, that of a partner key included. */
export async function revokeApiKey(context: TenantContext, keyId: string): Promise<KeyRow> {
  return write(context, 'revokeApiKey', async ({ tx, now, audit }) => {
    const where = { ...context.tenant, id: keyId, kind: 'sub' };
    const wasActive = await markRevoked({ tx, now }, where);
    const key = await requireRow(tx, 'apiKey', where, { omit: { secretHash: true } });
    const [before, after] = [{ status: wasActive ? 'active' : 'revoked' }, { status: 'revoked' }];
    for (const row of auditsOnBehalf(context, keyId, before, after)) audit(row);
    if (wasActive && !context.onBehalf) audit({ action: 'revokeApiKey', target: keyId, before, after });
    const [use] = await tx.$queryRaw<{ at: Date }[]>(sql`
      SELECT at
      FROM limits.key_uses
      WHERE "keyId" = ${keyId}`);
    return use && (key.lastUsedAt === null || use.at > key.lastUsedAt) ? { ...key, lastUsedAt: use.at } : key;
  });
}

/** Revokes a key. False if it was revoked before. */
export async function markRevoked(
  { tx, now }: Pick<Write, 'tx' | 'now'>,
  key: Prisma.ApiKeyWhereInput & { id: string },
): Promise<boolean> {
  const { count } = await tx.apiKey.updateMany({
    where: { ...key, status: 'active' },
    data: { status: 'revoked', revokedAt: now },
  });
  return count === 1;
}

/**
 * Copies the time of last use to the keys from the unlogged table, which every call updates. It covers more time than
 * its interval, so that the next run makes up for a failed run or a locked key.
 */
export async function aggregateKeyUses(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  sinceMs = 60_000,
): Promise<void> {
  const since = new Date(clock.now().getTime() - sinceMs);
  await execute(
    pool,
    sql`
      WITH used AS (
        SELECT k.id, u.at
        FROM limits.key_uses u
        JOIN api_keys k ON k.id = u."keyId"
        WHERE u.at > ${since} AND (k."lastUsedAt" IS NULL OR k."lastUsedAt" < u.at)
        FOR NO KEY UPDATE OF k SKIP LOCKED
      )
      UPDATE api_keys k
      SET "lastUsedAt" = used.at
      FROM used
      WHERE k.id = used.id`,
  );
}
