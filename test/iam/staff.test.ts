import { beforeEach, describe, expect, test } from 'vitest';
import { usePlatform } from '../support/platform.ts';
import { makePartner, makePerson, type SignedIn, signedIn } from './people.ts';

let n = 0;
let slug: string;
let partnerId: string;
let admin: SignedIn;

const platform = await usePlatform();
const superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });
const hub = await signedIn(platform, { platformRoles: ['hubadmin'] });

beforeEach(async () => {
  slug = `partner-${++n}`;
  ({ id: partnerId } = await makePartner(platform, slug));
  admin = await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: slug });
});

const staff = (who: SignedIn, action: string, body: unknown, of = slug) =>
  who.iam(`/partners/${of}/staff/${action}`, body);
const fresh = () => `new${++n}@example.com`;
const rowOf = (email: string) =>
  platform.services.prisma.partnerMembership.findFirst({ where: { emailLower: email.toLowerCase(), partnerId } });
const openInvitations = async (email: string) =>
  (
    await platform.services.pool.query(
      `SELECT id FROM idp.invitation WHERE lower(email) = lower($1) AND status = 'pending'`,
      [email],
    )
  ).rows.length;
const accessOf = async (id: string) => {
  const user = await platform.services.identityProvider.getUser(id);
  return { platformRoles: user?.platformRoles, whitelabelOwnership: user?.whitelabelOwnership };
};

