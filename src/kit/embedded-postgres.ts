import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { binariesOf, postgresUser, run, type Run } from './postgres-programs.ts';

export interface EmbeddedPostgres {
  url: string;
  /** `immediate` is for tests: it leaves the server as a crash does. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The data directory. Made when it is not there. */
  dir: string;
  password: string;
  /** Gives up safety against a power cut for speed. For tests only. */
  disposable?: boolean;
  maxConnections?: number;
  /** Fills the database when it is made. It then exists filled or not at all: a start that is broken off does all of it again. */
  fill?(url: string): Promise<void>;
}

/** A second start on the same data. Its message is one sentence for the operator. */
export class AlreadyRunning extends Error {
  /** The database, which the other process owns. */
  readonly url: string;

  constructor(dir: string, url: string) {
    super(
      `The platform is already running on the data in ${dir}; stop it first, or start this one with another PLATFORM_DIR and PORT.`,
    );
    this.url = url;
  }
}

const user = 'platform';
const database = 'platform';
const draftDatabase = 'platform_draft';
/** Held by the one platform process that owns this server, for as long as it lives: PostgreSQL lets go of it however that process dies. */
const ownerLock = 471_100_001;
/** How long the remains of a killed server may take to disappear. */
const lettingGoMaxMs = 15_000;

/**
 * A real PostgreSQL of our own. It runs as a daemon, so that nothing that happens to this process reaches it in the middle of
 * a write; one that a killed process left running is taken over.
 */
export async function startEmbeddedPostgres({
  dir,
  password,
  disposable = false,
  maxConnections = 100,
  fill,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const programs = await binariesOf();
  const as = await postgresUser([dirname(dir), programs.postgres]);
  if (!existsSync(join(dir, 'PG_VERSION'))) await initialize(dir, password, programs.initdb, as);
  let port = runningPort(dir);
  // pg_ctl's own test: a pid file whose process is gone, or is another program by now, is stale and the start replaces it.
  if (port === undefined || !(await answers(urlOf(port, password)))) {
    port = await freePort(keptPort(dir));
    await start();
  }

  async function start(): Promise<void> {
    const settings = [
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
    const log = join(dir, 'server.log');
    rmSync(log, { force: true });
    for (const until = performance.now() + lettingGoMaxMs; ; await new Promise((resume) => setTimeout(resume, 250))) {
      try {
        return await run(programs.pg_ctl, ['start', '-s', '-w', '-t', '60', '-D', dir, '-l', log, '-o', settings], as);
      } catch (error) {
        // Another start on this data won; its server is the one to use.
        const winner = runningPort(dir);
        if (winner !== undefined && (await answers(urlOf(winner, password), 50))) return void (port = winner);
        // A server that was killed a moment ago: its processes hold on to the data until the system has cleared them away.
        if (
          performance.now() < until &&
          /postmaster\.pid" already exists|pre-existing shared memory/.test(readFileSync(log, 'utf8'))
        )
          continue;
        throw new Error(`The embedded PostgreSQL did not start; ${log} says why.`, { cause: error });
      }
    }
  }

  const url = urlOf(port, password);
  const owner = await own(url, dir);
  try {
    await makeDatabase(owner, url, fill);
  } catch (error) {
    await owner.end().catch(() => {});
    await run(programs.pg_ctl, ['stop', '-s', '-w', '-t', '20', '-m', 'fast', '-D', dir], as);
    throw error;
  }
  writeFileSync(portFile(dir), `${port}\n`);
  return {
    url,
    async stop(mode = 'fast') {
      await owner.end().catch(() => {});
      await run(programs.pg_ctl, ['stop', '-s', '-w', '-t', '20', '-m', mode, '-D', dir], as);
    },
  };
}

/** Makes the data directory aside and moves it into place, so that an interrupted first start leaves nothing half made. */
async function initialize(dir: string, password: string, initdb: string, as: Run): Promise<void> {
  const parent = dirname(dir);
  mkdirSync(parent, { recursive: true });
  const draft = `${dir}.new-${process.pid}`;
  const passwordFile = `${draft}.password`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (as.uid !== undefined && as.gid !== undefined)
    for (const path of [draft, passwordFile]) chownSync(path, as.uid, as.gid);
  chmodSync(draft, 0o700);
  try {
    await run(
      initdb,
      [
        '-D',
        draft,
        '-U',
        user,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--locale=C',
        '--encoding=UTF8',
        '--no-instructions',
        '--no-sync',
      ],
      as,
    );
    renameSync(draft, dir);
  } catch (error) {
    if (!existsSync(join(dir, 'PG_VERSION'))) throw error;
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Keeps one connection that says whose server this is. */
async function own(url: string, dir: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: withDatabase(url, 'postgres'),
    application_name: 'platform-owner',
    keepAlive: true,
  });
  // The server may be restarted under us. The lock is then lost, which costs no more than the sentence of the refusal.
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [ownerLock]);
  if (rows[0]?.mine) return client;
  await client.end();
  throw new AlreadyRunning(dir, url);
}

/** Makes the database under another name and moves it into place when it is filled, so that a kill in between leaves a draft and nothing half made. */
async function makeDatabase(owner: pg.Client, url: string, fill: EmbeddedPostgresOptions['fill']): Promise<void> {
  const { rowCount } = await owner.query('SELECT FROM pg_database WHERE datname = $1', [database]);
  if (rowCount === 1) return;
  await owner.query(`DROP DATABASE IF EXISTS ${draftDatabase} WITH (FORCE)`);
  await owner.query(`CREATE DATABASE ${draftDatabase}`);
  await fill?.(withDatabase(url, draftDatabase));
  await owner.query(`ALTER DATABASE ${draftDatabase} RENAME TO ${database}`);
}

/** The port in postmaster.pid, where there is one. Its fourth line, as PostgreSQL documents it. */
function runningPort(dir: string): number | undefined {
  try {
    const port = Number(readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')[3]);
    return port > 0 ? port : undefined;
  } catch {
    return undefined;
  }
}

/** Whether our server answers there: another program on that port would not know the password. */
async function answers(url: string, attempts = 20): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const client = new pg.Client({ connectionString: withDatabase(url, 'postgres'), connectionTimeoutMillis: 2_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return true;
    } catch (error) {
      // 57P03: it is starting up or recovering, or on its way down; anything else will not change by waiting.
      if ((error as { code?: string }).code !== '57P03') return false;
      await new Promise((resume) => setTimeout(resume, 250));
    }
  }
  return false;
}

/** The port of last time where it is still free, so that tools pointed at this database keep working. */
export async function freePort(preferred = 0): Promise<number> {
  const server = createServer();
  const port = await new Promise<number | undefined>((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(preferred, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : undefined);
    });
  });
  if (port === undefined) return freePort(0);
  await new Promise((closed) => server.close(closed));
  return port;
}

function keptPort(dir: string): number {
  return existsSync(portFile(dir)) && statSync(portFile(dir)).isFile()
    ? Number(readFileSync(portFile(dir), 'utf8')) || 0
    : 0;
}

function portFile(dir: string): string {
  return `${dir}.port`;
}

function urlOf(port: number, password: string): string {
  return `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

/** The same server's other database. */
export function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${encodeURIComponent(name)}`;
  return other.href;
}
