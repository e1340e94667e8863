import { builder } from '../graph/builder.ts';
import type { SessionContext } from '../graph/context.ts';
import { type FieldLimit, limitedTo } from '../graph/field-limits.ts';
import { type Invited, inviteStaff } from './invite-staff.ts';
import { resendStaffInvitation } from './resend-staff-invitation.ts';
import { deleteStaff, revokeStaff } from './revoke-staff.ts';
import { setStaffRoles } from './set-staff-roles.ts';
import { PlatformRole } from './types.ts';
import { UserAccess } from './users-schema.ts';

const InviteStaffInput = builder.inputType('InviteStaffInput', {
  description: 'Somebody to bring onto the roster.',
  fields: (t) => ({
    email: t.field({ type: 'Email', required: true, description: 'Their e-mail address.' }),
    roles: t.field({
      type: [PlatformRole],
      required: true,
      description: 'At least one of accountmanager and partneradmin.',
    }),
  }),
});

const StaffTarget = builder.inputType('StaffTargetInput', {
  description: 'Somebody on the roster: exactly one of the three.',
  fields: (t) => ({
    userId: t.string({ description: 'By account, prefix `user_`.' }),
    email: t.field({ type: 'Email', description: 'By e-mail address.' }),
    membershipId: t.string({ description: 'By row of the roster, prefix `mem_`.' }),
  }),
});

const SetStaffRolesInput = builder.inputType('SetStaffRolesInput', {
  description: 'New roles for a teammate, who is named in exactly one of three ways.',
  fields: (t) => ({
    userId: t.string({ description: 'By account, prefix `user_`.' }),
    email: t.field({ type: 'Email', description: 'By e-mail address.' }),
    membershipId: t.string({ description: 'By row of the roster, prefix `mem_`.' }),
    roles: t.field({
      type: [PlatformRole],
      required: true,
      description: 'All of them. What is added must be accountmanager or partneradmin.',
    }),
  }),
});

const StaffInvitation = builder.objectRef<Invited>('StaffInvitation').implement({
  description: 'What became of an invitation.',
  fields: (t) => ({
    status: t.exposeString('status', {
      description: '`invited`, or `role_updated` for a teammate who got the roles at once.',
    }),
    membershipId: t.exposeString('membershipId', { description: 'The row of the roster, prefix `mem_`.' }),
  }),
});

const StaffResult = builder.objectRef<{ status: string }>('StaffResult').implement({
  description: 'What became of a membership.',
  fields: (t) => ({ status: t.exposeString('status', { description: '`revoked`, `deleted` or `invited`.' }) }),
});

const inviting: FieldLimit<SessionContext, unknown> = {
  name: 'inviteStaff',
  perMinute: 300,
  whose: ({ caller }) => caller.userId,
};
const partnerSlug = { type: 'Slug', required: true, description: 'Whose roster.' } as const;
const target = { type: StaffTarget, required: true, description: 'Whom.' } as const;

builder.mutationFields((t) => ({
  inviteStaff: t.withAuth({ roster: true }).field({
    type: StaffInvitation,
    description:
      "Invites somebody onto a partner's roster, by the partner's own mail; a teammate gets the roles at once. 409 for another partner's people, internal staff and merchants' owners. At most 300 a minute.",
    args: {
      partnerSlug: t.arg(partnerSlug),
      input: t.arg({ type: InviteStaffInput, required: true, description: 'Whom.' }),
    },
    resolve: limitedTo(inviting, (_root, args, context) => inviteStaff(context, args.partnerSlug, args.input)),
  }),
  revokeStaff: t.withAuth({ roster: true }).field({
    type: StaffResult,
    description:
      'Takes roles and scope, or the pending invitation; the row stays as revoked, and the account is not touched. Again: the same answer.',
    args: { partnerSlug: t.arg(partnerSlug), target: t.arg(target) },
    resolve: (_root, args, context) => revokeStaff(context, args.partnerSlug, args.target),
  }),
  deleteStaff: t.withAuth({ roster: true }).field({
    type: StaffResult,
    description: 'The same, and the row goes, too. Again: 404.',
    args: { partnerSlug: t.arg(partnerSlug), target: t.arg(target) },
    resolve: (_root, args, context) => deleteStaff(context, args.partnerSlug, args.target),
  }),
  resendStaffInvitation: t.withAuth({ roster: true }).field({
    type: StaffResult,
    description:
      'A fresh link in place of the pending one, also when that has expired. 404 without a pending invitation.',
    args: { partnerSlug: t.arg(partnerSlug), target: t.arg(target) },
    resolve: limitedTo(inviting, (_root, args, context) =>
      resendStaffInvitation(context, args.partnerSlug, args.target),
    ),
  }),
  setStaffRoles: t.withAuth({ roster: true }).field({
    type: UserAccess,
    description: 'Rewrites the roles of an active teammate. 409 while the membership is pending or revoked.',
    args: {
      partnerSlug: t.arg(partnerSlug),
      input: t.arg({ type: SetStaffRolesInput, required: true, description: 'Whom and what.' }),
    },
    resolve: (_root, args, context) => setStaffRoles(context, args.partnerSlug, args.input),
  }),
}));
