import pg from 'pg';
import { ConfigError } from '../../settings/config.ts';
import { parserOf } from '../database.ts';
import { ownsTables } from '../server-role.ts';
import { execute, type Queryable, queryRow, type Sql, sql } from '../sql.ts';
import { writeArchiveFile } from './archive-file.ts';
import { allSeries, filesOf, type Manifest, pathsOf, readManifests, type Series } from './manifest.ts';
import { oldestKept } from './months.ts';
import { type ArchiveFile, filesInDatabase, insertPlan, nextPlan } from './plan.ts';
import { removeRows } from './remove-rows.ts';
import { rowsOf } from './rows-to-archive.ts';
import { fileProblem } from './verify-file.ts';

/** Held while rows are archived. The number is arbitrary and used for nothing else. */
const archiveLock = 471_100_016;

export interface ArchiveOptions {
  /** The database as the owner of its tables: nobody else may remove history. */
  ownerUrl: string;
  /** Where the files go. It exists. */
  dir: string;
  /** Months that stay beside the current one. */
  keepMonths: number;
  now: Date;
  /** CTEs that record a written file in the audit log, in the transaction from which on its rows may be removed. */
  record(manifest: Manifest): Sql;
  /** Called after each step, with the name of the file. */
  onStep?(step: ArchiveStep, name: string): void;
}

type ArchiveStep = 'planned' | 'stored' | 'verified' | 'written' | 'removing' | 'removed';

export interface Archived {
  name: string;
  rows: number;
}

/**
 * Moves the events and audit rows of closed months into files: the file is planned in the database, written, read back,
 * recorded, and only then are its rows removed, by the ids in it. It may be killed at any point: the next run goes on
 * with the same file. Returns what was moved.
 */
export async function archiveMonths(options: ArchiveOptions): Promise<Archived[]> {
  await filesOf(options.dir);
  const client = new pg.Client({
    connectionString: options.ownerUrl,
    application_name: 'platform-archive',
    types: { getTypeParser: parserOf },
  });
  client.on('error', () => {}); // the statement that uses a broken connection fails with the error
  await client.connect();
  try {
    await client.query("SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET statement_timeout = 0");
    await assertMayRemove(client);
    const moved: Archived[] = [];
    for (const file of await filesInDatabase(client))
      if (file.status !== 'removed') moved.push(...(await finish(client, options, file)));
    const border = oldestKept(options.now, options.keepMonths);
    for (const series of allSeries)
      for (;;) {
        const file = await planNext(client, options, series, border);
        if (file === null) break;
        moved.push(...(await finish(client, options, file)));
      }
    return moved;
  } finally {
    // The lock ends with the connection.
    await client.end();
  }
}

async function assertMayRemove(client: Queryable): Promise<void> {
  if (!(await ownsTables(client)))
    throw new ConfigError(
      'Only the owner of the tables may remove history: set MIGRATION_DATABASE_URL for this command.',
    );
  const lock = await queryRow<{ locked: boolean }>(client, sql`SELECT pg_try_advisory_lock(${archiveLock}) AS locked`);
  if (!lock?.locked) throw new ConfigError('Another process is archiving this database.');
}

async function planNext(
  client: Queryable,
  { dir, now, onStep }: ArchiveOptions,
  series: Series,
  border: string,
): Promise<ArchiveFile | null> {
  const plan = await nextPlan(client, series, border);
  if (plan === null) return null;
  const known = await filesInDatabase(client);
  const ofMonth = known.filter((file) => file.series === series && file.month === plan.month).length;
  const name = `${series}-${plan.month.slice(0, 7)}-${ofMonth + 1}`;
  const { data } = pathsOf(dir, name);
  if ((await filesOf(dir)).some((taken) => taken.startsWith(`${name}.json`)))
    throw new ConfigError(
      `${data} exists, and this database does not know it: it is of another database, or this one was restored from ` +
        'an older backup. Name another ARCHIVE_DIR.',
    );
  const file: ArchiveFile = { name, series, ...plan, status: 'planned', sha256: null };
  await insertPlan(client, file, now);
  onStep?.('planned', name);
  return file;
}

async function finish(client: Queryable, options: ArchiveOptions, file: ArchiveFile): Promise<Archived[]> {
  const { dir, now, onStep } = options;
  const { name } = file;
  const manifest = file.status === 'planned' ? await store(client, options, file) : await storedBefore(dir, file);
  if (manifest === null) {
    await execute(client, sql`DELETE FROM archive.files WHERE name = ${name} AND status = 'planned'`);
    return [];
  }
  await removeRows(client, manifest, dir, () => onStep?.('removing', name));
  await execute(client, sql`UPDATE archive.files SET status = 'removed', "removedAt" = ${now} WHERE name = ${name}`);
  onStep?.('removed', name);
  return [{ name, rows: manifest.rows }];
}

/** Writes a planned file, also over what a run that was killed left of it, reads it back and records it. */
async function store(client: Queryable, options: ArchiveOptions, file: ArchiveFile): Promise<Manifest | null> {
  const { dir, now, record, onStep } = options;
  const { name, series, month } = file;
  const about = { name, series, month: month.slice(0, 7), writtenAt: now.toISOString() };
  const manifest = await writeArchiveFile(dir, about, rowsOf(client, file));
  if (manifest === null) return null;
  onStep?.('stored', name);
  await assertWhole(dir, manifest);
  onStep?.('verified', name);
  await execute(
    client,
    sql`
      WITH ${record(manifest)}
      UPDATE archive.files
      SET status = 'written', rows = ${manifest.rows}, sha256 = ${manifest.sha256}
      WHERE name = ${name} AND status = 'planned'`,
  );
  onStep?.('written', name);
  return manifest;
}

/** The manifest of a file whose rows a run that was killed had begun to remove. */
async function storedBefore(dir: string, { name, sha256 }: ArchiveFile): Promise<Manifest> {
  const manifest = (await readManifests(dir)).find((one) => one.name === name);
  const { data } = pathsOf(dir, name);
  if (!manifest || manifest.sha256 !== sha256)
    throw new ConfigError(
      `${data} is missing or is another file, and its rows were being removed. Bring it back before anything else is ` +
        'archived: some of its rows may be nowhere else.',
    );
  await assertWhole(dir, manifest);
  return manifest;
}

async function assertWhole(dir: string, manifest: Manifest): Promise<void> {
  const problem = await fileProblem(dir, manifest);
  if (problem !== null)
    throw new ConfigError(`${pathsOf(dir, manifest.name).data} is damaged: ${problem}. Nothing more was removed.`);
}
