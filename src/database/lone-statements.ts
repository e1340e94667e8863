import type pg from 'pg';
import { raw, type Sql } from './sql.ts';
import { isLockTimeout } from './statement-errors.ts';
import { LockTimeout, newTenantPlaces, type TenantPlaces } from './tenant-places.ts';
import { waitsOf } from './waits.ts';

/** How long a statement waits for a lock before it makes room for others: one of several items, or one try of a lone. */
export const lockWaitMs = 200;
/**
 * A condition with which a statement, and the rest of its transaction, waits for locks no longer than `lockWaitMs`. It
 * refers to no row, so it is evaluated before anything that it filters is read, changed or locked. It needs no round
 * trip of its own and leaves nothing in the session, which a pooler gives to others.
 */
export const waitsBriefly: Sql = raw(`(SELECT set_config('lock_timeout', '${lockWaitMs}ms', true)) IS NOT NULL`);

/** The places of one tenant, so that what waits for its rows takes the connections of nobody else. */
const mostOfTenant = 2;

/**
 * The statements of a pool that may wait for a lock, in the places of their tenant: they wait for locks no longer than
 * `lockWaitMs`, and run again while one times out. After five seconds they throw the timeout: nothing was done.
 */
export interface LoneStatements {
  /** Runs a statement that would have made others wait: two of a tenant at once. */
  run<Result>(tenant: string, statement: () => Promise<Result>): Promise<Result>;
  /**
   * Runs a statement that as a rule waits for nothing: as many of a tenant at once as half of the connections, and only
   * two as soon as one has waited in vain.
   */
  runFreely<Result>(tenant: string, statement: () => Promise<Result>): Promise<Result>;
  /** Whether a statement of the tenant is waiting. Its next ones would make a shared statement wait, too. */
  isHeldUp(tenant: string): boolean;
  /** How many that are to run freely wait for a place: they would otherwise wait for a connection. */
  readonly waiting: number;
}

const ofPools = new WeakMap<pg.Pool, LoneStatements>();

/** One for each pool, whose connections they share. */
export function loneStatements(pool: pg.Pool): LoneStatements {
  let found = ofPools.get(pool);
  if (!found) {
    // Half of the connections are left to statements that wait for nothing.
    found = newLoneStatements(Math.max(1, Math.floor((pool.options?.max ?? 10) / 2)), () => waitsOf(pool).lockMs);
    ofPools.set(pool, found);
  }
  return found;
}

function newLoneStatements(most: number, triedForMs: () => number): LoneStatements {
  const few = newTenantPlaces(most, Math.min(mostOfTenant, Math.max(1, most - 1)));
  const many = newTenantPlaces(Number.POSITIVE_INFINITY, most);
  const heldUp = new Map<string, number>();

  async function begin<Result>(
    tenant: string,
    until: number,
    first: TenantPlaces,
    statement: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await first.run(tenant, until, statement);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
    heldUp.set(tenant, (heldUp.get(tenant) ?? 0) + 1);
    try {
      for (;;) {
        try {
          return await few.run(tenant, until, statement);
        } catch (error) {
          if (!isLockTimeout(error) || performance.now() >= until) throw error;
        }
      }
    } finally {
      const left = (heldUp.get(tenant) ?? 1) - 1;
      if (left > 0) heldUp.set(tenant, left);
      else heldUp.delete(tenant);
    }
  }

  return {
    run: (tenant, statement) => begin(tenant, performance.now() + triedForMs(), few, statement),
    runFreely(tenant, statement) {
      const until = performance.now() + triedForMs();
      if (heldUp.has(tenant)) return begin(tenant, until, few, statement);
      let isFirst = true;
      return begin(tenant, until, many, () => {
        // One that was sent while this one waited for a place has found the lock already.
        const isVain = isFirst && heldUp.has(tenant);
        isFirst = false;
        return isVain ? Promise.reject(new LockTimeout()) : statement();
      });
    },
    isHeldUp: (tenant) => heldUp.has(tenant),
    get waiting() {
      return many.waiting;
    },
  };
}
