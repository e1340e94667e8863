import type { SessionContext } from '../../call/context.ts';
import { builder } from '../../graph/builder.ts';
import type { FieldLimit } from '../../graph/field-limits.ts';
import { storesWholeAnswer } from '../../graph/plugins.ts';
import { InviteStaffInput, SetStaffRolesInput, StaffTargetInput } from '../inputs.ts';
import { StaffInvitation, StaffResult, UserAccess } from '../types.ts';
import { expiryOf, isExpired } from './end-invitation.ts';
import { inviteStaff, resendStaffInvitation } from './invite-staff.ts';
import { deleteStaff, revokeStaff } from './leave-roster.ts';
import { type OpenInvitation as InvitationRow, listInvitations } from './list-invitations.ts';
import { setStaffRoles } from './roster-staff.ts';

const inviteLimit: FieldLimit<SessionContext, unknown> = {
  name: 'inviteStaff',
  max: 300,
  window: '1m',
  by: ({ caller }) => caller.userId,
};
const partnerSlug = {
  type: 'Slug',
  required: true,
  description: 'Slug of the partner whose roster is changed.',
} as const;
const target = { type: StaffTargetInput, required: true, description: 'The user of the roster.' } as const;

const InvitationState = builder.enumType('InvitationState', {
  description: 'Whether an invitation can be accepted.',
  values: {
    pending: { description: 'The link in the email can be used.' },
    expired: { description: 'The link was not used within 7 days. It can be sent again.' },
  } as const,
});

const OpenInvitation = builder.objectRef<InvitationRow>('OpenInvitation').implement({
  description: "An invitation to a partner's roster that was not accepted.",
  fields: (t) => ({
    membershipId: t.exposeID('id', { description: 'Unique identifier of the membership, prefix `mem_`.' }),
    partnerSlug: t.string({ description: 'Slug of the partner.', resolve: ({ partner }) => partner.slug }),
    email: t.exposeString('email', { description: 'The invited email address.' }),
    roles: t.exposeStringList('roles', { description: 'The roles that the person will have.' }),
    state: t.field({
      type: InvitationState,
      description: 'Whether the invitation can be accepted.',
      resolve: (row, _args, { services }) =>
        row.status === 'revoked' || isExpired(row, services.clock.now()) ? 'expired' : 'pending',
    }),
    invitedAt: t.expose('invitedAt', { type: 'DateTime', description: 'Time of the latest invitation.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Time from which the invitation cannot be accepted.',
      resolve: expiryOf,
    }),
  }),
});

builder.queryFields((t) => ({
  openInvitations: t.withAuth({ admin: true }).field({
    type: [OpenInvitation],
    description:
      "Lists the invitations to a partner's roster that were not accepted, the latest first, at most 500. A " +
      'partneradmin sees those of the own partner. Internal staff name the partner, the email address, or both: 400 ' +
      'without either.',
    args: {
      partnerSlug: t.arg({ type: 'Slug', description: 'Only invitations to this partner.' }),
      email: t.arg({ type: 'Email', description: 'Only invitations of this email address.' }),
    },
    resolve: (_root, args, context) => listInvitations(context, args),
  }),
}));

builder.mutationFields((t) => ({
  inviteStaff: t.withAuth({ admin: true }).field({
    type: StaffInvitation,
    description:
      "Invites a user to a partner's roster with an email in the partner's branding. A user who is staff of the " +
      "partner gets the roles immediately. 409 for staff of another partner, internal staff and owners of a merchant's " +
      'organization. At most 300 calls a minute for a user.',
    args: {
      partnerSlug: t.arg(partnerSlug),
      input: t.arg({ type: InviteStaffInput, required: true, description: 'The user and the roles.' }),
    },
    freshSecondFactor: true,
    storedAnswer: storesWholeAnswer,
    rateLimit: inviteLimit,
    resolve: (_root, args, context) => inviteStaff(context, args.partnerSlug, args.input),
  }),
  revokeStaff: t.withAuth({ admin: true }).field({
    type: StaffResult,
    description:
      'Removes the roles and the scope of a member of staff, or a pending invitation. The membership is kept with ' +
      'the status `revoked`, and the account is not changed. A repeat returns the same answer.',
    args: { partnerSlug: t.arg(partnerSlug), target: t.arg(target) },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => revokeStaff(context, args.partnerSlug, args.target),
  }),
  deleteStaff: t.withAuth({ admin: true }).field({
    type: StaffResult,
    description:
      'Removes the roles and the scope of a member of staff, or a pending invitation, and deletes the membership. A ' +
      'repeat is 404.',
    args: { partnerSlug: t.arg(partnerSlug), target: t.arg(target) },
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => deleteStaff(context, args.partnerSlug, args.target),
  }),
  resendStaffInvitation: t.withAuth({ admin: true }).field({
    type: StaffResult,
    description:
      'Sends a new link in place of the one of a pending invitation, also if that link has expired. 404 without a ' +
      'pending invitation. At most 300 calls a minute for a user.',
    args: { partnerSlug: t.arg(partnerSlug), target: t.arg(target) },
    storedAnswer: storesWholeAnswer,
    rateLimit: inviteLimit,
    resolve: (_root, args, context) => resendStaffInvitation(context, args.partnerSlug, args.target),
  }),
  setStaffRoles: t.withAuth({ admin: true }).field({
    type: UserAccess,
    description:
      'Replaces the roles of an active member of staff. 409 `membership_not_active` while the membership is pending ' +
      'or revoked.',
    args: {
      partnerSlug: t.arg(partnerSlug),
      input: t.arg({ type: SetStaffRolesInput, required: true, description: 'The member of staff and the roles.' }),
    },
    freshSecondFactor: true,
    storedAnswer: storesWholeAnswer,
    resolve: (_root, args, context) => setStaffRoles(context, args.partnerSlug, args.input),
  }),
}));
