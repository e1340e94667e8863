import type pg from 'pg';
import { queryRow, sql } from '../database/sql.ts';
import { copyCards, digestBoth, fixFormats } from '../database/vault/copy-cards.ts';
import { assertMine, bindVault, placeIn, setApart } from '../database/vault/vault-database.ts';
import { createLog } from '../observability/log.ts';
import { openConfig } from '../operating/open-config.ts';
import { prepareMain } from '../operating/prepare-database.ts';
import { asOwner, ownerOf, prepareVaultDatabase, vaultOwnerOf } from '../operating/prepare-vault.ts';
import { ConfigError } from '../settings/config.ts';
import { runCommand } from './command.ts';

// npm run vault:move: moves the cards from the database of DATABASE_URL to that of VAULT_DATABASE_URL. It can be
// interrupted at any time and run again. While servers run it only copies; they must be stopped for the last run. Exits
// with 1 until the move is complete.
await runCommand(async () => {
  const config = await openConfig(process.env, { isCommand: true });
  const { database, vaultDatabase } = config;
  if (database.kind === 'embedded' || vaultDatabase === null)
    throw new ConfigError('Set VAULT_DATABASE_URL to the database that the cards are to be moved to.');
  const log = createLog({ level: 'warn', destination: process.stderr });
  await prepareMain(config, database, log);
  await prepareVaultDatabase(config, vaultDatabase, log);
  return asOwner(...ownerOf(database), (main) =>
    asOwner(...vaultOwnerOf(vaultDatabase), async (vault) => {
      for (const client of [main, vault]) await fixFormats(client);
      return move(main, vault);
    }),
  );
});

async function move(main: pg.Client, vault: pg.Client): Promise<number> {
  const { installationId, isApart } = await placeIn(main);
  if (isApart) {
    await assertMine(vault, installationId);
    say('The cards are in the database of VAULT_DATABASE_URL: there is nothing to move. Start the servers with it.');
    return 0;
  }
  await bindVault(vault, installationId);
  say(`${await copyCards(main, vault)} cards were copied or brought up to date. Servers may run until here.`);
  const servers = await serversOf(main);
  if (servers > 0) {
    say(`Servers have ${servers} connections to the database. Next: stop all servers, and run this command again.`);
    return 1;
  }
  const cards = await finish(main, vault);
  say(
    `${cards} cards were moved, and compared one by one. None is left in the database of DATABASE_URL.\n` +
      'Next: start the servers with VAULT_DATABASE_URL, and without VAULT_MIGRATION_DATABASE_URL; then take a ' +
      'backup. Backups of before have the cards in them: keep or destroy them as such.',
  );
  return 0;
}

/** One transaction, so that for the servers the move happens at its commit. */
async function finish(main: pg.Client, vault: pg.Client): Promise<number> {
  await main.query("BEGIN; SET LOCAL lock_timeout = '10s'");
  try {
    // Reads continue; a server that still runs cannot store a card meanwhile.
    await main.query('LOCK TABLE vault.place, vault.cards IN EXCLUSIVE MODE');
    await copyCards(main, vault);
    const [here, there] = await digestBoth(main, vault);
    if (here.cards !== there.cards || here.digest !== there.digest)
      throw new ConfigError(
        `Nothing was moved: ${here.cards} cards are here and ${there.cards} there, and they differ. Something else ` +
          'writes to the database of VAULT_DATABASE_URL.',
      );
    await setApart(main);
    await main.query('COMMIT');
    return here.cards;
  } catch (error) {
    await main.query('ROLLBACK').catch(() => {});
    if ((error as { code?: string }).code === '55P03')
      throw new ConfigError('Another connection writes cards. Stop all servers, and run this command again.', {
        cause: error,
      });
    throw error;
  }
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
