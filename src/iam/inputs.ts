import { builder } from '../graph/builder.ts';
import { PlatformRole } from './types.ts';

const namedUser = 'Identifier of the user, prefix `user_`.';

export const AssignRoleProbe = builder.inputType('AssignRoleProbe', {
  description: 'Roles to be probed for a user.',
  fields: (t) => ({
    targetUserId: t.id({ required: true, description: namedUser }),
    requestedRoles: t.field({
      type: [PlatformRole],
      required: true,
      description: 'All roles the user is to have after the change.',
    }),
    requestedScope: t.field({
      type: 'Slug',
      description:
        'Slug of the partner the user is to belong to, or null for no partner. Defaults to the present scope of the ' +
        'user.',
    }),
  }),
});

// The values are the words of REST and of the policy, whose hyphens are not allowed in names of an enum.
const StaffAction = builder.enumType('StaffAction', {
  description: 'An operation on the staff of a partner. In REST the words have hyphens: `resend-invitation`.',
  values: {
    invite: { value: 'invite', description: 'Invites a person to the roster.' },
    revoke: { value: 'revoke', description: 'Removes roles and scope, or an invitation; the membership is kept.' },
    delete: { value: 'delete', description: 'Removes roles and scope, or an invitation, and deletes the membership.' },
    resend_invitation: { value: 'resend-invitation', description: 'Sends a new link of a pending invitation.' },
    set_roles: { value: 'set-roles', description: 'Replaces the roles of an active member.' },
  } as const,
});

export const PartnerStaffProbe = builder.inputType('PartnerStaffProbe', {
  description: "An action to be probed on a partner's roster.",
  fields: (t) => ({
    partnerSlug: t.field({ type: 'Slug', required: true, description: 'Slug of the partner.' }),
    action: t.field({ type: StaffAction, required: true, description: 'The action.' }),
    targetUserId: t.id({ description: 'Identifier of the user the action is applied to, prefix `user_`.' }),
  }),
});

export const SetInternalUserRolesInput = builder.inputType('SetInternalUserRolesInput', {
  description: 'New roles of a user without a partner.',
  fields: (t) => ({
    userId: t.id({ required: true, description: namedUser }),
    roles: t.field({
      type: [PlatformRole],
      required: true,
      description:
        'All roles of the user after the change. An added role must be `accountmanager`, `hubadmin`, ' +
        '`platformpaymentAdmin` or `superadmin`; any other is 422.',
    }),
  }),
});

export const SetUserPartnerScopeInput = builder.inputType('SetUserPartnerScopeInput', {
  description: 'A new partner scope of a user.',
  fields: (t) => ({
    userId: t.id({ required: true, description: namedUser }),
    partnerSlug: t.field({
      type: 'Slug',
      description: 'Slug of the partner, or null to detach the user. Must be present: 422 otherwise.',
    }),
  }),
});

export const InviteStaffInput = builder.inputType('InviteStaffInput', {
  description: "A user to be added to a partner's roster.",
  fields: (t) => ({
    email: t.field({ type: 'Email', required: true, description: 'Email address of the user.' }),
    roles: t.field({
      type: [PlatformRole],
      required: true,
      description: 'Roles to give: at least one of `accountmanager` and `partneradmin`.',
    }),
  }),
});

export const StaffTargetInput = builder.inputType('StaffTargetInput', {
  description: 'A user of the roster, named by exactly one of the three fields.',
  fields: (t) => ({
    userId: t.id({ description: namedUser }),
    email: t.field({ type: 'Email', description: 'Email address of the user.' }),
    membershipId: t.id({ description: 'Identifier of the membership, prefix `mem_`.' }),
  }),
});

export const SetStaffRolesInput = builder.inputType('SetStaffRolesInput', {
  description: 'New roles of a member of staff, who is named by exactly one of `userId`, `email` and `membershipId`.',
  fields: (t) => ({
    userId: t.id({ description: namedUser }),
    email: t.field({ type: 'Email', description: 'Email address of the user.' }),
    membershipId: t.id({ description: 'Identifier of the membership, prefix `mem_`.' }),
    roles: t.field({
      type: [PlatformRole],
      required: true,
      description:
        'All roles of the user after the change. An added role must be `accountmanager` or `partneradmin`; any other ' +
        'is 422.',
    }),
  }),
});
