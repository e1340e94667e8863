import { createContext, type ReactNode, use } from 'react';

/** Who is signed in, as `me` says. */
export interface Person {
  userId: string;
  email: string;
  platformRoles: readonly string[];
  /** The slug of the person's partner. Null for internal staff. */
  partnerSlug: string | null;
  /** Null if the identity provider is on another site. */
  hasSecondFactor: boolean | null;
}

const PersonContext = createContext<Person | null>(null);

export function ProvidePerson({ person, children }: { person: Person; children: ReactNode }) {
  return <PersonContext value={person}>{children}</PersonContext>;
}

export function usePerson(): Person {
  const person = use(PersonContext);
  if (!person) throw new Error('There is no person here.');
  return person;
}

/** What a person may do, in the terms of the scopes of the graph. The platform decides; the console only explains. */
export type Right = 'superadmin' | 'hub' | 'platformStaff' | 'admin' | 'auditor' | 'directory';

const internal = ['superadmin', 'hubadmin', 'platformpaymentAdmin'];

export function may({ platformRoles, partnerSlug }: Person, right: Right): boolean {
  const isScoped = partnerSlug !== null;
  const has = (...roles: string[]): boolean => roles.some((role) => platformRoles.includes(role));
  const isHub = !isScoped && has(...internal);
  switch (right) {
    case 'superadmin':
      return !isScoped && has('superadmin');
    case 'hub':
      return isHub;
    case 'platformStaff':
      return isHub || (!isScoped && has('accountmanager'));
    case 'admin':
      return isHub || (isScoped && has('partneradmin'));
    case 'auditor':
      return isHub || (isScoped && has('partneradmin', 'accountmanager'));
    case 'directory':
      return isHub || has('accountmanager') || (isScoped && has('partneradmin'));
  }
}

const takes: Record<Right, string> = {
  superadmin: 'superadmin',
  hub: 'superadmin, hubadmin or platformpaymentAdmin',
  platformStaff: 'superadmin, hubadmin, platformpaymentAdmin, or accountmanager without a partner',
  admin: 'hubadmin, or partneradmin of the partner',
  auditor: 'hubadmin, or partneradmin or accountmanager of the partner',
  directory: 'hubadmin, accountmanager, or partneradmin of the partner',
};

/** Why a person may not, as a sentence; undefined if they may. */
export function refusalReason(person: Person, right: Right): string | undefined {
  return may(person, right) ? undefined : `Requires the role ${takes[right]}.`;
}
