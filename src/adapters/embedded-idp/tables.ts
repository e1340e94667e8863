import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { getMigrations } from 'better-auth/db/migration';
import { withClient } from '../../database/client.ts';
import { openPool } from '../../database/pool.ts';
import { execute, type Queryable, queryRow, sql } from '../../database/sql.ts';
import { ConfigError } from '../../settings/config.ts';
import type { EngineOptions } from './engine.ts';

/** Advisory lock of the process that creates the tables. No other lock uses this number. */
const tablesLock = 471_100_004;

/**
 * Creates the provider's schema: the engine's tables by the engine's migrator, and the tables that the engine lacks.
 * The platform's migrations do not contain it, just as they contain nothing of a hosted provider. The schema is marked
 * when it is complete, so that the next start of this version need not load the engine.
 */
export async function makeTables(url: string, settings: EngineSettings): Promise<void> {
  await withClient(url, 'idp-tables', async (client) => {
    if (await areComplete(client)) return;
    await execute(client, sql`SELECT pg_advisory_lock(${tablesLock})`);
    await execute(client, sql`CREATE SCHEMA IF NOT EXISTS idp`);
    await withMigrations(url, settings, ({ runMigrations }) => runMigrations());
    await client.query(ownTables);
    await client.query(`COMMENT ON SCHEMA idp IS ${client.escapeLiteral(markOfVersion())}`);
  });
}

async function areComplete(database: Queryable): Promise<boolean> {
  const row = await queryRow<{ mark: string | null }>(
    database,
    // cspell:ignore regnamespace
    sql`SELECT obj_description(to_regnamespace('idp'), 'pg_namespace') AS mark`,
  );
  return row?.mark === markOfVersion();
}

/** A hash of everything that determines the tables: this file, the options of the engine and its exact version. */
function markOfVersion(): string {
  const repository = join(import.meta.dirname, '..', '..', '..');
  // a file of this repository
  const { dependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const hash = createHash('sha256').update(dependencies['better-auth'] ?? '');
  for (const file of ['tables.ts', 'engine.ts']) hash.update(readFileSync(join(import.meta.dirname, file)));
  return `tables ${hash.digest('base64url')}`;
}

/** Throws if a table of this version is missing. For a role that may not create tables. */
export async function assertTables(server: Queryable, url: string, settings: EngineSettings): Promise<void> {
  if (await areComplete(server)) return;
  const missing = await withMigrations(url, settings, ({ toBeCreated, toBeAdded }) => [...toBeCreated, ...toBeAdded]);
  if (missing[0])
    throw new ConfigError(
      `The identity provider's table ${missing[0].table} is missing or old; run \`platform migrate\` with ` +
        'MIGRATION_DATABASE_URL first.',
    );
}

type EngineSettings = Omit<EngineOptions, 'pool'>;

/** The engine reads its tables on its own connections, in its schema. */
async function withMigrations<Result>(
  url: string,
  settings: EngineSettings,
  use: (migrations: Awaited<ReturnType<typeof getMigrations>>) => Result | Promise<Result>,
): Promise<Result> {
  const [{ getMigrations: migrationsOf }, { engineOptions }] = await Promise.all([
    import('better-auth/db/migration'),
    import('./engine.ts'),
  ]);
  const pool = openPool({
    connectionString: url,
    max: 2,
    application_name: 'idp-tables',
    options: '-c search_path=idp',
  });
  try {
    return await use(await migrationsOf(engineOptions({ ...settings, pool })));
  } finally {
    await pool.end();
  }
}

/**
 * Public metadata is a column that the engine does not know, so that no request to the engine can set it. The outbox is
 * filled by triggers, so that a change and its message are one transaction. `updatedAt` increases with every version,
 * so that versions have an order.
 */
const ownTables = `
SET search_path = idp;
SET client_min_messages = warning;
BEGIN;

ALTER TABLE "user"
  ADD COLUMN IF NOT EXISTS "publicMetadata" jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN IF NOT EXISTS banned boolean NOT NULL DEFAULT false;

ALTER TABLE session ADD COLUMN IF NOT EXISTS "usedAt" timestamptz NOT NULL DEFAULT now();

CREATE UNIQUE INDEX IF NOT EXISTS user_email_lower ON "user" (lower(email));

CREATE TABLE IF NOT EXISTS invitation (
  id text PRIMARY KEY,
  email text NOT NULL,
  "ticketHash" text NOT NULL UNIQUE,
  "publicMetadata" jsonb NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  "redirectUrl" text NOT NULL,
  "expiresAt" timestamptz NOT NULL,
  "createdAt" timestamptz NOT NULL DEFAULT now(),
  "closedAt" timestamptz,
  CHECK (status IN ('pending', 'accepted', 'revoked'))
);

CREATE UNIQUE INDEX IF NOT EXISTS invitation_one_pending ON invitation (lower(email)) WHERE status = 'pending';

CREATE TABLE IF NOT EXISTS organization (
  id text PRIMARY KEY,
  name text NOT NULL,
  slug text UNIQUE,
  "publicMetadata" jsonb NOT NULL DEFAULT '{}',
  "createdBy" text,
  "createdAt" timestamptz NOT NULL DEFAULT now(),
  "updatedAt" timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS membership (
  "organizationId" text NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  "userId" text NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
  role text NOT NULL,
  "createdAt" timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY ("organizationId", "userId")
);

CREATE TABLE IF NOT EXISTS outbox (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE DEFAULT 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  type text NOT NULL,
  data jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts int NOT NULL DEFAULT 0,
  "dueAt" timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX IF NOT EXISTS outbox_due ON outbox ("dueAt", sequence);

CREATE OR REPLACE FUNCTION next_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."updatedAt" := greatest(
    date_trunc('milliseconds', clock_timestamp()),
    date_trunc('milliseconds', OLD."updatedAt") + interval '1 millisecond'
  );
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION add_to_outbox() RETURNS trigger LANGUAGE plpgsql SET search_path = idp AS $$
DECLARE
  r jsonb := CASE WHEN TG_OP = 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END;
BEGIN
  INSERT INTO outbox (type, data)
  VALUES (
    TG_TABLE_NAME || CASE WHEN TG_OP = 'DELETE' THEN '.deleted' ELSE '.upserted' END,
    r - 'token' - 'ipAddress' - 'userAgent'
  );
  PERFORM pg_notify('idp_outbox', current_database());
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER user_version
  BEFORE UPDATE ON "user" FOR EACH ROW EXECUTE FUNCTION next_version();
CREATE OR REPLACE TRIGGER organization_version
  BEFORE UPDATE ON organization FOR EACH ROW EXECUTE FUNCTION next_version();
CREATE OR REPLACE TRIGGER user_outbox
  AFTER INSERT OR UPDATE OR DELETE ON "user" FOR EACH ROW EXECUTE FUNCTION add_to_outbox();
CREATE OR REPLACE TRIGGER organization_outbox
  AFTER INSERT OR UPDATE OR DELETE ON organization FOR EACH ROW EXECUTE FUNCTION add_to_outbox();
CREATE OR REPLACE TRIGGER membership_outbox
  AFTER INSERT OR UPDATE OR DELETE ON membership FOR EACH ROW EXECUTE FUNCTION add_to_outbox();
CREATE OR REPLACE TRIGGER session_outbox
  AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION add_to_outbox();

COMMIT;
`;
