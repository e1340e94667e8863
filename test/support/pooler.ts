import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { asServerRole, postgresUser } from '../../src/local/postgres-programs.ts';
import { freePort } from './ports.ts';

export interface Pooler {
  port: number;
  stop(): Promise<void>;
}

/**
 * PgBouncer in transaction mode before a server, for a run of the tests behind it: `PGBOUNCER=/usr/sbin/pgbouncer`
 * names the program, 1.21 or newer.
 */
export async function startPooler(program: string, url: string, parent: string): Promise<Pooler> {
  const dir = join(parent, 'pooler');
  mkdirSync(dir);
  const port = await freePort();
  const users = [url, asServerRole(url)].map((one) => {
    const { username, password } = new URL(one);
    return `"${username}" "${decodeURIComponent(password)}"`;
  });
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${new URL(url).port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${join(dir, 'users.txt')}`,
    'pool_mode = transaction',
    'max_client_conn = 1000',
    'default_pool_size = 8',
    'max_prepared_statements = 200',
  ];
  writeFileSync(join(dir, 'users.txt'), users.join('\n'));
  writeFileSync(join(dir, 'pgbouncer.ini'), settings.join('\n'));
  const { uid, gid } = await postgresUser([parent]);
  if (uid !== undefined && gid !== undefined)
    for (const path of [parent, dir, join(dir, 'users.txt'), join(dir, 'pgbouncer.ini')]) chownSync(path, uid, gid);
  const child = spawn(program, ['-q', join(dir, 'pgbouncer.ini')], {
    stdio: 'ignore',
    ...(uid !== undefined && gid !== undefined && { uid, gid }),
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}.`);
    await delay(50);
  }
  return {
    port,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
