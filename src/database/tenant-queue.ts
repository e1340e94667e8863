import { AsyncResource } from 'node:async_hooks';
import type pg from 'pg';
import { type Lane, Places } from '../lib/places.ts';
import { isLockTimeout } from './errors.ts';
import { raw, type Sql } from './sql.ts';
import { waitsOf } from './waits.ts';

/** Places in which the statements of each tenant take turns. */
export interface TenantSlots {
  /** Runs a statement when its tenant has a place. Throws a timeout of a lock if there is none in time. */
  run<Result>(tenant: string, until: number, statement: () => Promise<Result>): Promise<Result>;
  /** How many wait for a place. */
  readonly waiting: number;
}

interface Waiting {
  lanes: readonly Lane[];
  begin(): void;
}

export function newTenantSlots(most: number, mostOfTenant: number): TenantSlots {
  const places = new Places(most);
  const queue = new Set<Waiting>();

  /** Those that may begin, the longest waiting first. */
  function admit(): void {
    for (const waiting of queue) {
      if (places.left <= 0) return;
      if (!places.hasRoom(waiting.lanes)) continue;
      queue.delete(waiting);
      waiting.begin();
    }
  }

  return {
    run(tenant, until, statement) {
      return new Promise((resolve, reject) => {
        const lanes = [{ name: tenant, most: mostOfTenant }];
        const timer = setTimeout(
          () => {
            queue.delete(waiting);
            reject(new LockTimeout());
          },
          Math.max(0, until - performance.now()),
        );
        const waiting: Waiting = {
          lanes,
          // The place is given by a call that ends. Without this the statement would run at the time of that one's test clock.
          begin: AsyncResource.bind(() => {
            clearTimeout(timer);
            const leave = places.take(lanes);
            statement()
              .finally(() => {
                leave();
                admit();
              })
              .then(resolve, reject);
          }),
        };
        queue.add(waiting);
        admit();
      });
    },
    get waiting() {
      return queue.size;
    },
  };
}

/** The statement was not sent: others of its tenant wait for a lock. */
class LockTimeout extends Error {
  readonly code = '55P03';

  constructor() {
    super('Others of the same tenant wait for a lock.');
  }
}

/** How long a statement waits for a lock before it makes room for others: one of several items, or one try of a lone. */
export const lockWaitMs = 200;
/**
 * A condition with which a statement, and the rest of its transaction, waits for locks no longer than `lockWaitMs`. It
 * refers to no row, so it is evaluated before anything that it filters is read, changed or locked. It needs no round
 * trip of its own and leaves nothing in the session, which a pooler gives to others.
 */
export const withLockTimeout: Sql = raw(`(SELECT set_config('lock_timeout', '${lockWaitMs}ms', true)) IS NOT NULL`);

/** The places of one tenant, so that what waits for its rows takes the connections of nobody else. */
const mostOfTenant = 2;

/**
 * The statements of a pool that may wait for a lock, in the places of their tenant: they wait for locks no longer than
 * `lockWaitMs`, and run again while one times out. After five seconds they throw the timeout: nothing was done.
 */
export interface TenantQueue {
  /** Runs a statement that would have made others wait: two of a tenant at once. */
  runWaiting<Result>(tenant: string, statement: () => Promise<Result>): Promise<Result>;
  /**
   * Runs a statement that as a rule waits for nothing: as many of a tenant at once as half of the connections, and only
   * two as soon as one has waited in vain.
   */
  runFreely<Result>(tenant: string, statement: () => Promise<Result>): Promise<Result>;
  /** Whether a statement of the tenant is waiting. Its next ones would make a shared statement wait, too. */
  hasWaiting(tenant: string): boolean;
  /** How many that are to run freely wait for a place: they would otherwise wait for a connection. */
  readonly waiting: number;
}

const ofPools = new WeakMap<pg.Pool, TenantQueue>();

/** One for each pool, whose connections they share. */
export function tenantQueue(pool: pg.Pool): TenantQueue {
  let found = ofPools.get(pool);
  if (!found) {
    // Half of the connections are left to statements that wait for nothing.
    found = newTenantQueue(Math.max(1, Math.floor((pool.options?.max ?? 10) / 2)), () => waitsOf(pool).lockMs);
    ofPools.set(pool, found);
  }
  return found;
}

function newTenantQueue(most: number, triedForMs: () => number): TenantQueue {
  const few = newTenantSlots(most, Math.min(mostOfTenant, Math.max(1, most - 1)));
  const many = newTenantSlots(Number.POSITIVE_INFINITY, most);
  const heldUp = new Map<string, number>();

  async function begin<Result>(
    tenant: string,
    until: number,
    first: TenantSlots,
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
    runWaiting: (tenant, statement) => begin(tenant, performance.now() + triedForMs(), few, statement),
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
    hasWaiting: (tenant) => heldUp.has(tenant),
    get waiting() {
      return many.waiting;
    },
  };
}
