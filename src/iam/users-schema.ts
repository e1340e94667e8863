import { builder } from '../graph/builder.ts';
import { findUser, listUsers, type Slice, type UserRow } from './users.ts';
import { setInternalUserRoles, setUserPartnerScope } from './internal-users.ts';
import { PlatformRole } from './types.ts';

const described = {
  userId: 'Identifier at the identity provider, prefix `user_`.',
  platformRoles: 'Their roles.',
  whitelabelOwnership: 'The slug of the partner they belong to; null for internal staff and merchants.',
} as const;

const User = builder.objectRef<UserRow>('User').implement({
  description: 'A person, as the mirror of the identity provider has them.',
  fields: (t) => ({
    idpUserId: t.exposeString('idpUserId', { description: described.userId }),
    email: t.exposeString('email', { description: 'Their e-mail address.' }),
    platformRoles: t.exposeStringList('platformRoles', { description: described.platformRoles }),
    whitelabelOwnership: t.exposeString('whitelabelOwnership', {
      nullable: true,
      description: described.whitelabelOwnership,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the account was made.' }),
  }),
});

const UserSlice = builder.objectRef<Slice<UserRow>>('UserSlice').implement({
  description: 'Some of the people.',
  fields: (t) => ({
    rows: t.field({ type: [User], description: 'They, the newest first.', resolve: ({ rows }) => rows }),
    total: t.exposeInt('total', { description: 'How many there are in all.' }),
    limit: t.exposeInt('limit', { description: 'As asked.' }),
    offset: t.exposeInt('offset', { description: 'As asked.' }),
  }),
});

const FoundUser = builder.objectRef<{ found: boolean; user: UserRow | null }>('FoundUser').implement({
  description: 'The answer to a look-up.',
  fields: (t) => ({
    found: t.exposeBoolean('found', { description: 'Whether there is such a person within reach of the caller.' }),
    user: t.field({ type: User, nullable: true, description: 'The person.', resolve: ({ user }) => user }),
  }),
});

export const UserAccess = builder.objectRef<{ userId: string; platformRoles: string[] }>('UserAccess').implement({
  description: 'The roles somebody has now.',
  fields: (t) => ({
    userId: t.exposeString('userId', { description: described.userId }),
    platformRoles: t.exposeStringList('platformRoles', { description: described.platformRoles }),
  }),
});

const UserScope = builder.objectRef<{ userId: string; whitelabelOwnership: string | null }>('UserScope').implement({
  description: 'The scope somebody has now.',
  fields: (t) => ({
    userId: t.exposeString('userId', { description: described.userId }),
    whitelabelOwnership: t.exposeString('whitelabelOwnership', {
      nullable: true,
      description: described.whitelabelOwnership,
    }),
  }),
});

const SetInternalUserRolesInput = builder.inputType('SetInternalUserRolesInput', {
  description: 'New roles for internal staff.',
  fields: (t) => ({
    userId: t.string({ required: true, description: 'Whose, prefix `user_`.' }),
    roles: t.field({
      type: [PlatformRole],
      required: true,
      description:
        'All of them. What is added must be one of accountmanager, hubadmin, platformpaymentAdmin, superadmin.',
    }),
  }),
});

const SetUserPartnerScopeInput = builder.inputType('SetUserPartnerScopeInput', {
  description: 'A new scope.',
  fields: (t) => ({
    userId: t.string({ required: true, description: 'Whose, prefix `user_`.' }),
    partnerSlug: t.field({ type: 'Slug', description: "The partner's slug, or null to detach. Must be named." }),
  }),
});

builder.queryFields((t) => ({
  users: t.withAuth({ directory: true }).field({
    type: UserSlice,
    description:
      "People, the newest first: everybody for internal staff; for a partner's own admins and account managers their partner's, and another filter is 403.",
    args: {
      q: t.arg({ type: 'ShortText', description: 'Part of the e-mail address or id, case-insensitive.' }),
      platformRole: t.arg({ type: PlatformRole, description: 'With this role.' }),
      partnerScope: t.arg.string({ description: 'Of this partner (slug), or `__internal__` for unscoped staff.' }),
      limit: t.arg({ type: 'ListLimit', required: true, defaultValue: 100, description: 'How many, 1 to 500.' }),
      offset: t.arg({ type: 'ListOffset', required: true, defaultValue: 0, description: 'From where.' }),
    },
    complexity: ({ limit }) => ({ field: 5, multiplier: limit }),
    resolve: (_root, args, context) => listUsers(context, args),
  }),
  findUser: t.withAuth({ directory: true }).field({
    type: FoundUser,
    description:
      'One person by e-mail or by id, exactly one of the two. Somebody outside the reach of the caller is not found.',
    args: {
      email: t.arg({ type: 'Email', description: 'Their e-mail address.' }),
      idpUserId: t.arg.string({ description: described.userId }),
    },
    resolve: (_root, args, context) => findUser(context, args),
  }),
}));

builder.mutationFields((t) => ({
  setInternalUserRoles: t.withAuth({ superadmin: true }).field({
    type: UserAccess,
    description:
      "Rewrites the roles of somebody without a partner. 409 for a partner's people (detach them first), a merchant's owner, and the last superadmin.",
    args: { input: t.arg({ type: SetInternalUserRolesInput, required: true, description: 'Who and what.' }) },
    resolve: (_root, { input }, context) => setInternalUserRoles(context, input),
  }),
  setUserPartnerScope: t.withAuth({ superadmin: true }).field({
    type: UserScope,
    description:
      'Puts somebody under a partner, moves them, or detaches them. A detached person loses partneradmin and partnerstaff; other roles stay and count again.',
    args: { input: t.arg({ type: SetUserPartnerScopeInput, required: true, description: 'Who and where.' }) },
    resolve: (_root, { input }, context) => setUserPartnerScope(context, input),
  }),
}));
