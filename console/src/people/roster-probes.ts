import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import type { Probe } from '../ui/permission-probe.ts';

const staffDocument = graphql(`
  query MayManageStaff($input: PartnerStaffProbe!) {
    permission: managePartnerStaffPermission(input: $input) { ok reason }
  }
`);
const rolesDocument = graphql(`
  query MayAssignRoles($input: AssignRoleProbe!) {
    permission: assignRolePermission(input: $input) { ok reason }
  }
`);

/** Whether the person may do this to the roster of a partner, or to one of its people. */
export function staffProbe(
  partnerSlug: string,
  action: 'invite' | 'resend_invitation' | 'revoke' | 'set_roles' | 'delete',
  targetUserId: string | null = null,
): Probe {
  const input = { partnerSlug, action, targetUserId };
  return {
    key: [input],
    ask: async (signal) => (await ask(staffDocument, { input }, { signal })).permission,
  };
}

type Role = 'superadmin' | 'hubadmin' | 'platformpaymentAdmin' | 'accountmanager';

/** Whether the person may change the roles of a user at all: asked with the roles that the user has. */
export function rolesProbe(targetUserId: string, requestedRoles: Role[]): Probe {
  const input = { targetUserId, requestedRoles };
  return {
    key: [input],
    ask: async (signal) => (await ask(rolesDocument, { input }, { signal })).permission,
  };
}
