import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type IdentityProvider, IdpError, type IdpEvent } from '../../../src/ports/identity-provider.ts';

/** A provider to test, with the actions of its own pages. */
export interface ProviderUnderTest {
  idp: IdentityProvider;
  createUser(email: string): Promise<{ id: string }>;
  createOrganization(name: string): Promise<{ id: string }>;
  addMember(organizationId: string, userId: string): Promise<void>;
  /** Creates a session, and returns its credentials as a browser and as a script would send them. */
  openSession(email: string): Promise<{ cookie: string; bearer: string; sessionId: string }>;
  /** The messages the provider has sent. */
  received(): Promise<IdpEvent[]>;
  close(): Promise<void>;
}

let count = 0;
const newEmail = () => `port${++count}-${randomBytes(3).toString('hex')}@example.com`;
const access = (...platformRoles: string[]) => ({ platformRoles, whitelabelOwnership: 'acme' });
const redirectUrl = 'http://localhost:4000/graphql';

/** The requirements for every identity provider. */
export function identityProviderSuite(name: string, open: () => Promise<ProviderUnderTest>): void {
  describe(`the identity provider ${name}`, () => {
    let provider: ProviderUnderTest;
    let idp: IdentityProvider;
    beforeAll(async () => {
      provider = await open();
      idp = provider.idp;
    });
    afterAll(() => provider.close());

    test('finds a person by id and by email in any case, and returns null for an unknown one', async () => {
      const email = newEmail();
      const { id } = await provider.createUser(email);
      expect(await idp.getUser(id)).toMatchObject({
        id,
        email,
        emailVerified: true,
        platformRoles: [],
        whitelabelOwnership: null,
        banned: false,
      });
      expect(await idp.findUserByEmail(email.toUpperCase())).toMatchObject({ id });
      expect(await idp.getUser('user_0000000000000000000000')).toBeNull();
      expect(await idp.findUserByEmail(newEmail())).toBeNull();
    });

    test('setAccess replaces roles and scope as a whole', async () => {
      const { id } = await provider.createUser(newEmail());
      const first = await idp.setAccess(id, {
        platformRoles: ['partneradmin', 'accountmanager', 'partneradmin'],
        whitelabelOwnership: 'acme',
      });
      expect(first).toMatchObject({ platformRoles: ['partneradmin', 'accountmanager'], whitelabelOwnership: 'acme' });
      const second = await idp.setAccess(id, { platformRoles: [], whitelabelOwnership: null });
      expect(second).toMatchObject({ platformRoles: [], whitelabelOwnership: null });
      expect(second.updatedAt.getTime()).toBeGreaterThan(first.updatedAt.getTime());
      expect(await idp.getUser(id)).toEqual(second);
    });

    test('NOT_FOUND for roles of an unknown person and for the tag of an unknown organization', async () => {
      await expect(idp.setAccess('user_0000000000000000000000', access())).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(idp.setOrganizationPartner('org_0000000000000000000000', 'acme')).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    });

    test('one pending invitation an email, in any case, and a new one after it was revoked', async () => {
      const email = newEmail();
      const invitation = await idp.invite({ email, access: access('partneradmin'), redirectUrl });
      expect(invitation).toMatchObject({ email, status: 'pending', acceptUrl: expect.stringContaining('http') });
      await expect(
        idp.invite({ email: email.toUpperCase(), access: access('partneradmin'), redirectUrl }),
      ).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await idp.revokeInvitation(invitation.id)).toBe('revoked');
      expect(await idp.revokeInvitation(invitation.id)).toBe('already_closed');
      expect((await idp.invite({ email, access: access('partneradmin'), redirectUrl })).id).not.toBe(invitation.id);
    });

    test('invites a person with an account, once', async () => {
      const email = newEmail();
      await provider.createUser(email);
      expect(await idp.invite({ email, access: access('partneradmin'), redirectUrl })).toMatchObject({
        email,
        status: 'pending',
        acceptUrl: expect.stringContaining('http'),
      });
      await expect(idp.invite({ email, access: access('partneradmin'), redirectUrl })).rejects.toMatchObject({
        code: 'CONFLICT',
      });
    });

    test('finds the pending invitation of an email with its access, and none that is closed', async () => {
      const email = newEmail();
      expect(await idp.findPendingInvitation(email)).toBeNull();
      const { id } = await idp.invite({ email, access: access('partneradmin'), redirectUrl });
      await idp.invite({ email: `x${email}`, access: access(), redirectUrl });
      expect(await idp.findPendingInvitation(email.toUpperCase())).toEqual({ id, access: access('partneradmin') });
      await idp.revokeInvitation(id);
      expect(await idp.findPendingInvitation(email)).toBeNull();
    });

    test('an id with a path in it is unknown', async () => {
      for (const id of ['count', '../invitations', 'user_1/metadata', 'user_1?x=1', ''])
        expect(await idp.getUser(id)).toBeNull();
      await expect(idp.setAccess('../organizations/org_1', access())).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(idp.setOrganizationPartner('../users/user_1', 'acme')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    test('of twenty invitations of one email at once one is created', async () => {
      const email = newEmail();
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, () => idp.invite({ email, access: access('partneradmin'), redirectUrl })),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(IdpError);
    });

    test('verifies a session by cookie and by token, and names the reason when it is invalid', async () => {
      const email = newEmail();
      const { id } = await provider.createUser(email);
      const { cookie, bearer, sessionId } = await provider.openSession(email);
      expect(await idp.verifySession({ cookie })).toMatchObject({ ok: true, session: { userId: id, sessionId } });
      expect(await idp.verifySession({ bearer })).toMatchObject({ ok: true, session: { userId: id, sessionId } });
      expect(await idp.verifySession({})).toEqual({ ok: false, reason: 'MISSING' });
      expect(await idp.verifySession({ cookie: 'platform.session_token=forged.forged' })).toMatchObject({ ok: false });
      expect(await idp.verifySession({ bearer: 'no-token' })).toEqual({ ok: false, reason: 'NOT_A_SESSION' });
    });

    test('lists the sessions of a person, newest first, and ends one of them, never one of another person', async () => {
      const [email, otherEmail] = [newEmail(), newEmail()];
      const [person, other] = [await provider.createUser(email), await provider.createUser(otherEmail)];
      const sessions = [await provider.openSession(email), await provider.openSession(email)];
      const foreign = await provider.openSession(otherEmail);
      const listed = await idp.listSessions(person.id);
      expect(listed.map(({ id }) => id).sort()).toEqual(sessions.map(({ sessionId }) => sessionId).sort());
      expect(listed[0]).toMatchObject({ createdAt: expect.any(Date), expiresAt: expect.any(Date) });
      const times = listed.map(({ createdAt }) => createdAt.getTime());
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(await idp.revokeSession(person.id, foreign.sessionId)).toBe(false);
      expect(await idp.listSessions(other.id)).toHaveLength(1);
      const [ended] = sessions;
      expect(await idp.revokeSession(person.id, ended?.sessionId ?? '')).toBe(true);
      expect(await idp.revokeSession(person.id, ended?.sessionId ?? '')).toBe(false);
      expect(await idp.verifySession({ cookie: ended?.cookie ?? '' })).toMatchObject({ ok: false });
      expect(await idp.verifySession({ cookie: sessions[1]?.cookie ?? '' })).toMatchObject({ ok: true });
      expect(await idp.listSessions('user_unknown')).toEqual([]);
      expect(await idp.listSessions('../users')).toEqual([]);
    });

    test('ends every session of a person and sends a webhook for each', async () => {
      const email = newEmail();
      const { id } = await provider.createUser(email);
      const sessions = [await provider.openSession(email), await provider.openSession(email)];
      expect(await idp.revokeSessions(id)).toBe(2);
      expect(await idp.revokeSessions(id)).toBe(0);
      expect(await idp.verifySession({ cookie: sessions[0]?.cookie ?? '' })).toMatchObject({ ok: false });
      const ended = (await provider.received()).flatMap((event) =>
        event.type === 'session.ended' && event.userId === id ? [event.sessionId] : [],
      );
      expect(ended.sort()).toEqual(sessions.map(({ sessionId }) => sessionId).sort());
    });

    test('tags an organization, removes the tag, and sends webhooks of it and of its members', async () => {
      const { id: userId } = await provider.createUser(newEmail());
      const { id } = await provider.createOrganization('Shop');
      await provider.addMember(id, userId);
      expect(await idp.setOrganizationPartner(id, 'acme')).toMatchObject({ id, name: 'Shop', partnerSlug: 'acme' });
      expect(await idp.setOrganizationPartner(id, null)).toMatchObject({ partnerSlug: null });
      const events = await provider.received();
      const tags = events.flatMap((event) =>
        event.type === 'organization.upserted' && event.organization.id === id ? [event.organization.partnerSlug] : [],
      );
      expect(tags).toEqual([null, 'acme', null]);
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'orgMember.upserted', organizationId: id, userId, role: 'owner' }),
      );
    });

    test('sends a webhook for each change of a person, under its own id and in order', async () => {
      const { id } = await provider.createUser(newEmail());
      await idp.setAccess(id, access('partneradmin'));
      const messages = (await provider.received()).filter(
        (event) => event.type === 'user.upserted' && event.user.id === id,
      );
      expect(messages).toHaveLength(2);
      expect(new Set(messages.map((event) => event.id)).size).toBe(2);
      expect(messages[1]).toMatchObject({ user: { platformRoles: ['partneradmin'], whitelabelOwnership: 'acme' } });
    });

    test('REJECTED for a webhook without a valid signature', async () => {
      const headers = {
        'svix-id': 'msg_1',
        'svix-timestamp': String(Math.floor(Date.now() / 1000)),
        'svix-signature': 'v1,AAAA',
      };
      await expect(idp.parseWebhook({ headers, body: '{"type":"user.deleted"}' })).rejects.toMatchObject({
        code: 'REJECTED',
      });
      await expect(idp.parseWebhook({ headers: {}, body: '' })).rejects.toMatchObject({ code: 'REJECTED' });
    });

    test('lists organizations and their members once, the oldest first, page by page', async () => {
      const ids: string[] = [];
      for (const name of ['One', 'Two', 'Three']) {
        const [organization, person] = [await provider.createOrganization(name), await provider.createUser(newEmail())];
        await provider.addMember(organization.id, person.id);
        ids.push(`${organization.id}/${person.id}`);
      }
      const { total } = await idp.listOrganizations({ limit: 1, offset: 0 });
      const organizations = [];
      for (let offset = 0; offset < total; offset += 2)
        organizations.push(...(await idp.listOrganizations({ limit: 2, offset })).organizations);
      expect(organizations.slice(-3)).toMatchObject([
        { name: 'One', partnerSlug: null },
        { name: 'Two' },
        { name: 'Three' },
      ]);
      expect(new Set(organizations.map(({ id }) => id)).size).toBe(total);
      const members = [];
      for (let offset = 0; offset < (await idp.listOrgMembers({ limit: 1, offset })).total; offset += 2)
        members.push(...(await idp.listOrgMembers({ limit: 2, offset })).members);
      expect(
        members.slice(-3).map(({ organizationId, userId, role }) => [`${organizationId}/${userId}`, role]),
      ).toEqual(ids.map((id) => [id, 'owner']));
    });

    test('lists all people once, the oldest first, page by page', async () => {
      for (let made = 0; made < 3; made++) await provider.createUser(newEmail());
      const { total } = await idp.listUsers({ limit: 1, offset: 0 });
      const ids: string[] = [];
      for (let offset = 0; offset < total; offset += 4)
        ids.push(...(await idp.listUsers({ limit: 4, offset })).users.map(({ id }) => id));
      expect(ids).toHaveLength(total);
      expect(new Set(ids).size).toBe(total);
      expect((await idp.listUsers({ limit: 10, offset: total })).users).toEqual([]);
    });
  });
}
