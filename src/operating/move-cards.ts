import type pg from 'pg';
import { copyTable } from '../database/dump.ts';
import { columnList, queryRow, sql } from '../database/sql.ts';
import { inTransaction } from '../database/transaction.ts';
import { setApart } from '../database/vault/vault-database.ts';
import { type Config, ConfigError } from '../settings/config.ts';
import type { DatabaseUrls } from './prepare-database.ts';
import { ownerOf, vaultOwnerOf } from './prepare-vault.ts';

/** The columns of a card in both databases. */
export const cardColumns = [
  'id',
  'mode',
  'platformAccountId',
  'keyId',
  'wrappedKey',
  'sealedCard',
  'sealedCvc',
  'cvcExpiresAt',
  'createdAt',
];

/**
 * Moves all cards to the database of the vault, compares both, and makes it the one that has them, in one transaction:
 * for the servers the move happens at its commit. No server can store a card meanwhile. Returns the number of cards.
 */
export async function moveCards(
  config: Config,
  urls: DatabaseUrls,
  main: pg.ClientBase,
  vault: pg.ClientBase,
): Promise<number> {
  const { vaultDatabase } = config;
  if (vaultDatabase === null) throw new ConfigError('Set VAULT_DATABASE_URL to the database of the vault.');
  const move = async (): Promise<number> => {
    await main.query("SET LOCAL lock_timeout = '10s'");
    // Reads continue.
    await main.query('LOCK TABLE vault.place, vault.cards IN EXCLUSIVE MODE');
    await vault.query('TRUNCATE vault.cards'); // of a move that did not end
    await copyTable(ownerOf(urls)[1], vaultOwnerOf(vaultDatabase)[1], 'vault', 'cards');
    const [here, there] = [await digestOf(main), await digestOf(vault)];
    if (here.cards !== there.cards || here.digest !== there.digest)
      throw new ConfigError(
        `Nothing was moved: ${here.cards} cards are here and ${there.cards} there, and they differ. Something else ` +
          'writes to the database of VAULT_DATABASE_URL.',
      );
    await setApart(main);
    return here.cards;
  };
  return inTransaction(main, move).catch((error: unknown) => {
    if ((error as { code?: string }).code === '55P03')
      throw new ConfigError('Another connection writes cards. Stop all servers, and run this command again.', {
        cause: error,
      });
    throw error;
  });
}

/** A digest of all cards, the same for the same cards in any order. */
async function digestOf(database: pg.ClientBase): Promise<{ cards: number; digest: string }> {
  // Texts of values must not depend on the settings of the role.
  await database.query(
    "SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET bytea_output = 'hex'; SET statement_timeout = 0",
  );
  const row = await queryRow<{ cards: number; digest: string }>(
    database,
    sql`
      SELECT
        count(*)::int AS cards,
        coalesce(sum(('x' || left(md5(ROW(${columnList(cardColumns)})::text), 15))::bit(60)::bigint::numeric), 0)::text
          AS digest
      FROM vault.cards`,
  );
  return row ?? { cards: 0, digest: '' };
}
