import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { withClient } from '../database/client.ts';
import { dumpDatabase, restoreDatabase } from '../database/dump.ts';
import { usedVaultKeys } from '../database/keys/used-keys.ts';
import { recordBackup } from '../database/last-backup.ts';
import { migrationNames } from '../database/migrate.ts';
import { type Queryable, queryRow, sql } from '../database/sql.ts';
import { acceptVault, assertPlace, placeIn, setTogether } from '../database/vault/vault-database.ts';
import { checksOf, compareKeys, readChecks, type StoredCheck } from '../keys/checks.ts';
import { keyedHash } from '../keys/derived-key.ts';
import { canonicalJson } from '../lib/json.ts';
import type { Log } from '../observability/log.ts';
import { writeSentence } from '../observability/sentences.ts';
import { type Config, ConfigError } from '../settings/config.ts';
import { platformVersion } from '../settings/packages.ts';
import { moveCards } from './move-cards.ts';
import { type DatabaseUrls, prepareDatabase } from './prepare-database.ts';
import { asOwner, ownerOf, prepareVaultDatabase, vaultOwnerOf } from './prepare-vault.ts';

const format = 'partner-payments-backup/2';
const [manifestFile, mainFile, vaultFile] = ['backup.json', 'platform.dump', 'vault.dump'];

/** The file `backup.json` of a backup. */
export interface Manifest {
  format: typeof format;
  version: string;
  takenAt: string;
  /** Of a server: files of pg_dump. Embedded: a copy of the data directory. */
  database: 'server' | 'embedded';
  /** Whether the cards are in a file of their own. */
  hasVault: boolean;
  /** The newest migration of the database. */
  migration: string;
  /** Checks of the keys of the database, of which none can be computed from its check. */
  keys: StoredCheck[];
  /** The ids of the vault's keys that stored secrets need. */
  vaultKeysInUse: string[];
  /** A hash of all other files of the folder. */
  files: string;
  /** A hash of everything above, keyed by FINGERPRINT_KEY: a change of the backup without the key is detected. */
  seal: string;
}

/**
 * Writes a backup to a new folder, readable by its owner only, which appears when it is complete, and records its time
 * in the main database. `fill` writes the data.
 */
export async function writeBackup(
  folder: string,
  takenAt: string,
  config: Config,
  main: Queryable,
  vault: Queryable | null,
  fill: (draft: string) => Promise<void>,
): Promise<Manifest> {
  const { database } = config;
  if (existsSync(folder)) throw new ConfigError(`${folder} is there already; name a new folder.`);
  const draft = `${folder}.part`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  try {
    const row = await queryRow<{ migration: string }>(
      main,
      sql`SELECT max(migration_name) AS migration FROM public._prisma_migrations WHERE finished_at IS NOT NULL`,
    ).catch((error: unknown) => {
      throw new ConfigError('The database has no tables of the platform, so there is nothing to back up.', {
        cause: error,
      });
    });
    const facts: Omit<Manifest, 'files' | 'seal'> = {
      format,
      version: platformVersion(),
      takenAt,
      database: database.kind,
      hasVault: vault !== null,
      migration: row?.migration ?? '',
      keys: await readChecks(main),
      vaultKeysInUse: [...(await usedVaultKeys(main, vault ?? main)).keys()],
    };
    await fill(draft);
    const manifest: Manifest = sealed(config, { ...facts, files: await hashOfFiles(draft) });
    writeFileSync(join(draft, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, folder);
    if (!(await recordBackup(main, new Date(takenAt))))
      writeSentence(
        'error',
        'The time of the backup is not in the database, which cannot be written with this role and version: ' +
          'platform_backup_age_seconds is of an earlier backup, or absent.',
      );
    return manifest;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Backs up the databases of servers, which may run meanwhile. The snapshot of the vault is later than that of the main
 * database: a card is stored before the rows that refer to it, so no instrument lacks its card.
 */
export async function backUpServers(
  config: Config,
  urls: DatabaseUrls,
  folder: string,
  takenAt: string,
): Promise<Manifest> {
  const { vaultDatabase } = config;
  return asOwner(...ownerOf(urls), async (main) => {
    assertPlace(await placeIn(main), vaultDatabase?.url ?? null);
    const write = (vault: pg.Client | null) =>
      writeBackup(folder, takenAt, config, main, vault, async (draft) => {
        await dumpDatabase(urls.ownerUrl ?? urls.url, join(draft, mainFile));
        if (vaultDatabase) await dumpDatabase(vaultOwnerOf(vaultDatabase)[1], join(draft, vaultFile));
      });
    return vaultDatabase ? asOwner(...vaultOwnerOf(vaultDatabase), write) : write(null);
  });
}

export function readManifest(folder: string): Manifest {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, manifestFile), 'utf8')) as Manifest;
    if (manifest.format === format) return manifest;
  } catch (error) {
    if (!(error instanceof SyntaxError) && !['ENOENT', 'ENOTDIR'].includes(String((error as { code?: string }).code)))
      throw error;
  }
  throw new ConfigError(`${folder} is no backup of the platform: \`platform backup\` writes one.`);
}

