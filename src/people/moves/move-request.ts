import type pg from 'pg';
import { usedVaultKeys } from '../../database/keys/used-keys.ts';
import { openPool } from '../../database/pool.ts';
import { type Queryable, queryRow, queryRows, sql } from '../../database/sql.ts';
import { placeIn } from '../../database/vault/vault-database.ts';
import type { Difference } from '../../domains/ledger/public.ts';
import type { AuditKeys } from '../../keys/audit-keys.ts';
import { VaultFailure } from '../../keys/envelope.ts';
import type { KeyRing } from '../../keys/key-ring.ts';
import type { Mode } from '../../lib/ids.ts';
import type { Vault } from '../../ports/vault.ts';
import { ConfigError } from '../../settings/config.ts';
import type { RecordedBy } from '../../unit-of-work/records.ts';
import type { LeavingPartner } from './move-source.ts';

/** What a move needs of the cell that the partner moves to: less than all services of a server, which take seconds. */
interface Here {
  tag: string;
  vaultKeys: KeyRing;
  auditKeys: AuditKeys;
  now(): Date;
  /** A vault with the keys of this cell and the cards of a database. */
  vaultOn(pool: pg.Pool): Vault;
  ledgerDifferences(database: Queryable): Promise<Difference[]>;
}

export interface MoveRequest {
  slug: string;
  /** The database of the cell that the partner leaves, as the role that owns its tables. */
  sourceUrl: string;
  /** The database of this cell, as the role that owns its tables. */
  targetUrl: string;
  here: Here;
  by: Omit<RecordedBy, 'now' | 'testClockId' | 'auditKeys'>;
  /** How long what is in flight may take. */
  drainMaxMs: number;
  /** Told of each step when it is done. */
  say(line: string): void;
}

/** A move with connections to both databases. */
export interface Cells extends MoveRequest {
  source: pg.Client;
  target: pg.Client;
}

/** Throws a sentence for the operator if a move between these databases cannot succeed. Nothing is changed. */
export async function assertCellsFit(source: pg.Client, target: pg.Client): Promise<void> {
  const [from, to] = [await migrationsOf(source), await migrationsOf(target)];
  if (from.join() !== to.join())
    throw new ConfigError('The two cells are of different versions: bring both to the same one first.');
  for (const [name, client] of [
    ['SOURCE_DATABASE_URL', source],
    ['the target', target],
  ] as const) {
    if ((await placeIn(client)).isApart)
      throw new ConfigError(
        `The cards of ${name} are in a database of their own: a partner moves only between cells whose cards are ` +
          'with everything else.',
      );
    await client.query('BEGIN');
    try {
      await client.query('SET LOCAL session_replication_role = replica');
    } catch (error) {
      throw new ConfigError(
        `The role of ${name} may not set session_replication_role: use a superuser, or as one, run GRANT SET ON ` +
          'PARAMETER session_replication_role TO the role that owns the tables.',
        { cause: error },
      );
    } finally {
      await client.query('ROLLBACK');
    }
  }
}

/** The rows of a partner can be read with the keys of this cell, its names are free, and its ledger agrees. */
export async function assertFits({ id, slug }: LeavingPartner, cells: Cells): Promise<void> {
  const { source, target, here } = cells;
  const taken = await queryRow(target, sql`SELECT FROM partners WHERE slug = ${slug}`);
  if (taken) throw new ConfigError(`This cell has a partner ${slug}, too.`);
  const [difference] = await here.ledgerDifferences(source);
  if (difference)
    throw new ConfigError(`The ledger of the other cell differs, ${difference.about}: ${difference.message}.`);
  await assertKeysFit(id, cells);
}

/** The vault's keys and the key of fingerprints are those with which the partner's cards were stored. */
async function assertKeysFit(id: string, { source, sourceUrl, here }: Cells): Promise<void> {
  const { keys } = here.vaultKeys;
  const missing = [...(await usedVaultKeys(source, source)).keys()].filter((key) => !keys.has(key));
  if (missing.length > 0)
    throw new ConfigError(
      `VAULT_KEYS lacks ${missing.map((key) => `"${key}"`).join(', ')}, with which the other cell has encrypted: add ` +
        'each as the last key here.',
    );
  const cards = await queryRows<{ cardId: string; platformAccountId: string; mode: Mode; fingerprint: string }>(
    source,
    sql`
      SELECT DISTINCT ON (c."keyId") i."cardId", i."platformAccountId", i.mode, i.fingerprint
      FROM payment_instruments i
      JOIN vault.cards c ON c.id = i."cardId"
      WHERE i."partnerId" = ${id}
      ORDER BY c."keyId"`,
  );
  const pool = openPool({ connectionString: sourceUrl, max: 1 });
  try {
    const vault = here.vaultOn(pool);
    for (const { cardId, fingerprint, ...scope } of cards) {
      const { cardNumber } = await vault.reveal(cardId, scope);
      if (vault.fingerprint(cardNumber, scope) !== fingerprint)
        throw new ConfigError(
          'FINGERPRINT_KEY is not that of the other cell: partners move between cells that share it.',
        );
    }
  } catch (error) {
    if (error instanceof VaultFailure)
      throw new ConfigError('VAULT_KEYS has a key of the same name as the other cell, and it is another key.');
    throw error;
  } finally {
    await pool.end();
  }
}

/** Checked before the locks: one database would wait for itself. */
export async function assertOtherCell(source: pg.Client, target: pg.Client): Promise<void> {
  if ((await tagOf(source)) === (await tagOf(target)))
    throw new ConfigError('SOURCE_DATABASE_URL leads to this cell: name the one the partner leaves.');
}

async function migrationsOf(client: pg.Client): Promise<string[]> {
  const rows = await queryRows<{ name: string }>(
    client,
    sql`SELECT migration_name AS name FROM public._prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

async function tagOf(client: pg.Client): Promise<string | undefined> {
  return (await queryRow<{ tag: string }>(client, sql`SELECT tag FROM cells.own`))?.tag;
}
