import type { Caller } from './caller.ts';

/**
 * The kinds of caller a root field may name. They are static: they look at who asks and never at the arguments, so that the
 * facade can answer 401 and 403 before it reads a body, and the access matrix can be printed from the schema.
 */
export interface Scopes {
  /** Anybody, with or without a credential. Written out on every field that is deliberately open. */
  public: boolean;
  /** Any API key, partner key or sub-key. */
  key: boolean;
  /** A partner key only. */
  partnerKey: boolean;
}

export type ScopeMap = Partial<Scopes>;

/** What a caller of each kind holds. */
export function scopesOf(caller: Caller): Scopes {
  return {
    public: true,
    key: caller.kind === 'partnerKey' || caller.kind === 'subKey',
    partnerKey: caller.kind === 'partnerKey',
  };
}

/** Whether a caller meets every scope of a root field (`defaultStrategy: 'all'`). An empty map allows nobody. */
export function scopesAllow(required: ScopeMap, caller: Caller): boolean {
  const held = scopesOf(caller);
  const names = Object.keys(required) as (keyof Scopes)[]; // Object.keys widens to string; the type of the map is closed
  return names.length > 0 && names.every((name) => held[name]);
}
