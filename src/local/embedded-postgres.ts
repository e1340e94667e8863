import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type pg from 'pg';
import type { Log } from '../observability/log.ts';
import type { DatabaseUrls } from '../operating/prepare-database.ts';
import { besidePool, reservedConnections } from '../runtime/pool-share.ts';
import { type Config, ConfigError, type DatabaseConfig } from '../settings/config.ts';
import { fillInChild } from './fill-child.ts';
import { AlreadyRunning, lockServer, type OwnerLock, useServer } from './owner-lock.ts';
import {
  acceptsConnections,
  awaitPidFile,
  binariesOf,
  database,
  freePort,
  initializeData,
  isRunning,
  localUrls,
  type Programs,
  portFile,
  postgresUser,
  type Run,
  run,
  runAtExit,
  runningPort,
  storedPort,
  urlOf,
  withDatabase,
} from './postgres-programs.ts';

export interface EmbeddedPostgres {
  url: string;
  /** `immediate` is for tests: it stops the server as a crash would. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

interface EmbeddedPostgresOptions {
  /** The data directory, created if it does not exist. */
  dir: string;
  password: string;
  /** Disables durability to be faster. For tests only. */
  disposable?: boolean;
  maxConnections?: number;
  /** The process that runs the platform on this data, for the error of a second start. */
  owner?: string;
  /** Whether this process takes over a running server without an owner, and stops it at its end. A command does not. */
  takesOver?: boolean;
  /** Called when the server of a killed process is taken over. */
  tookOver?(): void;
  /** Fills a new database. An interrupted start leaves no database, and the next start fills it again. */
  fill?(url: string): Promise<void>;
}

const draftDatabase = 'platform_draft';
/** The maximum time that the processes of a killed server take to end. */
const releaseMaxMs = 15_000;

/**
 * Starts PostgreSQL as a daemon, so that a signal to this process never interrupts a write. A server that a killed
 * process left running is taken over.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dir, password, fill } = options;
  const programs = await binariesOf();
  const as = await postgresUser([dirname(dir), programs.postgres]);
  const stop = (mode: 'fast' | 'immediate') =>
    run(programs.pg_ctl, ['stop', '-s', '-w', '-t', '20', '-m', mode, '-D', dir], as).catch((error: unknown) => {
      // It has crashed, but its connections do not show it yet.
      if (isRunning(dir)) throw error;
    });
  if (!existsSync(join(dir, 'PG_VERSION'))) await initializeData(dir, password, programs.initdb, as);
  // When this process ends in any way except a kill, its server ends too.
  let isOurs = false;
  let lockOf: OwnerLock | undefined;
  const stopAtExit = (): void => {
    if (!isOurs || lockOf?.isHeld() === false) return;
    if (lockOf === undefined) awaitPidFile(dir);
    runAtExit(programs.pg_ctl, ['stop', '-s', '-w', '-t', '5', '-m', 'fast', '-D', dir], as);
  };
  process.once('exit', stopAtExit);
  const { port, isTakenOver } = await runServer(options, programs, as, (isStarting) => {
    isOurs = isStarting;
  });
  const url = urlOf(port, password);
  const lock = await lockServer(url, options).catch((error: unknown) => {
    if (error instanceof AlreadyRunning) isOurs = false;
    throw error;
  });
  lockOf = lock;
  const isCommand = options.takesOver === false;
  const isUsedOnly = isTakenOver && isCommand;
  isOurs = !isUsedOnly;
  if (isTakenOver && !isCommand) options.tookOver?.();
  const close = async (mode: 'fast' | 'immediate') => {
    // If the platform reconnected to the server meanwhile, it continues to use it.
    const isLeft = isUsedOnly || (isCommand && (await lock.isWanted().catch(() => false)));
    await lock.release(isLeft ? undefined : () => stop(mode));
    process.removeListener('exit', stopAtExit);
  };
  try {
    await createDatabase(lock.client, url, fill);
  } catch (error) {
    await close('fast');
    throw error;
  }
  if (isUsedOnly) {
    const end = await useServer(url);
    await close('fast');
    return { url, stop: end };
  }
  writeFileSync(portFile(dir), `${port}\n`);
  return { url, stop: (mode = 'fast') => close(mode) };
}

/** The port of the server that runs on the data. Starts a server if there is none. */
async function runServer(
  options: EmbeddedPostgresOptions,
  programs: Programs,
  as: Run,
  tell: (isStarting: boolean) => void,
): Promise<{ port: number; isTakenOver: boolean }> {
  const { dir, password } = options;
  const running = runningPort(dir);
  // As with pg_ctl, the start replaces a pid file whose process has ended, or whose pid another program now has.
  if (running !== undefined && (await acceptsConnections(urlOf(running, password))))
    return { port: running, isTakenOver: true };
  const port = await freePort(storedPort(dir));
  const log = join(dir, 'server.log');
  rmSync(log, { force: true });
  const start = ['start', '-s', '-w', '-t', '60', '-D', dir, '-l', log, '-o', serverSettings(port, options)];
  for (const until = performance.now() + releaseMaxMs; ; await new Promise((resume) => setTimeout(resume, 250))) {
    try {
      tell(true);
      await run(programs.pg_ctl, start, as);
      return { port, isTakenOver: false };
    } catch (error) {
      tell(false);
      // A concurrent start on this data has started the server.
      const winner = runningPort(dir);
      if (winner !== undefined && (await acceptsConnections(urlOf(winner, password), 50)))
        return { port: winner, isTakenOver: true };
      // A concurrent start is not that far yet and may have removed the log, or processes of a killed server use the data.
      const said = existsSync(log) ? readFileSync(log, 'utf8') : '';
      const isInUse = isRunning(dir) || /postmaster\.pid" already exists|pre-existing shared memory/.test(said);
      if (isInUse && performance.now() < until) continue;
      const [, fault, detail] = /(?:FATAL|PANIC): +(.*)(?:\n.*DETAIL: +(.*?)\.?$)?/m.exec(said) ?? [];
      const reason = [fault ?? said.trim().split('\n')[0], detail].filter(Boolean).join(': ') || `see ${log}`;
      throw new ConfigError(
        `The embedded PostgreSQL did not start on ${dir}: ${reason}. Correct that, or set DATABASE_URL to a server ` +
          'of your own.',
        { cause: error },
      );
    }
  }
}

