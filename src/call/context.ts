import { type ApiKeyCaller, type Caller, isApiKey, type PartnerKeyCaller, type SessionCaller } from '../auth/caller.ts';
import { assertModeServed } from '../auth/modes.ts';
import { isPlatformReader } from '../auth/roles.ts';
import { ownerOf } from '../auth/tenancy.ts';
import type { Replica } from '../database/replica.ts';
import { keyedHash } from '../keys/derived-key.ts';
import type { Mode } from '../lib/ids.ts';
import type { Services } from '../services.ts';
import type { Language } from '../theme/words.ts';

/** The idempotency key of a call and the hash of its request (docs/contract/07-idempotency.md). */
export interface Idempotency {
  key: string;
  /** SHA-256 of the canonical JSON of the request. Another hash under the same key is a conflict. */
  requestHash: string;
}

type OwnedIdempotency = Idempotency & { owner: string };

/** The context of one operation. Every operation needs a new one, since scope-auth caches its results on it. */
export interface Context {
  services: Services;
  caller: Caller;
  /** The caller, as events and audit rows name it. */
  actor: Actor;
  /** The tenant whose rows its changes are about; null for a user's own and for internal staff. */
  tenant: string | null;
  requestId: string;
  /** Address of the client. TRUST_PROXY determines which headers are trusted for it. */
  ip: string;
  idempotency: OwnedIdempotency | null;
  /** The same for the request of a user. It is used by what a user does for an account, not by changes of IAM. */
  idempotencyOfUser: OwnedIdempotency | null;
  /** The operation under which the answer of a mutation with a key is stored. Set while it runs. */
  keyedOperation?: string;
  /** Set in the context in which an operator acts for an account. */
  onBehalf: OnBehalf | null;
  /**
   * The replica for lists that may be slightly out of date: for internal staff, and not just after a change of their
   * own. Null for the primary.
   */
  replica: Replica | null;
  /**
   * Whether the client wrote the document, so that its complexity must be checked. The stored documents of the facade
   * need no check.
   */
  freeForm: boolean;
  /** The body text of a free-form operation, if it may contain a number with a fraction. */
  bodyText?: string | undefined;
  /** Whether the operation is a query. Set before it runs. */
  isRead?: boolean;
  /** Set by the write path if the answer is a replay. */
  replayed: boolean;
  /** Set by a rate limit: the `Retry-After` of the answer, in whole seconds. */
  retryAfterS: number | null;
  /** Headers of the rate limit that replace those of authentication. */
  rateHeaders: Readonly<Record<string, string>>;
  /** The language of the browser, for texts that people read. */
  language: () => Language;
  /** Milliseconds spent waiting for outside systems, by name, for the Server-Timing header. */
  timings: Map<string, number>;
}

export function createContext(
  parts: Pick<Context, 'services' | 'caller' | 'requestId' | 'ip'> & {
    idempotency?: Idempotency | null;
    freeForm?: boolean;
    hasJustWritten?: boolean;
    bodyText?: string | undefined;
    language?: () => Language;
  },
): Context {
  const { caller, services, idempotency, hasJustWritten = false, ...given } = parts;
  // Keys, pages, jobs and operators act for an account through a context.
  if (isApiKey(caller)) assertModeServed(services.config, caller.mode);
  const ownedBy = (owner: string): OwnedIdempotency | null =>
    idempotency ? { ...idempotency, requestHash: keyed(services, idempotency.requestHash), owner } : null;
  const mayBeLate = caller.kind === 'session' && isPlatformReader(caller) && !hasJustWritten;
  return {
    ...given,
    services,
    caller,
    actor: actorOf(caller),
    tenant: isApiKey(caller) ? ownerOf(caller) : null,
    idempotency: isApiKey(caller) ? ownedBy(ownerOf(caller)) : null,
    idempotencyOfUser: caller.kind === 'session' ? ownedBy(`user:${caller.userId}`) : null,
    onBehalf: null,
    replica: mayBeLate ? services.replica : null,
    freeForm: parts.freeForm ?? false,
    bodyText: parts.bodyText,
    language: parts.language ?? (() => 'en'),
    replayed: false,
    retryAfterS: null,
    rateHeaders: {},
    timings: new Map(),
  };
}

function actorOf(caller: Caller): Actor {
  if (isApiKey(caller)) return { kind: caller.kind, id: caller.keyId, mode: caller.mode };
  return caller.kind === 'session'
    ? { kind: 'user', id: caller.userId, email: caller.email }
    : { kind: 'anonymous', id: 'anonymous' };
}

/**
 * A body may contain a card number, which could be found from a plain hash by trying all numbers. The hash is therefore
 * keyed.
 */
function keyed({ config }: Services, hash: string): string {
  return keyedHash(config.fingerprintKey, 'request-hash', hash);
}

/** The context of a field that only API keys may call. */
export type KeyContext = Context & { caller: ApiKeyCaller };

/** The context of a field that users call, signed in at the identity provider. */
export type SessionContext = Context & { caller: SessionCaller };

/** The context of a field that keys and people call. */
export type ViewerContext = KeyContext | SessionContext;

/** The context of a field that only partner keys may call. */
export type PartnerKeyContext = Context & { caller: PartnerKeyCaller };

/** A request of a browser without a key. The session that a merchant created determines what it may do. */
export interface VisitorRequest {
  requestId: string;
  ip: string;
}

/** The context of a visitor: a caller limited to the account of a session, with the visitor as actor. */
export function visitorContext(
  services: Services,
  {
    id,
    partnerId,
    platformAccountId,
    mode,
  }: { id: string; partnerId: string; platformAccountId: string; mode: string },
  from: VisitorRequest,
): KeyContext {
  const caller = {
    kind: 'subKey',
    keyId: id,
    keyPrefix: '',
    mode: mode as Mode, // a CHECK constraint limits the column to the two modes
    partnerId,
    platformAccountId,
  } as const;
  return { ...createContext({ services, caller, ...from }), caller, actor: { kind: 'visitor', id } };
}

/** What an operator does for an account, for the audit row of the change. */
export interface OnBehalf {
  action: string;
  /** Null for an action without a reason, such as a change of test mode. */
  reason: string | null;
  /** Further content of the audit row, such as the request that is approved. */
  facts?: object;
}

export interface Actor {
  kind: string;
  id: string;
  /** Of a user. */
  email?: string;
  /** Of a key, and of a user who acts for an account. */
  mode?: Mode;
}
