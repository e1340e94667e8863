import { ConfigError } from '../../runtime/config.ts';
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
