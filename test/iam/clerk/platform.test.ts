import { randomBytes } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { makeSuperadminAt } from '../../../src/iam/identity/make-superadmin.ts';
import { repairMirror } from '../../../src/iam/identity/repair-mirror.ts';
import { runPendingCompensations } from '../../../src/iam/partners/pending-compensations.ts';
import type { Mail } from '../../../src/ports/mailer.ts';
import { ClerkRefusal } from '../../support/clerk-routes.ts';
import type { ClerkStandIn } from '../../support/clerk-stand-in.ts';
import { userJson } from '../../support/clerk-wire.ts';
import { usePlatform } from '../../support/platform.ts';
import { callIam, makePartner, makePerson, signedIn, signIn } from '../people.ts';

const mails: Mail[] = [];
let n = 0;

const platform = await usePlatform({ identityProvider: 'clerk' });
if (!platform.clerk) throw new Error('The platform is to speak to Clerk.');
const clerk: ClerkStandIn = platform.clerk;
platform.services.mailer = { kind: 'kept', send: async (mail) => void mails.push(mail) };
const superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });
await makePartner(platform, 'acme');

const membershipOf = (email: string) =>
  platform.services.prisma.partnerMembership.findFirst({ where: { emailLower: email } });
const mirrorOf = (idpUserId: string) => platform.services.prisma.iamUser.findUnique({ where: { idpUserId } });

test('409 not_offered_by_provider to reset a second factor, which Clerk does in its own console', async () => {
  const person = await makePerson(platform);
  const { errors } = await superadmin.graphql(
    'mutation ($userId: ID!) { resetSecondFactor(userId: $userId, reason: "lost phone") { userId } }',
    { userId: person.id },
  );
  expect(errors[0].extensions).toMatchObject({ code: 'CONFLICT', data: { reason: 'not_offered_by_provider' } });
});

test('a person of Clerk sees and ends their sessions, which are 401 at once', async () => {
  const person = await makePerson(platform);
  const [here, there] = [await signIn(platform, person), await signIn(platform, person)];
  const { sessions } = (await here.graphql('{ me { sessions { id isPresent } } }')).data.me;
  const other = sessions.find(({ isPresent }: { isPresent: boolean }) => !isPresent);
  expect(sessions).toHaveLength(2);
  await here.graphql('mutation ($id: ID!) { endMySession(id: $id) { id } }', { id: other.id });
  expect((await there.graphql('{ me { email } }')).errors[0].extensions.code).toBe('NOT_AUTHORIZED');
  expect((await here.graphql('{ me { email } }')).data.me.email).toBe(person.email);
});

