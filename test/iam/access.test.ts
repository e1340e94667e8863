import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createContext, type SessionContext } from '../../src/graph/context.ts';
import { endSession } from '../../src/people/mirror/mirrored-users.ts';
import { archivePartner } from '../../src/people/partners/archive-partner.ts';
import { runPendingReverts } from '../../src/people/partners/pending-reverts.ts';
import type { IdentityProvider } from '../../src/ports/identity-provider.ts';
import { asOwner } from '../support/database.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { callIam, makePartner, makePerson, type SignedIn, signedIn } from './people.ts';

let platform: TestPlatform;
let superadmin: SignedIn;
let hub: SignedIn;
let n = 0;

beforeAll(async () => {
  platform = await startTestPlatform();
  superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });
  hub = await signedIn(platform, { platformRoles: ['hubadmin'] });
});
afterAll(() => platform?.close());

const accessOf = async (id: string) => {
  const user = await platform.services.identityProvider.getUser(id);
  return { platformRoles: user?.platformRoles, whitelabelOwnership: user?.whitelabelOwnership };
};
const mirrorOf = (idpUserId: string) =>
  platform.services.prisma.iamUser.findUnique({
    where: { idpUserId },
    select: { platformRoles: true, whitelabelOwnership: true },
  });
const partner = () => makePartner(platform, `partner-${++n}`);

