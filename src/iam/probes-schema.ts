import { builder } from '../graph/builder.ts';
import type { SessionContext } from '../graph/context.ts';
import { type FieldLimit, limitedTo } from '../graph/field-limits.ts';
import type { StaffAction } from './policy.ts';
import { probeAssignRole, probeManagePartnerStaff } from './probes.ts';
import { Permission, PlatformRole } from './types.ts';

const AssignRoleProbe = builder.inputType('AssignRoleProbe', {
  description: 'Roles somebody might be given.',
  fields: (t) => ({
    targetUserId: t.string({ required: true, description: 'Whom, prefix `user_`.' }),
    requestedRoles: t.field({
      type: [PlatformRole],
      required: true,
      description: 'All the roles the person is to have then.',
    }),
    requestedScope: t.field({
      type: 'Slug',
      description: "The partner's slug, or null for none; the target's present scope when left out.",
    }),
  }),
});

const PartnerStaffProbe = builder.inputType('PartnerStaffProbe', {
  description: 'Something that might be done on a roster.',
  fields: (t) => ({
    partnerSlug: t.field({ type: 'Slug', required: true, description: 'Whose roster.' }),
    action: t.field({ type: 'StaffAction', required: true, description: 'What.' }),
    targetUserId: t.string({ description: 'To whom, prefix `user_`.' }),
  }),
});

const probing: FieldLimit<SessionContext, unknown> = {
  name: 'probes',
  perMinute: 600,
  whose: ({ caller }) => caller.userId,
};

builder.queryFields((t) => ({
  assignRolePermission: t.withAuth({ session: true }).field({
    type: Permission,
    description:
      'Whether the caller may give somebody these roles in this scope: not ok exactly where the mutation would be 403, 404 or 422. At most 600 probes a minute.',
    args: { input: t.arg({ type: AssignRoleProbe, required: true, description: 'Who and what.' }) },
    resolve: limitedTo(probing, (_root, { input }, context) => probeAssignRole(context, input)),
  }),
  managePartnerStaffPermission: t.withAuth({ session: true }).field({
    type: Permission,
    description:
      "Whether the caller may do this on a partner's roster: not ok exactly where the mutation would be 403, 404 or 422. At most 600 probes a minute.",
    args: { input: t.arg({ type: PartnerStaffProbe, required: true, description: 'Where and what.' }) },
    resolve: limitedTo(probing, (_root, { input }, context) =>
      probeManagePartnerStaff(context, { ...input, action: input.action as StaffAction }),
    ), // the scalar knows the list
  }),
}));
