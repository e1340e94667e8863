import { createHmac } from 'node:crypto';
import { type ApiKeyCaller, type Caller, isApiKey, type PartnerKeyCaller, type SessionCaller } from '../auth/caller.ts';
import { ownerOf } from '../auth/tenancy.ts';
import type { Env } from '../env.ts';
import type { Actor } from '../kit/records.ts';

/** What the caller sent to make a repeat of this call safe, and what it may be repeated with (contract 7). */
export interface Idempotency {
  key: string;
  /** SHA-256 of the canonical JSON of what was sent: another hash under the same key is a conflict. */
  requestHash: string;
}

/** One operation's surroundings. Made anew for every operation: scope-auth caches its answers on this object. */
export interface Context {
  env: Env;
  caller: Caller;
  /** The caller as records name it. */
  actor: Actor;
  requestId: string;
  /** Address of the client, as far as TRUST_PROXY lets us believe it. */
  ip: string;
  idempotency: (Idempotency & { owner: string }) | null;
  /** Whether the operation is the client's own text and must be measured; our documents were measured when they were written. */
  freeForm: boolean;
  /** Set by the write path when the answer is a stored one. */
  replayed: boolean;
  /** Set by a field's own limit, in whole seconds: what the answer's `Retry-After` says. */
  retryAfterS: number | null;
  /** Milliseconds spent waiting for the outside, by whom, so that Server-Timing can tell our share from theirs. */
  timings: Map<string, number>;
}

export function createContext(
  parts: Pick<Context, 'env' | 'caller' | 'requestId' | 'ip'> & {
    idempotency?: Idempotency | null;
    freeForm?: boolean;
  },
): Context {
  const { caller } = parts;
  const known = isApiKey(caller);
  return {
    ...parts,
    actor: actorOf(caller),
    // Without a caller there is nobody for whom an answer could be kept.
    idempotency:
      known && parts.idempotency
        ? { ...parts.idempotency, requestHash: keyed(parts.env, parts.idempotency.requestHash), owner: ownerOf(caller) }
        : null,
    freeForm: parts.freeForm ?? false,
    replayed: false,
    retryAfterS: null,
    timings: new Map(),
  };
}

function actorOf(caller: Caller): Actor {
  if (isApiKey(caller)) return { kind: caller.kind, id: caller.keyId };
  return caller.kind === 'session'
    ? { kind: 'user', id: caller.userId, email: caller.email }
    : { kind: 'anonymous', id: 'anonymous' };
}

/** A body may hold a card number, and a plain hash of one can be searched for; under a key of ours it cannot. */
function keyed({ config }: Env, requestHash: string): string {
  return createHmac('sha256', config.fingerprintKey).update(requestHash).digest('base64url');
}

/** The context of a field whose scopes let only API keys in. */
export type KeyContext = Context & { caller: ApiKeyCaller };

/** The context of a field that people call, signed in at the identity provider. */
export type SessionContext = Context & { caller: SessionCaller };

/** The context of a field that takes a partner key. */
export type PartnerKeyContext = Context & { caller: PartnerKeyCaller };