/** A hash of the files below a folder but its manifest: their paths, in order, and what they contain. */
async function hashOfFiles(folder: string): Promise<string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => path !== manifestFile)
    .sort();
  const all = createHash('sha256');
  for (const path of paths) {
    const one = createHash('sha256');
    await pipeline(createReadStream(join(folder, path)), one);
    all.update(`${one.digest('hex')}  ${path}\n`);
  }
  return all.digest('hex');
}

function sealed({ fingerprintKey }: Pick<Config, 'fingerprintKey'>, facts: Omit<Manifest, 'seal'>): Manifest {
  return { ...facts, seal: keyedHash(fingerprintKey, 'backup', canonicalJson(facts)) };
}

/** Throws if a file of the backup was changed, added or removed. */
export async function assertSealed(folder: string, { seal, ...facts }: Manifest, config: Config): Promise<void> {
  if (seal === sealed(config, { ...facts, files: await hashOfFiles(folder) }).seal) return;
  throw new ConfigError(
    'The seal of the backup does not match: it was changed after it was written, or it was written with another ' +
      'FINGERPRINT_KEY. Nothing was restored. To restore it as it is, add --without-seal.',
  );
}

/** What is wrong with the keys of the settings for a backup. A key may be added, or be first again. */
export function wrongKeysOf({ keys, vaultKeysInUse }: Manifest, config: Config): string[] {
  return compareKeys(checksOf(config), keys, vaultKeysInUse, 'add').problems;
}

/** Throws unless this version and this kind of database can take the backup. */
export function assertRestorable({ database, migration, version }: Manifest, config: Config): void {
  if (!migrationNames().includes(migration))
    throw new ConfigError(
      `The backup is of version ${version}, which has the migration ${migration}: restore it with that version or a ` +
        'newer one.',
    );
  if (database !== config.database.kind)
    throw new ConfigError(
      database === 'embedded'
        ? 'The backup is a copy of an embedded database: restore it without DATABASE_URL.'
        : 'The backup is of a database server: set DATABASE_URL to a new, empty database.',
    );
}

/**
 * Restores a backup into empty databases and brings them to this version. The keys of the settings become those of the
 * databases. The cards go where the settings say, wherever they were.
 */
export async function restoreServers(
  config: Config,
  urls: DatabaseUrls,
  folder: string,
  { hasVault }: Manifest,
  log: Log,
): Promise<void> {
  const { vaultDatabase } = config;
  const [, mainUrl] = ownerOf(urls);
  await assertEmpty(mainUrl);
  if (vaultDatabase) await assertEmpty(vaultOwnerOf(vaultDatabase)[1]);
  if (hasVault && vaultDatabase) await restoreDatabase(vaultOwnerOf(vaultDatabase)[1], join(folder, vaultFile));
  await restoreDatabase(mainUrl, join(folder, mainFile));
  if (hasVault && !vaultDatabase) {
    await asOwner(...ownerOf(urls), setTogether);
    await restoreDatabase(mainUrl, join(folder, vaultFile), ['--data-only', '--schema=vault', '--table=cards']);
  }
  if (!hasVault && vaultDatabase) {
    await prepareVaultDatabase(config, vaultDatabase, log);
    await asOwner(...ownerOf(urls), async (main) => {
      const { installationId } = await placeIn(main);
      await asOwner(...vaultOwnerOf(vaultDatabase), async (vault) => {
        await acceptVault(vault, installationId);
        await moveCards(config, urls, main, vault);
      });
    });
  }
  await prepareDatabase(config, urls, log, 'restore');
  await withClient(mainUrl, 'platform-restore', (client) => client.query('ANALYZE'));
}

/** A restore that failed leaves nothing: each database is restored in one transaction. */
async function assertEmpty(url: string): Promise<void> {
  await withClient(url, 'platform-restore', async (client) => {
    const row = await queryRow(
      client,
      sql`
        SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r' AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
        LIMIT 1`,
    );
    if (row)
      throw new ConfigError(
        `The database ${new URL(url).pathname.slice(1)} already has tables: a backup is restored into new, empty ` +
          'databases.',
      );
  });
}