describe('/hooks/identity-provider', () => {
  const secret = () => clerk.env['CLERK_WEBHOOK_SIGNING_SECRET'] ?? '';

  async function send(
    event: object,
    { id = `msg_${++n}`, key = secret(), at = new Date(), prefix = 'svix', extra = '' } = {},
  ): Promise<{ status: number; known?: boolean }> {
    const body = JSON.stringify({ object: 'event', instance_id: 'ins_1', timestamp: at.getTime(), ...event });
    const headers = {
      'content-type': 'application/json',
      [`${prefix}-id`]: id,
      [`${prefix}-timestamp`]: String(Math.floor(at.getTime() / 1000)),
      [`${prefix}-signature`]: `${extra}${new Webhook(key).sign(id, at, body)}`,
    };
    const response = await fetch(`${platform.url}/hooks/identity-provider`, { method: 'POST', headers, body });
    return { status: response.status, ...((await response.json()) as object) };
  }
  const second = (s: number) => Date.UTC(2026, 0, 1, 0, 0, s);
  const user = (id: string, roles: string[], s: number) =>
    userJson({
      id,
      email: `${id}@example.com`,
      emailVerified: true,
      banned: false,
      publicMetadata: { platformRoles: roles },
      createdAt: second(0),
      updatedAt: second(s),
    });

  test('200 once for a message id; the version of the data decides, in any order of arrival', async () => {
    expect(
      await send({ type: 'user.updated', data: user('user_order', ['hubadmin'], 3) }, { id: 'msg_first' }),
    ).toMatchObject({ status: 200, known: false });
    expect(await send({ type: 'user.updated', data: user('user_order', [], 9) }, { id: 'msg_first' })).toMatchObject({
      status: 200,
      known: true,
    });
    expect((await send({ type: 'user.updated', data: user('user_order', ['superadmin'], 2) })).status).toBe(200);
    expect(await mirrorOf('user_order')).toMatchObject({
      platformRoles: ['hubadmin'],
      email: 'user_order@example.com',
      emailVerified: true,
    });
    await send({ type: 'user.deleted', data: { id: 'user_order', object: 'user', deleted: true } });
    await send({ type: 'user.updated', data: user('user_order', ['superadmin'], 5) });
    expect(await mirrorOf('user_order')).toMatchObject({ platformRoles: [], deletedAt: expect.any(Date) });
  });

  test('401 without a valid signature or older than five minutes; one of several signatures is enough', async () => {
    const event = { type: 'user.created', data: user('user_evil', ['superadmin'], 1) };
    expect((await send(event, { key: `whsec_${randomBytes(24).toString('base64')}` })).status).toBe(401);
    expect((await send(event, { at: new Date(Date.now() - 301_000) })).status).toBe(401);
    expect((await send(event, { prefix: 'x' })).status).toBe(401);
    expect(await mirrorOf('user_evil')).toBeNull();
    expect(
      (await send({ type: 'user.created', data: user('user_rotated', [], 1) }, { extra: 'v1,AAAA ' })).status,
    ).toBe(200);
  });

  test('200 for ignored event types, 503 for a signed event that cannot be read', async () => {
    expect((await send({ type: 'email.created', data: { id: 'ema_1', object: 'email' } })).status).toBe(200);
    expect((await send({ type: 'user.updated', data: { id: 'user_half' } })).status).toBe(503);
    expect(await mirrorOf('user_half')).toBeNull();
  });
});

describe('a session', () => {
  const list = (headers: Record<string, string>) =>
    callIam(platform, '/partners-admin/list', {}, headers).then(({ status }) => status);

  test('200 by cookie and by token; 401 as soon as it ended at Clerk, even with a valid token', async () => {
    const person = await makePerson(platform, { platformRoles: ['hubadmin'] });
    const { bearer, cookie, sessionId } = await clerk.openSession(person.email);
    expect([await list({ Cookie: cookie }), await list({ Authorization: `Bearer ${bearer}` })]).toEqual([200, 200]);
    await platform.services.pool.query('DELETE FROM idp.session WHERE id = $1', [sessionId]);
    await clerk.idp.flush();
    expect([await list({ Cookie: cookie }), await list({ Authorization: `Bearer ${bearer}` })]).toEqual([401, 401]);
    // It must apply to every process, so the row counts and not the memory of this process.
    expect(await platform.services.prisma.endedSession.count({ where: { sessionId } })).toBe(1);
  });

  test('200 to read and 403 to change for an impersonated session; 401 for other tokens of the instance', async () => {
    const { email } = await makePerson(platform, { platformRoles: ['superadmin'] });
    const headers = async (claims: JWTPayload) => ({
      Authorization: `Bearer ${(await clerk.openSession(email, claims)).bearer}`,
    });
    const acting = await headers({ act: { iss: 'https://dashboard.example.com', sid: 'sess_x', sub: 'user_support' } });
    expect([
      await list(acting),
      (await callIam(platform, '/partners-admin/create', { name: 'X', slug: 'x-by-support' }, acting)).status,
    ]).toEqual([200, 403]);
    for (const wrong of [
      { iss: 'https://other.example.com' },
      { azp: 'https://evil.example.com' },
      { azp: undefined },
      { sts: 'pending' },
      { sid: 'client_1' },
      { sub: 'mch_1' },
      { exp: 1 },
    ]) {
      expect(await list(await headers(wrong)), JSON.stringify(wrong)).toBe(401);
    }
  });

  test('a person missing in the mirror is fetched once; a revoked role stops working immediately', async () => {
    const person = await makePerson(platform, { platformRoles: ['hubadmin'] });
    const { bearer } = await clerk.openSession(person.email);
    await platform.services.prisma.iamUser.delete({ where: { idpUserId: person.id } });
    clerk.requests.length = 0;
    for (let times = 0; times < 2; times++) expect(await list({ Authorization: `Bearer ${bearer}` })).toBe(200);
    expect(clerk.requests.map(({ path }) => path)).toEqual([`/v1/users/${person.id}`]);
    expect((await superadmin.iam('/internal-users/set-roles', { userId: person.id, roles: [] })).status).toBe(200);
    expect(await list({ Authorization: `Bearer ${bearer}` })).toBe(403);
  });
});

