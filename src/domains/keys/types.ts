import { type Sql, sql } from '../../database/sql.ts';
import type { ApiKey as ApiKeyRecord } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { Mode, storedColumn } from '../../graph/shared-types.ts';
import { anyOf, id, listOf } from '../../lists/list-of.ts';
import type { Services } from '../../services.ts';
import type { AuthTestResult } from './auth-test.ts';

const KeyStatus = builder.enumType('KeyStatus', {
  description: 'Whether an API key is in use.',
  values: {
    active: { description: 'The key was not revoked and has not expired.' },
    expired: { description: 'The time `expiresAt` has come. The key can still be revoked.' },
    revoked: { description: 'The key was revoked. Final.' },
  } as const,
});

/** Authentication refuses a key by the same bound. */
function statusOf({ status, expiresAt }: KeyRow, { clock }: Pick<Services, 'clock'>): typeof KeyStatus.$inferType {
  if (status === 'revoked') return 'revoked';
  return expiresAt !== null && expiresAt <= clock.earliest() ? 'expired' : 'active';
}

/** As `statusOf`, for the rows of a list. */
const statusAt = (now: Date): Sql =>
  sql`CASE WHEN t.status = 'active' AND t."expiresAt" <= ${now} THEN 'expired' ELSE t.status END`;

const KeyKind = builder.enumType('KeyKind', {
  description: 'The objects to which a key gives access.',
  values: {
    partner: { description: "All accounts of the partner in the key's mode." },
    sub: { description: 'One account.' },
  } as const,
});

const EnvironmentRef = builder.enumType('Environment', {
  description: 'The deployment that answers.',
  values: {
    sandbox: { description: 'The sandbox. It has test mode only: live keys are refused with 401.' },
    production: { description: 'The deployment that moves money. It has test mode and live mode.' },
    development: { description: 'A server for development, with the modes of production.' },
  } as const,
});

const KeyPartnerStatus = builder.enumType('KeyPartnerStatus', {
  description: 'The status of the partner of a key that is in use.',
  values: {
    active: { description: 'The keys of the partner have all their rights.' },
    suspended: {
      description: 'The keys read, refund, void, cancel and revoke keys. All else is 403 `partner_not_active`.',
    },
  } as const,
});

const described = {
  id: 'Unique identifier of the key, prefix `ak_`.',
  prefix: 'The leading part of the key. It is not secret and can be stored, logged and displayed.',
  platformAccountId: 'The processing account of a sub-key, prefix `tpa_`. Null for a partner key.',
  label: 'The label that was given to the key.',
  createdAt: 'Time at which the key was created.',
  expiresAt: 'Time from which calls with the key are refused with 401. Null if the key does not expire.',
  allowedIps:
    'The CIDR ranges from which the key can be used; calls from other addresses are refused with 403 ' +
    '`ip_not_allowed`. Empty if the key can be used from any address.',
} as const;

export const ApiKey = builder.prismaObject('ApiKey', {
  description: 'An API key. Its secret is returned once, when the key is created; only a hash of it is stored.',
  fields: (t) => ({
    id: t.exposeID('id', { description: described.id }),
    prefix: t.exposeString('prefix', { description: described.prefix }),
    // CHECK constraints limit both columns to the enums
    kind: t.field({
      type: KeyKind,
      description: 'The objects to which the key gives access.',
      ...storedColumn('kind'),
    }),
    mode: t.field({ type: Mode, description: 'The mode of the key.', ...storedColumn('mode') }),
    partnerId: t.exposeID('partnerId', { description: 'The partner, prefix `par_`.' }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the key was revoked. Null if it is not revoked.',
    }),
    platformAccountId: t.exposeID('platformAccountId', {
      nullable: true,
      description: described.platformAccountId,
    }),
    label: t.exposeString('label', { description: described.label }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: described.createdAt }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the latest call made with the key. Null before the first call.',
    }),
    status: t.field({
      type: KeyStatus,
      description: 'Whether the key is in use.',
      resolve: (key, _args, { services }) => statusOf(key, services),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: described.expiresAt }),
    allowedIps: t.exposeStringList('allowedIps', { description: described.allowedIps }),
  }),
});

