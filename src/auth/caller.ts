import type { Mode } from '../kit/mode.ts';

interface KeyCaller {
  keyId: string;
  /** The public part of the key: kind prefix and eight characters. */
  keyPrefix: string;
  mode: Mode;
  partnerId: string;
}

/** A partner key: provisions accounts, and reaches every account of its partner in its mode. */
export interface PartnerKeyCaller extends KeyCaller {
  kind: 'partnerKey';
}

/** A sub-key: reaches one processing account. */
export interface SubKeyCaller extends KeyCaller {
  kind: 'subKey';
  platformAccountId: string;
}

export type ApiKeyCaller = PartnerKeyCaller | SubKeyCaller;

/** A person, signed in at the identity provider. Roles and scope are the mirror's, never those of a token. */
export interface SessionCaller {
  kind: 'session';
  userId: string;
  email: string;
  platformRoles: readonly string[];
  /** The slug of the partner the person belongs to; null for internal staff and for merchants. */
  whitelabelOwnership: string | null;
  sessionId: string;
  /** Who looks through this person's eyes; such a session reads and changes nothing. */
  impersonatorId: string | null;
}

export interface AnonymousCaller {
  kind: 'anonymous';
}

/** Who is asking. Every operation of the graph has exactly one. */
export type Caller = ApiKeyCaller | SessionCaller | AnonymousCaller;

export const anonymous: AnonymousCaller = { kind: 'anonymous' };

export function isApiKey(caller: Caller): caller is ApiKeyCaller {
  return caller.kind === 'partnerKey' || caller.kind === 'subKey';
}

export function isSession(caller: Caller): caller is SessionCaller {
  return caller.kind === 'session';
}
