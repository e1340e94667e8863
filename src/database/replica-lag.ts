import type pg from 'pg';
import { queryRow, sql } from './sql.ts';

/** How far a standby is behind its primary. */
export interface ReplicaLag {
  /** Milliseconds: everything committed longer ago than this is on the standby. Infinity while that is unknown. */
  ms(): number;
  /** Compares the two servers. Throws if one cannot be asked, or if the replica is no standby of the primary. */
  look(): Promise<void>;
  /** Makes the lag unknown until the servers are compared again. */
  forget(): void;
}

/** The server is no standby of the primary, so that no waiting makes it one. */
export class ForeignReplica extends Error {}

/**
 * Measures the lag by positions in the write-ahead log: a standby that has replayed what the primary had written at
 * some time is behind by the time since then at most. Clocks of the servers do not matter, nor whether anything is
 * written. `keepMs` is the largest lag that can be told.
 */
export function replicaLag(primary: pg.Pool, replica: pg.Pool, keepMs: number): ReplicaLag {
  /** What the primary had written at which time, oldest first. */
  let written: { atMs: number; position: number }[] = [];
  /** The standby has all that the primary had written at this time. */
  let completeAtMs = Number.NEGATIVE_INFINITY;
  return {
    ms: () => performance.now() - completeAtMs,
    async look() {
      const atMs = performance.now();
      const source = await stateOf(primary);
      written = [...written.filter((then) => atMs - then.atMs <= keepMs), { atMs, position: source.position }];
      const { system, isStandby, position } = await stateOf(replica);
      if (system !== source.system) throw new ForeignReplica('it is no standby of the server of DATABASE_URL');
      if (!isStandby) throw new Error('It is no standby: it has become a primary, or the address leads to one.');
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
  /** Bytes of the write-ahead log that are written, or replayed. */
  position: number;
}

async function stateOf(pool: pg.Pool): Promise<ServerState> {
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
  if (!state) throw new Error('The server does not tell its state.');
  return state;
}
