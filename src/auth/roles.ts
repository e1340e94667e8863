import type { OwnScopes } from './scopes.ts';

/** All roles, in the spelling of the identity provider and of the API. */
export const platformRoleNames = [
  'superadmin',
  'hubadmin',
  'platformpaymentAdmin',
  'accountmanager',
  'partneradmin',
  'partnerstaff',
] as const;

export type PlatformRole = (typeof platformRoleNames)[number];

/**
 * The properties of a user that determine permissions: the roles and the slug of the partner (null for internal staff).
 */
export interface RoleHolder {
  platformRoles: readonly string[];
  whitelabelOwnership: string | null;
}

const unscopedOnly: ReadonlySet<string> = new Set<PlatformRole>(['superadmin', 'hubadmin', 'platformpaymentAdmin']);
const scopedOnly: ReadonlySet<string> = new Set<PlatformRole>(['partneradmin', 'partnerstaff']);

/** Whether a user has a role that is valid for them: some roles require a partner and some require none. */
export function holds(person: RoleHolder, role: PlatformRole): boolean {
  if (!person.platformRoles.includes(role)) return false;
  return person.whitelabelOwnership === null ? !scopedOnly.has(role) : !unscopedOnly.has(role);
}

export function isSuperadmin(person: RoleHolder): boolean {
  return holds(person, 'superadmin');
}

/** `hubadmin` or above. `platformpaymentAdmin` is an older name of `hubadmin`. */
export function isHub(person: RoleHolder): boolean {
  return isSuperadmin(person) || holds(person, 'hubadmin') || holds(person, 'platformpaymentAdmin');
}

/** Whether every partner is visible to the user: `hubadmin` or above, and account managers without a partner. */
export function isPlatformReader(person: RoleHolder): boolean {
  return isHub(person) || (person.whitelabelOwnership === null && holds(person, 'accountmanager'));
}

/** Whether the user changes objects of partners: `hubadmin` or above of every one, `partneradmin` of their own. */
export function isAdmin(person: RoleHolder): boolean {
  return isHub(person) || holds(person, 'partneradmin');
}

/** Whether at least one partner is visible to the user. */
export function isReader(person: RoleHolder): boolean {
  return isPlatformReader(person) || isAdmin(person) || holds(person, 'accountmanager');
}

/** Whether the user reads the audit log: `hubadmin` or above all of it, readers of a partner that of their partner. */
export function isAuditor(person: RoleHolder): boolean {
  return isHub(person) || (person.whitelabelOwnership !== null && isReader(person));
}

/** The roles that have a scope, for the message of a 403. */
export function rolesFor(required: OwnScopes): string {
  const hub = 'superadmin, hubadmin or platformpaymentAdmin';
  if (required.superadmin) return 'superadmin';
  if (required.hub) return hub;
  if (required.platformStaff) return `${hub}, or accountmanager without a partner`;
  if (required.admin) return `${hub}, or partneradmin of a partner`;
  return `${hub}, or partneradmin or accountmanager of a partner`;
}
