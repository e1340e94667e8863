import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { signMessage } from '../../../src/adapters/embedded-idp/webhook.ts';
import { readUser } from '../../../src/iam/identity/mirror.ts';
import { repairMirror } from '../../../src/iam/identity/repair-mirror.ts';
import { newId } from '../../../src/lib/ids.ts';
import { asOwner } from '../../support/database.ts';
import { embeddedSecret, usePlatform } from '../../support/platform.ts';
import { type People, partnerIn, peopleOf } from './people.ts';

let count = 0;

const platform = await usePlatform();
const people: People = peopleOf(platform);
const hmac = createHmac('sha256', embeddedSecret(platform.services.config.identity));
const secret = `whsec_${hmac.update('messages of the identity provider').digest('base64')}`;

interface SentUser {
  id: string;
  roles?: string[];
  second: number;
}

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

function userMessage({ id, roles = [], second }: SentUser): object {
  return {
    type: 'user.upserted',
    at: at(second),
    data: {
      id,
      email: `${id}@example.com`,
      emailVerified: true,
      banned: false,
      publicMetadata: { platformRoles: roles },
      createdAt: at(0),
      updatedAt: at(second),
    },
  };
}

async function send(
  message: object,
  { id = `msg_${++count}`, key = secret } = {},
): Promise<{ status: number; body: { known?: boolean; code?: string } }> {
  const signed = signMessage(key, id, message);
  const response = await fetch(`${platform.url}/hooks/identity-provider`, {
    method: 'POST',
    headers: signed.headers,
    body: signed.body,
  });
  return { status: response.status, body: (await response.json()) as { known?: boolean } }; // the webhook's answer
}

const rolesOf = async (id: string) =>
  (await platform.services.prisma.iamUser.findUnique({ where: { idpUserId: id } }))?.platformRoles;

test('200 once for a webhook, and 200 again without a change', async () => {
  expect(
    (await send(userMessage({ id: 'user_once', roles: ['hubadmin'], second: 1 }), { id: 'msg_once' })).body,
  ).toEqual({ received: true, known: false });
  expect(
    (await send(userMessage({ id: 'user_once', roles: ['superadmin'], second: 2 }), { id: 'msg_once' })).body,
  ).toEqual({ received: true, known: true });
  expect(await rolesOf('user_once')).toEqual(['hubadmin']);
});

test('401 for a webhook of another key, with a changed body, or without a signature', async () => {
  expect(
    (
      await send(userMessage({ id: 'user_evil', roles: ['superadmin'], second: 1 }), {
        key: `whsec_${Buffer.alloc(32).toString('base64')}`,
      })
    ).status,
  ).toBe(401);
  const { headers, body } = signMessage(secret, 'msg_changed', userMessage({ id: 'user_evil', second: 1 }));
  const changed = await fetch(`${platform.url}/hooks/identity-provider`, {
    method: 'POST',
    headers,
    body: body.replace('"platformRoles":[]', '"platformRoles":["superadmin"]'),
  });
  expect(changed.status).toBe(401);
  expect((await fetch(`${platform.url}/hooks/identity-provider`, { method: 'POST', body: '{}' })).status).toBe(401);
  expect(await rolesOf('user_evil')).toBeUndefined();
});

test('the later version wins, in any order of arrival', async () => {
  await send(userMessage({ id: 'user_order', roles: ['hubadmin'], second: 3 }));
  await send(userMessage({ id: 'user_order', roles: ['superadmin'], second: 2 }));
  expect(await rolesOf('user_order')).toEqual(['hubadmin']);
  await send(userMessage({ id: 'user_order', roles: [], second: 4 }));
  expect(await rolesOf('user_order')).toEqual([]);
});

test('a deleted person stays deleted, also when the deletion arrives first', async () => {
  for (const id of ['user_gone', 'user_gone_first']) {
    if (id === 'user_gone') await send(userMessage({ id, roles: ['superadmin'], second: 1 }));
    await send({ type: 'user.deleted', at: at(3), data: { id } });
    await send(userMessage({ id, roles: ['superadmin'], second: 2 }));
    await send(userMessage({ id, roles: ['superadmin'], second: 4 }));
    expect(await platform.services.prisma.iamUser.findUnique({ where: { idpUserId: id } })).toMatchObject({
      deletedAt: expect.any(Date),
      platformRoles: [],
    });
    expect(await readUser(platform.services, id)).toBeNull();
  }
});