function serverSettings(
  port: number,
  { disposable = false, maxConnections = 100 }: Pick<EmbeddedPostgresOptions, 'disposable' | 'maxConnections'>,
): string {
  return [
    `-p ${port}`,
    '-c listen_addresses=127.0.0.1',
    "-c unix_socket_directories=''",
    `-c max_connections=${maxConnections}`,
    '-c shared_buffers=256MB',
    '-c timezone=UTC',
    '-c max_wal_size=1GB',
    '-c random_page_cost=1.1',
    ...(disposable
      ? ['-c fsync=off', '-c synchronous_commit=off', '-c full_page_writes=off', '-c shared_buffers=128MB']
      : []),
  ].join(' ');
}

/** Creates the database under another name and renames it when it is filled, so that a kill leaves only a draft. */
async function createDatabase(owner: pg.Client, url: string, fill: EmbeddedPostgresOptions['fill']): Promise<void> {
  const { rowCount } = await owner.query('SELECT FROM pg_database WHERE datname = $1', [database]);
  if (rowCount === 1) return;
  await owner.query(`DROP DATABASE IF EXISTS ${draftDatabase} WITH (FORCE)`);
  await owner.query(`CREATE DATABASE ${draftDatabase}`);
  await fill?.(withDatabase(url, draftDatabase));
  await owner.query(`ALTER DATABASE ${draftDatabase} RENAME TO ${database}`);
}

export type EmbeddedDatabase = Extract<DatabaseConfig, { kind: 'embedded' }>;

export interface LocalDatabase extends DatabaseUrls, Pick<EmbeddedPostgres, 'stop'> {}

/**
 * Starts the embedded PostgreSQL, with a role that owns the tables and one for the server. Its database is created with
 * its tables and, outside production, the demo tenant, unless `fill` does something else. A command does not take over
 * a running server, and leaves it running.
 */
export async function startLocalDatabase(
  config: Config,
  { dir, password }: EmbeddedDatabase,
  log: Log,
  {
    fill = (ownerUrl) => fillInChild(config, ownerUrl, log),
    takesOver = true,
  }: Pick<EmbeddedPostgresOptions, 'fill' | 'takesOver'> = {},
): Promise<LocalDatabase> {
  if (!existsSync(join(dir, 'PG_VERSION'))) log.info(`A database is being created in ${dir}.`);
  const { url, stop } = await startEmbeddedPostgres({
    dir,
    password,
    owner: takesOver ? `process ${process.pid}, PORT ${config.port}` : `a command, process ${process.pid}`,
    tookOver: () => log.warn('The PostgreSQL of a platform that was killed was still running, and was taken over.'),
    ...(config.workers > 1 && {
      maxConnections: Math.max(100, config.workers * (config.databasePoolSize + besidePool) + reservedConnections + 10),
    }),
    takesOver,
    fill,
  });
  return { ...localUrls(url), stop };
}
