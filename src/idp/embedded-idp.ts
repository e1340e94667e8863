import { createHmac } from 'node:crypto';
import { openPool } from '../kit/pool.ts';
import type { IdentityProvider, IdpOrganization, IdpUser, VerifyResult } from '../ports/identity-provider.ts';
import * as accounts from './accounts.ts';
import { createEngine, type EngineOptions } from './engine.ts';
import * as invitations from './invitations.ts';
import { startOutbox } from './outbox.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { makeTables } from './tables.ts';
import { createTokenVerifier } from './tokens.ts';
import { eventOf, openMessage, type SignedMessage } from './webhook.ts';

export type { Acceptance, OpenInvitation } from './invitations.ts';

export interface EmbeddedIdpOptions extends Omit<EngineOptions, 'pool'> {
  databaseUrl: string;
  /** Takes a signed message, as the webhook would. */
  deliver(message: SignedMessage): Promise<void>;
}

/** The port, and what a hosted provider does on pages and in consoles of its own. */
export interface EmbeddedIdp extends IdentityProvider, Sessions {
  findOpenInvitation(ticket: string): Promise<invitations.OpenInvitation | null>;
  findRevokedInvitation(ticket: string): Promise<invitations.RevokedInvitation | null>;
  acceptWithPassword(ticket: string, password: string): Promise<invitations.Acceptance>;
  acceptSignedIn(ticket: string, userId: string): Promise<invitations.Acceptance>;
  createUser(user: accounts.NewUser): Promise<IdpUser>;
  setBanned(userId: string, banned: boolean): Promise<IdpUser>;
  deleteUser(userId: string): Promise<void>;
  createOrganization(organization: {
    name: string;
    slug?: string | null;
    createdBy?: string | null;
    partnerSlug?: string | null;
  }): Promise<IdpOrganization>;
  addMember(organizationId: string, userId: string, role?: string): Promise<void>;
  removeMember(organizationId: string, userId: string): Promise<void>;
  /** Resolves when the messages of everything done so far have been delivered. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/**
 * An identity provider that happens to live in this process: tables, connections and messages of its own. The platform learns of
 * changes by signed messages alone, so that nothing can come to rely on more than a hosted provider gives.
 */
export async function openEmbeddedIdp({ databaseUrl, deliver, ...settings }: EmbeddedIdpOptions): Promise<EmbeddedIdp> {
  const { log, publicUrl, secret } = settings;
  const limits = { max: 5, connectionTimeoutMillis: 10_000, statement_timeout: 15_000, keepAlive: true };
  const pool = openPool(
    { connectionString: databaseUrl, application_name: 'idp', options: '-c search_path=idp', ...limits },
    (error) => log.warn({ err: error }, 'An idle connection of the identity provider broke.'),
  );
  try {
    await makeTables(databaseUrl, { ...settings, pool });
  } catch (error) {
    await pool.end();
    throw error;
  }
  const signingSecret = `whsec_${createHmac('sha256', secret).update('messages of the identity provider').digest('base64')}`;
  const engine = createEngine({ ...settings, pool });
  const sessions = createSessions(engine, pool);
  const verifyToken = createTokenVerifier({
    issuer: publicUrl,
    audience: publicUrl,
    authorizedParties: [new URL(publicUrl).origin],
    readKeys: sessions.jwks,
  });
  const outbox = startOutbox({ pool, databaseUrl, signingSecret, log, deliver });

  return {
    name: 'embedded',
    ...sessions,
    async verifySession({ bearer, cookie }): Promise<VerifyResult> {
      if (bearer !== undefined) return verifyToken(bearer);
      return cookie === undefined ? { ok: false, reason: 'MISSING' } : sessions.verifyCookie(cookie);
    },
    getUser: (id) => accounts.findUser(pool, 'id', id),
    findUserByEmail: (email) => accounts.findUser(pool, 'email', email),
    setAccess: (id, access) => accounts.setAccess(pool, id, access),
    invite: (invitation) => invitations.invite(pool, publicUrl, invitation),
    findPendingInvitation: (email) => invitations.findPendingInvitation(pool, email),
    revokeInvitation: (id) => invitations.revokeInvitation(pool, id),
    revokeSessions: (userId) => accounts.revokeSessions(pool, userId),
    setOrganizationPartner: (id, partnerSlug) => accounts.setOrganizationPartner(pool, id, partnerSlug),
    async parseWebhook(raw) {
      const { id, message } = openMessage(signingSecret, raw);
      return eventOf(id, message);
    },
    listUsers: (page) => accounts.listUsers(pool, page),
    listOrganizations: (page) => accounts.listOrganizations(pool, page),
    listOrgMembers: (page) => accounts.listOrgMembers(pool, page),

    findOpenInvitation: (ticket) => invitations.findOpenInvitation(pool, ticket),
    findRevokedInvitation: (ticket) => invitations.findRevokedInvitation(pool, ticket),
    acceptWithPassword: (ticket, password) => invitations.acceptWithPassword(pool, ticket, password),
    acceptSignedIn: (ticket, userId) => invitations.acceptSignedIn(pool, ticket, userId),
    createUser: (user) => accounts.createUser(pool, user),
    setBanned: (userId, banned) => accounts.setBanned(pool, userId, banned),
    deleteUser: (userId) => accounts.deleteUser(pool, userId),
    createOrganization: (organization) => accounts.createOrganization(pool, organization),
    addMember: (organizationId, userId, role) => accounts.addMember(pool, organizationId, userId, role),
    removeMember: (organizationId, userId) => accounts.removeMember(pool, organizationId, userId),
    flush: outbox.flush,
    async close() {
      await outbox.stop();
      await pool.end();
    },
  };
}
