import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createContext } from '../../src/call/context.ts';
import { endSession } from '../../src/iam/identity/mirror.ts';
import { archivePartner } from '../../src/iam/partners/change-partner.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { accessWorld } from './access-world.ts';
import { callIam, makePerson, type SignedIn, signedIn } from './people.ts';

const world = accessWorld();
const { accessOf, mirrorOf, partner } = world;

describe('internal users', () => {
  test('set-roles writes at the provider and in the mirror', async () => {
    const person = await makePerson(world.platform);
    const answer = await world.superadmin.iam('/internal-users/set-roles', {
      userId: person.id,
      roles: ['hubadmin', 'hubadmin', 'accountmanager'],
    });
    expect(answer.body).toEqual({ userId: person.id, platformRoles: ['hubadmin', 'accountmanager'] });
    expect(await mirrorOf(person.id)).toEqual({
      platformRoles: ['hubadmin', 'accountmanager'],
      whitelabelOwnership: null,
    });
  });

  test('422 for a role that needs a partner, 409 for partner staff and merchant owners, 404 for unknown', async () => {
    const set = (userId: string, roles: string[]) =>
      world.superadmin.iam('/internal-users/set-roles', { userId, roles });
    const person = await makePerson(world.platform);
    const needs = await set(person.id, ['partneradmin']);
    expect([needs.status, needs.body.message.includes('role_requires_partner_scope')]).toEqual([422, true]);
    expect((await set(person.id, ['king'])).status).toBe(422);
    const scoped = await makePerson(world.platform, { whitelabelOwnership: (await partner()).slug });
    expect((await set(scoped.id, ['hubadmin'])).status).toBe(409);
    const owner = await makePerson(world.platform);
    await world.platform.idp.addMember((await world.platform.idp.createOrganization({ name: 'Shop' })).id, owner.id);
    await world.platform.idp.flush();
    expect((await set(owner.id, ['hubadmin'])).body.message).toContain('target_is_org_owner');
    expect((await set('user_unknown', ['hubadmin'])).status).toBe(404);
  });

  test('a revoked role stops working immediately', async () => {
    const person = await signedIn(world.platform, { platformRoles: ['hubadmin'] });
    expect((await person.iam('/partners-admin/list')).status).toBe(200);
    await world.superadmin.iam('/internal-users/set-roles', { userId: person.id, roles: [] });
    expect((await person.iam('/partners-admin/list')).status).toBe(403);
  });

  test('a change in progress when its caller loses the role is not made', async () => {
    const maker = await signedIn(world.platform, { platformRoles: ['superadmin'] });
    const target = await makePerson(world.platform);
    // Not from the pool, whose connections may not be idle in a transaction for long.
    const holder = new pg.Client({ connectionString: world.platform.databaseUrl });
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 471100005))', [`person:${target.email}`]);
      const change = maker.iam('/internal-users/set-roles', { userId: target.id, roles: ['hubadmin'] });
      await untilWaiting(world.platform);
      const loss = world.superadmin.iam('/internal-users/set-roles', { userId: maker.id, roles: [] });
      expect((await loss).status).toBe(200);
      await holder.query('ROLLBACK');
      expect((await change).status).toBe(403);
      // The provider's messages about the change and its reversal may still be under way.
      await world.platform.idp.flush();
      expect(await mirrorOf(target.id)).toEqual({ platformRoles: [], whitelabelOwnership: null });
      expect(await accessOf(target.id)).toEqual({ platformRoles: [], whitelabelOwnership: null });
      expect(await world.platform.services.prisma.auditRow.findMany({ where: { target: target.id } })).toMatchObject([
        { actorId: maker.id, outcome: 'denied', reason: 'caller_lacks_role' },
      ]);
    } finally {
      await holder.end();
    }
  });

  test('403 when the caller lost the role after admission, 401 when the session ended after it', async () => {
    const person = await makePerson(world.platform);
    const { id } = await partner();
    const archive = (sessionId: string, platformRoles: string[]) => {
      const caller = {
        kind: 'session',
        userId: person.id,
        email: person.email,
        platformRoles,
        whitelabelOwnership: null,
        partnerId: null,
        sessionId,
        impersonatorId: null,
      } as const;
      return archivePartner(
        createContext({
          services: world.platform.services,
          caller,
          requestId: `req_${sessionId}`,
          ip: '',
        }),
        id,
      );
    };
    await expect(archive('sess_lost', ['superadmin'])).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('Requires the role superadmin'),
      data: { reason: 'caller_lacks_role' },
    });
    expect(
      await world.platform.services.prisma.auditRow.findFirst({ where: { requestId: 'req_sess_lost' } }),
    ).toMatchObject({
      action: 'archivePartner',
      outcome: 'denied',
    });
    await world.platform.idp.setAccess(person.id, { platformRoles: ['superadmin'], whitelabelOwnership: null });
    await world.platform.idp.flush();
    await endSession(
      world.platform.services.prisma,
      { sessionId: 'sess_over', userId: person.id },
      world.platform.services.clock.now(),
    );
    await expect(archive('sess_over', ['superadmin'])).rejects.toMatchObject({ status: 401 });
    expect((await archive('sess_good', ['superadmin'])).previousStatus).toBe('active');
    await world.platform.idp.setAccess(person.id, { platformRoles: [], whitelabelOwnership: null });
    await world.platform.idp.flush();
  });

  test('moving revokes the old membership and makes an active one; detaching leaves no role, accountmanager included', async () => {
    const [first, second] = [await partner(), await partner()];
    const person = await makePerson(world.platform, {
      platformRoles: ['accountmanager', 'partneradmin'],
      whitelabelOwnership: first.slug,
    });
    const scope = (partnerSlug: string | null) =>
      world.superadmin.iam('/internal-users/set-partner-scope', { userId: person.id, partnerSlug });
    expect((await scope(second.slug)).body).toEqual({ userId: person.id, whitelabelOwnership: second.slug });
    const rows = async () =>
      (
        await world.platform.services.prisma.partnerMembership.findMany({
          where: { userId: person.id },
          orderBy: { invitedAt: 'asc' },
        })
      ).map(({ partnerId, status }) => [partnerId, status]);
    expect(await rows()).toEqual([
      [first.id, 'revoked'],
      [second.id, 'active'],
    ]);
    expect((await scope(null)).body.whitelabelOwnership).toBe(null);
    expect(await accessOf(person.id)).toEqual({ platformRoles: [], whitelabelOwnership: null });
    expect(await rows()).toEqual([
      [first.id, 'revoked'],
      [second.id, 'revoked'],
    ]);
    await world.superadmin.iam('/internal-users/set-roles', { userId: person.id, roles: ['accountmanager'] });
    expect(await accessOf(person.id)).toEqual({ platformRoles: ['accountmanager'], whitelabelOwnership: null });
    expect((await world.superadmin.iam('/internal-users/set-partner-scope', { userId: person.id })).status).toBe(422);
    expect((await scope('nowhere')).status).toBe(404);
  });

  test('the last superadmin cannot lose the role, also with two at once', async () => {
    const other = await signedIn(world.platform, { platformRoles: ['superadmin'] });
    const strip = (who: SignedIn, userId: string) => who.iam('/internal-users/set-roles', { userId, roles: [] });
    // Both have the role when they begin: they wait for the lock under which the others are counted.
    const holder = new pg.Client({ connectionString: world.platform.databaseUrl });
    await holder.connect();
    await holder.query(`SELECT pg_advisory_lock(hashtextextended('superadmins', 471100005))`);
    const requested = [strip(world.superadmin, other.id), strip(other, world.superadmin.id)];
    await untilWaiting(world.platform, 2);
    await holder.end();
    const answers = await Promise.all(requested);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.message).toContain('last_superadmin');
    const left = await world.platform.services.prisma.iamUser.findMany({
      where: { platformRoles: { has: 'superadmin' } },
    });
    expect(left.length).toBe(1);
    world.superadmin = left[0]?.idpUserId === other.id ? other : world.superadmin;
    const { body } = await world.superadmin.iam('/internal-users/set-partner-scope', {
      userId: world.superadmin.id,
      partnerSlug: (await partner()).slug,
    });
    expect(body.message).toContain('self_assignment_forbidden');
  });
});