describe('invite', () => {
  test('200 invited: a pending row and one open invitation', async () => {
    const email = fresh();
    const { status, body } = await staff(admin, 'invite', { email: email.toUpperCase(), roles: ['accountmanager'] });
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'invited', membershipId: expect.stringMatching(/^mem_/) });
    expect(await rowOf(email)).toMatchObject({
      status: 'pending',
      roles: ['accountmanager'],
      invitedBy: admin.id,
      userId: null,
    });
    expect(await openInvitations(email)).toBe(1);
  });

  test('twenty at once: one membership, one pending invitation', async () => {
    const email = fresh();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => staff(hub, 'invite', { email, roles: ['accountmanager'] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(new Array(20).fill(200));
    expect(new Set(answers.map(({ body }) => body.membershipId)).size).toBe(1);
    expect(await platform.services.prisma.partnerMembership.count({ where: { partnerId, emailLower: email } })).toBe(1);
    expect(await openInvitations(email)).toBe(1);
  });

  test("200 over an invitation left by a crash; 409 when it is another partner's or a superadmin's", async () => {
    const { identityProvider } = platform.services;
    const leave = (email: string, platformRoles: string[], whitelabelOwnership: string | null) =>
      identityProvider.invite({ email, access: { platformRoles, whitelabelOwnership }, redirectUrl: platform.url });
    const [left, theirs, root] = [fresh(), fresh(), fresh()];
    const { id } = await leave(left, ['partneradmin'], slug);
    expect(await staff(admin, 'invite', { email: left.toUpperCase(), roles: ['accountmanager'] })).toMatchObject({
      status: 200,
      body: { status: 'invited' },
    });
    expect(await openInvitations(left)).toBe(1);
    expect(await identityProvider.findPendingInvitation(left)).toMatchObject({
      access: { platformRoles: ['accountmanager'], whitelabelOwnership: slug },
    });
    expect(await identityProvider.revokeInvitation(id)).toBe('already_closed');
    const other = await makePartner(platform, `other-${++n}`);
    expect(
      (await superadmin.iam(`/partners/${other.slug}/staff/invite`, { email: theirs, roles: ['accountmanager'] }))
        .status,
    ).toBe(200);
    await leave(root, ['superadmin'], null);
    for (const email of [theirs, root])
      expect((await staff(superadmin, 'invite', { email, roles: ['accountmanager'] })).body.message).toContain(
        'target_in_other_partner',
      );
    expect(await openInvitations(theirs)).toBe(1);
  });

  test('pending and the same roles: no second invitation; other roles: a new one with the union', async () => {
    const email = fresh();
    await staff(admin, 'invite', { email, roles: ['accountmanager'] });
    const first = await rowOf(email);
    expect((await staff(admin, 'invite', { email, roles: ['accountmanager'] })).body.status).toBe('invited');
    expect((await rowOf(email))?.invitationId).toBe(first?.invitationId);
    expect((await staff(admin, 'invite', { email, roles: ['partneradmin'] })).body.status).toBe('invited');
    const second = await rowOf(email);
    expect(second?.roles).toEqual(['accountmanager', 'partneradmin']);
    expect(second?.invitationId).not.toBe(first?.invitationId);
    expect(await openInvitations(email)).toBe(1);
  });

  test('200 role_updated for a teammate; 409 already_on_roster without a new role', async () => {
    const mate = await makePerson(platform, { platformRoles: ['partnerstaff'], whitelabelOwnership: slug });
    expect((await staff(admin, 'invite', { email: mate.email, roles: ['accountmanager'] })).body.status).toBe(
      'role_updated',
    );
    expect(await accessOf(mate.id)).toEqual({
      platformRoles: ['partnerstaff', 'accountmanager'],
      whitelabelOwnership: slug,
    });
    const again = await staff(admin, 'invite', { email: mate.email, roles: ['accountmanager'] });
    expect([again.status, again.body.code]).toEqual([409, 'CONFLICT']);
    expect(again.body.message).toContain('already_on_roster');
  });

  test('409 for a person of another partner, with the reason for a hubadmin only', async () => {
    const other = await makePartner(platform, `other-${++n}`);
    const foreign = await makePerson(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: other.slug });
    const internal = await makePerson(platform, { platformRoles: ['accountmanager'] });
    const owner = await makePerson(platform);
    const organization = await platform.idp.createOrganization({ name: 'Shop', createdBy: owner.id });
    await platform.idp.addMember(organization.id, owner.id);
    await platform.idp.flush();
    for (const [person, reason] of [
      [foreign, 'target_in_other_partner'],
      [internal, 'target_is_internal_staff'],
      [owner, 'target_is_org_owner'],
    ] as const) {
      const answer = await staff(superadmin, 'invite', { email: person.email, roles: ['accountmanager'] });
      expect([answer.status, answer.body.message.includes(reason)]).toEqual([409, true]);
      const hidden = await staff(admin, 'invite', { email: person.email, roles: ['accountmanager'] });
      expect([
        hidden.status,
        hidden.body.message.includes('email_not_invitable'),
        hidden.body.message.includes(reason),
      ]).toEqual([409, true, false]);
    }
  });

  test('INPUT_PARSE_ERROR over GraphQL for what is 422 over REST', async () => {
    const body = { email: fresh(), roles: ['partnerstaff'] };
    const answer = await staff(admin, 'invite', body);
    const { errors } = await admin.graphql(
      'mutation ($slug: Slug!, $input: InviteStaffInput!) { inviteStaff(partnerSlug: $slug, input: $input) { status } }',
      { slug, input: body },
    );
    expect([answer.status, answer.body.code, errors[0].extensions.code]).toEqual([
      422,
      'UNPROCESSABLE_CONTENT',
      'INPUT_PARSE_ERROR',
    ]);
  });

  test('422 for empty, unknown or unassignable roles, a bad address and no slug; 403 before 404', async () => {
    const body = (more: object) => ({ email: fresh(), roles: ['accountmanager'], ...more });
    for (const wrong of [
      { roles: [] },
      { roles: ['king'] },
      { roles: ['hubadmin'] },
      { roles: ['partnerstaff'] },
      { email: 'unknown' },
      { email: undefined },
    ]) {
      const answer = await staff(hub, 'invite', body(wrong));
      expect([answer.status, answer.body.code], JSON.stringify(wrong)).toEqual([422, 'UNPROCESSABLE_CONTENT']);
    }
    expect((await staff(hub, 'invite', body({}), 'NO')).status).toBe(422);
    expect((await staff(hub, 'invite', body({}), 'nowhere')).status).toBe(404);
    const foreign = await staff(admin, 'invite', body({}), 'nowhere');
    expect([foreign.status, foreign.body.message.includes('other_partner')]).toEqual([403, true]);
    // Validation precedes the policy on the named partner.
    expect((await staff(admin, 'invite', { roles: 7 }, 'nowhere')).status).toBe(422);
    expect((await staff(admin, 'invite', '{', slug)).status).toBe(422);
  });
});

