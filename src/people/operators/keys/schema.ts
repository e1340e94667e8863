import { ApiKey, CreatedApiKey, type IssuedPartnerKey } from '../../../domains/keys/public.ts';
import { builder } from '../../../graph/builder.ts';
import { storesWholeAnswer } from '../../../graph/plugins.ts';
import { Mode } from '../../../graph/shared-types.ts';
import { createPartnerKey, revokePartnerKey, withoutSecret } from './change-key.ts';

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
  createPartnerKey: t.withAuth({ admin: true }).field({
    type: CreatedApiKey,
    description:
      'Creates a partner key. The secret is returned in this answer only. At most 60 calls a minute for a partner.',
    args: {
      partnerSlug: t.arg({ type: 'Slug', required: true, description: 'Slug of the partner.' }),
      input: t.arg({ type: CreatePartnerKeyInput, required: true, description: 'The key.' }),
    },
    storedAnswer: { ...storesWholeAnswer, forReplay: (key) => withoutSecret(key as IssuedPartnerKey) }, // what it resolves to
    rateLimit: {
      max: 60,
      window: '1m',
      by: ({ caller }) => caller.whitelabelOwnership ?? caller.userId,
    },
    resolve: (_root, { partnerSlug, input }, context) => createPartnerKey(context, partnerSlug, input),
  }),
  revokePartnerKey: t.withAuth({ admin: true }).field({
    type: ApiKey,
    description:
      'Revokes a partner key permanently: every request that starts after this answer is 401. A repeat returns the ' +
      'same record. 404 for a sub-key and for a key that is not visible to the caller.',
    args: { keyId: t.arg.id({ required: true, description: 'Identifier of the partner key, prefix `ak_`.' }) },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, { keyId }, context) => revokePartnerKey(context, keyId),
  }),
}));