describe('internal users', () => {
  test('set-roles writes at the provider and in the mirror', async () => {
    const person = await makePerson(platform);
    const answer = await superadmin.iam('/internal-users/set-roles', {
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
    const set = (userId: string, roles: string[]) => superadmin.iam('/internal-users/set-roles', { userId, roles });
    const person = await makePerson(platform);
    const needs = await set(person.id, ['partneradmin']);
    expect([needs.status, needs.body.message.includes('role_requires_partner_scope')]).toEqual([422, true]);
    expect((await set(person.id, ['king'])).status).toBe(422);
    const scoped = await makePerson(platform, { whitelabelOwnership: (await partner()).slug });
    expect((await set(scoped.id, ['hubadmin'])).status).toBe(409);
    const owner = await makePerson(platform);
    await platform.idp.addMember((await platform.idp.createOrganization({ name: 'Shop' })).id, owner.id);
    await platform.idp.flush();
    expect((await set(owner.id, ['hubadmin'])).body.message).toContain('target_is_org_owner');
    expect((await set('user_nobody', ['hubadmin'])).status).toBe(404);
  });

  test('a revoked role stops working immediately', async () => {
    const person = await signedIn(platform, { platformRoles: ['hubadmin'] });
    expect((await person.iam('/partners-admin/list')).status).toBe(200);
    await superadmin.iam('/internal-users/set-roles', { userId: person.id, roles: [] });
    expect((await person.iam('/partners-admin/list')).status).toBe(403);
  });

  test('a change in progress when its caller loses the role is not made', async () => {
    const maker = await signedIn(platform, { platformRoles: ['superadmin'] });
    const target = await makePerson(platform);
    // Not from the pool, whose connections may not be idle in a transaction for long.
    const holder = new pg.Client({ connectionString: platform.databaseUrl });
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 471100005))', [`person:${target.email}`]);
      const change = maker.iam('/internal-users/set-roles', { userId: target.id, roles: ['hubadmin'] });
      await untilWaiting(platform);
      const loss = superadmin.iam('/internal-users/set-roles', { userId: maker.id, roles: [] });
      expect((await loss).status).toBe(200);
      await holder.query('ROLLBACK');
      expect((await change).status).toBe(403);
      // The provider's messages about the change and its reversal may still be under way.
      await platform.idp.flush();
      expect(await mirrorOf(target.id)).toEqual({ platformRoles: [], whitelabelOwnership: null });
      expect(await accessOf(target.id)).toEqual({ platformRoles: [], whitelabelOwnership: null });
      expect(await platform.services.prisma.auditRow.findMany({ where: { target: target.id } })).toMatchObject([
        { actorId: maker.id, outcome: 'denied', reason: 'caller_lacks_role' },
      ]);
    } finally {
      await holder.end();
    }
  });

  test('403 when the caller lost the role after admission, 401 when the session ended after it', async () => {
    const person = await makePerson(platform);
    const { id } = await partner();
    const archive = (sessionId: string, platformRoles: string[]) => {
      const caller = {
        kind: 'session',
        userId: person.id,
        email: person.email,
        platformRoles,
        whitelabelOwnership: null,
        sessionId,
        impersonatorId: null,
      } as const;
      return archivePartner(
        createContext({ services: platform.services, caller, requestId: `req_${sessionId}`, ip: '' }) as SessionContext,
        id,
      ); // the caller created above is a session
    };
    await expect(archive('sess_lost', ['superadmin'])).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('It takes superadmin'),
      data: { reason: 'caller_lacks_role' },
    });
    expect(await platform.services.prisma.auditRow.findFirst({ where: { requestId: 'req_sess_lost' } })).toMatchObject({
      action: 'archivePartner',
      outcome: 'denied',
    });
    await platform.idp.setAccess(person.id, { platformRoles: ['superadmin'], whitelabelOwnership: null });
    await platform.idp.flush();
    await endSession(
      platform.services.prisma,
      { sessionId: 'sess_over', userId: person.id },
      platform.services.clock.now(),
    );
    await expect(archive('sess_over', ['superadmin'])).rejects.toMatchObject({ status: 401 });
    expect((await archive('sess_good', ['superadmin'])).previousStatus).toBe('active');
    await platform.idp.setAccess(person.id, { platformRoles: [], whitelabelOwnership: null });
    await platform.idp.flush();
  });

  test('moving revokes the old membership and makes an active one; detaching leaves no role, accountmanager included', async () => {
    const [first, second] = [await partner(), await partner()];
    const person = await makePerson(platform, {
      platformRoles: ['accountmanager', 'partneradmin'],
      whitelabelOwnership: first.slug,
    });
    const scope = (partnerSlug: string | null) =>
      superadmin.iam('/internal-users/set-partner-scope', { userId: person.id, partnerSlug });
    expect((await scope(second.slug)).body).toEqual({ userId: person.id, whitelabelOwnership: second.slug });
    const rows = async () =>
      (
        await platform.services.prisma.partnerMembership.findMany({
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
    await superadmin.iam('/internal-users/set-roles', { userId: person.id, roles: ['accountmanager'] });
    expect(await accessOf(person.id)).toEqual({ platformRoles: ['accountmanager'], whitelabelOwnership: null });
    expect((await superadmin.iam('/internal-users/set-partner-scope', { userId: person.id })).status).toBe(422);
    expect((await scope('nowhere')).status).toBe(404);
  });

  test('the last superadmin cannot lose the role, also with two at once', async () => {
    const other = await signedIn(platform, { platformRoles: ['superadmin'] });
    const strip = (who: SignedIn, userId: string) => who.iam('/internal-users/set-roles', { userId, roles: [] });
    const answers = await Promise.all([strip(superadmin, other.id), strip(other, superadmin.id)]);
    expect(answers.map(({ status }) => status).sort()).toSatisfy(
      (statuses: number[]) => statuses[0] === 200 && [403, 409].includes(statuses[1] ?? 0),
    );
    const left = await platform.services.prisma.iamUser.findMany({ where: { platformRoles: { has: 'superadmin' } } });
    expect(left.length).toBe(1);
    superadmin = left[0]?.idpUserId === other.id ? other : superadmin;
    const { body } = await superadmin.iam('/internal-users/set-partner-scope', {
      userId: superadmin.id,
      partnerSlug: (await partner()).slug,
    });
    expect(body.message).toContain('self_assignment_forbidden');
  });
});

describe('partners', () => {
  test('create invites the admins, and a failed invitation reverts nothing', async () => {
    const internal = await makePerson(platform, { platformRoles: ['accountmanager'] });
    const slug = `made-${++n}`;
    const { status, body } = await superadmin.iam('/partners-admin/create', {
      name: 'Made',
      slug,
      branding: { displayName: 'Made Ltd' },
      adminEmails: [`first${n}@example.com`, internal.email, `First${n}@example.com`],
    });
    expect(status).toBe(200);
    expect(body.partner).toMatchObject({
      slug,
      status: 'active',
      branding: { displayName: 'Made Ltd' },
      preferences: {},
      commercialTerms: {},
    });
    expect(body.invited).toEqual([
      { email: `First${n}@example.com`, status: 'invited' },
      { email: internal.email, status: 'error', error: expect.stringContaining('target_is_internal_staff') },
    ]);
    const taken = await superadmin.iam('/partners-admin/create', { name: 'Again', slug });
    expect([taken.status, taken.body.message.includes('slug_taken')]).toEqual([409, true]);
    for (const wrong of [
      { slug: 'A' },
      { slug: 'ok-slug', status: 'offboarded' },
      { slug: 'ok-slug', adminEmails: ['x'] },
      { slug: 'ok-slug', name: '' },
    ]) {
      expect(
        (await superadmin.iam('/partners-admin/create', { name: 'Wrong', ...wrong })).status,
        JSON.stringify(wrong),
      ).toBe(422);
    }
  });

  test('update merges, null removes a key, and an empty patch is 422', async () => {
    const { slug, id } = await partner();
    await hub.iam('/partners-admin/update', { slug, branding: { a: 1, deep: { b: 2, c: 3 } } });
    const { body } = await hub.iam('/partners-admin/update', {
      id,
      branding: { a: null, deep: { c: null, d: 4 } },
      status: 'suspended',
    });
    expect(body.partner).toMatchObject({ status: 'suspended', branding: { deep: { b: 2, d: 4 } } });
    for (const wrong of [
      { slug },
      { slug, other: 1 },
      { slug, id, name: 'x' },
      { name: 'x' },
      { slug, name: null },
      { slug, status: 'gone' },
    ]) {
      expect((await hub.iam('/partners-admin/update', wrong)).status, JSON.stringify(wrong)).toBe(422);
    }
    expect((await hub.iam('/partners-admin/update', { slug: 'nowhere', name: 'x' })).status).toBe(404);
    // The policy is checked before existence.
    expect((await hub.iam('/partners-admin/update', { slug: 'nowhere', status: 'offboarded' })).status).toBe(403);
    expect((await superadmin.iam('/partners-admin/update', { slug, status: 'offboarded' })).body.partner.status).toBe(
      'offboarded',
    );
  });

  test('update to offboarded is audited as archive is, with the previous status', async () => {
    const rows = async (id: string) =>
      platform.services.prisma.auditRow.findMany({
        where: { target: id, action: 'archivePartner' },
        select: { actorEmail: true, before: true, after: true, outcome: true },
      });
    const [updated, archived] = [await partner(), await partner()];
    await superadmin.iam('/partners-admin/update', { slug: updated.slug, status: 'suspended' });
    expect(await rows(updated.id)).toEqual([]);
    await superadmin.iam('/partners-admin/update', { slug: updated.slug, status: 'offboarded' });
    await superadmin.iam('/partners-admin/update', { slug: archived.slug, status: 'suspended' });
    await superadmin.iam('/partners-admin/archive', { id: archived.id });
    const row = {
      actorEmail: superadmin.email,
      before: { status: 'suspended' },
      after: { status: 'offboarded', previousStatus: 'suspended' },
      outcome: 'allowed',
    };
    expect(await rows(updated.id)).toEqual([row]);
    expect(await rows(archived.id)).toEqual([row]);
  });

  test('422 naming the redirect address of invitations unless it is https without a user; null removes it', async () => {
    const { slug } = await partner();
    const patch = (branding: object) => hub.iam('/partners-admin/update', { slug, branding });
    const wrong = [
      'http://acme.example.com/welcome',
      'javascript:alert(1)',
      '//evil.example.com',
      '/welcome',
      'https://user@evil.example.com/',
      'https://:secret@evil.example.com/',
      `https://acme.example.com/${'a'.repeat(2_048)}`,
      'https://',
      7,
      {},
    ];
    for (const invitationRedirectUrl of wrong) {
      const { status, body } = await patch({ invitationRedirectUrl });
      const named = body.message.includes('branding.invitationRedirectUrl');
      expect([status, named], JSON.stringify(invitationRedirectUrl)).toEqual([422, true]);
    }
    const branding = { invitationRedirectUrl: 'http://acme.example.com' };
    const created = await superadmin.iam('/partners-admin/create', { name: 'Wrong', slug: `wrong-${++n}`, branding });
    expect(created.status).toBe(422);
    expect((await patch({ invitationRedirectUrl: 'https://acme.example.com/welcome' })).status).toBe(200);
    expect((await patch({ invitationRedirectUrl: null })).body.partner.branding).toEqual({});
  });

  test('422 naming a free-form object that has become too large, patch by patch', async () => {
    const { slug } = await partner();
    const patch = (branding: object) => hub.iam('/partners-admin/update', { slug, branding });
    expect((await patch({ first: 'a'.repeat(40_000) })).status).toBe(200);
    const { status, body } = await patch({ second: 'b'.repeat(40_000) });
    expect([status, body.message.includes('branding')]).toEqual([422, true]);
    expect((await patch({ first: null, second: 'b'.repeat(40_000) })).status).toBe(200);
    expect(
      (
        await superadmin.iam('/partners-admin/create', {
          name: 'Large',
          slug: `large-${++n}`,
          preferences: { text: 'a'.repeat(70_000) },
        })
      ).status,
    ).toBe(422);
  });

  test('list counts, list-staff returns every status, get takes one name', async () => {
    const { slug, id } = await partner();
    await makePerson(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: slug });
    await hub.iam(`/partners/${slug}/staff/invite`, { email: `pending${++n}@example.com`, roles: ['accountmanager'] });
    const { rows, total } = (await hub.iam('/partners-admin/list', { status: 'active' })).body;
    expect(total).toBe(rows.length);
    expect(rows.find((row: { slug: string }) => row.slug === slug)).toEqual({
      id,
      slug,
      name: expect.any(String),
      status: 'active',
      createdAt: expect.any(String),
      staffCount: 1,
      merchantCount: 0,
      orgCount: 0,
    });
    const roster = (await hub.iam('/partners-admin/list-staff', { slug })).body;
    expect(roster.rows.map(({ status }: { status: string }) => status)).toEqual(['pending', 'active']);
    expect((await hub.iam('/partners-admin/list-staff', { slug, status: 'pending' })).body.total).toBe(1);
    expect((await hub.iam('/partners-admin/get', { id, slug })).status).toBe(422);
    expect((await hub.iam('/partners-admin/get', {})).status).toBe(422);
    expect((await hub.iam('/partners-admin/get', { id: 'par_none' })).status).toBe(404);
  });
});

