import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { copyRunningData, giveTo } from '../../src/local/copy-data.ts';
import {
  binariesOf,
  initializeData,
  type Programs,
  postgresUser,
  type Run,
  run,
  superuser,
  urlOf,
  withDatabase,
} from '../../src/local/postgres-programs.ts';
import { freePort } from './ports.ts';

/** Two PostgreSQL servers, of which the primary confirms a commit when the standby has it. */
export interface DatabasePair {
  /** The URL of the primary. */
  readonly url: string;
  /** The URL of the standby. */
  readonly standbyUrl: string;
  /** Kills the primary with kill -9. */
  kill(): void;
  /** Makes the standby the primary, which then confirms commits alone. */
  promote(): Promise<void>;
  /** Makes the killed server the standby of the new primary, which from then on waits for it. */
  rejoin(): Promise<void>;
  /** Makes the primary confirm commits alone, or wait for a standby. */
  waitForStandby(waits: boolean): Promise<void>;
  stop(): Promise<void>;
}

interface Node {
  dir: string;
  port: number;
}

const password = 'test';

export async function startDatabasePair(parent: string): Promise<DatabasePair> {
  const programs = await binariesOf();
  const nodes = [];
  for (const name of ['a', 'b']) nodes.push({ dir: join(parent, name), port: await freePort() });
  let [primary, standby] = nodes as [Node, Node];
  const as = await postgresUser([parent, programs.postgres]);
  await initializeData(primary.dir, password, programs.initdb, as);
  await start(programs, primary, as);
  await onServer(urlOf(primary.port, password), 'CREATE DATABASE platform');

  /** A copy of the running primary, as pg_basebackup makes it, which the package does not contain. */
  async function copyToStandby(): Promise<void> {
    rmSync(standby.dir, { recursive: true, force: true });
    await copyRunningData(withDatabase(urlOf(primary.port, password), 'postgres'), primary.dir, standby.dir);
    writeFileSync(join(standby.dir, 'standby.signal'), '');
    const conninfo = `host=127.0.0.1 port=${primary.port} user=${superuser} password=${password}`;
    writeFileSync(join(standby.dir, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
    giveTo(standby.dir, as);
    await start(programs, standby, as);
  }

  async function waitForStandby(waits: boolean): Promise<void> {
    const url = withDatabase(urlOf(primary.port, password), 'postgres');
    await onServer(url, `ALTER SYSTEM SET synchronous_standby_names = '${waits ? '*' : ''}'`);
    await onServer(url, 'SELECT pg_reload_conf()');
  }

  await copyToStandby();
  await waitForStandby(true);
  return {
    get url() {
      return urlOf(primary.port, password);
    },
    get standbyUrl() {
      return urlOf(standby.port, password);
    },
    kill() {
      const pid = Number(readFileSync(join(primary.dir, 'postmaster.pid'), 'utf8').split('\n')[0]);
      process.kill(pid, 'SIGKILL');
    },
    async promote() {
      await run(programs.pg_ctl, ['promote', '-s', '-w', '-t', '60', '-D', standby.dir], as);
      [primary, standby] = [standby, primary];
    },
    async rejoin() {
      await copyToStandby();
      await waitForStandby(true);
    },
    waitForStandby,
    async stop() {
      for (const { dir } of [standby, primary])
        await run(programs.pg_ctl, ['stop', '-s', '-w', '-m', 'immediate', '-D', dir], as).catch(() => {});
    },
  };
}

async function start({ pg_ctl }: Programs, { dir, port }: Node, as: Run): Promise<void> {
  const settings = [
    `-p ${port}`,
    '-c listen_addresses=127.0.0.1',
    "-c unix_socket_directories=''",
    '-c shared_buffers=64MB',
    '-c wal_keep_size=512MB',
    '-c timezone=UTC',
  ].join(' ');
  await run(pg_ctl, ['start', '-s', '-w', '-t', '60', '-D', dir, '-l', join(dir, 'server.log'), '-o', settings], as);
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(url, 'postgres') });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
