import { type IssuedPartnerKey, KeyKind, type KeyRow, KeyStatus } from '../../../domains/keys/public.ts';
import { builder } from '../../../graph/builder.ts';
import { limitedTo } from '../../../graph/field-limits.ts';
import { storesWholeAnswer } from '../../../graph/plugins.ts';
import { Mode, storedColumn } from '../../../graph/shared-types.ts';
import { pageType } from '../../../lists/inputs.ts';
import { operatorRevokeApiKey, reason } from '../on-behalf.ts';
import { createPartnerKey, revokePartnerKey, withoutSecret } from './change-key.ts';

const OperatorKey = builder.objectRef<KeyRow & { secret?: string }>('OperatorKey').implement({
  description: 'An API key of either kind, as operators see it. Only a hash of its secret is stored.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the API key, prefix `ak_`.' }),
    prefix: t.exposeString('prefix', {
      description: 'First characters of the key. They are safe to store, log and display.',
    }),
    secret: t.string({
      nullable: true,
      description: 'The whole key. Null in every answer but the one that creates it.',
      resolve: ({ secret }) => secret ?? null,
    }),
    // a CHECK constraint limits the column to the values of the enum, here and below
    kind: t.field({ type: KeyKind, description: 'The kind of the key.', ...storedColumn('kind') }),
    mode: t.field({ type: Mode, description: 'The mode of the key.', ...storedColumn('mode') }),
    partnerId: t.exposeID('partnerId', { description: 'Identifier of the partner, prefix `par_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      nullable: true,
      description: 'Identifier of the account of a sub-key, prefix `tpa_`. Null for a partner key.',
    }),
    label: t.exposeString('label', { description: 'Label of the key.' }),
    status: t.field({
      type: KeyStatus,
      description: 'The status of the key.',
      ...storedColumn('status'),
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the key expires. Null if it does not expire.',
    }),
    allowedIps: t.exposeStringList('allowedIps', {
      description: 'CIDR ranges from which the key is accepted. Empty for every address.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the key was created.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the latest request with the key. Null if there was none.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the key was revoked. Null if it is not revoked.',
    }),
  }),
});

export const OperatorKeyPage = pageType('OperatorKeyPage', OperatorKey, 'API keys');

export const OperatorKeyFilters = builder.inputType('OperatorKeyFilters', {
  description: 'Filters of a list of API keys. A key must match every given filter.',
  fields: (t) => ({
    kind: t.field({ type: [KeyKind], description: 'Only keys of one of these kinds.' }),
    status: t.field({ type: [KeyStatus], description: 'Only keys with one of these statuses.' }),
    platformAccountId: t.id({ description: 'Only sub-keys of this account.' }),
  }),
});

const CreatePartnerKeyInput = builder.inputType('CreatePartnerKeyInput', {
  description: 'A partner key to be created.',
  fields: (t) => ({
    label: t.field({ type: 'Label', required: true, description: 'Label of the key, 1 to 100 characters.' }),
    mode: t.field({ type: Mode, required: true, description: 'The mode of the key.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Time at which the key expires, in the future. By default it does not expire.',
    }),
    allowedIps: t.stringList({
      description: 'CIDR ranges from which the key is accepted, at most 50. Defaults to every address.',
    }),
  }),
});

builder.mutationFields((t) => ({
  createPartnerKey: t.withAuth({ roster: true }).field({
    type: OperatorKey,
    description:
      'Creates a partner key. The secret is returned in this answer only. At most 60 calls a minute for a partner.',
    args: {
      partnerSlug: t.arg({ type: 'Slug', required: true, description: 'Slug of the partner.' }),
      input: t.arg({ type: CreatePartnerKeyInput, required: true, description: 'The key.' }),
    },
    storedAnswer: { ...storesWholeAnswer, forReplay: (key) => withoutSecret(key as IssuedPartnerKey) }, // what it resolves to
    resolve: limitedTo(
      { name: 'createPartnerKey', perMinute: 60, whose: ({ caller }) => caller.whitelabelOwnership ?? caller.userId },
      (_root, { partnerSlug, input }, context) => createPartnerKey(context, partnerSlug, input),
    ),
  }),
  revokePartnerKey: t.withAuth({ roster: true }).field({
    type: OperatorKey,
    description:
      'Revokes a partner key permanently: every request that starts after this answer is 401. A repeat returns the ' +
      'same record. 404 for a sub-key and for a key that is not visible to the caller.',
    args: { keyId: t.arg.id({ required: true, description: 'Identifier of the partner key, prefix `ak_`.' }) },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, { keyId }, context) => revokePartnerKey(context, keyId),
  }),
  operatorRevokeApiKey: t.withAuth({ hub: true }).field({
    type: OperatorKey,
    description:
      'Revokes a sub-key of any account permanently: every request that starts after this answer is 401. A repeat ' +
      'returns the same record. 404 for a partner key, which `revokePartnerKey` revokes. The change is recorded in ' +
      'the audit log. An `Idempotency-Key` belongs to the user.',
    args: {
      keyId: t.arg.id({ required: true, description: 'Identifier of the sub-key of either mode, prefix `ak_`.' }),
      reason: t.arg(reason),
    },
    storedAnswer: { operation: 'revokeApiKey' },
    resolve: (_root, args, context) => operatorRevokeApiKey(context, args),
  }),
}));
