import type { IdpAccess } from '../ports/identity-provider.ts';
import type { Services } from '../services.ts';
import { platformName } from '../theme/brand.ts';
import { tellAdmins } from './tell-admins.ts';

/** The roles that act for others. Users with one of them are notified of a new one. */
const adminRoles: readonly string[] = ['superadmin', 'hubadmin', 'platformpaymentAdmin', 'partneradmin'];

/** The roles of admins that a user gets and did not have. */
export function newAdminRoles(before: IdpAccess | null, after: IdpAccess): string[] {
  const isMoved = before?.whitelabelOwnership !== after.whitelabelOwnership;
  return after.platformRoles.filter(
    (role) => adminRoles.includes(role) && (isMoved || !before?.platformRoles.includes(role)),
  );
}

/** Notifies the superadmins, and the admins of the partner if it is one of theirs, of a user's new role of an admin. */
export function tellOfAdmin(
  services: Services,
  { email, roles, partnerSlug }: { email: string; roles: readonly string[]; partnerSlug: string | null },
): Promise<void> {
  const of = partnerSlug ?? platformName;
  return tellAdmins(services, 'admin', partnerSlug === null ? null : { slug: partnerSlug }, ({ text }) => ({
    subject: text('mail.admin', { partner: of }),
    lead: text('mail.admin.lead', { email, partner: of, roles: roles.join(', ') }),
    action: {
      label: text('mail.admin.action'),
      path: partnerSlug === null ? '/console/live/users' : '/console/live/staff',
    },
    notes: [text('mail.audit.note')],
  }));
}