describe('people', () => {
  test("a partner's admin sees own people; a foreign filter is 403 and a foreign person not found", async () => {
    const [mine, other] = [await partner(), await partner()];
    const admin = await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: mine.slug });
    const foreign = await makePerson(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: other.slug });
    expect((await admin.iam('/users/list')).body.rows.map(({ email }: { email: string }) => email)).toEqual([
      admin.email,
    ]);
    for (const partnerScope of [other.slug, '__internal__', 'no-such-partner'])
      expect((await admin.iam('/users/list', { partnerScope })).status).toBe(403);
    expect((await admin.iam('/users/find', { idpUserId: foreign.id })).body).toEqual({ found: false, user: null });
    expect((await hub.iam('/users/find', { email: foreign.email.toUpperCase() })).body).toMatchObject({
      found: true,
      user: { idpUserId: foreign.id, whitelabelOwnership: other.slug },
    });
    expect((await hub.iam('/users/list', { partnerScope: 'nowhere' })).status).toBe(404);
    expect((await hub.iam('/users/list', { partnerScope: 'No Slug' })).status).toBe(422);
    expect(
      (await hub.iam('/users/list', { partnerScope: '__internal__', platformRole: 'superadmin' })).body.total,
    ).toBe(1);
    const { rows, total } = (await hub.iam('/users/list', {})).body;
    expect((await hub.iam('/users/list', { limit: 1, offset: 1 })).body).toMatchObject({ rows: [rows[1]], total });
    expect((await hub.iam('/users/list', { offset: total })).body).toMatchObject({ rows: [], total });
    expect((await hub.iam('/users/list', { q: foreign.email.slice(2).toUpperCase(), limit: 1 })).body).toMatchObject({
      total: 1,
      limit: 1,
      offset: 0,
    });
    for (const wrong of [{ limit: 0 }, { limit: 501 }, { offset: -1 }, { platformRole: 'king' }])
      expect((await hub.iam('/users/list', wrong)).status).toBe(422);
    expect((await hub.iam('/users/find', {})).status).toBe(422);
  });
});

