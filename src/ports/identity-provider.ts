/**
 * Who the people are, where they sign in, and what their public metadata says. Sign-in, sign-up and passwords are the provider's
 * own pages and not in here; what a role allows is the policy's business. Nothing above this file knows which provider it is.
 */
export interface IdentityProvider {
  readonly name: string;
  /** Whether a credential is a session of this provider. A JWT is checked without asking anybody. `cookie` is the whole Cookie header. */
  verifySession(credential: { bearer?: string; cookie?: string }): Promise<VerifyResult>;
  getUser(id: string): Promise<IdpUser | null>;
  findUserByEmail(email: string): Promise<IdpUser | null>;
  /** Sets the whole value: what is not named is taken away. */
  setAccess(id: string, access: IdpAccess): Promise<IdpUser>;
  /** One pending invitation an e-mail; a second is CONFLICT. The link goes by our own mail, so the provider sends none. */
  invite(invitation: {
    email: string;
    access: IdpAccess;
    redirectUrl: string;
    expiresInDays?: number;
  }): Promise<IdpInvitation>;
  /** The invitation that keeps others of this e-mail away; null when there is none. */
  findPendingInvitation(email: string): Promise<PendingInvitation | null>;
  revokeInvitation(id: string): Promise<'revoked' | 'already_closed'>;
  /** Ends every session of a user and gives their number. */
  revokeSessions(userId: string): Promise<number>;
  setOrganizationPartner(organizationId: string, partnerSlug: string | null): Promise<IdpOrganization>;
  /** Verifies the signature and translates. REJECTED when it is not the provider's. */
  parseWebhook(raw: { headers: Readonly<Record<string, string>>; body: string }): Promise<IdpEvent>;
  /** The oldest first, for comparing with the mirror. */
  listUsers(page: IdpPage): Promise<{ users: IdpUser[]; total: number }>;
  /** As above. */
  listOrganizations(page: IdpPage): Promise<{ organizations: IdpOrganization[]; total: number }>;
  /** As above, of all organizations. */
  listOrgMembers(page: IdpPage): Promise<{ members: IdpOrgMember[]; total: number }>;
}

export interface IdpPage {
  limit: number;
  offset: number;
}

export interface IdpAccess {
  platformRoles: readonly string[];
  /** The partner's slug, or null for internal staff and for merchants. */
  whitelabelOwnership: string | null;
}

export interface IdpUser extends IdpAccess {
  id: string;
  email: string;
  emailVerified: boolean;
  banned: boolean;
  createdAt: Date;
  /** Grows with every change, so that of two versions the later one is known. */
  updatedAt: Date;
}

export interface IdpSession {
  userId: string;
  sessionId: string;
  expiresAt: Date;
  /** Who really sits there, when support looks at the platform through somebody's eyes. */
  impersonatorId?: string;
}

export interface IdpInvitation {
  id: string;
  email: string;
  status: 'pending' | 'accepted' | 'revoked' | 'expired';
  /** The link with its one-time ticket; only in the answer that makes the invitation. */
  acceptUrl?: string;
}

export interface PendingInvitation {
  id: string;
  access: IdpAccess;
}

export interface IdpOrgMember {
  organizationId: string;
  userId: string;
  /** `owner` for who runs the organization. */
  role: string;
  updatedAt: Date;
}

export interface IdpOrganization {
  id: string;
  name: string;
  slug: string | null;
  partnerSlug: string | null;
  createdBy: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export type SessionFailure = 'MISSING' | 'NOT_A_SESSION' | 'EXPIRED' | 'BAD_SIGNATURE' | 'WRONG_PARTY' | 'PENDING';
export type VerifyResult = { ok: true; session: IdpSession } | { ok: false; reason: SessionFailure };

export type IdpEvent = { id: string; at: Date } & (
  | { type: 'user.upserted'; user: IdpUser }
  | { type: 'user.deleted'; userId: string }
  | { type: 'session.ended'; sessionId: string; userId: string }
  | { type: 'organization.upserted'; organization: IdpOrganization }
  | { type: 'organization.deleted'; organizationId: string }
  | { type: 'orgMember.upserted' | 'orgMember.deleted'; organizationId: string; userId: string; role: string }
  | { type: 'ignored'; name: string }
);

export type IdpErrorCode = 'NOT_FOUND' | 'CONFLICT' | 'RATE_LIMITED' | 'UNAVAILABLE' | 'REJECTED';

/** What a provider could not do, in one of five words. */
export class IdpError extends Error {
  override readonly name = 'IdpError';
  readonly code: IdpErrorCode;
  readonly retryAfterS: number | undefined;

  constructor(code: IdpErrorCode, message: string, options: { retryAfterS?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryAfterS = options.retryAfterS;
  }
}
