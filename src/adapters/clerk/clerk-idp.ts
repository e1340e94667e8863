import { createClerkClient } from '@clerk/backend';
import type { JSONWebKeySet } from 'jose';
import { type ClockCheck, uncheckedClock } from '../../lib/clock.ts';
import { type IdentityProvider, type IdpAccess, IdpError } from '../../ports/identity-provider.ts';
import type { ClerkIdentityConfig } from '../../settings/config.ts';
import { createTokenVerifier } from '../session-tokens.ts';
import { createBrowserSessions } from './browser-sessions.ts';
import { createCall } from './call.ts';
import {
  invitationOf,
  listedSessionOf,
  listOf,
  memberOf,
  objectOf,
  organizationOf,
  pendingInvitationOf,
  rawOf,
  readWebhook,
  textOf,
  unrecognized,
  userOf,
} from './translate.ts';

/*
 * Clerk through its official backend client. The calls and their shapes are recorded from that client
 * (test/iam/clerk/wire.test.ts), and the fake of the tests implements them. The following is assumed, since only the
 * hosted service could confirm it:
 * 1. `public_metadata` is merged key by key, null removes a key, and arrays are replaced as a whole.
 * 2. A second invitation of an email address, or one of a user with an account, is rejected as `duplicate_record` or
 *    `form_identifier_exists`; `ignore_existing` admits it.
 * 3. Revoking a closed invitation is 400 or 404.
 * 4. `url` is present with `notify: false`, so that the platform's mail can contain the link.
 * 5. `email_address` and `query` match addresses in lower case, and addresses are stored in lower case.
 * 6. A user created from an invitation has its metadata from the start, so that `user.created` reports the acceptance.
 * 7. `updated_at` increases with every change of a user or an organization.
 * 8. The role of the owner of an organization is `org:admin`.
 * 9. The handshake sets `__refresh_…` beside `__session`, and a refresh of an ended session is answered with a status
 *    from 400 to 499.
 * If one of them is wrong, the repair of the mirror counts differences or the log contains refusals. No user gets
 * access because of it.
 */

/** A transaction lasts at most ten seconds and makes up to three calls. */
export const timeoutMs = 3_000;
export const invitationDays = 7;
export const sessionsAtOnce = 100;
/** A token issued before its session ended has expired after this time. */
export const tokenLifetimeMs = 65_000;

/** The client puts ids into paths without escaping: an id with a slash would address another object. */
export const userIdPattern = /^user_[0-9A-Za-z]+$/;
export const organizationIdPattern = /^org_[0-9A-Za-z]+$/;