export const CreatedApiKey = builder.objectRef<IssuedKey>('CreatedApiKey').implement({
  description: 'A new API key with its secret. The secret is not returned again.',
  fields: (t) => ({
    id: t.exposeID('id', { description: described.id }),
    prefix: t.exposeString('prefix', { description: described.prefix }),
    secret: t.exposeString('secret', {
      nullable: true,
      description:
        'The whole key. Null if the answer is a replay under the same `Idempotency-Key`; a lost secret cannot be ' +
        'recovered.',
    }),
    platformAccountId: t.exposeID('platformAccountId', {
      nullable: true,
      description: described.platformAccountId,
    }),
    label: t.exposeString('label', { description: described.label }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: described.createdAt }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: described.expiresAt }),
    allowedIps: t.exposeStringList('allowedIps', { description: described.allowedIps }),
  }),
});

export const AuthTest = builder.objectRef<AuthTestResult>('AuthTest').implement({
  description: 'The API key of the request and the objects to which it gives access.',
  fields: (t) => ({
    ok: t.boolean({ description: 'Always true: an invalid key is refused with 401.', resolve: () => true }),
    environment: t.expose('environment', {
      type: EnvironmentRef,
      description: 'Whether the answer comes from production, the sandbox or a server for development.',
    }),
    mode: t.expose('mode', { type: Mode, description: 'The mode of the key.' }),
    keyKind: t.expose('keyKind', { type: KeyKind, description: 'Whether the key is a partner key or a sub-key.' }),
    keyId: t.exposeID('keyId', { description: described.id }),
    keyPrefix: t.exposeString('keyPrefix', { description: described.prefix }),
    partnerId: t.exposeID('partnerId', { description: 'The partner to which the key belongs, prefix `par_`.' }),
    partnerStatus: t.expose('partnerStatus', {
      type: KeyPartnerStatus,
      description: 'Whether the partner is active. The keys of a suspended one take no money and make nothing.',
    }),
    platformAccountId: t.exposeID('platformAccountId', {
      nullable: true,
      description: described.platformAccountId,
    }),
    storeIds: t.exposeIDList('storeIds', {
      nullable: true,
      description: "The stores of the sub-key's account, oldest first, at most 100. Null for a partner key.",
    }),
  }),
});

/** A key without the hash of its secret. */
export type KeyRow = Omit<ApiKeyRecord, 'secretHash'>;

/** A new sub-key. The secret is null in a replayed answer. */
export type IssuedKey = Pick<
  ApiKeyRecord,
  'id' | 'prefix' | 'platformAccountId' | 'label' | 'createdAt' | 'expiresAt' | 'allowedIps'
> & {
  secret: string | null;
};

export const apiKeys = listOf('ApiKey', ApiKey, (row: KeyRow) => row, {
  of: 'API keys',
  table: 'api_keys',
  // A job copies the time of last use to the key's row, so the latest one may be only in the unlogged table.
  extra: {
    columns: sql`NULL AS "secretHash", greatest(t."lastUsedAt", u.at) AS "lastUsedAt"`,
    joins: sql`LEFT JOIN limits.key_uses u ON u."keyId" = t.id`,
  },
  sorts: { createdAt: 'createdAt' },
  aboutFilters: 'Conditions on API keys.',
  filters: {
    status: anyOf(KeyStatus, 'Keys in any of these statuses.'),
    kind: anyOf(KeyKind, 'Keys of any of these kinds.', { forPeople: true }),
    platformAccountId: id('Sub-keys of this processing account, prefix `tpa_`.', { forPeople: true }),
  },
  forPeople: true,
  definitionFor: (usual, _visibility, _filters, { clock }) => ({
    ...usual,
    filters: {
      ...usual.filters,
      status: (values) => sql`${statusAt(clock.earliest())} = ANY(${[...values]}::text[])`,
    },
  }),
});
