import type { platformRoleNames } from '../auth/roles.ts';
import type { IamUser } from '../generated/prisma/client.ts';
import { builder } from '../graph/builder.ts';
import type { Invited } from './staff/invite-staff.ts';

export const PlatformRole = builder.enumType('PlatformRole', {
  description: 'A role of a user. A role applies only in the scope it is defined for: with a partner, or without one.',
  values: {
    superadmin: { description: 'Without a partner: every operation.' },
    hubadmin: { description: 'Without a partner: day-to-day operations, and the roster of every partner.' },
    platformpaymentAdmin: { description: 'An older name of `hubadmin`, with the same permissions.' },
    accountmanager: { description: 'Reads everything without a partner, and the data of the partner with one.' },
    partneradmin: { description: 'With a partner: manages its roster and its keys.' },
    partnerstaff: { description: 'With a partner: a member of staff. It can no longer be assigned.' },
  } satisfies Record<(typeof platformRoleNames)[number], object>,
});

export const MembershipStatus = builder.enumType('MembershipStatus', {
  description: 'The status of a membership.',
  values: {
    pending: { description: 'The user is invited and has not accepted.' },
    active: { description: 'The invitation is accepted.' },
    revoked: { description: 'The membership has ended. The user can be invited again.' },
  } as const,
});

export type PermissionAnswer = { ok: true } | { ok: false; reason: string };

export const Permission = builder.objectRef<PermissionAnswer>('Permission').implement({
  description: 'The answer of a permission probe.',
  fields: (t) => ({
    ok: t.exposeBoolean('ok', { description: 'Whether the action is permitted.' }),
    reason: t.string({
      nullable: true,
      description: 'The code of the refusal, for example `caller_lacks_role` or `other_partner`. Null if `ok` is true.',
      resolve: (decision) => (decision.ok ? null : decision.reason),
    }),
  }),
});

/** A part of a list that is read by limit and offset. */
export interface Slice<Row> {
  rows: Row[];
  total: number;
  limit: number;
  offset: number;
}

const described = {
  userId: 'Identifier of the user at the identity provider, prefix `user_`.',
  platformRoles: 'The roles of the user.',
  whitelabelOwnership:
    'Slug of the partner the user belongs to. Null for internal staff and for users who own a merchant.',
} as const;

export type UserRow = Pick<IamUser, 'idpUserId' | 'email' | 'platformRoles' | 'whitelabelOwnership' | 'createdAt'>;

const User = builder.objectRef<UserRow>('User').implement({
  description: 'A user, as stored in the identity mirror, which is the local copy of the identity provider.',
  fields: (t) => ({
    idpUserId: t.exposeID('idpUserId', { description: described.userId }),
    email: t.exposeString('email', { description: 'Email address of the user.' }),
    platformRoles: t.exposeStringList('platformRoles', { description: described.platformRoles }),
    whitelabelOwnership: t.exposeString('whitelabelOwnership', {
      nullable: true,
      description: described.whitelabelOwnership,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the account was created.' }),
  }),
});

export const UserSlice = builder.objectRef<Slice<UserRow>>('UserSlice').implement({
  description: 'A part of the list of users.',
  fields: (t) => ({
    rows: t.field({ type: [User], description: 'The users, newest first.', resolve: ({ rows }) => rows }),
    total: t.exposeInt('total', { description: 'Number of users that match, over all parts.' }),
    limit: t.exposeInt('limit', { description: 'The `limit` of the request.' }),
    offset: t.exposeInt('offset', { description: 'The `offset` of the request.' }),
  }),
});

export interface UserLookup {
  found: boolean;
  user: UserRow | null;
}

export const FoundUser = builder.objectRef<UserLookup>('FoundUser').implement({
  description: 'The result of a lookup of one user.',
  fields: (t) => ({
    found: t.exposeBoolean('found', { description: 'Whether a user visible to the caller was found.' }),
    user: t.field({
      type: User,
      nullable: true,
      description: 'The user. Null if `found` is false.',
      resolve: ({ user }) => user,
    }),
  }),
});

export interface UserRoles {
  userId: string;
  platformRoles: string[];
}

export const UserAccess = builder.objectRef<UserRoles>('UserAccess').implement({
  description: 'The roles of a user after a change.',
  fields: (t) => ({
    userId: t.exposeID('userId', { description: described.userId }),
    platformRoles: t.exposeStringList('platformRoles', { description: described.platformRoles }),
  }),
});

export interface UserScope {
  userId: string;
  whitelabelOwnership: string | null;
}

export const UserScopeResult = builder.objectRef<UserScope>('UserScope').implement({
  description: 'The partner scope of a user after a change.',
  fields: (t) => ({
    userId: t.exposeID('userId', { description: described.userId }),
    whitelabelOwnership: t.exposeString('whitelabelOwnership', {
      nullable: true,
      description: described.whitelabelOwnership,
    }),
  }),
});

export const StaffInvitation = builder.objectRef<Invited>('StaffInvitation').implement({
  description: 'The result of an invitation.',
  fields: (t) => ({
    status: t.exposeString('status', {
      description: '`invited`, or `role_updated` if the user is staff of the partner and got the roles immediately.',
    }),
    membershipId: t.exposeID('membershipId', { description: 'Identifier of the membership, prefix `mem_`.' }),
  }),
});

export const StaffResult = builder.objectRef<{ status: string }>('StaffResult').implement({
  description: 'The result of a change of a membership.',
  fields: (t) => ({
    status: t.exposeString('status', {
      description: '`revoked`, `deleted`, or `invited` if the invitation was sent again.',
    }),
  }),
});

export const SecondFactorReset = builder.objectRef<{ userId: string }>('SecondFactorReset').implement({
  description: 'A second factor that was removed.',
  fields: (t) => ({ userId: t.exposeID('userId', { description: described.userId }) }),
});
