import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { archiveMonths } from '../database/archive/archive-months.ts';
import type { Manifest } from '../database/archive/manifest.ts';
import { type ArchiveQuery, readArchive } from '../database/archive/read-archive.ts';
import { verifyArchive } from '../database/archive/verify-archive.ts';
import { openDatabase } from '../database/database.ts';
import { directUrlOf } from '../database/pool.ts';
import { join, type Sql } from '../database/sql.ts';
import { type AuditKeys, openAuditKeys } from '../keys/audit-keys.ts';
import { createLog } from '../observability/log.ts';
import { openConfig } from '../operating/open-config.ts';
import { assertKeys, auditSettings } from '../operating/prepare-keys.ts';
import { asOwner, ownerOf } from '../operating/prepare-vault.ts';
import { type Config, ConfigError } from '../settings/config.ts';
import { recordParts } from '../unit-of-work/records.ts';
import { assertDatabaseExists, clockOfDatabase, databaseOf, readArguments, runCommand, UsageError } from './command.ts';

const help = `Moves closed months of events and of the audit log from the database to ARCHIVE_DIR, and reads them there.

  npm run archive              moves what is older than ARCHIVE_KEEP_MONTHS
  npm run archive -- verify    reads every file, and compares it with its manifest and with the database
  npm run archive -- read      prints rows, each a line of JSON

  --kind events|audit          of read: only events, or only audit rows
  --id <id>                    the row with this id
  --account <id>               events of this account
  --object <id>                events of this object, and audit rows about it
  --from <time>, --to <time>   from a time on, and before one, such as 2026-10-31T12:00:00Z
`;

const options = {
  kind: { type: 'string' },
  id: { type: 'string' },
  account: { type: 'string' },
  object: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
} as const;

await runCommand(async () => {
  const { values, positionals } = readArguments(() => parseArgs({ options, allowPositionals: true }), help);
  const [command = 'move', ...more] = positionals;
  const isRead = command === 'read';
  if (!['move', 'verify', 'read'].includes(command) || more.length > 0 || (!isRead && Object.keys(values).length > 0))
    throw new UsageError('This command takes other arguments.', help);
  const query = queryOf(values);
  const config = await openConfig(process.env, { isCommand: true });
  const { dir } = config.archive;
  if (dir === null) throw new ConfigError('ARCHIVE_DIR is not set: it names the directory of the archive.');
  if (isRead) return print(dir, query);
  return command === 'verify' ? verify(config, dir) : move(config, dir);
});

function queryOf({ kind, from, to, ...named }: Partial<Record<keyof typeof options, string>>): ArchiveQuery {
  if (kind !== undefined && kind !== 'events' && kind !== 'audit')
    throw new UsageError('--kind must be events or audit.', help);
  return { kind, from: momentOf('--from', from), to: momentOf('--to', to), ...named };
}

function momentOf(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const moment = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text) || Number.isNaN(moment.getTime()))
    throw new UsageError(`${option} must be a time in UTC, such as 2026-10-31T12:00:00Z.`, help);
  return moment;
}

async function move(config: Config, dir: string): Promise<number> {
  const { keepMonths } = config.archive;
  if (keepMonths === null)
    throw new ConfigError('ARCHIVE_KEEP_MONTHS is not set: it says how many months stay in the database.');
  assertDatabaseExists(config);
  const log = createLog({ level: 'warn', destination: process.stderr });
  const server = await databaseOf(config, log);
  try {
    // Else the rows that this writes to the audit log would be under nobody's key.
    await asOwner(...ownerOf(server), (owner) => assertKeys(config, owner, { only: auditSettings }));
    const now = (await clockOfDatabase(server, log)).earliest();
    const keys = openAuditKeys(config.auditKeys);
    const moved = await archiveMonths({
      ownerUrl: server.ownerUrl ?? directUrlOf(config) ?? server.url,
      dir,
      keepMonths,
      now,
      record: (manifest) => recordedIn(manifest, now, keys),
    });
    for (const { name, rows } of moved) process.stdout.write(`${name}: ${rows} rows.\n`);
    process.stdout.write(`${moved.length} files were written to ${dir}.\n`);
    return 0;
  } finally {
    await server.stop();
  }
}

/** The digest of a file is part of the audit log's chain. */
function recordedIn({ name, rows, sha256 }: Manifest, now: Date, auditKeys: AuditKeys): Sql {
  const actor = { kind: 'operator-cli', id: 'archive' };
  const by = { actor, requestId: `archive_${name}`, ip: null, now, testClockId: null, auditKeys };
  return join(recordParts(by, [], [{ action: 'archiveRows', target: name, after: { rows, sha256 } }]), ', ');
}

async function verify(config: Config, dir: string): Promise<number> {
  assertDatabaseExists(config);
  const log = createLog({ level: 'error', destination: process.stderr });
  const server = await databaseOf(config, log);
  try {
    const { pool, close } = await openDatabase({ url: server.url, poolSize: 1, log, applicationName: 'archive' });
    try {
      const { files, rows, problems } = await verifyArchive(pool, dir);
      for (const problem of problems) process.stderr.write(`${problem}\n`);
      if (problems.length === 0)
        process.stdout.write(
          `The archive is whole: ${rows} rows in ${files} files. npm run audit:verify proves its chain.\n`,
        );
      return problems.length === 0 ? 0 : 1;
    } finally {
      await close();
    }
  } finally {
    await server.stop();
  }
}

async function print(dir: string, query: ArchiveQuery): Promise<number> {
  async function* text(): AsyncGenerator<string> {
    for await (const line of readArchive(dir, query)) yield `${line}\n`;
  }
  try {
    await pipeline(text, process.stdout, { end: false });
  } catch (error) {
    // What reads the rows, such as `head`, needs no more of them.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
  return 0;
}