describe('revoke, delete, resend', () => {
  test('revoke removes roles and scope, keeps the account and session, and is idempotent', async () => {
    const mate = await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: slug });
    expect((await staff(mate, 'resend-invitation', { email: 'x@example.com' })).status).toBe(404);
    expect(await staff(admin, 'revoke', { userId: mate.id })).toMatchObject({
      status: 200,
      body: { status: 'revoked' },
    });
    expect(await accessOf(mate.id)).toEqual({ platformRoles: [], whitelabelOwnership: null });
    expect((await staff(mate, 'resend-invitation', { email: 'x@example.com' })).status).toBe(403);
    expect((await staff(admin, 'revoke', { email: mate.email })).status).toBe(200);
    expect(await rowOf(mate.email)).toMatchObject({ status: 'revoked' });
  });

  test('revoking or deleting an old row does not change memberships elsewhere', async () => {
    const other = await makePartner(platform, `other-${++n}`);
    const mate = await makePerson(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: slug });
    expect(
      (await superadmin.iam('/internal-users/set-partner-scope', { userId: mate.id, partnerSlug: other.slug })).status,
    ).toBe(200);
    expect((await staff(admin, 'revoke', { userId: mate.id })).status).toBe(200);
    expect((await staff(admin, 'delete', { email: mate.email })).status).toBe(200);
    expect(await accessOf(mate.id)).toEqual({ platformRoles: ['accountmanager'], whitelabelOwnership: other.slug });
    expect((await staff(admin, 'delete', { email: mate.email })).status).toBe(404);
  });

  test('delete of a pending row revokes its invitation; repeated 404', async () => {
    const email = fresh();
    const { body } = await staff(admin, 'invite', { email, roles: ['accountmanager'] });
    expect((await staff(admin, 'delete', { membershipId: body.membershipId })).body).toEqual({ status: 'deleted' });
    expect([await rowOf(email), await openInvitations(email)]).toEqual([null, 0]);
    expect((await staff(admin, 'delete', { membershipId: body.membershipId })).status).toBe(404);
  });

  test('resend makes a new invitation while pending, else 404', async () => {
    const email = fresh();
    await staff(admin, 'invite', { email, roles: ['accountmanager'] });
    const before = await rowOf(email);
    expect((await staff(admin, 'resend-invitation', { email })).body).toEqual({ status: 'invited' });
    const after = await rowOf(email);
    expect([after?.invitationId === before?.invitationId, await openInvitations(email)]).toEqual([false, 1]);
    await staff(admin, 'revoke', { email });
    expect((await staff(admin, 'resend-invitation', { email })).status).toBe(404);
    expect((await staff(admin, 'invite', { email, roles: ['partneradmin'] })).body.status).toBe('invited');
    expect(await rowOf(email)).toMatchObject({ status: 'pending', roles: ['partneradmin'], revokedAt: null });
  });

  test('422 unless one field names the person; 403 for oneself in every way', async () => {
    const own = await rowOf(admin.email);
    for (const body of [{}, { userId: 'user_1', email: 'a@example.com' }, { userId: null }])
      expect((await staff(admin, 'revoke', body)).status).toBe(422);
    for (const body of [{ userId: admin.id }, { email: admin.email.toUpperCase() }, { membershipId: own?.id }]) {
      const answer = await staff(admin, 'revoke', body);
      expect([answer.status, answer.body.message.includes('self_assignment_forbidden')]).toEqual([403, true]);
    }
  });
});

