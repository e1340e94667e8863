import { builder } from '../../graph/builder.ts';
import { reason } from '../../graph/by-caller.ts';
import { storesWholeAnswer } from '../../graph/plugins.ts';
import { SetInternalUserRolesInput, SetUserPartnerScopeInput } from '../inputs.ts';
import { FoundUser, PlatformRole, SecondFactorReset, UserAccess, UserScopeResult, UserSlice } from '../types.ts';
import { resetSecondFactor, setInternalUserRoles, setUserPartnerScope } from './change-user.ts';
import { findUser, listUsers } from './list-users.ts';

builder.queryFields((t) => ({
  users: t.withAuth({ directory: true }).field({
    type: UserSlice,
    description:
      'Lists users, newest first. Internal staff see all users. Admins and account managers of a partner see the ' +
      "partner's users, and 403 for a filter by another partner.",
    args: {
      q: t.arg({
        type: 'ShortText',
        description: 'Part of the email address or of the identifier, case-insensitive.',
      }),
      platformRole: t.arg({ type: PlatformRole, description: 'Only users with this role.' }),
      partnerScope: t.arg.string({
        description: 'Only users of the partner with this slug, or `__internal__` for internal staff.',
      }),
      limit: t.arg({
        type: 'ListLimit',
        required: true,
        defaultValue: 100,
        description: 'Maximum number of users to return, 1 to 500.',
      }),
      offset: t.arg({
        type: 'ListOffset',
        required: true,
        defaultValue: 0,
        description: 'Number of users to skip.',
      }),
    },
    complexity: ({ limit }) => ({ field: 5, multiplier: limit }),
    resolve: (_root, args, context) => listUsers(context, args),
  }),
  findUser: t.withAuth({ directory: true }).field({
    type: FoundUser,
    description:
      'Looks up one user by exactly one of `email` and `idpUserId`. A user who is not visible to the caller is not ' +
      'found.',
    args: {
      email: t.arg({ type: 'Email', description: 'Email address of the user.' }),
      idpUserId: t.arg.id({ description: 'Identifier of the user at the identity provider, prefix `user_`.' }),
    },
    resolve: (_root, args, context) => findUser(context, args),
  }),
}));

const optionalReason = { ...reason, required: false } as const;

builder.mutationFields((t) => ({
  setInternalUserRoles: t.withAuth({ superadmin: true }).field({
    type: UserAccess,
    description:
      'Replaces the roles of a user without a partner. 409 for a user of a partner (detach the user first), for the ' +
      "owner of a merchant's organization, and for removing the role of the last superadmin.",
    args: {
      input: t.arg({ type: SetInternalUserRolesInput, required: true, description: 'The user and the new roles.' }),
      reason: t.arg(optionalReason),
    },
    freshSecondFactor: true,
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => setInternalUserRoles(context, args.input, args.reason ?? null),
  }),
  setUserPartnerScope: t.withAuth({ superadmin: true }).field({
    type: UserScopeResult,
    description:
      'Attaches a user to a partner, moves the user to another partner, or detaches the user. A detached user has ' +
      'no roles: setInternalUserRoles gives new ones.',
    args: {
      input: t.arg({ type: SetUserPartnerScopeInput, required: true, description: 'The user and the new partner.' }),
      reason: t.arg(optionalReason),
    },
    freshSecondFactor: true,
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => setUserPartnerScope(context, args.input, args.reason ?? null),
  }),
  resetSecondFactor: t.withAuth({ superadmin: true }).field({
    type: SecondFactorReset,
    description:
      'Removes the second factor of a person who has lost it, and ends their sessions. 403 for oneself, 409 ' +
      '`no_second_factor` without one, and 409 `not_offered_by_provider` if the identity provider does this in its ' +
      'own console only. Audited with the reason.',
    args: {
      userId: t.arg.id({ required: true, description: 'Identifier of the user, prefix `user_`.' }),
      reason: t.arg({
        type: 'ShortText',
        required: true,
        description: 'Why, and how the person was recognized. Not empty.',
      }),
    },
    freshSecondFactor: true,
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => resetSecondFactor(context, args),
  }),
}));