export function openClerkIdp(
  config: Omit<ClerkIdentityConfig, 'kind' | 'requiresSecondFactor'> & { publicUrl: string },
  { timeoutMs: callMs = timeoutMs, machine = uncheckedClock }: { timeoutMs?: number; machine?: ClockCheck } = {},
): IdentityProvider {
  const { apiUrl, secretKey, publishableKey, webhookSecret } = config;
  const { origin } = new URL(config.publicUrl);
  // Telemetry would send data to a third party without the operator's knowledge.
  const clerk = createClerkClient({ apiUrl, secretKey, publishableKey, telemetry: { disabled: true } });
  const call = createCall(callMs);
  const ended = createEndedSessions();
  const readKeys = async (): Promise<JSONWebKeySet> => {
    const { keys } = await call('the public keys', () => clerk.jwks.getJwks());
    if (!Array.isArray(keys)) throw unrecognized();
    return { keys };
  };
  const authorizedParties = [...config.authorizedParties, origin];
  const verifyToken = createTokenVerifier({ ...config, authorizedParties, readKeys, machine, isHosted: true });
  const browser = createBrowserSessions({ ...config, origin, clerk, call, verifyToken });
  const findPendingInvitation: IdentityProvider['findPendingInvitation'] = async (email) => {
    // The search also finds addresses that contain this one.
    const { data } = await call('pending invitations', () =>
      clerk.invitations.getInvitationList({ status: 'pending', query: email.toLowerCase(), limit: 100 }),
    );
    const found = listOf(data)
      .map(rawOf)
      .find((json) => json['email_address'] === email.toLowerCase());
    return found === undefined ? null : pendingInvitationOf(found);
  };

  return {
    name: 'clerk',
    hosted: browser.pages,
    async verifySession({ bearer, cookie = '' }) {
      const verified = bearer === undefined ? await browser.verifyCookie(cookie) : await verifyToken(bearer);
      return verified.ok && ended.has(verified.session.sessionId) ? { ok: false, reason: 'EXPIRED' } : verified;
    },
    async getUser(id) {
      if (!userIdPattern.test(id)) return null;
      const user = await orNull(call('a user', () => clerk.users.getUser(id)));
      return user === null ? null : userOf(rawOf(user));
    },
    async findUserByEmail(email) {
      const { data } = await call('a user by email', () =>
        clerk.users.getUserList({ emailAddress: [email.toLowerCase()], limit: 1 }),
      );
      const [user] = listOf(data);
      return user === undefined ? null : userOf(rawOf(user));
    },
    async setAccess(id, access) {
      if (!userIdPattern.test(id)) throw new IdpError('NOT_FOUND', 'This is no id of a user.');
      return userOf(
        rawOf(
          await call("a user's metadata", () =>
            clerk.users.updateUserMetadata(id, { publicMetadata: metadataOf(access) }),
          ),
        ),
      );
    },
    async invite({ email, access, redirectUrl, expiresInDays = invitationDays }) {
      const create = (ignoreExisting: boolean) =>
        call('a new invitation', () =>
          clerk.invitations.createInvitation({
            emailAddress: email.toLowerCase(),
            redirectUrl,
            publicMetadata: metadataOf(access),
            notify: false,
            ignoreExisting,
            expiresInDays,
          }),
        );
      const invitation = await create(false).catch(async (error: unknown) => {
        // A user with an account can be invited, a user with a pending invitation cannot. The caller has locked the
        // email address.
        if (!(error instanceof IdpError) || error.code !== 'CONFLICT' || (await findPendingInvitation(email)) !== null)
          throw error;
        return create(true);
      });
      return { ...invitationOf(rawOf(invitation)), email };
    },
    findPendingInvitation,
    async revokeInvitation(id) {
      try {
        invitationOf(rawOf(await call('revoking an invitation', () => clerk.invitations.revokeInvitation(id))));
        return 'revoked';
      } catch (error) {
        if (error instanceof IdpError && (error.code === 'NOT_FOUND' || error.code === 'REJECTED'))
          return 'already_closed';
        throw error;
      }
    },
    async revokeSessions(userId) {
      let revoked = 0;
      for (;;) {
        const { data } = await call('active sessions', () =>
          clerk.sessions.getSessionList({ userId, status: 'active', limit: sessionsAtOnce }),
        );
        const sessions = listOf(data).map((session) => textOf(objectOf(session), 'id'));
        for (const id of sessions) {
          // A session that has already ended needs no change.
          const session = await orNull(call('revoking a session', () => clerk.sessions.revokeSession(id)));
          ended.add(id);
          if (session !== null) revoked++;
        }
        if (sessions.length < sessionsAtOnce) return revoked;
      }
    },
    async listSessions(userId) {
      if (!userIdPattern.test(userId)) return [];
      const { data } = await call('active sessions', () =>
        clerk.sessions.getSessionList({ userId, status: 'active', limit: sessionsAtOnce }),
      );
      const sessions = listOf(data).map(listedSessionOf);
      return sessions.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
    },
    async revokeSession(userId, sessionId) {
      const sessions = await this.listSessions(userId);
      if (!sessions.some(({ id }) => id === sessionId)) return false;
      const session = await orNull(call('revoking a session', () => clerk.sessions.revokeSession(sessionId)));
      ended.add(sessionId);
      return session !== null;
    },
    async setOrganizationPartner(organizationId, partnerSlug) {
      if (!organizationIdPattern.test(organizationId))
        throw new IdpError('NOT_FOUND', 'This is no id of an organization.');
      return organizationOf(
        rawOf(
          await call("an organization's metadata", () =>
            clerk.organizations.updateOrganizationMetadata(organizationId, { publicMetadata: { partnerSlug } }),
          ),
        ),
      );
    },
    async parseWebhook(raw) {
      const event = await readWebhook({ webhookSecret, machine }, raw);
      if (event.type === 'session.ended') ended.add(event.sessionId);
      return event;
    },
    async listUsers(page) {
      const { data, totalCount } = await call('users', () =>
        clerk.users.getUserList({ ...page, orderBy: '+created_at' }),
      );
      return { users: listOf(data).map((user) => userOf(rawOf(user))), total: totalOf(totalCount) };
    },
    async listOrganizations(page) {
      const { data, totalCount } = await call('organizations', () =>
        clerk.organizations.getOrganizationList({ ...page, orderBy: '+created_at' }),
      );
      return {
        organizations: listOf(data).map((organization) => organizationOf(rawOf(organization))),
        total: totalOf(totalCount),
      };
    },
    async listOrgMembers(page) {
      const { data, totalCount } = await call('memberships', () =>
        clerk.organizations.getInstanceOrganizationMembershipList({ ...page, orderBy: '+created_at' }),
      );
      return { members: listOf(data).map((member) => memberOf(rawOf(member))), total: totalOf(totalCount) };
    },
  };
}

/**
 * Ended sessions whose tokens may not have expired. The platform stores such a list for all processes; this list
 * applies before the provider's message arrives.
 */
export function createEndedSessions(): { add(sessionId: string): void; has(sessionId: string): boolean } {
  const at = new Map<string, number>();
  return {
    add(sessionId) {
      for (const [id, endedAt] of at) if (performance.now() - endedAt > tokenLifetimeMs) at.delete(id);
      at.set(sessionId, performance.now());
    },
    has: (sessionId) => at.has(sessionId),
  };
}

/** A null value removes the key, since a user without a partner has none. */
export function metadataOf({ platformRoles, whitelabelOwnership }: IdpAccess): Record<string, unknown> {
  return { platformRoles: [...new Set(platformRoles)], whitelabelOwnership };
}

export async function orNull<Result>(answer: Promise<Result>): Promise<Result | null> {
  return answer.catch((error: unknown) => {
    if (error instanceof IdpError && error.code === 'NOT_FOUND') return null;
    throw error;
  });
}

export function totalOf(total: unknown): number {
  if (typeof total !== 'number') throw unrecognized();
  return total;
}
