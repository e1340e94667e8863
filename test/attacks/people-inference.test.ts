import { describe, expect, test } from 'vitest';
import { refusedInvitesMax } from '../../src/iam/staff/invite-staff.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import { makePartner, makePerson, signedIn } from '../iam/people.ts';
import type { Answer } from '../support/client.ts';
import { usePlatform } from '../support/platform.ts';

const clock = manualClock(new Date('2030-05-01T10:00:00.000Z'));

const platform = await usePlatform({ clock });
await makePartner(platform, 'curious');
await makePartner(platform, 'other');
const admin = await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: 'curious' });

interface Named {
  userId: string;
  email: string;
}

/** Everything that a partneradmin may ask about a person, but for inviting them. */
function* questions({ userId, email }: Named): Generator<() => Promise<Answer>> {
  const roles = ['accountmanager'];
  for (const target of [{ userId }, { email }])
    for (const action of ['revoke', 'delete', 'resend-invitation', 'set-roles'])
      yield () =>
        admin.iam(`/partners/curious/staff/${action}`, { ...target, ...(action === 'set-roles' && { roles }) });
  for (const action of ['invite', 'revoke', 'delete', 'resend-invitation', 'set-roles'])
    for (const partnerSlug of ['curious', 'other'])
      yield () => admin.iam('/permissions/manage-partner-staff', { partnerSlug, action, targetUserId: userId });
  for (const scope of [undefined, null, 'curious', 'other'])
    yield () =>
      admin.iam('/permissions/assign-role', { targetUserId: userId, requestedRoles: roles, requestedScope: scope });
  yield () => admin.iam('/users/find', { email });
  yield () => admin.iam('/users/find', { idpUserId: userId });
  yield () => admin.iam('/users/list', { q: email });
  yield () => admin.iam('/users/list', { q: userId });
  yield () => admin.iam('/internal-users/set-roles', { userId, roles });
  yield () => admin.iam('/internal-users/set-partner-scope', { userId, partnerSlug: 'curious' });
}

/** The answers to all questions, the person's name and what is random left out. */
async function answersAbout(person: Named): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const ask of questions(person)) {
    const { status, body } = await ask();
    const text = JSON.stringify(body).replaceAll(person.userId, 'ID').replaceAll(person.email, 'EMAIL');
    answers.push([status, text]);
  }
  return answers;
}

describe('what a partneradmin learns of people elsewhere', () => {
  test.each([
    ["another partner's staff", { platformRoles: ['partneradmin'], whitelabelOwnership: 'other' }],
    ['internal staff', { platformRoles: ['superadmin'] }],
    ['a person without a role', {}],
  ])('%s: every question is answered as about an unknown user', async (_who, access) => {
    const { id: userId, email } = await makePerson(platform, access);
    const unknown = { userId: userId.replace(/.{6}$/, 'zzzzzz'), email: `no-${email}` };
    const [person, none] = [await answersAbout({ userId, email }), await answersAbout(unknown)];
    expect(person).toEqual(none);
    expect(person.length).toBeGreaterThan(20);
  });

  test('a former member who is staff elsewhere by now is answered as one who has no role', async () => {
    const former = async (access: object): Promise<Named> => {
      const { id: userId, email } = await makePerson(platform, access);
      const { prisma, clock: at } = platform.services;
      const partner = await prisma.partner.findUniqueOrThrow({ where: { slug: 'curious' } });
      const now = at.now();
      const row = { userId, email, emailLower: email.toLowerCase(), roles: [], status: 'revoked' };
      const ids = { id: newId('mem_', now), partnerId: partner.id };
      await prisma.partnerMembership.create({ data: { ...row, ...ids, invitedAt: now, revokedAt: now } });
      return { userId, email };
    };
    const elsewhere = await former({ platformRoles: ['partneradmin'], whitelabelOwnership: 'other' });
    expect(await answersAbout(elsewhere)).toEqual(await answersAbout(await former({})));
  });

  const invite = async (email: string): Promise<[status: number, retryAfter: string | null]> => {
    const { status, headers } = await admin.iam('/partners/curious/staff/invite', { email, roles: ['accountmanager'] });
    return [status, headers.get('retry-after')];
  };

  test('30 addresses an hour are 409 email_not_invitable, then every invitation of the partner is 429', async () => {
    const { email } = await makePerson(platform, { platformRoles: ['superadmin'] });
    for (let count = 0; count < refusedInvitesMax; count += 1) expect(await invite(email)).toEqual([409, null]);
    expect(await invite(email)).toEqual([429, '3600']);
    expect(await invite('new@example.com')).toEqual([429, '3600']);
    const superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });
    const byOperator = { email: 'by-operator@example.com', roles: ['accountmanager'] };
    expect((await superadmin.iam('/partners/curious/staff/invite', byOperator)).status).toBe(200);
    clock.advance(3_600_000);
    expect(await invite('new@example.com')).toEqual([200, null]);
  });

  test('invitations that are sent, or wrong, do not count', async () => {
    clock.advance(3_600_000);
    const sent = await Promise.all(Array.from({ length: 20 }, (_, index) => invite(`mate${index}@example.com`)));
    for (let count = 0; count < refusedInvitesMax; count += 1) expect(await invite('unknown')).toEqual([422, null]);
    expect(sent).toEqual(sent.map(() => [200, null]));
    expect(await invite('mate20@example.com')).toEqual([200, null]);
  });
});
