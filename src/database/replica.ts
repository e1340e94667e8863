import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { isAbsence } from '../lib/outage.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { parserOf } from './database.ts';
import { unusableDatabase } from './errors.ts';
import { openPool, sessionSettings } from './pool.ts';
import { queryRow, sql } from './sql.ts';

/** How far a standby is behind its primary. */
interface ReplicaLag {
  /** Milliseconds: everything committed longer ago than this is on the standby. Infinity while that is unknown. */
  ms(): number;
  /** Measures the lag. Throws if one of the servers does not answer, or if the replica is no standby of the primary. */
  look(): Promise<void>;
  /** Makes the lag unknown until it is measured again. */
  forget(): void;
}

/** The server is no standby of the primary, which retries do not change. */
class ForeignReplica extends Error {}

/**
 * Measures the lag by positions in the write-ahead log: if a standby has replayed what the primary had written at some
 * time, its lag is at most the time since then. This depends neither on the servers' clocks nor on whether anything is
 * written. `keepMs` is the largest lag that can be measured.
 */
function replicaLag(primary: pg.Pool, replica: pg.Pool, keepMs: number): ReplicaLag {
  /** The positions that the primary had written, with the times, oldest first. */
  let written: { atMs: number; position: number }[] = [];
  /** The time up to which the standby has everything that the primary had written. */
  let completeAtMs = Number.NEGATIVE_INFINITY;
  return {
    ms: () => performance.now() - completeAtMs,
    async look() {
      const atMs = performance.now();
      const source = await serverState(primary);
      written = [...written.filter((then) => atMs - then.atMs <= keepMs), { atMs, position: source.position }];
      const { system, isStandby, position } = await serverState(replica);
      if (system !== source.system) throw new ForeignReplica('it is no standby of the server of DATABASE_URL');
      if (!isStandby) throw new Error('It is not a standby: it has become a primary, or the address leads to one.');
      completeAtMs = written.findLast((then) => then.position <= position)?.atMs ?? completeAtMs;
    },
    forget() {
      completeAtMs = Number.NEGATIVE_INFINITY;
    },
  };
}

interface ServerState {
  /** The same for a primary and its standbys. */
  system: string;
  isStandby: boolean;
  /** Bytes of the write-ahead log that are written (primary) or replayed (standby). */
  position: number;
}

async function serverState(pool: pg.Pool): Promise<ServerState> {
  const state = await queryRow<ServerState>(
    pool,
    sql`
      SELECT
        system_identifier::text AS system,
        pg_is_in_recovery() AS "isStandby",
        (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END - '0/0')::bigint
          AS position
      FROM pg_control_system()`,
  );
  if (!state) throw new Error('The server does not report its state.');
  return state;
}

/** A standby for reads that may be slightly out of date, such as the lists of operators. */
export interface Replica {
  readonly pool: pg.Pool;
  /**
   * Runs a read on the replica; on the primary if the replica is further behind than `DATABASE_REPLICA_MAX_LAG_MS`,
   * cannot be reached, or fails. The read may therefore run twice.
   */
  read<Result>(primary: pg.Pool, work: (pool: pg.Pool) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Runs a read that may be slightly out of date: on the replica if there is one for it. */
export function readFromReplica<Result>(
  primary: pg.Pool,
  replica: Replica | null,
  work: (pool: pg.Pool) => Promise<Result>,
): Promise<Result> {
  return replica ? replica.read(primary, work) : work(primary);
}

export interface ReplicaOptions {
  url: string;
  maxLagMs: number;
  primary: pg.Pool;
  poolSize: number;
  isPooled: boolean;
  log: Log;
  metrics: Pick<Metrics, 'replicaRead' | 'setReplicaLag'>;
}

/** How often the lag is measured, unless its bound is so small that it must be measured more often. */
const lookEveryMs = 1_000;
/** If the replica has no free connection, or does not answer, within this time, the primary is used. */
const connectMaxMs = 2_000;
const readMaxMs = 5_000;
/** Errors that retries do not resolve: a wrong role, password, database or right. */
const misconfigured = new Set(['28P01', '28000', '3D000', '42501']);

/**
 * Opens a replica. Throws a `ConfigError` if its settings are wrong or it belongs to another primary. If it cannot be
 * reached, it is used as soon as it can be.
 */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { url, maxLagMs, primary, log, metrics } = options;
  const pool = poolOf(options);
  const lag = replicaLag(primary, pool, maxLagMs);
  const timing = new AbortController();
  let wasUsed = false;

  const isUsable = (): boolean => lag.ms() <= maxLagMs;

  /** Logs once that the replica is used, and once that it no longer is. */
  function report(error?: unknown): void {
    const lagMs = lag.ms();
    metrics.setReplicaLag(lagMs / 1_000);
    if (isUsable() === wasUsed) return;
    wasUsed = !wasUsed;
    if (wasUsed) log.info('The lists of operators are read from the replica.');
    else log.warn({ err: error, lagMs }, 'The replica is behind or unavailable: lists are read from the primary.');
  }

  async function watch(): Promise<void> {
    while (!timing.signal.aborted) {
      await lag.look().then(
        () => report(),
        (error: unknown) => report(error),
      );
      const pauseMs = Math.min(lookEveryMs, maxLagMs / 4);
      await delay(pauseMs, undefined, { signal: timing.signal, ref: false }).catch(() => undefined);
    }
  }

  try {
    await lag.look();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (misconfigured.has(code) || error instanceof ForeignReplica) {
      await pool.end();
      throw unusableDatabase('DATABASE_REPLICA_URL', url, error);
    }
    log.warn({ err: error }, 'The replica cannot be used yet: lists are read from the primary.');
  }
  const watching = watch();
  return {
    pool,
    async read(source, work) {
      if (isUsable())
        try {
          const result = await work(pool);
          metrics.replicaRead('replica');
          return result;
        } catch (error) {
          // A standby cancels reads that block its replay, and continues to answer others. An error that is not the
          // replica's occurs again on the primary.
          log.warn({ err: error }, 'A read from the replica failed: it is done on the primary.');
          if (isAbsence(error)) lag.forget();
        }
      metrics.replicaRead('primary');
      return work(source);
    },
    async close() {
      timing.abort();
      await pool.end();
      await watching;
    },
  };
}

function poolOf({ url, poolSize, isPooled, log }: ReplicaOptions): pg.Pool {
  return openPool(
    {
      connectionString: url,
      max: poolSize,
      application_name: 'platform-replica',
      connectionTimeoutMillis: connectMaxMs,
      query_timeout: readMaxMs,
      idleTimeoutMillis: 60_000,
      ...sessionSettings(isPooled),
      keepAlive: true,
      types: { getTypeParser: parserOf },
    },
    {
      mayBeStandby: true,
      idleBroke: (error) => log.warn({ err: error }, 'An idle connection to the replica broke.'),
    },
  );
}
