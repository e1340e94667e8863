import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { openClient } from '../database/client.ts';
import { queryRow, sql } from '../database/sql.ts';
import { ConfigError } from '../settings/config.ts';
import { withDatabase } from './postgres-programs.ts';

/** Another process already runs the platform on the same data. */
export class AlreadyRunning extends ConfigError {
  /** The database that the other process owns. */
  readonly url: string;

  constructor(dir: string, url: string, owner: string) {
    super(
      `The platform is already running on the data in ${dir}${owner === '' ? '' : ` (${owner})`}; stop it first, or ` +
        'start this one with another PLATFORM_DIR and PORT.',
    );
    this.url = url;
  }
}

/** The advisory lock of the process that owns this server. PostgreSQL releases it when that process ends. */
const ownerLock = 471_100_001;
/** Shared by the commands that use a server that another process has started. */
const usersLock = 471_100_018;
const ownerName = 'platform-owner ';
const againMs = 200;
/** The connections that have the lock or wait for it. */
const ownerLocks = sql`pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND objid = ${ownerLock}`;

/** One connection that marks a server as owned by this process. */
export interface OwnerLock {
  /** The connection of the start, on which the database is created. */
  client: pg.Client;
  /** False after a crash of the server until the lock is acquired again. */
  isHeld(): boolean;
  /**
   * Waits for the commands that also use the server. Returns whether another process waits for it: a platform whose own
   * server crashed before this one was started.
   */
  isWanted(): Promise<boolean>;
  /**
   * Stops the server, unless another process has the lock, and releases it. A command that comes before the stop finds
   * the lock taken: otherwise it would use a server that is about to end.
   */
  release(stop?: () => Promise<void>): Promise<void>;
}

/**
 * Acquires the lock. Throws `AlreadyRunning` if another process has it. It is acquired again after a crash of the
 * server.
 */
export async function lockServer(
  url: string,
  { dir, owner = '' }: { dir: string; owner?: string },
): Promise<OwnerLock> {
  let held: pg.Client | null = null;
  let waiting: pg.Client | null = null;
  let isReleased = false;

  function open(): Promise<pg.Client> {
    const options = { connectionTimeoutMillis: 5_000, keepAlive: true };
    return openClient(withDatabase(url, 'postgres'), `${ownerName}${owner}`, options);
  }
  function hold(client: pg.Client): pg.Client {
    held = client;
    client.once('end', () => {
      held = null;
      if (!isReleased) void again();
    });
    return client;
  }
  /**
   * Reacquires the lock. A server that crashed is back soon, or a command starts it and holds the lock until it ends.
   */
  async function again(): Promise<void> {
    const isLost = (): boolean => !isReleased && held === null;
    for (; isLost(); await wait(againMs, undefined, { ref: false })) {
      try {
        waiting = await open();
        await waiting.query('SELECT pg_advisory_lock($1)', [ownerLock]);
        if (!isReleased) hold(waiting);
      } catch {
        // The server is not back yet.
      }
      if (held === null) await waiting?.end().catch(() => {});
      waiting = null;
    }
  }

  const client = await open();
  if (!(await tryLock(client))) {
    const running = await ownerOf(client);
    await client.end();
    throw new AlreadyRunning(dir, url, running);
  }
  hold(client);
  return {
    client,
    isHeld: () => held !== null,
    isWanted: async () => {
      await held?.query('SELECT pg_advisory_lock($1)', [usersLock]);
      const waiter = held && (await queryRow(held, sql`SELECT pid FROM ${ownerLocks} AND NOT granted`));
      return Boolean(waiter);
    },
    release: async (stop) => {
      isReleased = true;
      await waiting?.end().catch(() => {});
      // The server may have just crashed and be back.
      const last = held ?? (await open().catch(() => null));
      const isTaken = last !== null && last !== held && !(await tryLock(last).catch(() => true));
      try {
        if (!isTaken) await stop?.();
      } finally {
        await last?.end().catch(() => {});
      }
    },
  };
}

/** Prevents a command that has started the server from stopping it. */
export async function useServer(url: string): Promise<() => Promise<void>> {
  const client = await openClient(withDatabase(url, 'postgres'), 'platform-command');
  await client.query('SELECT pg_advisory_lock_shared($1)', [usersLock]);
  return () => client.end().catch(() => {});
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const row = await queryRow<{ isOwner: boolean }>(client, sql`SELECT pg_try_advisory_lock(${ownerLock}) AS "isOwner"`);
  return row?.isOwner ?? false;
}

/** The description of the process that holds the lock. */
async function ownerOf(client: pg.Client): Promise<string> {
  const row = await queryRow<{ name: string }>(
    client,
    sql`
      SELECT application_name AS name
      FROM ${ownerLocks}
        AND granted
        AND starts_with(application_name, ${ownerName})`,
  );
  return row?.name.slice(ownerName.length) ?? '';
}