describe('orgs/assign-to-partner', () => {
  const organization = async () => {
    const { id } = await platform.idp.createOrganization({ name: `Shop ${++n}`, slug: `shop-${n}` });
    await platform.idp.flush();
    return platform.services.prisma.organization.findUniqueOrThrow({ where: { organizationId: id } });
  };
  const tagOf = async (id: string | null) =>
    (
      await platform.services.pool.query(
        `SELECT "publicMetadata"->>'partnerSlug' AS slug FROM idp.organization WHERE id = $1`,
        [id],
      )
    ).rows[0]?.slug ?? null;
  const assign = (body: object) => superadmin.iam('/orgs/assign-to-partner', body);

  test('tags, moves and detaches, in the mirror and at the provider', async () => {
    const [first, second, org] = [await partner(), await partner(), await organization()];
    expect((await assign({ accountId: org.accountId, partnerSlug: first.slug })).body).toEqual({
      accountId: org.accountId,
      partnerId: first.id,
      previousPartnerId: null,
    });
    expect((await assign({ organizationId: org.organizationId, partnerId: second.id })).body).toEqual({
      accountId: org.accountId,
      partnerId: second.id,
      previousPartnerId: first.id,
    });
    expect(await tagOf(org.organizationId)).toBe(second.slug);
    const found = (await hub.iam('/orgs/list', { partnerSlug: second.slug })).body;
    expect(found.rows).toEqual([
      expect.objectContaining({
        accountId: org.accountId,
        partnerId: second.id,
        partnerSlug: second.slug,
        partnerName: expect.any(String),
        kind: 'self_serve',
      }),
    ]);
    expect((await hub.iam('/partners-admin/list-orgs', { id: second.id })).body).toMatchObject({
      total: 1,
      limit: 100,
      offset: 0,
    });
    expect((await assign({ accountId: org.accountId, partnerSlug: null })).body.partnerId).toBe(null);
    expect(await tagOf(org.organizationId)).toBe(null);
    expect((await hub.iam('/orgs/list', { partnerId: '__none__', q: org.name.toUpperCase() })).body.total).toBe(1);
    expect(await platform.services.prisma.pendingRevert.count()).toBe(0);
  });

  test('422 without exactly one organization and partner, 404 for unknown ones, 409 when archived', async () => {
    const [{ slug }, org] = [await partner(), await organization()];
    const gone = await makePartner(platform, `gone-${++n}`, 'offboarded');
    const cases: [object, number][] = [
      [{}, 422],
      [{ accountId: org.accountId }, 422],
      [{ partnerSlug: slug }, 422],
      [{ accountId: org.accountId, organizationId: org.organizationId, partnerSlug: slug }, 422],
      [{ accountId: org.accountId, partnerId: null, partnerSlug: slug }, 422],
      [{ accountId: 'acc_none', partnerSlug: slug }, 404],
      [{ accountId: org.accountId, partnerSlug: 'nowhere' }, 404],
      [{ accountId: org.accountId, partnerId: gone.id }, 409],
    ];
    for (const [body, status] of cases) expect((await assign(body)).status, JSON.stringify(body)).toBe(status);
  });

  test('500 and the provider unchanged when the database fails; a failed revert is done by the note', async () => {
    const [{ slug }, org] = [await partner(), await organization()];
    const { prisma } = platform.services;
    await asOwner(
      platform,
      `
      CREATE FUNCTION fail_organizations() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'no';
      END $$;
      CREATE TRIGGER fail
        BEFORE UPDATE OF "partnerId" ON organizations
        FOR EACH ROW
        WHEN (NEW."accountId" = '${org.accountId}')
        EXECUTE FUNCTION fail_organizations()`,
    );
    expect((await assign({ accountId: org.accountId, partnerSlug: slug })).status).toBe(500);
    expect([await tagOf(org.organizationId), await prisma.pendingRevert.count()]).toEqual([null, 0]);

    const real = platform.services.identityProvider;
    let calls = 0;
    const failing: IdentityProvider = new Proxy(real, {
      get: (target, name) =>
        name === 'setOrganizationPartner'
          ? (id: string, to: string | null) =>
              ++calls === 1 ? real.setOrganizationPartner(id, to) : Promise.reject(new Error('unreachable'))
          : Reflect.get(target, name),
    });
    platform.services.identityProvider = failing;
    expect((await assign({ accountId: org.accountId, partnerSlug: slug })).status).toBe(500);
    expect([await tagOf(org.organizationId), await prisma.pendingRevert.count()]).toEqual([slug, 1]);
    expect(await runPendingReverts(platform.services)).toBe(0);
    platform.services.identityProvider = real;
    await asOwner(platform, 'DROP TRIGGER fail ON organizations');
    await prisma.pendingRevert.updateMany({ data: { dueAt: new Date(0) } });
    expect(await runPendingReverts(platform.services)).toBe(1);
    expect([await tagOf(org.organizationId), await prisma.pendingRevert.count()]).toEqual([null, 0]);
    await platform.idp.flush();
    expect((await prisma.organization.findUniqueOrThrow({ where: { accountId: org.accountId } })).partnerId).toBe(null);
    const row = await prisma.auditRow.findFirst({
      where: { action: 'assignOrganizationToPartner', target: org.accountId, outcome: 'failed' },
    });
    expect(row).toMatchObject({ reason: 'internal_error', actorId: superadmin.id });
  });
});

test('401 for an API key even with a valid cookie, and for an anonymous caller', async () => {
  const key = `tp_sk_partner_test_${'x'.repeat(46)}`;
  expect(
    (await callIam(platform, '/partners-admin/list', {}, { Cookie: hub.cookie, Authorization: `Bearer ${key}` })).body,
  ).toMatchObject({ code: 'NOT_AUTHORIZED' });
  expect((await callIam(platform, '/partners-admin/list', {})).status).toBe(401);
  expect((await callIam(platform, '/partners-admin/create', 'not json', { Cookie: hub.cookie })).status).toBe(403);
  expect(
    (await callIam(platform, '/partners-admin/list', {}, { Cookie: hub.cookie, Origin: 'https://evil.example' })).body
      .message,
  ).toContain('origin_not_allowed');
});
