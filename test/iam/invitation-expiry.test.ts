import { describe, expect, test } from 'vitest';
import { endExpiredInvitations } from '../../src/iam/staff/end-expired-invitations.ts';
import { manualClock } from '../../src/lib/clock.ts';
import type { Mail } from '../../src/ports/mailer.ts';
import { usePlatform } from '../support/platform.ts';
import { makePartner, makePerson, password, signedIn, signIn } from './people.ts';

const weekMs = 7 * 86_400_000;
const clock = manualClock(new Date());
const mails: Mail[] = [];

let count = 0;

const platform = await usePlatform({ identityProvider: 'embedded', clock });
platform.services.mailer = { kind: 'kept', send: async (mail) => void mails.push(mail) };
const superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });
await makePartner(platform, 'acme');

async function post(path: string, body: object, cookie = ''): Promise<{ status: number; code: string | undefined }> {
  const response = await fetch(`${platform.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Cookie: cookie },
    body: JSON.stringify(body),
  });
  const { code } = (await response.json()) as { code?: string }; // an error has one
  return { status: response.status, code };
}

async function invite(email = `invited${++count}@example.com`): Promise<string> {
  const { status } = await superadmin.iam('/partners/acme/staff/invite', { email, roles: ['accountmanager'] });
  expect(status).toBe(200);
  return email;
}

const ticketTo = (email: string) => /ticket=([\w-]+)/.exec(mails.findLast(({ to }) => to === email)?.text ?? '')?.[1];
const accept = (email: string) => post('/idp/accept', { ticket: ticketTo(email), password });
const membershipOf = (emailLower: string) =>
  platform.services.prisma.partnerMembership.findFirstOrThrow({ where: { emailLower } });
const endingsOf = async (email: string) =>
  platform.services.prisma.auditRow.findMany({
    where: {
      target: (await membershipOf(email)).id,
      NOT: { action: { in: ['inviteStaff', 'resendStaffInvitation'] } },
    },
    select: { action: true, actorKind: true, outcome: true, reason: true },
  });
const gone = { status: 410, code: 'GONE' };
const expired = { outcome: 'failed', reason: 'invitation_expired' };

describe('an invitation is worth seven days, then it is 410 GONE', () => {
  test('by its link: 200 in the last millisecond, 410 after it', async () => {
    const [early, late] = [await invite(), await invite()];
    clock.advance(weekMs - 1);
    expect((await accept(early)).status).toBe(200);
    clock.advance(1);
    expect(await accept(late)).toEqual(gone);
    expect(await platform.idp.findUserByEmail(late)).toBeNull();
    expect((await fetch(`${platform.url}/idp/accept?ticket=${ticketTo(late)}`)).status).toBe(410);
  });

  test('on /join with an account: 200 in the last millisecond, 410 after it, and the invitation is ended', async () => {
    const [early, late] = [await makePerson(platform), await makePerson(platform)];
    for (const { email } of [early, late]) await invite(email);
    const [earlier, later] = [await signIn(platform, early), await signIn(platform, late)];
    clock.advance(weekMs - 1);
    expect((await post('/join', { partnerSlug: 'acme' }, earlier.cookie)).status).toBe(200);
    clock.advance(1);
    const page = await fetch(`${platform.url}/join`, { headers: { Cookie: later.cookie } });
    expect([page.status, (await page.text()).includes('Invitation expired')]).toEqual([410, true]);
    expect(await post('/join', { partnerSlug: 'acme' }, later.cookie)).toEqual(gone);
    expect(await membershipOf(late.email)).toMatchObject({ status: 'revoked', joinedAt: null, invitationId: null });
    expect(await endingsOf(late.email)).toEqual([{ action: 'acceptInvitation', actorKind: 'user', ...expired }]);
    expect(await post('/join', { partnerSlug: 'acme' }, later.cookie)).toEqual(gone);
    expect(await platform.idp.getUser(late.id)).toMatchObject({ platformRoles: [], whitelabelOwnership: null });
    expect(await platform.idp.findPendingInvitation(late.email)).toBeNull();
  });

  test('410 by an open link of the provider whose invitation is older here', async () => {
    const email = await invite();
    await platform.services.prisma.partnerMembership.update({
      where: { id: (await membershipOf(email)).id },
      data: { invitedAt: new Date(clock.now().getTime() - weekMs) },
    });
    expect(await accept(email)).toEqual(gone);
    expect(await platform.idp.findUserByEmail(email)).toBeNull();
    expect(await endingsOf(email)).toEqual([{ action: 'acceptInvitation', actorKind: 'anonymous', ...expired }]);
    expect(await accept(email)).toEqual(gone);
  });

  test("by the provider's message: an account created in time joins, a later one loses its access", async () => {
    const [early, late] = [await invite(), await invite()];
    const access = { password, platformRoles: ['accountmanager'], whitelabelOwnership: 'acme' };
    clock.advance(weekMs - 1);
    // The messages are delivered after the week.
    await platform.idp.createUser({ email: early, ...access });
    clock.advance(1);
    const { id } = await platform.idp.createUser({ email: late, ...access });
    await platform.idp.flush();
    expect(await membershipOf(early)).toMatchObject({ status: 'active' });
    expect(await membershipOf(late)).toMatchObject({ status: 'revoked', userId: null });
    expect(await endingsOf(late)).toEqual([{ action: 'acceptInvitation', actorKind: 'user', ...expired }]);
    expect(await platform.idp.getUser(id)).toMatchObject({ platformRoles: [], whitelabelOwnership: null });
    expect((await superadmin.iam('/users/find', { idpUserId: id })).body.user).toMatchObject({
      platformRoles: [],
      whitelabelOwnership: null,
    });
  });

  test('resending and inviting again after the week send a new link that is worth a week', async () => {
    const [resent, invited] = [await invite(), await invite()];
    const firstTickets = [ticketTo(resent), ticketTo(invited)];
    clock.advance(weekMs);
    expect((await superadmin.iam('/partners/acme/staff/resend-invitation', { email: resent })).status).toBe(200);
    await invite(invited);
    expect(firstTickets).not.toContain(ticketTo(resent));
    expect(firstTickets).not.toContain(ticketTo(invited));
    clock.advance(weekMs - 1);
    expect((await accept(resent)).status).toBe(200);
    clock.advance(1);
    expect(await accept(invited)).toEqual(gone);
  });
});

describe('the job ends expired invitations', () => {
  test('after seven days and no earlier, with an audit row; they can be sent again', async () => {
    await endExpiredInvitations(platform.services);
    const [email, other] = [await invite(), await invite()];
    clock.advance(weekMs - 1);
    expect(await endExpiredInvitations(platform.services)).toBe(0);
    clock.advance(1);
    expect(await endExpiredInvitations(platform.services)).toBe(2);
    expect(await endExpiredInvitations(platform.services)).toBe(0);
    expect(await membershipOf(email)).toMatchObject({ status: 'revoked', invitationId: null, revokedAt: clock.now() });
    expect(await endingsOf(email)).toEqual([
      { action: 'expireInvitation', actorKind: 'system', outcome: 'allowed', reason: 'invitation_expired' },
    ]);
    expect(await accept(email)).toEqual(gone);
    const probe = { partnerSlug: 'acme', action: 'resend-invitation' };
    expect((await superadmin.iam('/permissions/manage-partner-staff', probe)).body.ok).toBe(true);
    expect((await superadmin.iam('/partners/acme/staff/resend-invitation', { email })).status).toBe(200);
    expect((await accept(email)).status).toBe(200);
    // An invitation that a person revoked in time is not sent again.
    await invite(other);
    await superadmin.iam('/partners/acme/staff/revoke', { email: other });
    expect((await superadmin.iam('/partners/acme/staff/resend-invitation', { email: other })).status).toBe(404);
  });

  test('and makes a member of a person who accepted in time, when the message about it was lost', async () => {
    const email = await invite();
    const access = { password, platformRoles: ['accountmanager'], whitelabelOwnership: 'acme' };
    const { id } = await platform.idp.createUser({ email, ...access });
    await platform.idp.flush();
    await platform.services.prisma.partnerMembership.updateMany({
      where: { userId: id },
      data: { status: 'pending', userId: null, joinedAt: null },
    });
    clock.advance(weekMs);
    expect(await endExpiredInvitations(platform.services)).toBe(0);
    expect(await membershipOf(email)).toMatchObject({ status: 'active', userId: id });
  });
});

describe('openInvitations', () => {
  const ask = async (caller: Pick<typeof superadmin, 'graphql'>, args: string) => {
    const { data, errors } = await caller.graphql(`{ openInvitations${args} { email partnerSlug roles state } }`);
    return errors ? errors[0].extensions.code : data.openInvitations;
  };

  test('a partneradmin reads those of the own partner: pending for 7 days, then expired, and not once accepted', async () => {
    const admin = await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: 'acme' });
    const [accepted, email] = [await invite(), await invite()];
    expect((await accept(accepted)).status).toBe(200);
    const shown = { email, partnerSlug: 'acme', roles: ['accountmanager'] };
    expect(await ask(admin, `(email: "${email}")`)).toEqual([{ ...shown, state: 'pending' }]);
    expect(await ask(admin, `(email: "${accepted}")`)).toEqual([]);
    clock.advance(weekMs);
    expect(await ask(superadmin, `(email: "${email}")`)).toEqual([{ ...shown, state: 'expired' }]);
    await endExpiredInvitations(platform.services);
    expect(await ask(superadmin, `(partnerSlug: "acme", email: "${email}")`)).toEqual([{ ...shown, state: 'expired' }]);
  });

  test('403 for another partner and for an accountmanager, 400 for internal staff who name neither partner nor address', async () => {
    await makePartner(platform, 'rival');
    const admin = await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: 'acme' });
    const manager = await signedIn(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: 'acme' });
    expect(await ask(admin, '(partnerSlug: "rival")')).toBe('FORBIDDEN');
    expect(await ask(manager, '(partnerSlug: "acme")')).toBe('FORBIDDEN');
    expect(await ask(superadmin, '')).toBe('INPUT_PARSE_ERROR');
  });
});