describe('an invitation', () => {
  const invite = (email: string, roles = ['accountmanager']) =>
    superadmin.iam('/partners/acme/staff/invite', { email, roles });
  const join = (headers: Record<string, string>, body: object = { partnerSlug: 'acme' }) =>
    fetch(`${platform.url}/join`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const linkTo = (email: string) => /https:\S+/.exec(mails.findLast(({ to }) => to === email)?.text ?? '')?.[0] ?? '';

  test("is sent by our own mail with Clerk's link, and a new account that accepts it is active", async () => {
    const email = `new${++n}@example.com`;
    clerk.requests.length = 0;
    expect((await invite(email)).status).toBe(200);
    expect(clerk.requests.find(({ path }) => path === '/v1/invitations')?.body).toMatchObject({
      notify: false,
      redirect_url: `${platform.url}/join`,
    });
    expect(linkTo(email)).toMatch(/^https:\/\/clerk\.stand-in\.example\.com\/v1\/tickets\/accept\?ticket=/);
    expect(mails.at(-1)?.subject).toBe('The acme company has invited you');
    await clerk.idp.acceptWithPassword(
      new URL(linkTo(email)).searchParams.get('ticket') ?? '',
      'correct horse battery',
    );
    await clerk.idp.flush();
    expect(await membershipOf(email)).toMatchObject({ status: 'active', invitationId: null });
    expect((await superadmin.iam('/users/find', { email })).body.user).toMatchObject({
      platformRoles: ['accountmanager'],
      whitelabelOwnership: 'acme',
    });
  });

  test('404 on /join for a used ticket; an existing account accepts after signing in and is active', async () => {
    const person = await makePerson(platform);
    await invite(person.email);
    await clerk.idp.setBanned(person.id, false); // a message about the person that does not report an acceptance
    await clerk.idp.flush();
    expect(await membershipOf(person.email)).toMatchObject({ status: 'pending' });
    expect((await fetch(`${platform.url}/join`)).status).toBe(401);
    expect((await join({})).status).toBe(401);
    const { cookie } = await signIn(platform, person);
    expect(await (await fetch(`${platform.url}/join`, { headers: { Cookie: cookie } })).text()).toContain(
      'The acme company',
    );
    expect((await join({ Cookie: cookie, Origin: 'https://evil.example.com' })).status).toBe(403);
    expect(
      await platform.services.prisma.auditRow.findFirst({ where: { action: 'acceptInvitation', actorId: person.id } }),
    ).toMatchObject({ outcome: 'denied', reason: 'origin_not_allowed' });
    expect((await join({ Cookie: cookie }, {})).status).toBe(400);
    expect((await join({ Cookie: cookie }, { partnerSlug: 'nowhere' })).status).toBe(404);
    expect(await (await join({ Cookie: cookie })).json()).toMatchObject({
      platformRoles: ['accountmanager'],
      whitelabelOwnership: 'acme',
    });
    expect(await membershipOf(person.email)).toMatchObject({ status: 'active', userId: person.id });
    expect(await platform.services.identityProvider.findPendingInvitation(person.email)).toBeNull();
    expect((await join({ Cookie: cookie })).status).toBe(404);
    const left = await fetch(`${platform.url}/join`, { headers: { Cookie: cookie }, redirect: 'manual' });
    expect([left.status, left.headers.get('location')]).toEqual([303, 'console/']);
    expect(
      await platform.services.prisma.auditRow.count({
        where: { action: 'acceptInvitation', actorId: person.id, outcome: 'allowed' },
      }),
    ).toBe(1);
  });

  test('409 on /join when the person joined another partner; the membership ends; 404 for a foreign one', async () => {
    const person = await makePerson(platform);
    await invite(person.email);
    expect((await join({ Cookie: superadmin.cookie })).status).toBe(404);
    await superadmin.iam('/internal-users/set-roles', { userId: person.id, roles: ['accountmanager'] });
    const { cookie } = await signIn(platform, person);
    expect((await join({ Cookie: cookie })).status).toBe(409);
    expect(await membershipOf(person.email)).toMatchObject({ status: 'revoked' });
  });

  test('409 email_not_invitable for an address Clerk refuses', async () => {
    const { status, body } = await invite('someone@refused.example.com');
    expect([status, body.message.includes('email_not_invitable')]).toEqual([409, true]);
  });

  test('a superadmin is made by invitation or promotion, and the mirror is notified', async () => {
    const email = `root${++n}@example.com`;
    const { identityProvider } = platform.services;
    const first = await makeSuperadminAt(identityProvider, email, platform.url);
    const second = await makeSuperadminAt(identityProvider, email, platform.url);
    expect([first.kind, second.kind]).toEqual(['invited', 'invited']);
    const person = await makePerson(platform, { platformRoles: ['hubadmin'] });
    expect(await makeSuperadminAt(identityProvider, person.email, platform.url)).toMatchObject({
      kind: 'promoted',
      user: { platformRoles: ['hubadmin', 'superadmin'] },
    });
    await clerk.idp.flush();
    expect(await mirrorOf(person.id)).toMatchObject({ platformRoles: ['hubadmin', 'superadmin'] });
    await expect(
      makeSuperadminAt(
        identityProvider,
        (await makePerson(platform, { whitelabelOwnership: 'acme' })).email,
        platform.url,
      ),
    ).rejects.toThrow('belongs to the partner acme');
  });
});

describe('when Clerk fails in the middle of a change', () => {
  const roles = async (id: string) => [
    (await mirrorOf(id))?.platformRoles,
    (await clerk.idp.getUser(id))?.platformRoles,
  ];
  const set = (userId: string) => superadmin.iam('/internal-users/set-roles', { userId, roles: ['hubadmin'] });
  const when = (method: string, path: RegExp, fate: { when: 'before' | 'after'; refusal: ClerkRefusal }, times = 1) => {
    let left = times;
    clerk.interfere((request) => (request.method === method && path.test(request.path) && left-- > 0 ? fate : null));
  };
  afterEach(() => clerk.interfere(null));

  test('429 with the Retry-After of Clerk, and nothing is changed', async () => {
    const { id } = await makePerson(platform);
    when('PATCH', /metadata/, {
      when: 'before',
      refusal: new ClerkRefusal(429, 'too_many_requests', 'slow down', { 'Retry-After': '7' }),
    });
    const { status, headers } = await set(id);
    expect([status, headers.get('retry-after'), await roles(id)]).toEqual([429, '7', [[], []]]);
    expect((await set(id)).status).toBe(200);
  });

  test('503 when Clerk is down or its answer is lost: the change is reverted and logged, a retry works', async () => {
    for (const at of ['before', 'after'] as const) {
      const { id } = await makePerson(platform);
      when('PATCH', /metadata/, { when: at, refusal: new ClerkRefusal(500, 'internal_clerk_error', 'oops') });
      const { status, body } = await set(id);
      await clerk.idp.flush();
      expect([status, body.code, await roles(id)]).toEqual([503, 'SERVICE_UNAVAILABLE', [[], []]]);
      expect(
        await platform.services.prisma.auditRow.findFirst({ where: { action: 'setInternalUserRoles', target: id } }),
      ).toMatchObject({ outcome: 'failed', reason: 'service_unavailable' });
      expect((await set(id)).status).toBe(200);
    }
  });

  test('an invitation whose answer was lost blocks no one: the next one replaces it, and one link works', async () => {
    const email = `lost${++n}@example.com`;
    const invite = () => superadmin.iam('/partners/acme/staff/invite', { email, roles: ['accountmanager'] });
    when('POST', /invitations$/, { when: 'after', refusal: new ClerkRefusal(502, 'bad_gateway', 'lost') });
    expect([(await invite()).status, await membershipOf(email), mails.filter(({ to }) => to === email).length]).toEqual(
      [503, null, 0],
    );
    expect((await platform.services.identityProvider.findPendingInvitation(email))?.id).toBeDefined();
    expect((await invite()).status).toBe(200);
    const { rows } = await platform.services.pool.query<{ status: string }>(
      'SELECT status FROM idp.invitation WHERE email = $1 ORDER BY "createdAt"',
      [email],
    );
    expect(rows.map(({ status }) => status)).toEqual(['revoked', 'pending']);
  });

  test('503 and the old tag when an organization cannot be tagged; a failed revert is done later', async () => {
    const organization = await clerk.idp.createOrganization({ name: 'Shop to tag' });
    await clerk.idp.flush();
    const assign = () =>
      superadmin.iam('/orgs/assign-to-partner', { organizationId: organization.id, partnerSlug: 'acme' });
    const tag = async () =>
      (
        await platform.services.pool.query(
          `SELECT "publicMetadata"->>'partnerSlug' AS slug FROM idp.organization WHERE id = $1`,
          [organization.id],
        )
      ).rows[0]?.slug ?? null;
    const down = new ClerkRefusal(503, 'service_unavailable', 'down');
    when('PATCH', /organizations/, { when: 'after', refusal: down });
    expect([(await assign()).status, await tag(), await platform.services.prisma.pendingCompensation.count()]).toEqual([
      503,
      null,
      0,
    ]);
    await clerk.idp.flush();
    let seen = 0;
    clerk.interfere(({ path }) =>
      path.includes('/organizations/') ? { when: ++seen === 1 ? 'after' : 'before', refusal: down } : null,
    );
    expect([(await assign()).status, await tag(), await platform.services.prisma.pendingCompensation.count()]).toEqual([
      503,
      'acme',
      1,
    ]);
    clerk.interfere(null);
    await platform.services.prisma.pendingCompensation.updateMany({ data: { dueAt: new Date(0) } });
    expect([await runPendingCompensations(platform.services), await tag()]).toEqual([1, null]);
    expect((await assign()).status).toBe(200);
  });
});

test('a repair reads everyone at Clerk and finds no difference after the webhooks arrived', async () => {
  const { id } = await clerk.idp.createOrganization({ name: 'Shop', partnerSlug: 'acme' });
  await clerk.idp.addMember(id, (await makePerson(platform)).id);
  await clerk.idp.flush();
  const { services } = platform;
  const long = new Date(Date.now() - 3_600_000);
  await services.prisma.iamUser.updateMany({
    where: { idpUserId: { in: ['user_rotated', 'user_order'] } },
    data: { deletedAt: long },
  });
  // With the clock an hour ahead, no message can still be in transit, so every difference would be repaired.
  expect(
    await repairMirror({ ...services, clock: { ...services.clock, now: () => new Date(Date.now() + 3_600_000) } }),
  ).toBe(0);
  await services.prisma.organization.update({ where: { organizationId: id }, data: { partnerId: null } });
  await services.prisma.iamOrgMember.deleteMany({ where: { organizationId: id } });
  expect(
    await repairMirror({ ...services, clock: { ...services.clock, now: () => new Date(Date.now() + 3_600_000) } }),
  ).toBe(2);
  expect(
    await services.prisma.organization.findUnique({ where: { organizationId: id }, include: { partner: true } }),
  ).toMatchObject({ partner: { slug: 'acme' } });
});

test("404 for the embedded provider's own pages; the console is served, and mail is still stored", async () => {
  for (const path of ['/idp/forgot-password', '/idp/jwks', '/idp/token'])
    expect((await fetch(`${platform.url}${path}`)).status).toBe(404);
  for (const path of ['/console/', '/console/live/payments'])
    expect((await fetch(`${platform.url}${path}`)).status).toBe(200);
  expect((await fetch(`${platform.url}/idp/mail`)).status).toBe(200);
});

test('no key, token or ticket is in the log', () => {
  expect(platform.logged.join('\n')).not.toMatch(/sk_live_|whsec_|eyJ[\w-]+\.|ticket=/);
});
