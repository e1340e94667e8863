import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import type { DatabaseUrls } from '../prepare-database.ts';

export const superuser = 'platform';
export const database = 'platform';

export function urlOf(port: number, password: string): string {
  return `postgresql://${superuser}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

/** The URL of the role of a server, which owns nothing. Its password is derived from that of the owner. */
export function asServerRole(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.password = createHmac('sha256', url.password).update('platform_server').digest('base64url');
  url.username = 'platform_server';
  return url.href;
}

export function localUrls(ownerUrl: string): DatabaseUrls {
  return { url: asServerRole(ownerUrl), ownerUrl };
}

/** The URL of another database of the same server. */
export function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${encodeURIComponent(name)}`;
  return other.href;
}

/** The port of the running server: the fourth line of postmaster.pid, as PostgreSQL documents it. */
export function runningPort(dir: string): number | undefined {
  try {
    const port = Number(readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')[3]);
    return port > 0 ? port : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process of the server exists that postmaster.pid names. A server that crashed leaves the file. */
export function isRunning(dir: string): boolean {
  try {
    process.kill(Number.parseInt(readFileSync(join(dir, 'postmaster.pid'), 'utf8'), 10), 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}

/**
 * Waits, where nothing can be awaited any more, for the file by which a server that is being started can be stopped.
 */
export function awaitPidFile(dir: string): void {
  const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  for (const until = performance.now() + 3_000; runningPort(dir) === undefined && performance.now() < until; )
    Atomics.wait(never, 0, 0, 50);
}

/** Whether this server accepts connections. Another program on its port would not accept the password. */
export async function acceptsConnections(url: string, attempts = 20): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const client = new pg.Client({ connectionString: withDatabase(url, 'postgres'), connectionTimeoutMillis: 2_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return true;
    } catch (error) {
      // 57P03: the server is starting, recovering or stopping. Other errors are permanent.
      if ((error as { code?: string }).code !== '57P03') return false;
      await new Promise((resume) => setTimeout(resume, 250));
    }
  }
  return false;
}

/** A free port, the preferred one if possible. */
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

/** The port of the last start, so that tools connected to this database keep working; 0 before the first start. */
export function storedPort(dir: string): number {
  return existsSync(portFile(dir)) && statSync(portFile(dir)).isFile()
    ? Number(readFileSync(portFile(dir), 'utf8')) || 0
    : 0;
}

/** Stores the port for the next start. */
export function portFile(dir: string): string {
  return `${dir}.port`;
}
