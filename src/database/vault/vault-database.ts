import type pg from 'pg';
import { isAbsence } from '../../lib/outage.ts';
import type { Log } from '../../observability/log.ts';
import { ConfigError, type VaultDatabaseConfig } from '../../settings/config.ts';
import { parserOf } from '../database.ts';
import { missingMigrations, vaultMigrationsDir } from '../migrate.ts';
import { openPool, sessionSettings } from '../pool.ts';
import { execute, type Queryable, queryRow, raw, sql } from '../sql.ts';

/** What the main database records about the place of the cards. */
export interface Place {
  /** Created by the first migration of the database. */
  installationId: string;
  /** Whether the cards are in a separate database. */
  isApart: boolean;
}

/** Where the cards of a database are. A database of a version without `vault.place` has them itself. */
export async function placeIn(main: Queryable): Promise<Place> {
  const { exists } = (await queryRow<{ exists: boolean }>(
    main,
    sql`SELECT to_regclass('vault.place') IS NOT NULL AS exists`,
  )) ?? { exists: false };
  const row = exists
    ? await queryRow<Place>(main, sql`SELECT "installationId", "isApart" FROM vault.place`)
    : undefined;
  return row ?? { installationId: '', isApart: false };
}

/** Throws if the cards are not where the settings say. */
export function assertPlace({ isApart }: Place, vaultUrl: string | null): void {
  if (isApart !== (vaultUrl !== null)) throw new ConfigError(isApart ? cardsAreApart : cardsAreWithin);
}

/** The installation whose cards a database has, or null. */
async function installationIn(vault: Queryable): Promise<string | null> {
  return (await queryRow<{ id: string | null }>(vault, sql`SELECT id FROM vault.installation`))?.id ?? null;
}

export async function hasCards(database: Queryable): Promise<boolean> {
  const row = await queryRow<{ has: boolean }>(database, sql`SELECT EXISTS (SELECT FROM vault.cards) AS has`);
  return row?.has ?? false;
}

/** Throws unless the database of a vault is that of the installation. */
export async function assertMine(vault: Queryable, installationId: string): Promise<void> {
  const found = await installationIn(vault);
  if (found === installationId) return;
  throw new ConfigError(
    found === null
      ? 'VAULT_DATABASE_URL leads to a database that is not that of the cards of this installation; correct it, or ' +
          'restore a backup into two new databases.'
      : ofOthers,
  );
}

const ofOthers =
  'VAULT_DATABASE_URL leads to a database with the cards of another installation; the vault needs an empty one, for ' +
  'itself.';

/**
 * Assigns an empty database to an installation, for its cards. Throws if it contains cards that may be those of another
 * installation: cards that no row refers to would be removed.
 */
export async function bindVault(vault: Queryable, installationId: string): Promise<void> {
  await execute(
    vault,
    sql`
      UPDATE vault.installation
      SET id = ${installationId}
      WHERE id IS NULL AND NOT EXISTS (SELECT FROM vault.cards)`,
  );
  if ((await installationIn(vault)) !== installationId) throw new ConfigError(ofOthers);
}

/**
 * Makes the separate database the one that has the cards, in a transaction of the owner. After its commit no server,
 * whatever its settings, can store a card in the main database.
 */
export async function setApart(main: Queryable): Promise<void> {
  await execute(
    main,
    raw(
      'CREATE TRIGGER refuse_cards BEFORE INSERT OR UPDATE ON vault.cards ' +
        'FOR EACH STATEMENT EXECUTE FUNCTION vault.refuse_cards()',
    ),
  );
  await execute(main, sql`TRUNCATE vault.cards`);
  await execute(main, sql`UPDATE vault.place SET "isApart" = true`);
}

/** The reverse, for a restore: the cards are loaded into the main database. */
export async function setTogether(main: Queryable): Promise<void> {
  await execute(main, raw('DROP TRIGGER refuse_cards ON vault.cards'));
  await execute(main, sql`UPDATE vault.place SET "isApart" = false`);
}

const cardsAreApart =
  'The cards of this installation are in a database of their own; set VAULT_DATABASE_URL to it. The way back is a ' +
  'backup that is restored without it (docs/self-hosting/database.md).';

export const cardsAreWithin =
  'VAULT_DATABASE_URL is set, and the cards are still in the database of DATABASE_URL. Run `platform move-cards` ' +
  'first, or start without it.';

