import type { PartnerTenant, Tenant } from './tenancy.ts';

interface KeyCaller {
  keyId: string;
  /** The part of the key that is not secret: the prefix of its kind and eight characters. */
  keyPrefix: string;
  /** Present if the partner is suspended: only root fields with a scope of suspended keys are open. */
  isSuspended?: true;
}

/** A partner key. It creates accounts, and all accounts of its partner in its mode are visible to it. */
export interface PartnerKeyCaller extends KeyCaller {
  kind: 'partnerKey';
  tenant: PartnerTenant;
}

/** A sub-key. One processing account is visible to it. */
interface SubKeyCaller extends KeyCaller {
  kind: 'subKey';
  tenant: Tenant;
}

export type ApiKeyCaller = PartnerKeyCaller | SubKeyCaller;

/** A user, signed in at the identity provider. The roles come from the identity mirror, not from the token. */
export interface SessionCaller {
  kind: 'session';
  userId: string;
  email: string;
  platformRoles: readonly string[];
  /** The slug of the partner to which the user belongs. Null for internal staff and for merchants. */
  whitelabelOwnership: string | null;
  /** The identifier of that partner. */
  partnerId: string | null;
  sessionId: string;
  /** The user who impersonates this one. Such a session may only read. Null without impersonation. */
  impersonatorId: string | null;
  /** Whether the user signs in with a second factor. Absent if the provider enforces it by its own rules. */
  hasSecondFactor?: boolean;
  /** When a second factor was last verified in this session. Absent or null if it was not. */
  secondFactorAt?: Date | null;
}

export interface AnonymousCaller {
  kind: 'anonymous';
}

/** The caller of an operation. Every operation has exactly one. */
export type Caller = ApiKeyCaller | SessionCaller | AnonymousCaller;

export const anonymous: AnonymousCaller = { kind: 'anonymous' };

export function isApiKey(caller: Caller): caller is ApiKeyCaller {
  return caller.kind === 'partnerKey' || caller.kind === 'subKey';
}

export function isSession(caller: Caller): caller is SessionCaller {
  return caller.kind === 'session';
}
