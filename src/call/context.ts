import {
  type ApiKeyCaller,
  anonymous,
  type Caller,
  isApiKey,
  type PartnerKeyCaller,
  type SessionCaller,
} from '../auth/caller.ts';
import { assertModeServed } from '../auth/modes.ts';
import { isPlatformReader } from '../auth/roles.ts';
import { ownerOf, type PartnerTenant, type Tenant, type TenantColumns, tenantOfRow } from '../auth/tenancy.ts';
import type { Replica } from '../database/replica.ts';
import { keyedHash } from '../keys/derived-key.ts';
import type { Mode } from '../lib/ids.ts';
import type { Services } from '../services.ts';
import type { Language } from '../theme/words.ts';

/** The idempotency key of a call and the hash of its request (docs/errors-and-limits.md, 7). */
export interface Idempotency {
  key: string;
  /** SHA-256 of the canonical JSON of the request. Another hash under the same key is a conflict. */
  requestHash: string;
}

type OwnedIdempotency = Idempotency & { owner: string };

/** What an operation notes for its answer, beside its result. */
export interface AnswerNotes {
  /** Whether the operation is a query. */
  isRead: boolean;
  /** Whether the result is the stored one of an earlier call. */
  replayed: boolean;
  /** The `Retry-After` of the answer, in whole seconds. */
  retryAfterS: number | null;
  /** Headers of the rate limit that replace those of authentication. */
  rateHeaders: Readonly<Record<string, string>>;
  /** Milliseconds spent waiting for outside systems, by name, for the Server-Timing header. */
  timings: Map<string, number>;
}

export function newAnswerNotes(): AnswerNotes {
  return { isRead: false, replayed: false, retryAfterS: null, rateHeaders: {}, timings: new Map() };
}

/** The context of one operation. Every operation needs a new one, since scope-auth caches its results on it. */
export interface Context {
  readonly services: Services;
  /** Who sent the request, and by which credential. Anonymous for a visitor and a job. */
  readonly caller: Caller;
  /** Who acts, as events and audit rows name it. */
  readonly actor: Actor;
  /** Whose rows it reads and changes. Null for people, until they act on an object of a tenant, and for IAM. */
  readonly tenant: Tenant | null;
  /** In which queue its changes wait for locked rows: the tenant's. Null for IAM and internal staff. */
  readonly lockQueue: string | null;
  readonly requestId: string;
  /** Address of the client. TRUST_PROXY determines which headers are trusted for it. */
  readonly ip: string;
  readonly idempotency: OwnedIdempotency | null;
  /** The same for the request of a user. It is used by what a user does for an account, not by changes of IAM. */
  readonly idempotencyOfUser: OwnedIdempotency | null;
  /** The operation under which the answer of a mutation with a key is stored. */
  readonly keyedOperation?: string;
  /** What a person does for a tenant. Null for every other caller. */
  readonly onBehalf: OnBehalf | null;
  /**
   * The replica for lists that may be slightly out of date: for internal staff, and not just after a change of their
   * own. Null for the primary.
   */
  readonly replica: Replica | null;
  /** The body text of a GraphQL request, if it may contain a number with a fraction. */
  readonly bodyText?: string | undefined;
  /** The language of the browser, for texts that people read. */
  readonly language: () => Language;
  /** The one part that changes while the operation runs. */
  readonly answer: AnswerNotes;
}

interface ContextParts extends Pick<Context, 'services' | 'caller' | 'requestId' | 'ip'> {
  idempotency?: Idempotency | null;
  hasJustWritten?: boolean;
  bodyText?: string | undefined;
  language?: () => Language;
}

export function createContext<From extends Caller>(
  parts: ContextParts & { caller: From },
): Context & { caller: From; tenant: From extends ApiKeyCaller ? Tenant : null };
export function createContext(parts: ContextParts): Context {
  const { caller, services, idempotency, hasJustWritten = false, ...given } = parts;
  const tenant = isApiKey(caller) ? caller.tenant : null;
  if (tenant) assertModeServed(services.config, tenant.mode);
  const ownedBy = (owner: string): OwnedIdempotency | null =>
    idempotency ? { ...idempotency, requestHash: keyed(services, idempotency.requestHash), owner } : null;
  const mayBeLate = caller.kind === 'session' && isPlatformReader(caller) && !hasJustWritten;
  const lockQueue = tenant && ownerOf(tenant);
  return {
    ...given,
    services,
    caller,
    actor: actorOf(caller),
    tenant,
    lockQueue,
    idempotency: lockQueue === null ? null : ownedBy(lockQueue),
    idempotencyOfUser: caller.kind === 'session' ? ownedBy(`user:${caller.userId}`) : null,
    onBehalf: null,
    replica: mayBeLate ? services.replica : null,
    bodyText: parts.bodyText,
    language: parts.language ?? (() => 'en'),
    answer: newAnswerNotes(),
  };
}

/** Who acts for a tenant without one of its keys: a person, a visitor of a hosted page, or a job. */
type ActingParts = Pick<Context, 'services' | 'actor' | 'requestId' | 'ip'> &
  Partial<Pick<Context, 'caller' | 'idempotency' | 'onBehalf' | 'answer'>>;

/** The context of an operation that no API key calls, for the tenant of a row. */
export function contextFor(row: TenantColumns, { caller = anonymous, ...parts }: ActingParts): TenantContext {
  const { services, requestId, ip } = parts;
  const tenant = tenantOfRow(row);
  assertModeServed(services.config, tenant.mode);
  const context = createContext({ services, caller, requestId, ip });
  return { ...context, ...parts, tenant, lockQueue: ownerOf(tenant), replica: null };
}

function actorOf(caller: Caller): Actor {
  if (isApiKey(caller)) return { kind: caller.kind, id: caller.keyId, mode: caller.tenant.mode };
  return caller.kind === 'session'
    ? { kind: 'user', id: caller.userId, email: caller.email, partnerId: caller.partnerId }
    : { kind: 'anonymous', id: 'anonymous' };
}

/**
 * A body may contain a card number, which could be found from a plain hash by trying all numbers. The hash is therefore
 * keyed.
 */
function keyed({ config }: Services, hash: string): string {
  return keyedHash(config.fingerprintKey, 'request-hash', hash);
}

/** The context of an operation for a tenant, by a key or a person. */
export type TenantContext = Context & { tenant: Tenant };

/** The context of a field that only API keys may call. */
export type KeyContext = TenantContext & { caller: ApiKeyCaller };

/** The context of a field that users call, signed in at the identity provider. */
export type SessionContext = Context & { caller: SessionCaller; tenant: null };

/** The context of a field that keys and people call. */
export type ViewerContext = KeyContext | SessionContext;

/** The context of an operation for all accounts of a partner. */
export type PartnerContext = Context & { tenant: PartnerTenant };

/** The context of a field that only partner keys may call. */
export type PartnerKeyContext = PartnerContext & { caller: PartnerKeyCaller };

/** A request of a browser without a key. The session that a merchant created determines what it may do. */
export interface VisitorRequest {
  requestId: string;
  ip: string;
}

/** The context of a visitor, who acts for the account of a session. */
export function visitorContext(
  services: Services,
  session: TenantColumns & { id: string },
  from: VisitorRequest,
): TenantContext {
  return contextFor(session, { services, ...from, actor: { kind: 'visitor', id: session.id } });
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
  /** The partner of a user. Null for internal staff. */
  partnerId?: string | null;
  /** Of a key, and of a user who acts for an account. */
  mode?: Mode;
}