/** The same, with the cards that a restore has just loaded. */
export async function acceptVault(vault: Queryable, installationId: string): Promise<void> {
  await execute(vault, sql`UPDATE vault.installation SET id = ${installationId} WHERE id IS NULL`);
}

/** The database that has the cards: the main database or a separate one. */
export interface VaultDatabase {
  readonly pool: pg.Pool;
  readonly isApart: boolean;
  /** Whether the last statement failed because the database is unavailable. Always false for the main database. */
  isUnavailable(): boolean;
  /** Throws if the separate database cannot be used now. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The connections of one process. Cards are read in sequential batches, so a few connections are enough for any load.
 */
const poolSize = 5;
/**
 * Calls that need a card wait this long for a silent database, and are then 503. Meanwhile they hold a slot of
 * admission control, of which some must stay free for calls that need no card.
 */
const connectMaxMs = 10_000;
const answerMaxMs = 10_000;
/**
 * While the database is unavailable, one statement per this time checks whether it is back. The others fail
 * immediately.
 */
const askEveryMs = 1_000;

export function vaultInMainDatabase(pool: pg.Pool): VaultDatabase {
  return { pool, isApart: false, isUnavailable: () => false, check: async () => {}, close: async () => {} };
}

/**
 * Opens the database of `VAULT_DATABASE_URL`. It may be unavailable: everything that needs no card works without it.
 * Before the first statement it is checked whether the database has the cards of this installation and the tables of
 * this version, and by `wrongKeys` whether the keys are right: a start without the database could not check them.
 */
export function openVaultDatabase(
  { url }: VaultDatabaseConfig,
  { main, log, wrongKeys }: { main: pg.Pool; log: Log; wrongKeys(vault: Queryable): Promise<string[]> },
): VaultDatabase {
  const pool = openPool(
    {
      connectionString: url,
      max: poolSize,
      application_name: 'platform-vault',
      connectionTimeoutMillis: connectMaxMs,
      query_timeout: answerMaxMs,
      idleTimeoutMillis: 60_000,
      ...sessionSettings(false),
      keepAlive: true,
      types: { getTypeParser: parserOf },
    },
    { idleBroke: (error) => log.warn({ err: error }, 'An idle connection to the database of the vault broke.') },
  );
  const connected = pool.query.bind(pool) as (...given: unknown[]) => Promise<unknown>;
  const direct = { query: connected } as pg.Pool;
  let away: { error: unknown; askAt: number } | null = null;
  let isVerified = false;

  async function ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    if (away) {
      if (performance.now() < away.askAt) throw away.error;
      away.askAt = performance.now() + askEveryMs;
    }
    try {
      if (!isVerified) await verify(direct, main, wrongKeys);
      isVerified = true;
      const answer = await question().catch((error: unknown) => {
        throw isSilence(error) ? new NotReady('does not answer', error) : error;
      });
      if (away) log.info('The vault database is available again.');
      away = null;
      return answer;
    } catch (error) {
      if (isAbsence(error)) {
        if (!away) log.warn({ err: error }, 'The vault database is unavailable: calls that need a card are 503.');
        away = { error, askAt: performance.now() + askEveryMs };
      }
      throw error;
    }
  }

  pool.query = ((...given: unknown[]) => ask(() => connected(...given))) as typeof pool.query;
  return {
    pool,
    isApart: true,
    isUnavailable: () => away !== null,
    check: async () => void (await pool.query('SELECT 1')),
    close: () => pool.end(),
  };
}

/** Cards must be neither read from nor written to a database that belongs to another installation, or is not ready. */
async function verify(
  vault: pg.Pool,
  main: pg.Pool,
  wrongKeys: (vault: Queryable) => Promise<string[]>,
): Promise<void> {
  const [missing] = await missingMigrations(vault, vaultMigrationsDir);
  if (missing !== undefined) throw new NotReady(`lacks the migration ${missing}`);
  const { installationId } = await placeIn(main);
  if ((await installationIn(vault)) !== installationId) throw new NotReady('has no cards of this installation');
  const wrong = await wrongKeys(vault);
  if (wrong.length > 0) throw new NotReady(`has cards of other keys. ${wrong.join(' ')}`);
}

/** Treated like a database that is starting. */
class NotReady extends Error {
  readonly code = '57P03';

  constructor(what: string, cause?: unknown) {
    super(`The database of VAULT_DATABASE_URL ${what}.`, { cause });
  }
}

/** The error of pg for `query_timeout` has no code. */
function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}
