import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { signMessage } from '../../../src/adapters/embedded-idp/webhook.ts';
import { newId } from '../../../src/lib/ids.ts';
import { embeddedSecret, usePlatform } from '../../support/platform.ts';
import { type People, partnerIn, peopleOf } from './people.ts';

let partner: { id: string; slug: string };
let count = 0;

const platform = await usePlatform();
const people: People = peopleOf(platform);
beforeEach(async () => {
  partner = await partnerIn(platform, `acme-${++count}`);
});

const password = 'a new password';

async function accept(ticket: string, more: object = { password }, headers: Record<string, string> = {}) {
  const response = await fetch(`${platform.url}/idp/accept`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ ticket, ...more }),
  });
  return {
    status: response.status,
    cookie: response.headers.getSetCookie()[0]?.split(';')[0],
    body: await response.json(),
  };
}

/** A pending membership with its invitation, as the invite operation leaves them. */
async function invited(
  email = `new${++count}@example.com`,
  roles = ['partneradmin'],
): Promise<{ email: string; ticket: string; invitationId: string; membershipId: string }> {
  const { idp, services } = platform;
  const { id: invitationId, acceptUrl = '' } = await idp.invite({
    email,
    access: { platformRoles: roles, whitelabelOwnership: partner.slug },
    redirectUrl: `${platform.url}/graphql`,
  });
  const now = services.clock.now();
  const membershipId = newId('mem_', now);
  await services.prisma.partnerMembership.create({
    data: {
      id: membershipId,
      partnerId: partner.id,
      email,
      emailLower: email.toLowerCase(),
      roles,
      status: 'pending',
      invitationId,
      invitedAt: now,
    },
  });
  return { email, invitationId, membershipId, ticket: new URL(acceptUrl).searchParams.get('ticket') ?? '' };
}

const membership = (id: string) => platform.services.prisma.partnerMembership.findUniqueOrThrow({ where: { id } });

