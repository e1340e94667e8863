import { Mode } from '../accounts/schema.ts';
import { builder } from '../graph/builder.ts';
import { pageArguments, pageComplexity, pageType } from '../graph/pages.ts';
import { createApiKey, type IssuedKey, type KeyRow, listApiKeys, revokeApiKey } from './operations.ts';
import { limitedTo } from '../graph/field-limits.ts';
import { readAuthTest, type AuthTestResult } from './auth-test.ts';

export const KeyStatus = builder.enumType('KeyStatus', {
  description: 'A revoked key stays revoked.',
  values: ['active', 'revoked'],
});
export const KeyKind = builder.enumType('KeyKind', {
  description: 'What a key reaches.',
  values: {
    partner: { description: 'Every account of the partner in its mode.' },
    sub: { description: 'One account.' },
  } as const,
});

const described = {
  id: 'Identifier, prefix `ak_`.',
  prefix: 'The leading part of the key; safe to store, log and display.',
  platformAccountId: 'The processing account the sub-key belongs to, prefix `tpa_`; null for a partner key.',
  label: 'Your own name for it.',
  createdAt: 'When it was created.',
} as const;

export const ApiKey = builder.objectRef<KeyRow>('ApiKey').implement({
  description: 'An API key. Its secret was shown once, when it was made, and only a hash of it is kept.',
  fields: (t) => ({
    id: t.exposeString('id', { description: described.id }),
    prefix: t.exposeString('prefix', { description: described.prefix }),
    platformAccountId: t.exposeString('platformAccountId', {
      nullable: true,
      description: described.platformAccountId,
    }),
    label: t.exposeString('label', { description: described.label }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: described.createdAt }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The latest call made with it; null before the first.',
    }),
    status: t.field({ type: KeyStatus, description: 'Whether it works.', resolve: (key) => key.status as never }), // a CHECK constraint holds the column to the enum
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it stops working; null for never.',
    }),
    allowedIps: t.exposeStringList('allowedIps', { description: 'The CIDR ranges it works from; empty for anywhere.' }),
  }),
});

export const CreatedApiKey = builder.objectRef<IssuedKey>('CreatedApiKey').implement({
  description: 'A key just made. This is the only time its secret is shown.',
  fields: (t) => ({
    id: t.exposeString('id', { description: described.id }),
    prefix: t.exposeString('prefix', { description: described.prefix }),
    secret: t.exposeString('secret', {
      nullable: true,
      description:
        'The whole key. Null when this answer is a repeat under the same Idempotency-Key: a lost secret cannot be recovered.',
    }),
    platformAccountId: t.exposeString('platformAccountId', {
      nullable: true,
      description: described.platformAccountId,
    }),
    label: t.exposeString('label', { description: described.label }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: described.createdAt }),
  }),
});

const AuthTest = builder.objectRef<AuthTestResult>('AuthTest').implement({
  description: 'What a key is and reaches.',
  fields: (t) => ({
    ok: t.boolean({ description: 'Always true: a key that does not work is answered with 401.', resolve: () => true }),
    mode: t.expose('mode', { type: Mode, description: 'Test or live.' }),
    keyKind: t.expose('keyKind', { type: KeyKind, description: 'Partner key or sub-key.' }),
    keyId: t.exposeString('keyId', { description: described.id }),
    keyPrefix: t.exposeString('keyPrefix', { description: described.prefix }),
    partnerId: t.exposeString('partnerId', { description: 'The partner it belongs to, prefix `par_`.' }),
    platformAccountId: t.exposeString('platformAccountId', {
      nullable: true,
      description: 'The account of a sub-key, prefix `tpa_`.',
    }),
    storeIds: t.exposeStringList('storeIds', {
      nullable: true,
      description: "The stores of a sub-key's account, the oldest first; at most 100.",
    }),
  }),
});

const ApiKeyPage = pageType('ApiKeyPage', ApiKey, 'API keys');

export const ApiKeyFilters = builder.inputType('ApiKeyFilters', {
  description: 'Which keys.',
  fields: (t) => ({ status: t.field({ type: [KeyStatus], description: 'Any of these statuses.' }) }),
});

export const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'A sub-key to mint.',
  fields: (t) => ({
    label: t.field({ type: 'Label', required: true, description: 'Your own name for it, 1 to 100 characters.' }),
    mode: t.field({
      type: Mode,
      description: "The key's own mode, or left out; the other one is refused with 403 `mode_escalation_forbidden`.",
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it stops working; in the future. Never when left out.' }),
    allowedIps: t.stringList({
      description: 'CIDR ranges it works from, such as `203.0.113.0/24`; at most 50. Anywhere when left out.',
    }),
  }),
});

builder.queryFields((t) => ({
  authTest: t.withAuth({ key: true }).field({
    type: AuthTest,
    description: 'Tells what the key is and reaches.',
    resolve: (_root, _args, context) => readAuthTest(context),
  }),
  apiKeys: t.withAuth({ partnerKey: true }).field({
    type: ApiKeyPage,
    description: 'The sub-keys of an account, the newest first.',
    args: {
      accountId: t.arg.string({ required: true, description: 'The processing account, prefix `tpa_`.' }),
      ...pageArguments,
      filters: t.arg({ type: ApiKeyFilters, description: 'Which keys.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, { accountId, ...args }, context) => listApiKeys(context, accountId, args),
  }),
}));

builder.mutationFields((t) => ({
  createApiKey: t.withAuth({ partnerKey: true }).field({
    type: CreatedApiKey,
    description:
      'Mints a sub-key for one account. The secret is in this answer and nowhere else. At most 60 a minute for a partner.',
    args: {
      accountId: t.arg.string({ required: true, description: 'The processing account, prefix `tpa_`.' }),
      input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The key.' }),
    },
    resolve: limitedTo(
      { name: 'createApiKey', perMinute: 60, whose: (context) => context.caller.partnerId },
      (_root, { accountId, input }, context) => createApiKey(context, accountId, input),
    ),
  }),
  revokeApiKey: t.withAuth({ partnerKey: true }).field({
    type: ApiKey,
    description:
      'Revokes a sub-key for good: every call that starts after this answer is 401, on every server. Revoking twice gives the same record.',
    args: { keyId: t.arg.string({ required: true, description: 'The sub-key, prefix `ak_`.' }) },
    resolve: (_root, { keyId }, context) => revokeApiKey(context, keyId),
  }),
}));
