import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openClient, withClient } from '../src/database/client.ts';
import { applyMigrations, migrationsDir, vaultMigrationsDir } from '../src/database/migrate.ts';
import { type Queryable, queryRows, raw } from '../src/database/sql.ts';
import { startEmbeddedPostgres } from '../src/local/embedded-postgres.ts';
import { withDatabase } from '../src/local/postgres-programs.ts';
import { localSecrets } from '../src/settings/secrets.ts';

export const structureFile = join(import.meta.dirname, 'structure.sql');

/** The result of all migrations as SQL, for readers: `prisma/structure.sql`. Needs an empty database for each part. */
export async function printStructure(mainUrl: string, vaultUrl: string): Promise<string> {
  let text = '';
  for (const [url, dir, title] of [
    [mainUrl, migrationsDir, 'The database of DATABASE_URL.'],
    [vaultUrl, vaultMigrationsDir, 'The database of VAULT_DATABASE_URL.'],
  ] as const) {
    await applyMigrations(url, { dir });
    text += `-- ${title}\n\n${await withClient(url, 'structure', structureOf)}\n`;
  }
  return text;
}

/** Every object of the database, the parts of a table after it, all sorted by name. */
async function structureOf(database: Queryable): Promise<string> {
  const rows = await queryRows<{ definition: string }>(database, raw(definitions));
  return rows.map(({ definition }) => `${definition};\n`).join('');
}

const isOurs = `nspname !~ '^pg_' AND nspname <> 'information_schema'`;
// cspell:ignore attrdef adrelid adnum adbin prokind contype tgisinternal tgrelid tgname triggerdef indexrelid indrelid conindid conname
// cspell:ignore attnotnull atttypid atttypmod functiondef indexdef proname pronamespace reloptions rtrim viewdef
const definitions = `
  WITH relations AS (
    SELECT c.oid, c.relkind, c.relpersistence, c.reloptions, n.nspname, c.relname, format('%I.%I', nspname, relname) AS name
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE ${isOurs} AND c.relkind IN ('r', 'S', 'v') AND c.relname <> '_prisma_migrations'
  ), parts (place, name, part, about, definition) AS (
    SELECT 1, nspname, 0, '', format('CREATE SCHEMA %I', nspname) FROM pg_namespace WHERE ${isOurs} AND nspname <> 'public'
    UNION ALL
    SELECT 2, format('%I.%I', nspname, proname), 0, pg_get_function_identity_arguments(p.oid),
      E'\\n' || rtrim(pg_get_functiondef(p.oid), E'\\n ')
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE ${isOurs} AND prokind = 'f'
    UNION ALL
    SELECT 3, name, 0, '', 'CREATE SEQUENCE ' || name FROM relations WHERE relkind = 'S'
    UNION ALL
    SELECT 4, r.name, 0, '',
      E'\\nCREATE ' || CASE relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END || 'TABLE ' || r.name || E' (\\n  '
        || string_agg(
          concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
            CASE WHEN a.attnotnull THEN 'NOT NULL' END, 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)),
          E',\\n  ' ORDER BY a.attnum
        )
        || E'\\n)' || coalesce(' WITH (' || array_to_string(r.reloptions, ', ') || ')', '')
    FROM relations r
    JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE relkind = 'r'
    GROUP BY r.name, r.relpersistence, r.reloptions
    UNION ALL
    SELECT 4, name, 0, '', E'\\nCREATE VIEW ' || name || E' AS\\n' || rtrim(pg_get_viewdef(oid), ';') FROM relations WHERE relkind = 'v'
    UNION ALL
    SELECT 4, r.name, CASE contype WHEN 'f' THEN 3 ELSE 1 END, conname,
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', r.name, conname, pg_get_constraintdef(k.oid))
    FROM pg_constraint k JOIN relations r ON r.oid = k.conrelid
    WHERE contype IN ('c', 'f', 'p', 'u', 'x')
    UNION ALL
    SELECT 4, r.name, 2, i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
    FROM pg_index i JOIN relations r ON r.oid = i.indrelid
    WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
    UNION ALL
    SELECT 4, r.name, 4, tgname, pg_get_triggerdef(t.oid)
    FROM pg_trigger t JOIN relations r ON r.oid = t.tgrelid
    WHERE NOT tgisinternal
  )
  SELECT definition FROM parts ORDER BY place, name COLLATE "C", part, about COLLATE "C"`;

if (import.meta.main) {
  const dir = join(import.meta.dirname, '..', '.platform', 'migration-drafts');
  const password = localSecrets(join(dir, '..')).databasePassword;
  const server = await startEmbeddedPostgres({ dir, password, disposable: true });
  try {
    const admin = await openClient(withDatabase(server.url, 'postgres'), 'structure');
    for (const name of ['structure', 'structure_vault'])
      await admin.query(`DROP DATABASE IF EXISTS ${name}`).then(() => admin.query(`CREATE DATABASE ${name}`));
    await admin.end();
    const [main, vault] = [withDatabase(server.url, 'structure'), withDatabase(server.url, 'structure_vault')];
    writeFileSync(structureFile, await printStructure(main, vault));
  } finally {
    await server.stop();
  }
}
