import { type SignedIn, signedIn, signIn } from '../../iam/people.ts';
import type { ConsoleWorld } from '../console.ts';
import { type ActionCase, does } from './action-case.ts';

export async function ofPeople({ platform, partner }: ConsoleWorld, other: SignedIn): Promise<ActionCase[]> {
  const internal = (email: string) => signedIn(platform, { email, platformRoles: ['accountmanager'] });
  const ofPartner = (email: string) =>
    signedIn(platform, { email, platformRoles: ['accountmanager'], whitelabelOwnership: partner.slug });
  const [given, moved, reset, ended, changed, revoked, deleted] = await Promise.all([
    internal('given@internal.example'),
    internal('moved@internal.example'),
    internal('reset@internal.example'),
    internal('ended@internal.example'),
    ofPartner('changed@shop.example'),
    ofPartner('revoked@shop.example'),
    ofPartner('deleted@shop.example'),
  ]);
  await does(
    other,
    `inviteStaff(partnerSlug: "${partner.slug}", input: { email: "invited@shop.example", roles: [accountmanager] }) { status }`,
  );
  const roster = `/test/staff?partner=${partner.slug}`;
  const user = ({ id }: SignedIn) => `/test/users/${id}`;
  const toHub = (person: SignedIn) => () =>
    does(other, `setInternalUserRoles(input: { userId: "${person.id}", roles: [hubadmin] }) { __typename }`);
  const toAdmin = (person: SignedIn) => () =>
    does(
      other,
      `setStaffRoles(partnerSlug: "${partner.slug}", input: { userId: "${person.id}", roles: [partneradmin] }) { __typename }`,
    );
  const isHub = /Roles changed from accountmanager to hubadmin/;
  const isAdmin = /Roles changed from accountmanager to partneradmin/;
  return [
    {
      mutation: 'SetInternalRoles',
      name: 'Change roles',
      path: user(given),
      typed: { platformpaymentAdmin: null },
      meanwhile: { happens: toHub(given), says: isHub },
    },
    {
      mutation: 'SetUserScope',
      name: 'Change partner',
      path: user(moved),
      typed: { Partner: partner.slug },
      meanwhile: { happens: toHub(moved), says: isHub },
    },
    {
      mutation: 'ResetSecondFactor',
      name: 'Reset second factor',
      path: user(reset),
      meanwhile: { happens: toHub(reset), says: isHub, isOver: true },
    },
    {
      mutation: 'EndUserSessions',
      name: 'End all sessions',
      path: user(ended),
    },
    {
      mutation: 'InviteStaff',
      name: 'Invite member',
      path: roster,
      typed: { Email: 'new@shop.example' },
    },
    {
      mutation: 'ResendInvitation',
      name: 'Resend',
      path: roster,
      row: 'invited@shop.example',
    },
    {
      mutation: 'SetStaffRoles',
      name: 'Change roles',
      path: roster,
      row: changed.email,
      meanwhile: { happens: toAdmin(changed), says: isAdmin },
    },
    {
      mutation: 'RevokeStaff',
      name: 'Revoke',
      path: roster,
      row: revoked.email,
      meanwhile: { happens: toAdmin(revoked), says: isAdmin },
    },
    {
      mutation: 'DeleteStaff',
      name: 'Delete',
      path: roster,
      row: deleted.email,
      meanwhile: { happens: toAdmin(deleted), says: isAdmin },
    },
  ];
}

/** Two other sessions of the person: one is ended alone, the other with all others. */
export async function ofSessions({ platform }: ConsoleWorld, person: SignedIn): Promise<ActionCase[]> {
  await Promise.all([signIn(platform, person), signIn(platform, person)]);
  return [
    {
      mutation: 'EndSession',
      name: 'End session',
      path: '/test/me',
      takesNoRole: true,
    },
    {
      mutation: 'EndOtherSessions',
      name: 'End all other sessions',
      path: '/test/me',
      takesNoRole: true,
      isLast: true,
    },
  ];
}

export async function ofViews(person: SignedIn): Promise<ActionCase[]> {
  await does(person, 'saveView(list: "customers", name: "Mine", query: "lastName=Mine", isShared: false) { id }');
  return [
    {
      mutation: 'SaveView',
      name: 'Save view',
      path: '/test/orders?status=paid',
      typed: { Name: 'Paid', 'Share with my team': null },
      takesNoRole: true,
    },
    {
      mutation: 'DeleteView',
      name: 'Delete view',
      path: '/test/customers?lastName=Mine',
      takesNoRole: true,
    },
  ];
}
