/** Every role there is, as the identity provider keeps it and the wire spells it. */
export const platformRoleNames = [
  'superadmin',
  'hubadmin',
  'platformpaymentAdmin',
  'accountmanager',
  'partneradmin',
  'partnerstaff',
] as const;

export type PlatformRole = (typeof platformRoleNames)[number];

/** What decisions look at in a person: roles, and the slug of the partner they are scoped to (null for internal staff). */
export interface RoleHolder {
  platformRoles: readonly string[];
  whitelabelOwnership: string | null;
}

const unscopedOnly: ReadonlySet<string> = new Set<PlatformRole>(['superadmin', 'hubadmin', 'platformpaymentAdmin']);
const scopedOnly: ReadonlySet<string> = new Set<PlatformRole>(['partneradmin', 'partnerstaff']);

/** Whether the person has the role and it counts: one left over from another kind of scope does not. */
export function holds(person: RoleHolder, role: PlatformRole): boolean {
  if (!person.platformRoles.includes(role)) return false;
  return person.whitelabelOwnership === null ? !scopedOnly.has(role) : !unscopedOnly.has(role);
}

export function isSuperadmin(person: RoleHolder): boolean {
  return holds(person, 'superadmin');
}

/** hubadmin or above. platformpaymentAdmin is an older name of the same. */
export function isHub(person: RoleHolder): boolean {
  return isSuperadmin(person) || holds(person, 'hubadmin') || holds(person, 'platformpaymentAdmin');
}

/** Sees every partner: hubadmin or above, and the account managers who belong to no partner. */
export function isPlatformReader(person: RoleHolder): boolean {
  return isHub(person) || (person.whitelabelOwnership === null && holds(person, 'accountmanager'));
}

/** Runs somebody's roster: hubadmin or above everybody's, a partneradmin their own partner's. */
export function isStaffManager(person: RoleHolder): boolean {
  return isHub(person) || holds(person, 'partneradmin');
}

/** Sees at least one partner. */
export function isReader(person: RoleHolder): boolean {
  return isPlatformReader(person) || isStaffManager(person) || holds(person, 'accountmanager');
}
