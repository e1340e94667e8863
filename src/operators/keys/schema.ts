import { peopleVisibility } from '../../auth/visibility.ts';
import { ApiKey, CreatedApiKey, type IssuedPartnerKey } from '../../domains/keys/public.ts';
import { builder } from '../../graph/builder.ts';
import { reason } from '../../graph/by-caller.ts';
import { storesWholeAnswer } from '../../graph/plugins.ts';
import { Mode } from '../../graph/shared-types.ts';
import { pageArguments, pageComplexity, pageType, visibilityArgs } from '../../lists/inputs.ts';
import { createPartnerKey, revokePartnerKey } from './change-key.ts';
import {
  approveKeyRequest,
  issuePartnerKey,
  type KeyRequestRow,
  type keyRequestStatuses,
  listKeyRequestsWithin,
  rejectKeyRequest,
  statusOf,
  withdrawKeyRequest,
  withoutSecret,
} from './key-requests.ts';

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

const KeyRequestStatus = builder.enumType('PartnerKeyRequestStatus', {
  description: 'The state of a request for a partner key.',
  values: {
    pending: { description: 'It is awaiting approval by a second person.' },
    approved: { description: 'A second person approved it. The requester creates the key.' },
    rejected: { description: 'A second person rejected it.' },
    withdrawn: { description: 'The requester withdrew it.' },
    issued: { description: 'The key was made.' },
    expired: { description: 'Not decided, or the key not created, within 72 hours.' },
  } as const satisfies Record<(typeof keyRequestStatuses)[number], object>,
});

export const KeyRequest = builder.objectRef<KeyRequestRow>('PartnerKeyRequest').implement({
  description: 'A partner key that a person requested and that a second person must approve.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier, prefix `kreq_`.' }),
    partnerId: t.exposeID('partnerId', { description: 'Identifier of the partner, prefix `par_`.' }),
    livemode: t.boolean({
      description: 'True for a key of live mode, false for one of test mode.',
      resolve: ({ mode }) => mode === 'live',
    }),
    label: t.exposeString('label', { description: 'Label of the key.' }),
    keyExpiresAt: t.expose('keyExpiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the key expires. Null if it does not.',
    }),
    allowedIps: t.exposeStringList('allowedIps', {
      description: 'CIDR ranges from which the key is accepted. Empty for every address.',
    }),
    reason: t.exposeString('reason', { description: 'The reason of the request.' }),
    status: t.field({
      type: KeyRequestStatus,
      description: 'The state of the request.',
      // one of the enum: a CHECK constraint limits the column to the others
      resolve: (request, _args, { services }) =>
        statusOf(request, services.clock.earliest()) as (typeof keyRequestStatuses)[number],
    }),
    requestedByEmail: t.exposeString('requestedByEmail', {
      description: 'The email address of the requester at that time.',
    }),
    isOwn: t.boolean({
      description:
        'Whether the caller requested it. The caller can then create the key, and neither approve nor reject it.',
      resolve: ({ requestedBy }, _args, { caller }) => caller.kind === 'session' && caller.userId === requestedBy,
    }),
    decidedByEmail: t.exposeString('decidedByEmail', {
      nullable: true,
      description: 'The email address of who approved, rejected or withdrew it. Null before.',
    }),
    decisionReason: t.exposeString('decisionReason', { nullable: true, description: 'Why, in their words.' }),
    keyId: t.exposeID('keyId', { nullable: true, description: 'Identifier of the key, once it is made.' }),
    endsAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Time until which it can be decided; once it is approved, until which the key can be made.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the key was requested.' }),
  }),
});

const PartnerKeyResult = builder.unionType('PartnerKeyResult', {
  description: 'A new partner key, or the request for one that a second person must approve.',
  types: [CreatedApiKey, KeyRequest],
  resolveType: (value) => ('requestedBy' in value ? KeyRequest : CreatedApiKey),
});

const KeyRequestFilters = builder.inputType('PartnerKeyRequestFilters', {
  description: 'Filters of a list of requests for partner keys.',
  fields: (t) => ({
    status: t.field({ type: [KeyRequestStatus], description: 'Only requests in one of these states.' }),
  }),
});

