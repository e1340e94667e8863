import { Mode } from '../accounts/schema.ts';
import { builder } from '../graph/builder.ts';
import { limitedTo } from '../graph/field-limits.ts';
import { pageType } from '../graph/pages.ts';
import { KeyKind, KeyStatus } from '../keys/schema.ts';
import type { KeyRow } from '../keys/operations.ts';
import { createPartnerKey, revokePartnerKey } from './partner-keys.ts';

export const OperatorKey = builder.objectRef<KeyRow & { secret?: string }>('OperatorKey').implement({
  description: 'An API key of either kind, as operators see it. Only a hash of its secret is kept.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `ak_`.' }),
    prefix: t.exposeString('prefix', { description: 'The leading part of the key; safe to store, log and display.' }),
    secret: t.string({
      nullable: true,
      description: 'The whole key, in the answer that makes it and never again.',
      resolve: ({ secret }) => secret ?? null,
    }),
    kind: t.field({ type: KeyKind, description: 'Partner key or sub-key.', resolve: ({ kind }) => kind as never }), // a CHECK constraint holds the column to the enum
    mode: t.field({ type: Mode, description: 'Test or live.', resolve: ({ mode }) => mode as never }), // as above
    partnerId: t.exposeString('partnerId', { description: 'The partner, prefix `par_`.' }),
    platformAccountId: t.exposeString('platformAccountId', {
      nullable: true,
      description: 'The account of a sub-key, prefix `tpa_`.',
    }),
    label: t.exposeString('label', { description: 'What it was called.' }),
    status: t.field({ type: KeyStatus, description: 'Whether it works.', resolve: ({ status }) => status as never }), // as above
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it stops working; null for never.',
    }),
    allowedIps: t.exposeStringList('allowedIps', { description: 'The CIDR ranges it works from; empty for anywhere.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The latest call made with it.',
    }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was revoked.' }),
  }),
});

export const OperatorKeyPage = pageType('OperatorKeyPage', OperatorKey, 'API keys');

export const OperatorKeyFilters = builder.inputType('OperatorKeyFilters', {
  description: 'Which keys. All that are given must hold.',
  fields: (t) => ({
    kind: t.field({ type: [KeyKind], description: 'Any of these kinds.' }),
    status: t.field({ type: [KeyStatus], description: 'Any of these statuses.' }),
    platformAccountId: t.string({ description: 'Of this account.' }),
  }),
});

const CreatePartnerKeyInput = builder.inputType('CreatePartnerKeyInput', {
  description: 'A partner key to make.',
  fields: (t) => ({
    label: t.field({ type: 'Label', required: true, description: 'What to call it, 1 to 100 characters.' }),
    mode: t.field({ type: Mode, required: true, description: 'Test or live.' }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it stops working; in the future. Never when left out.' }),
    allowedIps: t.stringList({ description: 'CIDR ranges it works from; at most 50. Anywhere when left out.' }),
  }),
});

builder.mutationFields((t) => ({
  createPartnerKey: t.withAuth({ roster: true }).field({
    type: OperatorKey,
    description:
      'Makes a partner key. The secret is in this answer and nowhere else. At most 60 a minute for a partner.',
    args: {
      partnerSlug: t.arg({ type: 'Slug', required: true, description: 'Whose key.' }),
      input: t.arg({ type: CreatePartnerKeyInput, required: true, description: 'The key.' }),
    },
    resolve: limitedTo(
      { name: 'createPartnerKey', perMinute: 60, whose: ({ caller }) => caller.whitelabelOwnership ?? caller.userId },
      (_root, { partnerSlug, input }, context) => createPartnerKey(context, partnerSlug, input),
    ),
  }),
  revokePartnerKey: t.withAuth({ roster: true }).field({
    type: OperatorKey,
    description:
      'Revokes a partner key for good: every call that starts after this answer is 401. Again: the same record.',
    args: { keyId: t.arg.string({ required: true, description: 'The partner key, prefix `ak_`.' }) },
    resolve: (_root, { keyId }, context) => revokePartnerKey(context, keyId),
  }),
}));
