import { describe, expect, test } from 'vitest';
import { runPendingCompensations } from '../../src/iam/partners/pending-compensations.ts';
import type { IdentityProvider } from '../../src/ports/identity-provider.ts';
import { asOwner } from '../support/database.ts';
import { seedPartner } from '../support/seed.ts';
import { accessWorld } from './access-world.ts';
import { makePartner, makePerson } from './people.ts';

const world = accessWorld();
const { partner } = world;
let n = 0;

describe('partners', () => {
  test('create invites the admins, and a failed invitation reverts nothing', async () => {
    const internal = await makePerson(world.platform, { platformRoles: ['accountmanager'] });
    const slug = `made-${++n}`;
    const { status, body } = await world.superadmin.iam('/partners-admin/create', {
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
    const taken = await world.superadmin.iam('/partners-admin/create', { name: 'Again', slug });
    expect([taken.status, taken.body.message.includes('slug_taken')]).toEqual([409, true]);
    for (const wrong of [
      { slug: 'A' },
      { slug: 'ok-slug', status: 'offboarded' },
      { slug: 'ok-slug', adminEmails: ['x'] },
      { slug: 'ok-slug', name: '' },
    ]) {
      expect(
        (await world.superadmin.iam('/partners-admin/create', { name: 'Wrong', ...wrong })).status,
        JSON.stringify(wrong),
      ).toBe(422);
    }
  });

  test('a slug has 3 to 40 characters: 422 below and above; 409 slug_taken for that of an offboarded partner', async () => {
    const create = (slug: string) => world.superadmin.iam('/partners-admin/create', { name: 'Slug', slug });
    for (const [slug, status] of [
      ['s-', 422],
      ['s-3', 200],
      ['s'.repeat(40), 200],
      ['s'.repeat(41), 422],
    ] as const)
      expect((await create(slug)).status, slug).toBe(status);
    const { id } = (await create('s-gone')).body.partner;
    expect((await world.superadmin.iam('/partners-admin/archive', { id })).body.partner.status).toBe('offboarded');
    const again = await create('s-gone');
    expect([again.status, again.body.message.includes('slug_taken')]).toEqual([409, true]);
  });

  test('update merges, null removes a key, and an empty patch is 422', async () => {
    const { slug, id } = await partner();
    await world.hub.iam('/partners-admin/update', { slug, branding: { a: 1, deep: { b: 2, c: 3 } } });
    const { body } = await world.hub.iam('/partners-admin/update', {
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
      expect((await world.hub.iam('/partners-admin/update', wrong)).status, JSON.stringify(wrong)).toBe(422);
    }
    expect((await world.hub.iam('/partners-admin/update', { slug: 'nowhere', name: 'x' })).status).toBe(404);
    // The policy is checked before existence.
    expect((await world.hub.iam('/partners-admin/update', { slug: 'nowhere', status: 'offboarded' })).status).toBe(403);
    expect(
      (await world.superadmin.iam('/partners-admin/update', { slug, status: 'offboarded' })).body.partner.status,
    ).toBe('offboarded');
  });

  test('update to offboarded is audited as archive is, with the previous status', async () => {
    const rows = async (id: string) =>
      world.platform.services.prisma.auditRow.findMany({
        where: { target: id, action: 'archivePartner' },
        select: { actorEmail: true, before: true, after: true, outcome: true },
      });
    const [updated, archived] = [await partner(), await partner()];
    await world.superadmin.iam('/partners-admin/update', { slug: updated.slug, status: 'suspended' });
    expect(await rows(updated.id)).toEqual([]);
    await world.superadmin.iam('/partners-admin/update', { slug: updated.slug, status: 'offboarded' });
    await world.superadmin.iam('/partners-admin/update', { slug: archived.slug, status: 'suspended' });
    await world.superadmin.iam('/partners-admin/archive', { id: archived.id });
    const row = {
      actorEmail: world.superadmin.email,
      before: { status: 'suspended' },
      after: { status: 'offboarded', previousStatus: 'suspended' },
      outcome: 'allowed',
    };
    expect(await rows(updated.id)).toEqual([row]);
    expect(await rows(archived.id)).toEqual([row]);
  });

  test('422 naming the redirect address of invitations unless it is https without a user; null removes it', async () => {
    const { slug } = await partner();
    const patch = (branding: object) => world.hub.iam('/partners-admin/update', { slug, branding });
    const wrong = [
      'http://acme.example.com/welcome',
      'javascript:alert(1)',
      '//evil.example.com',
      '/welcome',
      'https://user@evil.example.com/',
      'https://evil.example.com:25/',
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
    const created = await world.superadmin.iam('/partners-admin/create', {
      name: 'Wrong',
      slug: `wrong-${++n}`,
      branding,
    });
    expect(created.status).toBe(422);
    expect((await patch({ invitationRedirectUrl: 'https://acme.example.com/welcome' })).status).toBe(200);
    expect((await patch({ invitationRedirectUrl: null })).body.partner.branding).toEqual({});
  });

  test('422 naming a free-form object that has become too large, patch by patch', async () => {
    const { slug } = await partner();
    const patch = (branding: object) => world.hub.iam('/partners-admin/update', { slug, branding });
    expect((await patch({ first: 'a'.repeat(40_000) })).status).toBe(200);
    const { status, body } = await patch({ second: 'b'.repeat(40_000) });
    expect([status, body.message.includes('branding')]).toEqual([422, true]);
    expect((await patch({ first: null, second: 'b'.repeat(40_000) })).status).toBe(200);
    expect(
      (
        await world.superadmin.iam('/partners-admin/create', {
          name: 'Large',
          slug: `large-${++n}`,
          preferences: { text: 'a'.repeat(70_000) },
        })
      ).status,
    ).toBe(422);
  });

  test('list counts, list-staff returns every status, get takes one name', async () => {
    const { slug, id } = await partner();
    await makePerson(world.platform, { platformRoles: ['partneradmin'], whitelabelOwnership: slug });
    await world.hub.iam(`/partners/${slug}/staff/invite`, {
      email: `pending${++n}@example.com`,
      roles: ['accountmanager'],
    });
    const { rows, total } = (await world.hub.iam('/partners-admin/list', { status: 'active' })).body;
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
    const roster = (await world.hub.iam('/partners-admin/list-staff', { slug })).body;
    expect(roster.rows.map(({ status }: { status: string }) => status)).toEqual(['pending', 'active']);
    expect((await world.hub.iam('/partners-admin/list-staff', { slug, status: 'pending' })).body.total).toBe(1);
    expect((await world.hub.iam('/partners-admin/get', { id, slug })).status).toBe(422);
    expect((await world.hub.iam('/partners-admin/get', {})).status).toBe(422);
    expect((await world.hub.iam('/partners-admin/get', { id: 'par_none' })).status).toBe(404);
  });
});

describe('orgs/assign-to-partner', () => {
  const organization = async () => {
    const { id } = await world.platform.idp.createOrganization({ name: `Shop ${++n}`, slug: `shop-${n}` });
    await world.platform.idp.flush();
    return world.platform.services.prisma.organization.findUniqueOrThrow({ where: { organizationId: id } });
  };
  const tagOf = async (id: string | null) =>
    (
      await world.platform.services.pool.query(
        `SELECT "publicMetadata"->>'partnerSlug' AS slug FROM idp.organization WHERE id = $1`,
        [id],
      )
    ).rows[0]?.slug ?? null;
  const assign = (body: object) => world.superadmin.iam('/orgs/assign-to-partner', body);

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
    const found = (await world.hub.iam('/orgs/list', { partnerSlug: second.slug })).body;
    expect(found.rows).toEqual([
      expect.objectContaining({
        accountId: org.accountId,
        partnerId: second.id,
        partnerSlug: second.slug,
        partnerName: expect.any(String),
        kind: 'self_serve',
      }),
    ]);
    expect((await world.hub.iam('/partners-admin/list-orgs', { id: second.id })).body).toMatchObject({
      total: 1,
      limit: 100,
      offset: 0,
    });
    expect((await assign({ accountId: org.accountId, partnerSlug: null })).body.partnerId).toBe(null);
    expect(await tagOf(org.organizationId)).toBe(null);
    expect((await world.hub.iam('/orgs/list', { partnerId: '__none__', q: org.name.toUpperCase() })).body.total).toBe(
      1,
    );
    expect(await world.platform.services.prisma.pendingCompensation.count()).toBe(0);
  });

  test('moving an organization to another partner leaves its processing account with the first one', async () => {
    const { platform } = world;
    const [seeded, second] = [await seedPartner(platform), await partner()];
    const { id } = await seeded.account();
    const read = () =>
      platform.services.prisma.processingAccount.findUniqueOrThrow({ where: { id }, include: { organization: true } });
    const before = await read();
    expect((await assign({ accountId: before.accountId, partnerId: second.id })).status).toBe(200);
    expect(await read()).toMatchObject({ partnerId: seeded.id, organization: { partnerId: second.id } });
    expect((await seeded.api.ok(`/accounts/${id}`)).id).toBe(id);
  });

  test('422 without exactly one organization and partner, 404 for unknown ones, 409 when archived', async () => {
    const [{ slug }, org] = [await partner(), await organization()];
    const gone = await makePartner(world.platform, `gone-${++n}`, 'offboarded');
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

  test('404 says that tpa_… is a processing account, where an organization is wanted', async () => {
    const { slug } = await partner();
    const { status, body } = await assign({ accountId: 'tpa_0000000000000000000000', partnerSlug: slug });
    expect([status, body.message ?? body.error]).toEqual([
      404,
      'Organization not found. This is the identifier of a processing account; that of an organization begins ' +
        'with acc_.',
    ]);
  });

  test('500 and the provider unchanged when the database fails; a failed revert is done by the note', async () => {
    const [{ slug }, org] = [await partner(), await organization()];
    const { prisma } = world.platform.services;
    await asOwner(
      world.platform,
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
    expect([await tagOf(org.organizationId), await prisma.pendingCompensation.count()]).toEqual([null, 0]);

    const real = world.platform.services.identityProvider;
    let calls = 0;
    const failing: IdentityProvider = new Proxy(real, {
      get: (target, name) =>
        name === 'setOrganizationPartner'
          ? (id: string, to: string | null) =>
              ++calls === 1 ? real.setOrganizationPartner(id, to) : Promise.reject(new Error('unreachable'))
          : Reflect.get(target, name),
    });
    world.platform.services.identityProvider = failing;
    expect((await assign({ accountId: org.accountId, partnerSlug: slug })).status).toBe(500);
    expect([await tagOf(org.organizationId), await prisma.pendingCompensation.count()]).toEqual([slug, 1]);
    expect(await runPendingCompensations(world.platform.services)).toBe(0);
    world.platform.services.identityProvider = real;
    await asOwner(world.platform, 'DROP TRIGGER fail ON organizations');
    await prisma.pendingCompensation.updateMany({ data: { dueAt: new Date(0) } });
    expect(await runPendingCompensations(world.platform.services)).toBe(1);
    expect([await tagOf(org.organizationId), await prisma.pendingCompensation.count()]).toEqual([null, 0]);
    await world.platform.idp.flush();
    expect((await prisma.organization.findUniqueOrThrow({ where: { accountId: org.accountId } })).partnerId).toBe(null);
    const row = await prisma.auditRow.findFirst({
      where: { action: 'assignOrganizationToPartner', target: org.accountId, outcome: 'failed' },
    });
    expect(row).toMatchObject({ reason: 'internal_error', actorId: world.superadmin.id });
  });
});