test('a deleted person is removed from every roster, and the row has the time', async () => {
  const partner = await partnerIn(platform, 'mourning');
  const { id, email } = await people.create({ platformRoles: ['partneradmin'], whitelabelOwnership: partner.slug });
  const now = platform.services.clock.now();
  await platform.services.prisma.partnerMembership.create({
    data: {
      id: newId('mem_', now),
      partnerId: partner.id,
      userId: id,
      email,
      emailLower: email,
      roles: ['partneradmin'],
      status: 'active',
      invitedAt: now,
      joinedAt: now,
    },
  });
  await platform.idp.deleteUser(id);
  await platform.idp.flush();
  expect(await platform.services.prisma.partnerMembership.findMany({ where: { userId: id } })).toMatchObject([
    { status: 'revoked', revokedAt: expect.any(Date) },
  ]);
});

test('401 for the token of a person who was deleted', async () => {
  const person = await people.create({ platformRoles: ['superadmin'] });
  const token = await people.token((await people.signIn(person)).cookie);
  await platform.idp.deleteUser(person.id);
  await platform.idp.flush();
  const answer = await fetch(`${platform.url}/api/v1/iam/x`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(401);
});

test('a person missing in the mirror is fetched once, on the first request', async () => {
  const person = await people.create({ platformRoles: ['hubadmin'] });
  const { cookie } = await people.signIn(person);
  await platform.services.prisma.iamUser.delete({ where: { idpUserId: person.id } });
  const answer = await fetch(`${platform.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Cookie: cookie },
    body: '{"query":"{ me { platformRoles } }"}',
  });
  expect(await answer.json()).toEqual({ data: { me: { platformRoles: ['hubadmin'] } } });
  expect(await rolesOf(person.id)).toEqual(['hubadmin']);
});

test('an organization is mirrored with its tag and members, and unlinked when it is deleted', async () => {
  const { idp, services } = platform;
  const partner = await partnerIn(platform, 'mirror-partner');
  const { id: userId } = await people.create();
  const { id } = await idp.createOrganization({ name: 'Shop', slug: 'shop', createdBy: userId });
  await idp.addMember(id, userId);
  await idp.setOrganizationPartner(id, partner.slug);
  await idp.flush();
  expect(await services.prisma.organization.findUnique({ where: { organizationId: id } })).toMatchObject({
    accountId: expect.stringMatching(/^acc_/),
    kind: 'self_serve',
    slug: 'shop',
    partnerId: partner.id,
  });
  expect(await services.prisma.iamOrgMember.findMany({ where: { organizationId: id } })).toMatchObject([
    { userId, role: 'owner' },
  ]);
  await services.pool.query('DELETE FROM idp.organization WHERE id = $1', [id]);
  await idp.flush();
  expect(await services.prisma.organization.findUnique({ where: { organizationId: id } })).toBeNull();
  expect(await services.prisma.iamOrgMember.count({ where: { organizationId: id } })).toBe(0);
});

test('a repair adds people whose webhooks were lost', async () => {
  const { services } = platform;
  const lost = await people.create({ platformRoles: ['hubadmin'] });
  const long = new Date(Date.now() - 3_600_000);
  await asOwner(platform, `ALTER TABLE idp."user" DISABLE TRIGGER USER`);
  await services.pool.query(`UPDATE idp."user" SET "updatedAt" = $1`, [long]);
  await asOwner(platform, `ALTER TABLE idp."user" ENABLE TRIGGER USER`);
  await services.prisma.iamUser.updateMany({ data: { idpUpdatedAt: long } });
  await services.prisma.iamUser.update({ where: { idpUserId: lost.id }, data: { platformRoles: ['superadmin'] } });
  expect(await repairMirror(services)).toBeGreaterThan(0);
  expect(await rolesOf(lost.id)).toEqual(['hubadmin']);
  expect(await repairMirror(services)).toBe(0);
});

test('a repair corrects organizations, tags and members, except those with a pending revert', async () => {
  const { services, idp } = platform;
  const [right, wrong] = [await partnerIn(platform, 'right-partner'), await partnerIn(platform, 'wrong-partner')];
  const merchants = [await people.create(), await people.create()];
  const made = [];
  for (const name of ['Tagged', 'Deleted', 'Lost', 'Reverting'])
    made.push((await idp.createOrganization({ name, partnerSlug: name === 'Deleted' ? null : right.slug })).id);
  const [tagged = '', deleted = '', lost = '', reverting = ''] = made;
  for (const { id } of merchants) await idp.addMember(tagged, id);
  await idp.flush();
  const long = new Date(Date.now() - 3_600_000);
  const [member = '', stranger = ''] = merchants.map(({ id }) => id);
  await asOwner(
    platform,
    `ALTER TABLE idp.organization DISABLE TRIGGER USER; ALTER TABLE idp.membership DISABLE TRIGGER USER`,
  );
  await services.pool.query('UPDATE idp.organization SET "updatedAt" = $1', [long]);
  await services.pool.query('UPDATE idp.membership SET "createdAt" = $1', [long]);
  await services.pool.query('DELETE FROM idp.organization WHERE id = $1', [deleted]);
  await services.pool.query('DELETE FROM idp.membership WHERE "userId" = $1', [stranger]);
  await asOwner(
    platform,
    `ALTER TABLE idp.organization ENABLE TRIGGER USER; ALTER TABLE idp.membership ENABLE TRIGGER USER`,
  );
  await services.prisma.idpVersion.updateMany({ data: { at: long } });
  await services.prisma.organization.updateMany({ data: { createdAt: long } });
  await services.prisma.iamOrgMember.updateMany({ data: { createdAt: long } });
  await services.prisma.organization.updateMany({
    where: { organizationId: { in: [tagged, reverting] } },
    data: { partnerId: wrong.id },
  });
  await services.prisma.organization.delete({ where: { organizationId: lost } });
  await services.prisma.iamOrgMember.deleteMany({ where: { userId: member } });
  await services.prisma.pendingCompensation.create({
    data: { organizationId: reverting, dueAt: new Date(), createdAt: new Date() },
  });
  // Five differences: a wrong tag, a lost and a deleted organization, a lost and a deleted membership.
  await services.prisma.iamUser.updateMany({ data: { idpUpdatedAt: new Date() } });
  const before = await figures();
  expect(await repairMirror(services)).toBe(5);
  const tagOf = async (organizationId: string) =>
    (await services.prisma.organization.findUnique({ where: { organizationId }, include: { partner: true } }))?.partner
      ?.slug;
  expect([await tagOf(tagged), await tagOf(lost), await tagOf(deleted), await tagOf(reverting)]).toEqual([
    right.slug,
    right.slug,
    undefined,
    wrong.slug,
  ]);
  expect(
    (await services.prisma.iamOrgMember.findMany({ where: { organizationId: tagged } })).map(({ userId }) => userId),
  ).toEqual([member]);
  expect([
    (await figures()).organization - before.organization,
    (await figures()).orgMember - before.orgMember,
  ]).toEqual([3, 2]);
  expect(await repairMirror(services)).toBe(0);
  await services.prisma.pendingCompensation.deleteMany();
});

/** The number of repairs in /metrics. */
async function figures(): Promise<{ organization: number; orgMember: number }> {
  const text = await (await fetch(`${platform.url}/metrics`)).text();
  const read = (kind: string) =>
    Number(new RegExp(`platform_identity_mirror_repaired_total\\{kind="${kind}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
  return { organization: read('organization'), orgMember: read('orgMember') };
}

test('a change is in the mirror in well under a second', async () => {
  const { id } = await people.create();
  const lags: number[] = [];
  for (let round = 0; round < 20; round++) {
    const roles = round % 2 ? [] : ['hubadmin'];
    await platform.idp.setAccess(id, { platformRoles: roles, whitelabelOwnership: null });
    const startedAt = performance.now();
    while ((await rolesOf(id))?.join() !== roles.join()) await new Promise((resume) => setImmediate(resume));
    lags.push(performance.now() - startedAt);
  }
  lags.sort((left, right) => left - right);
  console.info(`lag of the mirror: median ${lags[10]?.toFixed(1)} ms, worst ${lags.at(-1)?.toFixed(1)} ms`);
  expect(lags.at(-1)).toBeLessThan(1_000);
});
