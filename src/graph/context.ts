import type { Caller } from '../auth/caller.ts';
import type { Env } from '../env.ts';

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
  requestId: string;
  /** Address of the client, as far as TRUST_PROXY lets us believe it. */
  ip: string;
  idempotency: Idempotency | null;
  /** Set by the write path when the answer is a stored one. */
  replayed: boolean;
  /** Milliseconds spent waiting for the outside, so that Server-Timing can tell our share from theirs. */
  timings: Map<string, number>;
}

export function createContext(parts: Pick<Context, 'env' | 'caller' | 'requestId' | 'ip'> & { idempotency?: Idempotency | null }): Context {
  return { idempotency: null, replayed: false, timings: new Map(), ...parts };
}
