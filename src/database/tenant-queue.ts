import { AsyncResource } from 'node:async_hooks';
import type pg from 'pg';
import { type SlotLimit, Slots } from '../lib/slots.ts';
import { isLockTimeout } from './errors.ts';
import { raw, type Sql } from './sql.ts';
import { waitsOf } from './waits.ts';

/** Slots for statements, with a maximum number per tenant. */
export interface TenantSlots {
  /** Runs a statement when its tenant has a slot. Throws a lock timeout error if there is none in time. */
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

  /** Starts the statements that have a slot, the longest waiting first. */
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
          // Keeps the async context of this call, and its test clock. Otherwise it would run in that of the call that
          // frees the slot.
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

/** The statement was not sent, since other statements of its tenant wait for a lock. */
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
 * refers to no row, so it is evaluated before anything that it filters is read, changed or locked. It needs no extra
 * round trip and changes nothing in the session, which a pooler gives to other clients.
 */
export const withLockTimeout: Sql = raw(`(SELECT set_config('lock_timeout', '${lockWaitMs}ms', true)) IS NOT NULL`);

/** The connections that one tenant may use, so that its lock waits cannot exhaust the pool. */
const mostOfTenant = 2;

/**
 * Runs statements that may wait for locks, limited per tenant. A statement waits for locks no longer than `lockWaitMs`,
 * and is retried for five seconds. Then the lock timeout error is thrown, and nothing was done.
 */
export interface TenantQueue {
  /** Runs a statement that is known to wait for a lock: at most two of a tenant at a time. */
  runWaiting<Result>(tenant: string, statement: () => Promise<Result>): Promise<Result>;
  /**
   * Runs a statement that rarely waits for a lock: a tenant may use up to half of the connections, but only two as soon
   * as one of its statements has waited for a lock in vain.
   */
  runFreely<Result>(tenant: string, statement: () => Promise<Result>): Promise<Result>;
  /** Whether a statement of the tenant waits for a lock. Its next ones would block a shared statement as well. */
  hasWaiting(tenant: string): boolean;
  /** How many statements of `runFreely` wait for a slot. Without slots they would wait for a connection. */
  readonly waiting: number;
}

const ofPools = new WeakMap<pg.Pool, TenantQueue>();

/** The queue of a pool. */
export function tenantQueue(pool: pg.Pool): TenantQueue {
  let found = ofPools.get(pool);
  if (!found) {
    // The other half of the connections is for statements that do not wait for locks.
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
        // While this statement waited for a slot, another one of its tenant timed out on a lock: it is queued without
        // being sent.
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
