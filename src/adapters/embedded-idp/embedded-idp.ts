import { createHmac } from 'node:crypto';
import { openPool, sessionSettings } from '../../database/pool.ts';
import { type Clock, type ClockCheck, uncheckedClock } from '../../lib/clock.ts';
import type {
  IdentityProvider,
  IdpOrganization,
  IdpUser,
  InvitationTickets,
  VerifyResult,
} from '../../ports/identity-provider.ts';
import { createTokenVerifier } from '../session-tokens.ts';
import type { EngineOptions } from './engine.ts';
import { engineOnDemand } from './engine-calls.ts';
import * as invitations from './invitations.ts';
import { acceptSignedIn, acceptWithPassword } from './invitations.ts';
import * as organizations from './organizations.ts';
import { startOutbox } from './outbox.ts';
import { createOwnAccount, type OwnAccount, resetSecondFactor } from './own-account.ts';
import { createSessions, listSessions, purgeExpired, revokeSession, type Sessions } from './sessions.ts';
import * as users from './users.ts';
import { eventOf, openMessage, type SignedMessage } from './webhook.ts';

export interface EmbeddedIdpOptions extends Omit<EngineOptions, 'pool'> {
  databaseUrl: string;
  /** The URL that bypasses a pooler in transaction mode, for notifications; null without a pooler. */
  directUrl?: string | null;
  /** The clock for the expiry of invitations. */
  clock: Clock;
  /** The clocks of the machines, for the expiry of sessions: the engine has no other. */
  machine?: ClockCheck;
  /** Receives a signed message, like the webhook. Null for a command: the running platform delivers its messages. */
  deliver: ((message: SignedMessage) => Promise<void>) | null;
}

/** The port, and the functions that a hosted provider has on its own pages and in its own console. */
export interface EmbeddedIdp extends IdentityProvider, InvitationTickets, Sessions, OwnAccount {
  createUser(user: users.NewUser): Promise<IdpUser>;
  setBanned(userId: string, banned: boolean): Promise<IdpUser>;
  deleteUser(userId: string): Promise<void>;
  createOrganization(organization: organizations.NewOrganization): Promise<IdpOrganization>;
  addMember(organizationId: string, userId: string, role?: string): Promise<void>;
  removeMember(organizationId: string, userId: string): Promise<void>;
  /** Resolves when the messages about every earlier change have been delivered. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens an identity provider that runs in this process, with its own tables (which exist), connections and messages.
 * The platform learns of changes only by signed messages, so that it relies on nothing that a hosted provider does not
 * offer.
 */
export async function openEmbeddedIdp({
  databaseUrl,
  directUrl = null,
  clock,
  machine = uncheckedClock,
  deliver,
  ...settings
}: EmbeddedIdpOptions): Promise<EmbeddedIdp> {
  const { log, publicUrl, secret } = settings;
  const limits = { max: 5, connectionTimeoutMillis: 10_000, keepAlive: true };
  const session = sessionSettings(directUrl !== null, 'idp');
  const pool = openPool(
    { connectionString: databaseUrl, application_name: 'idp', ...session, ...limits },
    {
      idleBroke: (error) => log.warn({ err: error }, 'An idle connection of the identity provider broke.'),
    },
  );
  const signingKey = createHmac('sha256', secret).update('messages of the identity provider').digest('base64');
  const signingSecret = `whsec_${signingKey}`;
  const engine = engineOnDemand({ ...settings, pool }, machine);
  const sessions = createSessions(engine, pool, { ...settings, clock, machine });
  const verifyToken = createTokenVerifier({
    issuer: publicUrl,
    audience: publicUrl,
    authorizedParties: [new URL(publicUrl).origin],
    readKeys: sessions.jwks,
    machine,
  });
  const outbox = deliver && startOutbox({ pool, databaseUrl: directUrl ?? databaseUrl, signingSecret, log, deliver });
  const store = { pool, clock };

  return {
    name: 'embedded',
    ...sessions,
    ...createOwnAccount(engine, pool, { publicUrl, clock, machine }),
    async verifySession({ bearer, cookie }): Promise<VerifyResult> {
      if (bearer !== undefined) return verifyToken(bearer);
      return cookie === undefined ? { ok: false, reason: 'MISSING' } : sessions.verifyCookie(cookie);
    },
    getUser: (id) => users.findUserById(pool, id),
    findUserByEmail: (email) => users.findUserByEmail(pool, email),
    setAccess: (id, access) => users.setAccess(pool, id, access),
    invite: (invitation) => invitations.invite(store, publicUrl, invitation),
    findPendingInvitation: (email) => invitations.findPendingInvitation(store, email),
    revokeInvitation: (id) => invitations.revokeInvitation(store, id),
    revokeSessions: (userId) => users.revokeSessions(pool, userId),
    listSessions: (userId) => listSessions(pool, userId, machine),
    revokeSession: (userId, sessionId) => revokeSession(pool, userId, sessionId),
    purgeExpired: () => purgeExpired(pool, machine),
    resetSecondFactor: (userId) => resetSecondFactor(pool, userId),
    setOrganizationPartner: (id, partnerSlug) => organizations.setOrganizationPartner(pool, id, partnerSlug),
    async parseWebhook(raw) {
      const { id, message } = openMessage(signingSecret, raw);
      return eventOf(id, message);
    },
    listUsers: (page) => users.listUsers(pool, page),
    listOrganizations: (page) => organizations.listOrganizations(pool, page),
    listOrgMembers: (page) => organizations.listOrgMembers(pool, page),

    findOpenInvitation: (ticket) => invitations.findOpenInvitation(store, ticket),
    findRevokedInvitation: (ticket) => invitations.findRevokedInvitation(store, ticket),
    acceptWithPassword: (ticket, password) => acceptWithPassword(store, ticket, password),
    acceptSignedIn: (ticket, userId) => acceptSignedIn(store, ticket, userId),
    createUser: (user) => users.createUser(pool, user, clock.now()),
    setBanned: (userId, banned) => users.setBanned(pool, userId, banned),
    deleteUser: (userId) => users.deleteUser(pool, userId),
    createOrganization: (organization) => organizations.createOrganization(pool, organization),
    addMember: (organizationId, userId, role) => organizations.addMember(pool, organizationId, userId, role),
    removeMember: (organizationId, userId) => organizations.removeMember(pool, organizationId, userId),
    flush: async () => outbox?.flush(),
    async close() {
      await outbox?.stop();
      await pool.end();
    },
  };
}