describe('set-roles', () => {
  test('replaces roles; kept and removed roles are accepted, added ones must be assignable', async () => {
    const mate = await makePerson(platform, { platformRoles: ['partnerstaff', 'hubadmin'], whitelabelOwnership: slug });
    const set = (roles: string[]) => staff(admin, 'set-roles', { userId: mate.id, roles });
    expect((await set(['partnerstaff', 'hubadmin', 'partneradmin'])).body).toEqual({
      userId: mate.id,
      platformRoles: ['partnerstaff', 'hubadmin', 'partneradmin'],
    });
    expect((await set(['superadmin'])).status).toBe(422);
    expect((await set(['accountmanager'])).body.platformRoles).toEqual(['accountmanager']);
    expect((await set(['partnerstaff'])).status).toBe(422);
    expect((await set([])).body.platformRoles).toEqual([]);
    expect((await set([])).status).toBe(200);
    expect(await rowOf(mate.email)).toMatchObject({ status: 'active', roles: [] });
  });

  test('409 while pending, 404 for a person not on this roster', async () => {
    const email = fresh();
    await staff(admin, 'invite', { email, roles: ['accountmanager'] });
    const pending = await staff(admin, 'set-roles', { email, roles: ['partneradmin'] });
    expect([pending.status, pending.body.message.includes('membership_not_active')]).toEqual([409, true]);
    const other = await makePartner(platform, `other-${++n}`);
    const foreign = await makePerson(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: other.slug });
    expect((await staff(admin, 'set-roles', { userId: foreign.id, roles: [] })).status).toBe(404);
    expect((await staff(admin, 'set-roles', { userId: 'user_unknown', roles: [] })).status).toBe(404);
  });

  test('concurrent changes of one person lose nothing', async () => {
    const mate = await makePerson(platform, { platformRoles: [], whitelabelOwnership: slug });
    const answers = await Promise.all([
      staff(hub, 'invite', { email: mate.email, roles: ['accountmanager'] }),
      staff(superadmin, 'invite', { email: mate.email, roles: ['partneradmin'] }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect([...((await accessOf(mate.id)).platformRoles ?? [])].sort()).toEqual(['accountmanager', 'partneradmin']);
  });
});

describe('an offboarded partner', () => {
  test('its staff can do nothing, no one joins, and clean-up is allowed', async () => {
    const mate = await makePerson(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: slug });
    const email = fresh();
    await staff(admin, 'invite', { email, roles: ['accountmanager'] });
    const archived = await superadmin.iam('/partners-admin/archive', { id: partnerId });
    expect(archived.body).toMatchObject({ previousStatus: 'active', partner: { status: 'offboarded', slug } });
    expect((await superadmin.iam('/partners-admin/archive', { id: partnerId })).body.previousStatus).toBe('offboarded');
    expect([(await rowOf(email))?.status, await openInvitations(email)]).toEqual(['revoked', 0]);
    for (const [action, body] of [
      ['invite', { email: fresh(), roles: ['accountmanager'] }],
      ['revoke', { userId: mate.id }],
      ['set-roles', { userId: mate.id, roles: [] }],
    ] as const) {
      const answer = await staff(admin, action, body);
      expect([answer.status, answer.body.message.includes('partner_offboarded')]).toEqual([403, true]);
    }
    expect((await admin.iam('/users/list', {})).status).toBe(403);
    expect(
      (await admin.iam('/permissions/manage-partner-staff', { partnerSlug: slug, action: 'invite' })).body,
    ).toEqual({ ok: false, reason: 'partner_offboarded' });
    expect((await staff(hub, 'invite', { email: fresh(), roles: ['accountmanager'] })).status).toBe(409);
    expect((await staff(hub, 'set-roles', { userId: mate.id, roles: [] })).status).toBe(409);
    expect(
      (
        await superadmin.iam('/internal-users/set-partner-scope', {
          userId: (await makePerson(platform)).id,
          partnerSlug: slug,
        })
      ).status,
    ).toBe(409);
    expect((await superadmin.iam('/partners-admin/update', { slug, status: 'active' })).status).toBe(409);
    expect((await hub.iam('/partners-admin/update', { slug, name: 'Still editable' })).body.partner.name).toBe(
      'Still editable',
    );
    expect((await staff(hub, 'revoke', { userId: mate.id })).status).toBe(200);
    expect((await staff(hub, 'delete', { userId: mate.id })).status).toBe(200);
  });

  test('an update to offboarded ends its pending invitations, too; its branding can still be edited', async () => {
    const email = fresh();
    await staff(admin, 'invite', { email, roles: ['accountmanager'] });
    expect((await superadmin.iam('/partners-admin/update', { slug, status: 'offboarded' })).status).toBe(200);
    expect([(await rowOf(email))?.status, await openInvitations(email)]).toEqual(['revoked', 0]);
    const edited = await hub.iam('/partners-admin/update', { slug, branding: { displayName: 'Was Ltd' } });
    expect(edited.body.partner).toMatchObject({ status: 'offboarded', branding: { displayName: 'Was Ltd' } });
  });
});
