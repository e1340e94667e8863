import { builder } from '../../graph/builder.ts';
import type { SessionContext } from '../../graph/context.ts';
import { type FieldLimit, limitedTo } from '../../graph/field-limits.ts';
import { AssignRoleProbe, PartnerStaffProbe } from './inputs.ts';
import { probeAssignRole } from './probe-assign-role.ts';
import { probeManagePartnerStaff } from './probe-manage-partner-staff.ts';
import { Permission } from './types.ts';

const probeLimit: FieldLimit<SessionContext, unknown> = {
  name: 'probes',
  perMinute: 600,
  whose: ({ caller }) => caller.userId,
};

builder.queryFields((t) => ({
  assignRolePermission: t.withAuth({ session: true }).field({
    type: Permission,
    description:
      'Whether the caller may give a user these roles in this scope. `ok` is false exactly if the mutation would be ' +
      '403, 404 or 422, or 409 `partner_offboarded`. At most 600 calls a minute for a user.',
    args: {
      input: t.arg({ type: AssignRoleProbe, required: true, description: 'The user, the roles and the scope.' }),
    },
    resolve: limitedTo(probeLimit, (_root, { input }, context) => probeAssignRole(context, input)),
  }),
  managePartnerStaffPermission: t.withAuth({ session: true }).field({
    type: Permission,
    description:
      "Whether the caller may perform this action on a partner's roster. `ok` is false exactly if the mutation would " +
      'be 403, 404 or 422, or 409 `partner_offboarded`. At most 600 calls a minute for a user.',
    args: {
      input: t.arg({ type: PartnerStaffProbe, required: true, description: 'The partner, the action and the user.' }),
    },
    resolve: limitedTo(probeLimit, (_root, { input }, context) => probeManagePartnerStaff(context, input)),
  }),
}));
