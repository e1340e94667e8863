/** The length of a password at the embedded identity provider, in characters. */
export const passwordLengthMin = 10;
export const passwordLengthMax = 128;

/**
 * The system that signs users in and stores their access in public metadata. Sign-in, sign-up, passwords and second
 * factors are on the provider's own pages and not part of the port. What a role permits is decided by the policy. No
 * code above the port depends on a provider.
 */
export interface IdentityProvider {
  readonly name: string;
  /** The pages of a provider on another site. Absent if the platform serves the pages. */
  readonly hosted?: HostedPages;
  /**
   * Verifies a credential of a session. A JWT is verified without a call. `cookie` is the whole Cookie header: a token
   * in it that has expired is renewed if the session has not ended.
   */
  verifySession(credential: { bearer?: string; cookie?: string }): Promise<VerifyResult>;
  getUser(id: string): Promise<IdpUser | null>;
  findUserByEmail(email: string): Promise<IdpUser | null>;
  /** Replaces roles and scope as a whole. */
  setAccess(id: string, access: IdpAccess): Promise<IdpUser>;
  /** Creates an invitation. A second pending one of an email address is CONFLICT. The provider sends no mail. */
  invite(invitation: {
    email: string;
    access: IdpAccess;
    redirectUrl: string;
    expiresInDays?: number;
  }): Promise<IdpInvitation>;
  /** The pending invitation of an email address; null if there is none. */
  findPendingInvitation(email: string): Promise<PendingInvitation | null>;
  revokeInvitation(id: string): Promise<'revoked' | 'already_closed'>;
  /** Ends every session of a user and returns their number. */
  revokeSessions(userId: string): Promise<number>;
  /** The sessions of a user that have not ended, newest first. */
  listSessions(userId: string): Promise<ListedSession[]>;
  /** Ends one session of a user. False if the user has no such session. */
  revokeSession(userId: string, sessionId: string): Promise<boolean>;
  /**
   * Removes the second factor of a user who has lost it, and ends their sessions. False if there is none. Absent if the
   * provider offers this in its own console only.
   */
  resetSecondFactor?(userId: string): Promise<boolean>;
  /** Removes expired sessions, and returns their number. Absent if the provider does it. */
  purgeExpired?(): Promise<number>;
  setOrganizationPartner(organizationId: string, partnerSlug: string | null): Promise<IdpOrganization>;
  /** Verifies the signature of a message and translates it. REJECTED if the signature is not the provider's. */
  parseWebhook(raw: { headers: Readonly<Record<string, string>>; body: string }): Promise<IdpEvent>;
  /** Lists users, oldest first, for the comparison with the mirror. */
  listUsers(page: IdpPage): Promise<{ users: IdpUser[]; total: number }>;
  /** Lists organizations, oldest first. */
  listOrganizations(page: IdpPage): Promise<{ organizations: IdpOrganization[]; total: number }>;
  /** Lists the members of all organizations, oldest first. */
  listOrgMembers(page: IdpPage): Promise<{ members: IdpOrgMember[]; total: number }>;
}

/** The sign-in on another site, and the cookies with which a browser then has the session on the platform's origin. */
export interface HostedPages {
  /** The page of a user's own account: password and second factor. */
  readonly accountUrl: string;
  /** The page on which a user signs in, and which then leads to `returnUrl`. */
  signInUrl(returnUrl: string): string;
  /**
   * Takes over the session that the browser has at the provider, whatever session its cookies are of. `url` is what the
   * browser has opened.
   */
  takeOver(visit: { url: string; cookie: string | undefined }): Promise<TakeOver>;
  /** The `Set-Cookie` headers that remove the cookies of the session. */
  removeCookies(cookie: string | undefined): string[];
}

/** `setCookies` are `Set-Cookie` headers of the answer. */
type TakeOver = { setCookies: string[] } & (
  | { outcome: 'signed_in' | 'signed_out' }
  /** The provider must first be asked by the browser itself. */
  | { outcome: 'redirect'; location: string }
);

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
  /** Increases with every change and orders the versions of a user. */
  updatedAt: Date;
}

export interface IdpSession {
  userId: string;
  sessionId: string;
  expiresAt: Date;
  /** The user who impersonates this user, for example from support. */
  impersonatorId?: string;
  /** Whether a second factor was used to sign in. Absent if the provider enforces it by its own rules. */
  hasSecondFactor?: boolean;
  /** When a second factor was last verified in this session. Null if it was not. */
  secondFactorAt: Date | null;
}

/** A session as its user sees it in a list. */
export interface ListedSession {
  id: string;
  createdAt: Date;
  expiresAt: Date;
  /** Address of the client at sign-in. */
  ipAddress: string | null;
  /** The `User-Agent` of the client at sign-in. */
  userAgent: string | null;
}

export interface IdpInvitation {
  id: string;
  email: string;
  status: 'pending' | 'accepted' | 'revoked' | 'expired';
  /** The link with its one-time ticket. Present only in the answer that creates the invitation. */
  acceptUrl?: string;
}

export interface PendingInvitation {
  id: string;
  access: IdpAccess;
}

export interface IdpOrgMember {
  organizationId: string;
  userId: string;
  /** `owner` for an owner of the organization. */
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
export type VerifyResult =
  /** With `setCookies`, the cookie was renewed: they are `Set-Cookie` headers of the answer. */
  { ok: true; session: IdpSession; setCookies?: string[] } | { ok: false; reason: SessionFailure };

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

/** An error of a provider. */
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

export interface OpenInvitation {
  id: string;
  email: string;
  redirectUrl: string;
  /** The roles it gives. */
  platformRoles: readonly string[];
  /** Whether there is an account with this email address. */
  hasAccount: boolean;
}

export interface RevokedInvitation {
  email: string;
  /** Null for an invitation without a partner. */
  partnerSlug: string | null;
}

export type Acceptance =
  | { outcome: 'accepted'; user: IdpUser }
  | { outcome: 'closed' }
  | { outcome: 'has_account' | 'other_user' };

/** The tickets of invitations, for a provider whose acceptance page is served by the platform. */
export interface InvitationTickets {
  /** The invitation of a ticket. Null if it was accepted or revoked, has expired, or does not exist. */
  findOpenInvitation(ticket: string): Promise<OpenInvitation | null>;
  /** The revoked invitation of a ticket; null for any other ticket. */
  findRevokedInvitation(ticket: string): Promise<RevokedInvitation | null>;
  /** Consumes the ticket and creates the account, both or neither. */
  acceptWithPassword(ticket: string, password: string): Promise<Acceptance>;
  /** Consumes the ticket for a signed-in user. */
  acceptSignedIn(ticket: string, userId: string): Promise<Acceptance>;
}
