import type pg from 'pg';
import { type Lane, Places } from '../runtime/places.ts';
import { type Sql, sql } from './sql.ts';
import { isLockTimeout } from './statement-errors.ts';

/** How long a statement waits for a lock before it makes room for others: one of several items, or one try of a lone. */
export const lockWaitMs = 200;
/** How long a lone statement tries. */
const triedForMs = 5_000;
/**
 * A condition with which a statement, and the rest of its transaction, waits for locks no longer than `lockWaitMs`. It
 * refers to no row, so it is evaluated before anything that it filters is read, changed or locked. It needs no round
 * trip of its own and leaves nothing in the session, which a pooler gives to others.
 */
export const waitsBriefly: Sql = sql`(SELECT set_config('lock_timeout', ${`${lockWaitMs}ms`}, true)) IS NOT NULL`;

/** The places of one tenant, so that what waits for its rows takes the connections of nobody else. */
const mostOfTenant = 2;

/** The statements of a pool that are run alone, since shared with others they would have waited for a lock. */
export interface LoneStatements {
  /**
   * Runs a statement that waits for locks no longer than `lockWaitMs`, and again while one times out, in turn with the
   * others of its tenant and beside those of other tenants. After five seconds it throws the timeout: nothing was done.
   */
  run<Result>(tenant: string, statement: () => Promise<Result>): Promise<Result>;
  /** Whether a statement of the tenant is waiting. Its next ones would make a shared statement wait, too. */
  isHeldUp(tenant: string): boolean;
}

const ofPools = new WeakMap<pg.Pool, LoneStatements>();

/** One for each pool, whose connections they share. */
export function loneStatements(pool: pg.Pool): LoneStatements {
  let found = ofPools.get(pool);
  if (!found) {
    // Half of the connections are left to statements that wait for nothing.
    found = newLoneStatements(Math.max(1, Math.floor((pool.options?.max ?? 10) / 2)));
    ofPools.set(pool, found);
  }
  return found;
}

interface Waiting {
  tenant: string;
  lanes: readonly Lane[];
  begin(): void;
}

function newLoneStatements(most: number): LoneStatements {
  const places = new Places(most);
  const queue = new Set<Waiting>();
  const heldUp = new Map<string, number>();

  /** Those that may begin, the longest waiting first. */
  function admit(): void {
    for (const waiting of queue) {
      if (places.left <= 0) return;
      if (!places.hasRoom(waiting.lanes)) continue;
      queue.delete(waiting);
      waiting.begin();
    }
  }

  /** Runs one try in its place. */
  function inPlace<Result>(tenant: string, until: number, statement: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const lanes = [{ name: tenant, most: Math.min(mostOfTenant, Math.max(1, most - 1)) }];
      const timer = setTimeout(
        () => {
          queue.delete(waiting);
          reject(new LockTimeout());
        },
        Math.max(0, until - performance.now()),
      );
      const waiting: Waiting = {
        tenant,
        lanes,
        begin() {
          clearTimeout(timer);
          const leave = places.take(lanes);
          statement()
            .finally(() => {
              leave();
              admit();
            })
            .then(resolve, reject);
        },
      };
      queue.add(waiting);
      admit();
    });
  }

  async function run<Result>(tenant: string, statement: () => Promise<Result>): Promise<Result> {
    const until = performance.now() + triedForMs;
    try {
      return await inPlace(tenant, until, statement);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
    heldUp.set(tenant, (heldUp.get(tenant) ?? 0) + 1);
    try {
      for (;;) {
        try {
          return await inPlace(tenant, until, statement);
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

  return { run, isHeldUp: (tenant) => heldUp.has(tenant) };
}

/** No place became free in time. The statement was not sent. */
class LockTimeout extends Error {
  readonly code = '55P03';

  constructor() {
    super('Others of the same tenant wait for a lock.');
  }
}