describe('people', () => {
  test("a partner's admin sees own people; a foreign filter is 403 and a foreign person not found", async () => {
    const [mine, other] = [await partner(), await partner()];
    const admin = await signedIn(world.platform, { platformRoles: ['partneradmin'], whitelabelOwnership: mine.slug });
    const foreign = await makePerson(world.platform, {
      platformRoles: ['partneradmin'],
      whitelabelOwnership: other.slug,
    });
    expect((await admin.iam('/users/list')).body.rows.map(({ email }: { email: string }) => email)).toEqual([
      admin.email,
    ]);
    for (const partnerScope of [other.slug, '__internal__', 'no-such-partner'])
      expect((await admin.iam('/users/list', { partnerScope })).status).toBe(403);
    expect((await admin.iam('/users/find', { idpUserId: foreign.id })).body).toEqual({ found: false, user: null });
    expect((await world.hub.iam('/users/find', { email: foreign.email.toUpperCase() })).body).toMatchObject({
      found: true,
      user: { idpUserId: foreign.id, whitelabelOwnership: other.slug },
    });
    expect((await world.hub.iam('/users/list', { partnerScope: 'nowhere' })).status).toBe(404);
    expect((await world.hub.iam('/users/list', { partnerScope: 'No Slug' })).status).toBe(422);
    expect(
      (await world.hub.iam('/users/list', { partnerScope: '__internal__', platformRole: 'superadmin' })).body.total,
    ).toBe(1);
    const { rows, total } = (await world.hub.iam('/users/list', {})).body;
    expect((await world.hub.iam('/users/list', { limit: 1, offset: 1 })).body).toMatchObject({
      rows: [rows[1]],
      total,
    });
    expect((await world.hub.iam('/users/list', { offset: total })).body).toMatchObject({ rows: [], total });
    expect(
      (await world.hub.iam('/users/list', { q: foreign.email.slice(2).toUpperCase(), limit: 1 })).body,
    ).toMatchObject({
      total: 1,
      limit: 1,
      offset: 0,
    });
    for (const wrong of [{ limit: 0 }, { limit: 501 }, { offset: -1 }, { platformRole: 'king' }])
      expect((await world.hub.iam('/users/list', wrong)).status).toBe(422);
    expect((await world.hub.iam('/users/find', {})).status).toBe(422);
  });

  test('users/list answers the newest 100 users, and up to 500 if asked', async () => {
    const base = Date.now() + 3_600_000;
    const made = Array.from({ length: 501 }, (_, n) => new Date(base + n));
    await world.platform.services.prisma.iamUser.createMany({
      data: made.map((at, n) => ({
        idpUserId: `user_listed${n}`,
        email: `listed${n}@example.com`,
        emailLower: `listed${n}@example.com`,
        idpUpdatedAt: at,
        createdAt: at,
        updatedAt: at,
      })),
    });
    for (const [asked, limit] of [
      [{}, 100],
      [{ limit: 500 }, 500],
    ] as const) {
      const { body } = await world.hub.iam('/users/list', asked);
      expect(body.limit).toBe(limit);
      expect(body.rows.map(({ email }: { email: string }) => email)).toEqual(
        Array.from({ length: limit }, (_, n) => `listed${500 - n}@example.com`),
      );
    }
  });
});

