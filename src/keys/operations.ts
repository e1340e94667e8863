import ipaddr from 'ipaddr.js';
import type { ApiKeyCaller } from '../auth/caller.ts';
import type { Reach } from '../auth/tenancy.ts';
import { newSecret } from '../auth/secret.ts';
import { readAccount } from '../accounts/operations.ts';
import type { ApiKey } from '../generated/prisma/client.ts';
import type { Context, PartnerKeyContext } from '../graph/context.ts';
import { is, oneOf } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { conflict, notFound } from '../iam/operations.ts';
import { Forbidden, type InputIssue, InvalidInput, NotFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Mode } from '../kit/mode.ts';
import { write, type Write } from '../kit/write.ts';
import type { ApiKeyFilters, CreateApiKeyInput } from './schema.ts';

/** A key as it may be shown: without its hash. */
export type KeyRow = Omit<ApiKey, 'secretHash'>;

export type IssuedKey = Pick<ApiKey, 'id' | 'prefix' | 'platformAccountId' | 'label' | 'createdAt'> & {
  secret: string | null;
};

type KeyFilters = typeof ApiKeyFilters.$inferInput;

const keyList: ListDefinition<KeyFilters & { platformAccountId: string }> = {
  table: 'api_keys',
  // The use of the last second may not have reached the key's own row yet.
  extra: {
    columns: 'NULL AS "secretHash", greatest(t."lastUsedAt", u.at) AS "lastUsedAt"',
    joins: 'LEFT JOIN limits.key_uses u ON u."keyId" = t.id',
  },
  sorts: { createdAt: 'createdAt' },
  filters: { platformAccountId: is('platformAccountId'), status: oneOf('status') },
};

export async function listApiKeys(
  context: PartnerKeyContext,
  accountId: string,
  args: ListArguments<KeyFilters>,
): Promise<Page<KeyRow>> {
  await readAccount(context, accountId);
  return readList<KeyRow, KeyFilters & { platformAccountId: string }>(context.env.pool, context.caller, keyList, {
    ...args,
    filters: { ...args.filters, platformAccountId: accountId },
  });
}

/** Keys of both kinds, for whoever looks after a partner or the platform. */
export interface KeyListFilters {
  kind?: readonly string[] | null | undefined;
  status?: readonly string[] | null | undefined;
  platformAccountId?: string | null | undefined;
}

export function listKeysWithin(
  { env }: Context,
  reach: Reach,
  args: ListArguments<KeyListFilters>,
): Promise<Page<KeyRow>> {
  const { platformAccountId } = keyList.filters;
  return readList<KeyRow, KeyListFilters>(
    env.pool,
    reach,
    { ...keyList, filters: { kind: oneOf('kind'), status: oneOf('status'), platformAccountId } },
    args,
  );
}

/** Mints a sub-key. The secret is in the returned value only; what a repeat of the call gets has none. */
export async function createApiKey(
  context: PartnerKeyContext,
  accountId: string,
  input: typeof CreateApiKeyInput.$inferInput,
): Promise<IssuedKey> {
  assertSameMode(context.caller, input.mode);
  return write(
    context,
    'createApiKey',
    async ({ tx, now, audit }) => {
      assertLimitsMakeSense(input, now);
      const account = await readAccount({ ...context, env: { ...context.env, prisma: tx as never } }, accountId); // a transaction client reads like the client itself
      const { secret, prefix, secretHash } = newSecret('sub', context.caller.mode);
      const { id: platformAccountId, partnerId, mode } = account;
      const limits = { expiresAt: input.expiresAt ?? null, allowedIps: input.allowedIps ?? [] };
      const key = {
        id: newId('apiKey', now),
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
}

/** A partner key just made: its secret is here and nowhere else. */
export type IssuedPartnerKey = KeyRow & { secret: string };

/** The row, the hash and the audit row of a new partner key, for whoever has asked whether it may be made. */
export async function insertPartnerKey(
  { tx, now, audit }: Pick<Write, 'tx' | 'now' | 'audit'>,
  partnerSlug: string,
  { mode, label, expiresAt = null, allowedIps }: PartnerKeyFacts,
): Promise<IssuedPartnerKey> {
  // Locked, so that a partner cannot be archived while a key of it is being made.
  await tx.$queryRaw`SELECT id FROM partners WHERE slug = ${partnerSlug} FOR SHARE`;
  const partner = await tx.partner.findUnique({ where: { slug: partnerSlug } });
  if (!partner) throw notFound('partner_not_found');
  if (partner.status === 'offboarded') throw conflict('partner_offboarded');
  const { secret, prefix, secretHash } = newSecret('partner', mode);
  const key = {
    id: newId('apiKey', now),
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
  audit({ action: 'createPartnerKey', target: key.id, after: key });
  return { ...row, secret };
}

/** Revokes a sub-key of the partner; what is not one, a partner key included, is 404. */
export async function revokeApiKey(context: PartnerKeyContext, keyId: string): Promise<KeyRow> {
  const { partnerId, mode } = context.caller;
  return write(context, 'revokeApiKey', async ({ tx, now, audit }) => {
    const where = { id: keyId, partnerId, mode, kind: 'sub' };
    const { count } = await tx.apiKey.updateMany({
      where: { ...where, status: 'active' },
      data: { status: 'revoked', revokedAt: now },
    });
    const key = await tx.apiKey.findFirst({ where, omit: { secretHash: true } });
    if (!key) throw new NotFound('There is no such API key.');
    if (count === 1)
      audit({ action: 'revokeApiKey', target: keyId, before: { status: 'active' }, after: { status: 'revoked' } });
    const [use] = await tx.$queryRaw<{ at: Date }[]>`SELECT at FROM limits.key_uses WHERE "keyId" = ${keyId}`;
    return use && (key.lastUsedAt === null || use.at > key.lastUsedAt) ? { ...key, lastUsedAt: use.at } : key;
  });
}

/** A key makes only what is of its own mode. */
export function assertSameMode(caller: ApiKeyCaller, named: Mode | null | undefined): void {
  if (named == null || named === caller.mode) return;
  throw new Forbidden('mode_escalation_forbidden', `A ${caller.mode} key makes nothing in ${named} mode.`);
}

export function assertLimitsMakeSense(
  input: Pick<typeof CreateApiKeyInput.$inferInput, 'expiresAt' | 'allowedIps'>,
  now: Date,
): void {
  const issues: InputIssue[] = [];
  if (input.expiresAt != null && input.expiresAt <= now)
    issues.push({ path: 'expiresAt', message: 'must be in the future' });
  const ranges = input.allowedIps ?? [];
  if (ranges.length > 50) issues.push({ path: 'allowedIps', message: 'must have at most 50 entries' });
  ranges.forEach((range, index) => {
    if (!ipaddr.isValidCIDR(range))
      issues.push({ path: `allowedIps[${index}]`, message: 'must be a CIDR range such as "203.0.113.0/24"' });
  });
  if (issues.length > 0) throw new InvalidInput(issues);
}
