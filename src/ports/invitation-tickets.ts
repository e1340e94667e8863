import type { IdpUser } from './identity-provider.ts';

export interface OpenInvitation {
  id: string;
  email: string;
  redirectUrl: string;
  /** The roles it gives. */
  platformRoles: readonly string[];
  /** Whether there is an account with this e-mail address. */
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
