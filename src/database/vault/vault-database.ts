import type pg from 'pg';
import { isAbsence } from '../../lib/outage.ts';
import type { Log } from '../../observability/log.ts';
import { ConfigError, type VaultDatabaseConfig } from '../../settings/config.ts';
import { parserOf } from '../database.ts';
import { missingMigrations, vaultMigrationsDir } from '../migrate.ts';
import { openPool, sessionSettings } from '../pool.ts';
import { execute, type Queryable, queryRow, raw, sql } from '../sql.ts';

/** What the database of everything else knows of the cards. */
export interface Place {
  /** Made by the first migration of the database. */
  installationId: string;
  /** Whether the cards are in a database of their own. */
  isApart: boolean;
}

/** Where the cards of a database are. One of before `vault.place` has them itself. */
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

/** The installation that has taken a database for its cards, or null. */
export async function installationIn(vault: Queryable): Promise<string | null> {
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
 * Takes an empty database for the cards of an installation. Throws if it has cards that are not known to be of this
 * one: those that no row refers to are removed, whosever they are.
 */
export async function take(vault: Queryable, installationId: string): Promise<void> {
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
 * Makes the cards those of the other database, in a transaction of the owner. From its commit on no server, whatever
 * its settings, can store a card here.
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

const cardsAreApart =
  'The cards of this installation are in a database of their own; set VAULT_DATABASE_URL to it. The way back is a ' +
  'backup that is restored without it (docs/self-hosting/database.md).';

export const cardsAreWithin =
  'VAULT_DATABASE_URL is set, and the cards are still in the database of DATABASE_URL. Run `npm run vault:move` ' +
  'first, or start without it.';

/** The same with the cards that a restore has just loaded. */
export async function adopt(vault: Queryable, installationId: string): Promise<void> {
  await execute(vault, sql`UPDATE vault.installation SET id = ${installationId} WHERE id IS NULL`);
}

/** The database that has the cards: that of everything else, or one of its own. */
export interface VaultDatabase {
  readonly pool: pg.Pool;
  readonly isApart: boolean;
  /** Whether the last statement failed because the database is away. Always false if it is that of everything else. */
  isUnavailable(): boolean;
  /** Throws if the database of its own cannot be used now. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** The connections of one process. Cards are read in batches one after the other, so a few carry any load. */
const poolSize = 5;
/**
 * Calls that need a card wait this long for a database that is silent, and are then 503. They hold a place among the
 * calls in progress meanwhile, which calls that need no card must find free.
 */
const connectMaxMs = 10_000;
const answerMaxMs = 10_000;
/** While the database is away, one statement in this time asks whether it is back. The others fail at once. */
const askEveryMs = 1_000;

export function vaultWithin(pool: pg.Pool): VaultDatabase {
  return { pool, isApart: false, isUnavailable: () => false, check: async () => {}, close: async () => {} };
}

/**
 * Opens the database of `VAULT_DATABASE_URL`. It may be away: everything that needs no card works without it. Before
 * the first statement it is asked whether it has the cards of this installation and the tables of this version, and
 * `wrongKeys` what is wrong with the keys: a start without it could not ask.
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
      if (away) log.info('The database of the vault is back.');
      away = null;
      return answer;
    } catch (error) {
      if (isAbsence(error)) {
        if (!away) log.warn({ err: error }, 'The database of the vault is away: calls that need a card are 503.');
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

/** Cards must be neither read from nor written to a database that is of others, or not ready. */
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

/** As little to be used as one that is starting. */
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
