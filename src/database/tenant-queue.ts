import { AsyncResource } from 'node:async_hooks';
import type pg from 'pg';
import { type SlotLimit, Slots } from '../lib/slots.ts';
import { isLockTimeout } from './errors.ts';
import { raw, type Sql } from './sql.ts';
import { waitsOf } from './waits.ts';

/** Slots for statements, of which each tenant may have a few. */
export interface TenantSlots {
  /** Runs a statement when its tenant has a slot. Throws the error of a lock timeout if there is none in time. */
  run<Result>(tenant: string, until: number, statement: () => Promise<Result>): Promise<Result>;
  /** How many statements wait for a slot. */
  readonly waiting: number;
}

interface Waiting {
  limits: readonly SlotLimit[];
  begin(): void;
}

export function newTenantSlots(most: number, mostOfTenant: number): TenantSlots {
  const slots = new Slots(most);
  const queue = new Set<Waiting>();

  /** Those that may begin, the longest waiting first. */
  function admit(): void {
    for (const waiting of queue) {
      if (slots.left <= 0) return;
      if (!slots.hasRoom(waiting.limits)) continue;
      queue.delete(waiting);
      waiting.begin();
    }
  }

  return {
    run(tenant, until, statement) {
      return new Promise((resolve, reject) => {
        const limits = [{ name: tenant, most: mostOfTenant }];
        const timer = setTimeout(
          () => {
            queue.delete(waiting);
            reject(new LockTimeout());
          },
          Math.max(0, until - performance.now()),
        );
        const waiting: Waiting = {
          limits,
          // Keeps the async context of this call, and its test clock: it would run in that of the call that frees the slot.
          begin: AsyncResource.bind(() => {
            clearTimeout(timer);
            const leave = slots.take(limits);
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

/** The statement was not sent, since others of its tenant wait for a lock. */
class LockTimeout extends Error {
  readonly code = '55P03';

  constructor() {
    super('Others of the same tenant wait for a lock.');
  }
}

/** The lock timeout of one attempt. */
export const lockWaitMs = 200;
/**
 * A condition with which a statement, and the rest of its transaction, waits for locks no longer than `lockWaitMs`. It
 * refers to no row, so it is evaluated before anything that it filters is read, changed or locked. It needs no round
 * trip of its own and leaves nothing in the session, which a pooler gives to others.
 */
export const withLockTimeout: Sql = raw(`(SELECT set_config('lock_timeout', '${lockWaitMs}ms', true)) IS NOT NULL`);

/** The connections that one tenant may use, so that its lock waits cannot exhaust the pool. */
const mostOfTenant = 2;

/**
 * Runs statements that may wait for locks, limited per tenant. A statement waits for locks no longer than `lockWaitMs`, and
 * is retried for five seconds. Then the lock timeout is thrown, and nothing was done.
 */
export interface TenantQueue {
  /** Runs a statement that is known to wait: at most two of a tenant at a time. */
  runWaiting<Result>(tenant: string, statement: () => Promise<Result>): Promise<Result>;
  /**
   * Runs a statement that rarely waits: up to half of the connections for a tenant, and two as soon as a statement of the
   * tenant has met a lock.
   */
  runFreely<Result>(tenant: string, statement: () => Promise<Result>): Promise<Result>;
  /** Whether a statement of the tenant waits for a lock. Its next ones would block a shared statement, too. */
  hasWaiting(tenant: string): boolean;
  /** How many statements of `runFreely` wait for a slot. Without slots they would wait for a connection. */
  readonly waiting: number;
}

const ofPools = new WeakMap<pg.Pool, TenantQueue>();

/** The queue of a pool. */
export function tenantQueue(pool: pg.Pool): TenantQueue {
  let found = ofPools.get(pool);
  if (!found) {
    // Half of the connections are left to statements that do not wait for locks.
    found = newTenantQueue(Math.max(1, Math.floor((pool.options?.max ?? 10) / 2)), () => waitsOf(pool).lockMs);
    ofPools.set(pool, found);
  }
  return found;
}

function newTenantQueue(most: number, triedForMs: () => number): TenantQueue {
  const waitingSlots = newTenantSlots(most, Math.min(mostOfTenant, Math.max(1, most - 1)));
  const freeSlots = newTenantSlots(Number.POSITIVE_INFINITY, most);
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
          return await waitingSlots.run(tenant, until, statement);
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
    runWaiting: (tenant, statement) => begin(tenant, performance.now() + triedForMs(), waitingSlots, statement),
    runFreely(tenant, statement) {
      const until = performance.now() + triedForMs();
      if (heldUp.has(tenant)) return begin(tenant, until, waitingSlots, statement);
      let isFirst = true;
      return begin(tenant, until, freeSlots, () => {
        // A statement that was sent while this one waited for a slot has met the lock already.
        const isVain = isFirst && heldUp.has(tenant);
        isFirst = false;
        return isVain ? Promise.reject(new LockTimeout()) : statement();
      });
    },
    hasWaiting: (tenant) => heldUp.has(tenant),
    get waiting() {
      return freeSlots.waiting;
    },
  };
}
