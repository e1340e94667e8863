import { chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withClient } from '../database/client.ts';
import { queryRow, sql } from '../database/sql.ts';
import { ConfigError } from '../settings/config.ts';
import type { Run } from './postgres-programs.ts';

/**
 * Copies the data directory of a running server, as pg_basebackup does, which the embedded PostgreSQL does not contain.
 * A server that starts on the copy has all that was committed before the copy was complete.
 */
export async function copyRunningData(url: string, from: string, to: string): Promise<void> {
  await withClient(url, 'platform-backup', async (client) => {
    const start = await queryRow<{ segment: string }>(
      client,
      sql`SELECT pg_walfile_name(pg_backup_start('platform', true)) AS segment`,
    );
    copyFiles(from, to, /\/postmaster\.(pid|opts)$|\/server\.log$|\/pg_wal\/.|\/standby\.signal$/);
    const end = await queryRow<{ label: string }>(client, sql`SELECT labelfile AS label FROM pg_backup_stop(false)`);
    writeFileSync(join(to, 'backup_label'), end?.label ?? '', { mode: 0o600 });
    // The log that a server needs to complete the copy.
    copyFiles(join(from, 'pg_wal'), join(to, 'pg_wal'), /\/archive_status\/./);
    if (!existsSync(join(to, 'pg_wal', start?.segment ?? '')))
      throw new ConfigError('PostgreSQL has removed a part of its log during the copy; run the command again.');
  });
}

/** Copies a folder, of which a file may be deleted meanwhile. `without`: paths that are left out. */
export function copyFiles(from: string, to: string, without?: RegExp): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (without?.test(source)) continue;
    if (entry.isDirectory()) copyFiles(source, target, without);
    else
      try {
        copyFileSync(source, target);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT' && !existsSync(source))) throw error;
      }
  }
}

/** Gives a folder to the user that runs PostgreSQL's programs. */
export function giveTo(path: string, as: Run): void {
  if (as.uid === undefined || as.gid === undefined) return;
  chownSync(path, as.uid, as.gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) giveTo(join(path, entry.name), as);
    else chownSync(join(path, entry.name), as.uid, as.gid);
  }
}
