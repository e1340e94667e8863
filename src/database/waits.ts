import type pg from 'pg';

/** How long a call waits before it is rejected, in milliseconds. */
export interface Waits {
  /** For a row that another transaction has locked: then 503, and nothing was done. */
  lockMs: number;
  /** For the first call with its Idempotency-Key while that is in progress: then 409. */
  runningCallMs: number;
  /** For a slot among the changes at the identity provider: then 503, and nothing was done. */
  providerPlaceMs: number;
}

const defaultWaits: Waits = { lockMs: 5_000, runningCallMs: 2_000, providerPlaceMs: 5_000 };

const ofPools = new WeakMap<pg.Pool, Waits>();

export function waitsOf(pool: pg.Pool): Waits {
  return ofPools.get(pool) ?? defaultWaits;
}

/** Shorter waits for tests of their expiry; longer ones for calls that may not expire on a slow machine. */
export function setWaits(pool: pg.Pool, waits: Partial<Waits>): void {
  ofPools.set(pool, { ...defaultWaits, ...waits });
}
