import { randomBytes } from 'node:crypto';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { initializeData, postgresUser, run, urlOf, withDatabase } from '../../src/local/postgres-programs.ts';
import { freePort } from './ports.ts';

/** A server with the programs that `platform backup` needs, which the embedded PostgreSQL does not contain. */
export interface PackagedPostgres {
  /** The URL of the superuser, to the database `platform`, which does not exist. */
  url: string;
  /** Creates an empty database and returns its URL. */
  emptyDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the newest PostgreSQL that is installed as Debian's package `postgresql`, on new data in a folder. */
export async function startPackagedPostgres(dir: string): Promise<PackagedPostgres> {
  const bin = globSync('/usr/lib/postgresql/*/bin').sort().at(-1);
  if (bin === undefined) throw new Error('The tests of backups need the package postgresql: .ci/packages installs it.');
  const as = await postgresUser([join(dir, '..'), bin]);
  await initializeData(dir, 'test', join(bin, 'initdb'), as);
  const port = await freePort();
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off`;
  const start = ['start', '-s', '-w', '-t', '60', '-D', dir, '-l', join(dir, 'server.log'), '-o', settings];
  await run(join(bin, 'pg_ctl'), start, as);
  const url = urlOf(port, 'test');
  return {
    url,
    async emptyDatabase() {
      const name = `empty_${randomBytes(8).toString('hex')}`;
      const client = new pg.Client({ connectionString: withDatabase(url, 'postgres') });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return withDatabase(url, name);
    },
    stop: () => run(join(bin, 'pg_ctl'), ['stop', '-s', '-w', '-m', 'immediate', '-D', dir], as),
  };
}
