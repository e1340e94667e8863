import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { isAbsence } from '../kit/outage.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { parserOf } from './parsers.ts';
import { openPool } from './pool.ts';
import { ForeignReplica, replicaLag } from './replica-lag.ts';
import { sessionSettings } from './session-settings.ts';
import { unusableDatabase } from './unusable.ts';

/** A standby for reads that may be a moment late, such as the lists of operators. */
export interface Replica {
  readonly pool: pg.Pool;
  /**
   * Runs a read on the replica; on the primary if the replica is further behind than `DATABASE_REPLICA_MAX_LAG_MS`,
   * cannot be reached, or fails. The read may therefore run twice.
   */
  read<Result>(primary: pg.Pool, work: (pool: pg.Pool) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Runs a read that may be a moment late: on the replica where there is one for it. */
export function readLate<Result>(
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

/** How often the servers are compared, unless the bound of the lag is so small that it takes more. */
const lookEveryMs = 1_000;
/** A replica that has no free connection, or does not answer, within this time is left for the primary. */
const connectMaxMs = 2_000;
const readMaxMs = 5_000;
/** What no waiting cures: a wrong role, password, database or right. */
const misconfigured = new Set(['28P01', '28000', '3D000', '42501']);

/**
 * Opens a replica. Throws a `ConfigError` if its settings are wrong or it belongs to another primary. One that cannot
 * be reached is used as soon as it can be.
 */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { url, maxLagMs, primary, log, metrics } = options;
  const pool = poolOf(options);
  const lag = replicaLag(primary, pool, maxLagMs);
  const timing = new AbortController();
  let wasUsed = false;

  const isUsable = (): boolean => lag.ms() <= maxLagMs;

  /** Says once that the replica is used, and once that it no longer is. */
  function report(error?: unknown): void {
    const lagMs = lag.ms();
    metrics.setReplicaLag(lagMs / 1_000);
    if (isUsable() === wasUsed) return;
    wasUsed = !wasUsed;
    if (wasUsed) log.info('The lists of operators are read from the replica.');
    else log.warn({ err: error, lagMs }, 'The replica is behind or gone: lists are read from the primary.');
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
          // A standby cancels reads that are in the way of what it replays, and goes on answering others. What is wrong
          // elsewhere, too, fails again.
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