describe('a new person', () => {
  test('200 with an account, a session, roles and scope, and an active membership', async () => {
    const { email, ticket, membershipId } = await invited(`Mixed.Case${++count}@example.com`);
    const { status, cookie, body } = await accept(ticket);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        user: {
          id: expect.stringMatching(/^user_/),
          email: email.toLowerCase(),
          platformRoles: ['partneradmin'],
          whitelabelOwnership: partner.slug,
        },
        redirectUrl: `${platform.url}/graphql`,
      },
    });
    expect(await membership(membershipId)).toMatchObject({
      status: 'active',
      userId: body.user.id,
      joinedAt: expect.any(Date),
      invitationId: null,
    });
    const me = await fetch(`${platform.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Cookie: cookie ?? '' },
      body: '{"query":"{ me { userId platformRoles } }"}',
    });
    expect(await me.json()).toEqual({ data: { me: { userId: body.user.id, platformRoles: ['partneradmin'] } } });
    await people.signIn({ email, password });
  });

  test('410 for a ticket that is used, revoked, expired or unknown', async () => {
    const used = await invited();
    expect((await accept(used.ticket)).status).toBe(200);
    expect((await accept(used.ticket)).status).toBe(410);
    const revoked = await invited();
    await platform.idp.revokeInvitation(revoked.invitationId);
    expect((await accept(revoked.ticket)).status).toBe(410);
    const old = await invited();
    await platform.services.pool.query(`UPDATE idp.invitation SET "expiresAt" = now() WHERE id = $1`, [
      old.invitationId,
    ]);
    expect((await accept(old.ticket)).status).toBe(410);
    expect((await accept('A'.repeat(43))).status).toBe(410);
    expect((await fetch(`${platform.url}/idp/accept?ticket=${old.ticket}`)).status).toBe(410);
  });

  test('400 without a password or with one of nine characters, and the ticket stays valid', async () => {
    const { ticket } = await invited();
    expect((await accept(ticket, {})).body.data.issues[0].path).toBe('password');
    expect((await accept(ticket, { password: '123456789' })).body.data.issues[0].path).toBe('password');
    expect((await accept('', { password })).status).toBe(400);
    expect((await accept(ticket, { password: '1234567890' })).status).toBe(200);
  });

  test('of ten acceptances at once one creates the account', async () => {
    const { email, ticket } = await invited();
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => accept(ticket)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.every((status) => [200, 401, 410].includes(status))).toBe(true);
    const { rows } = await platform.services.pool.query('SELECT 1 FROM idp."user" WHERE email = $1', [email]);
    expect(rows).toHaveLength(1);
  });

  test('409 when the partner was archived since, and the membership ends', async () => {
    const { email, ticket, membershipId } = await invited();
    await platform.services.prisma.partner.update({ where: { id: partner.id }, data: { status: 'offboarded' } });
    const { status, body } = await accept(ticket);
    expect({ status, reason: body.data.reason }).toEqual({ status: 409, reason: 'partner_offboarded' });
    expect(await membership(membershipId)).toMatchObject({ status: 'revoked' });
    expect(await platform.idp.findUserByEmail(email)).toBeNull();
    expect((await accept(ticket)).status).toBe(409);
    expect(await platform.services.prisma.auditRow.findMany({ where: { target: membershipId } })).toMatchObject([
      {
        action: 'acceptInvitation',
        actorKind: 'anonymous',
        actorEmail: email,
        outcome: 'failed',
        reason: 'partner_offboarded',
        before: { status: 'pending' },
        after: { status: 'revoked' },
      },
    ]);
  });

  test('403 from a page of another site', async () => {
    const { ticket } = await invited();
    expect((await accept(ticket, { password }, { Origin: 'https://evil.example.com' })).status).toBe(403);
  });
});

describe('a person with an account', () => {
  test('200 signed in with the ticket alone; the password stays', async () => {
    const person = await people.create();
    const { ticket, membershipId } = await invited(person.email);
    expect((await accept(ticket, {})).status).toBe(401);
    expect((await accept(ticket)).status).toBe(401);
    const { cookie } = await people.signIn(person);
    expect(await accept(ticket, {}, { Cookie: cookie })).toMatchObject({
      status: 200,
      body: { user: { id: person.id, platformRoles: ['partneradmin'], whitelabelOwnership: partner.slug } },
    });
    expect(await membership(membershipId)).toMatchObject({ status: 'active', userId: person.id });
    await people.signIn(person);
  });

  test('a person becomes a member only by accepting, regardless of other changes', async () => {
    const person = await people.create();
    const { membershipId } = await invited(person.email);
    await platform.idp.setAccess(person.id, { platformRoles: [], whitelabelOwnership: null });
    await platform.idp.flush();
    expect(await membership(membershipId)).toMatchObject({ status: 'pending', userId: null });
  });

  test('a late webhook of a revoked acceptance makes no member', async () => {
    const person = await people.create();
    const { membershipId } = await invited(person.email);
    const createdAt = new Date(0).toISOString();
    const earlier = {
      id: person.id,
      email: person.email,
      emailVerified: true,
      banned: false,
      publicMetadata: { platformRoles: ['partneradmin'], whitelabelOwnership: partner.slug },
      createdAt,
      updatedAt: createdAt,
    };
    const hmac = createHmac('sha256', embeddedSecret(platform.services.config.identity));
    const secret = `whsec_${hmac.update('messages of the identity provider').digest('base64')}`;
    const { headers, body } = signMessage(secret, `msg_late_${++count}`, {
      type: 'user.upserted',
      at: createdAt,
      data: earlier,
    });
    expect((await fetch(`${platform.url}/hooks/identity-provider`, { method: 'POST', headers, body })).status).toBe(
      200,
    );
    expect(await membership(membershipId)).toMatchObject({ status: 'pending', userId: null });
    expect(await platform.idp.getUser(person.id)).toMatchObject({ platformRoles: [], whitelabelOwnership: null });
  });

  test('403 signed in as another person, and the ticket stays valid for its owner', async () => {
    const person = await people.create();
    const { ticket } = await invited(person.email);
    const other = await people.signIn(await people.create());
    expect((await accept(ticket, {}, { Cookie: other.cookie })).status).toBe(403);
    expect((await accept(ticket, {}, { Cookie: (await people.signIn(person)).cookie })).status).toBe(200);
  });

  test('409 when the person joined another partner since, and the membership ends', async () => {
    const person = await people.create();
    const { ticket, membershipId } = await invited(person.email);
    await platform.idp.setAccess(person.id, { platformRoles: ['accountmanager'], whitelabelOwnership: 'globex' });
    await platform.idp.flush();
    const { cookie } = await people.signIn(person);
    const { status, body } = await accept(ticket, {}, { Cookie: cookie });
    expect({ status, reason: body.data.reason }).toMatchInlineSnapshot(`
      {
        "reason": "target_in_other_partner",
        "status": 409,
      }
    `);
    expect(await membership(membershipId)).toMatchObject({ status: 'revoked' });
    expect(await platform.idp.getUser(person.id)).toMatchObject({
      platformRoles: ['accountmanager'],
      whitelabelOwnership: 'globex',
    });
  });
});

test('no ticket is in the log', () => {
  expect(platform.logged.join('\n')).not.toMatch(/ticket=|[\w-]{43}/);
});