test('401 for an API key even with a valid cookie, and for an anonymous caller', async () => {
  const key = `tp_sk_partner_test_${'x'.repeat(46)}`;
  expect(
    (
      await callIam(
        world.platform,
        '/partners-admin/list',
        {},
        { Cookie: world.hub.cookie, Authorization: `Bearer ${key}` },
      )
    ).body,
  ).toMatchObject({ code: 'NOT_AUTHORIZED' });
  expect((await callIam(world.platform, '/partners-admin/list', {})).status).toBe(401);
  expect(
    (await callIam(world.platform, '/partners-admin/create', 'not json', { Cookie: world.hub.cookie })).status,
  ).toBe(403);
  expect(
    (
      await callIam(
        world.platform,
        '/partners-admin/list',
        {},
        { Cookie: world.hub.cookie, Origin: 'https://evil.example' },
      )
    ).body.message,
  ).toContain('origin_not_allowed');
});

test.each([
  ['/permissions/assign-role', { targetUserId: 'user_x', requestedRoles: [] }],
  ['/permissions/manage-partner-staff', { partnerSlug: 'acme', action: 'invite' }],
])("%s answers another site's page with 200 and the reason, and 401 without a session", async (path, body) => {
  const headers = { Cookie: world.hub.cookie, Origin: 'https://evil.example' };
  const answer = await callIam(world.platform, path, body, headers);
  expect([answer.status, answer.body]).toEqual([200, { ok: false, reason: 'origin_not_allowed' }]);
  expect((await callIam(world.platform, path, body, { Cookie: world.hub.cookie })).status).toBe(200);
  expect((await callIam(world.platform, path, body)).status).toBe(401);
});

test('403 session_of_another_user in the session of another user than Session-User names; reads and changes nothing', async () => {
  const requested = async (id: string) => {
    const { data, errors } = await world.hub.graphql('{ me { userId } }', {}, { 'Session-User': id });
    return errors?.[0].extensions.data.reason ?? data.me.userId;
  };
  const other = await signedIn(world.platform, { platformRoles: ['superadmin'] });
  expect(await requested(world.hub.id)).toBe(world.hub.id);
  expect(await requested(other.id)).toBe('session_of_another_user');
  const { errors } = await world.hub.graphql(
    'mutation { createPartner(input: { name: "Not by me", slug: "not-by-me" }) { partner { id } } }',
    {},
    { 'Session-User': other.id },
  );
  expect(errors[0].extensions).toMatchObject({ code: 'FORBIDDEN', data: { reason: 'session_of_another_user' } });
  expect(await world.platform.services.prisma.partner.count({ where: { slug: 'not-by-me' } })).toBe(0);
});