builder.queryField('partnerKeyRequests', (t) =>
  t.withAuth({ directory: true }).field({
    type: pageType('PartnerKeyRequestPage', KeyRequest, 'requests for partner keys'),
    description: 'Lists the partner keys that people requested and that a second person must approve, newest first.',
    args: {
      ...visibilityArgs,
      ...pageArguments,
      filters: t.arg({ type: KeyRequestFilters, description: 'Filters of the list.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listKeyRequestsWithin(context, await peopleVisibility(context, { mode, partnerSlug }), args),
  }),
);

const requestId = { required: true, description: 'Identifier of the request, prefix `kreq_`.' } as const;
const decided =
  '404 if there is none, 409 `invalid_state` if it is already decided or has expired. The change is recorded in ' +
  'the audit log. The reason is shown to the admins of the partner.';
const secondPerson =
  '403 `second_person_required` for the requester, and `second_person_not_independent` for one who gave them ' +
  'access, or got it from them, in the last 24 hours.';

builder.mutationFields((t) => ({
  createPartnerKey: t.withAuth({ admin: true }).field({
    type: PartnerKeyResult,
    description:
      'Creates a partner key. The secret is returned in this answer only, and the admins of the partner and the ' +
      'superadmins are notified by mail. For internal staff, and for an admin who got access from internal staff ' +
      'in the last 24 hours unless it is the first key of the partner, nothing is created: the answer is a ' +
      'request, for 72 hours, that a second person must approve. At most 60 calls a minute for a partner.',
    args: {
      partnerSlug: t.arg({ type: 'Slug', required: true, description: 'Slug of the partner.' }),
      input: t.arg({ type: CreatePartnerKeyInput, required: true, description: 'The key.' }),
      reason: t.arg({
        type: 'Name',
        description:
          'Why the key is needed, 1 to 200 characters: required where a second person decides, who reads it.',
      }),
    },
    storedAnswer: {
      ...storesWholeAnswer,
      forReplay: (made) => withoutSecret(made as IssuedPartnerKey | KeyRequestRow), // what it resolves to
    },
    freshSecondFactor: true,
    rateLimit: {
      max: 60,
      window: '1m',
      by: ({ caller }) => caller.whitelabelOwnership ?? caller.userId,
    },
    resolve: (_root, args, context) => createPartnerKey(context, args),
  }),
  approvePartnerKeyRequest: t.withAuth({ admin: true }).field({
    type: KeyRequest,
    description: `Approves a partner key requested by another person, who can then create it. ${secondPerson} ${decided}`,
    args: { requestId: t.arg.id(requestId), reason: t.arg(reason) },
    freshSecondFactor: true,
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => approveKeyRequest(context, args),
  }),
  rejectPartnerKeyRequest: t.withAuth({ admin: true }).field({
    type: KeyRequest,
    description: `Rejects a partner key requested by another person. 403 \`second_person_required\` for them. ${decided}`,
    args: { requestId: t.arg.id(requestId), reason: t.arg(reason) },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => rejectKeyRequest(context, args),
  }),
  withdrawPartnerKeyRequest: t.withAuth({ admin: true }).field({
    type: KeyRequest,
    description: `Withdraws a partner key that the caller requested. 403 \`not_the_requester\` for other people. ${decided}`,
    args: { requestId: t.arg.id(requestId), reason: t.arg(reason) },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => withdrawKeyRequest(context, args),
  }),
  issuePartnerKey: t.withAuth({ admin: true }).field({
    type: CreatedApiKey,
    description:
      'Creates the partner key that the caller requested and a second person approved. The secret is returned in ' +
      'this answer only, and the admins of the partner and the superadmins are notified by mail. 403 ' +
      '`not_the_requester` for other people, 409 `invalid_state` unless the request is approved.',
    args: { requestId: t.arg.id(requestId) },
    freshSecondFactor: true,
    storedAnswer: { ...storesWholeAnswer, forReplay: (key) => withoutSecret(key as IssuedPartnerKey) },
    resolve: (_root, args, context) => issuePartnerKey(context, args.requestId),
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
