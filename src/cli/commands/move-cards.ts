import type pg from 'pg';
import { queryRow, sql } from '../../database/sql.ts';
import { assertMine, bindVault, placeIn } from '../../database/vault/vault-database.ts';
import { createLog } from '../../observability/log.ts';
import { moveCards } from '../../operating/move-cards.ts';
import { openConfig } from '../../operating/open-config.ts';
import { prepareMain } from '../../operating/prepare-database.ts';
import { asOwner, ownerOf, prepareVaultDatabase, vaultOwnerOf } from '../../operating/prepare-vault.ts';
import { ConfigError } from '../../settings/config.ts';

export async function run(): Promise<number> {
  const config = await openConfig(process.env, { isCommand: true });
  const { database, vaultDatabase } = config;
  if (database.kind === 'embedded' || vaultDatabase === null)
    throw new ConfigError('Set VAULT_DATABASE_URL to the database that the cards are to be moved to.');
  const log = createLog({ level: 'warn', destination: process.stderr });
  await prepareMain(config, database, log);
  await prepareVaultDatabase(config, vaultDatabase, log);
  return asOwner(...ownerOf(database), (main) =>
    asOwner(...vaultOwnerOf(vaultDatabase), async (vault) => {
      const { installationId, isApart } = await placeIn(main);
      if (isApart) {
        await assertMine(vault, installationId);
        say(
          'The cards are in the database of VAULT_DATABASE_URL: there is nothing to move. Start the servers with it.',
        );
        return 0;
      }
      await bindVault(vault, installationId);
      const servers = await serversOf(main);
      if (servers > 0)
        throw new ConfigError(
          `Servers have ${servers} connections to the database: stop all servers, and run this command again.`,
        );
      const cards = await moveCards(config, database, main, vault);
      say(
        `${cards} cards were moved, and compared. None is left in the database of DATABASE_URL.\n` +
          'Next: start the servers with VAULT_DATABASE_URL, and without VAULT_MIGRATION_DATABASE_URL; then take a ' +
          'backup. Earlier backups contain the cards: store or destroy them accordingly.',
      );
      return 0;
    }),
  );
}

/** The connections of servers; the name is that of `openDatabase`. */
async function serversOf(main: pg.Client): Promise<number> {
  const row = await queryRow<{ count: number }>(
    main,
    sql`
      SELECT count(*)::int AS count
      FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'platform'`,
  );
  return row?.count ?? 0;
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}
