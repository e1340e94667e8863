import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { migrationNames, missingMigrations } from '../../src/database/migrate.ts';
import { rightsOn } from '../../src/database/server-role.ts';
import { asServerRole } from '../../src/local/postgres-programs.ts';
import { createLog } from '../../src/observability/log.ts';
import { prepareDatabase } from '../../src/operating/prepare-database.ts';
import { startPlatform } from '../../src/server.ts';
import { loadConfig } from '../../src/settings/load-config.ts';
import { asOwner, dropDatabase, emptyDatabase, freshDatabase } from '../support/database.ts';
import { testConfig, usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

/** What an attacker can do who has the server's own connection to the database. */
const platform = await usePlatform();
const account = await (await seedPartner(platform)).account();
const { payment } = await account.charge();
await account.api.ok('/payments/refund', { paymentId: payment['id'], amount: 100 });
await account.api.call(`/accounts/${account.id}`, { metadata: { a: '1' } }, { method: 'PUT' });
const attacker: pg.Client = new pg.Client({ connectionString: asServerRole(platform.databaseUrl) });
await attacker.connect();
afterAll(async () => {
  await attacker?.end();
});

const refused = (sql: string) => expect(attacker.query(sql), sql).rejects.toMatchObject({ code: '42501' });

describe("the server's role", () => {
  const history = ['audit_rows', 'events', 'funnel_events', 'ledger.postings', 'ledger.balances', 'audit.head'];

  test.each(history)('%s: cannot be changed, deleted or emptied', async (table) => {
    const { fields } = await attacker.query(`SELECT * FROM ${table} LIMIT 0`);
    for (const { name } of fields) await refused(`UPDATE ${table} SET "${name}" = "${name}"`);
    await refused(`DELETE FROM ${table}`);
    await refused(`TRUNCATE ${table}`);
    await refused(`TRUNCATE ${table} CASCADE`);
    await refused(`MERGE INTO ${table} t USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE`);
    await refused(`SELECT 1 FROM ${table} FOR UPDATE`);
  });

  test.each(history)('%s: its triggers, rules and columns cannot be touched', async (table) => {
    await refused(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
    await refused(`ALTER TABLE ${table} OWNER TO platform_server`);
    await refused(`ALTER TABLE ${table} ADD COLUMN x int`);
    await refused(`DROP TABLE ${table}`);
    await refused(`CREATE RULE r AS ON INSERT TO ${table} DO INSTEAD NOTHING`);
    await refused(
      `CREATE TRIGGER t BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
    );
  });

  test('the payments, refunds and keys behind the ledger cannot be deleted', async () => {
    for (const table of ['payments', 'transactions', 'refunds', 'disputes', 'api_keys', 'partners', 'stores'])
      await refused(`DELETE FROM ${table}`);
  });

  test('no way around: roles, functions, settings, schemas, other tables of the same name', async () => {
    await refused(`SET session_replication_role = 'replica'`);
    await refused('SET ROLE platform');
    await refused('CREATE FUNCTION public.refuse() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$');
    await refused(
      'CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    );
    await refused('CREATE TABLE public.audit_rows_2 (id int)');
    await refused('CREATE SCHEMA other');
    await refused('DROP SCHEMA audit CASCADE');
    await refused('DROP OWNED BY platform');
    // Without the right to grant, this is a warning and gives nothing.
    await attacker.query('GRANT UPDATE ON audit_rows TO platform_server');
    await refused('UPDATE audit_rows SET reason = NULL');
    await refused('UPDATE _prisma_migrations SET finished_at = NULL');
    await refused('COPY audit_rows TO PROGRAM $$cat$$');
  });

  test('postings that it adds itself must balance, and change the balances as any other', async () => {
    await expect(
      attacker.query(
        `INSERT INTO ledger.postings
         SELECT 'txn_forged', account, "paymentId", "platformAccountId", "partnerId", mode, currency, amount, "createdAt"
         FROM ledger.postings WHERE account = 'refunds' LIMIT 1`,
      ),
    ).rejects.toThrow('do not sum to zero');
  });

  test('every table has exactly the rights that the list gives it', async () => {
    const { rows } = await asOwner<{ name: string; rights: string[] }>(
      platform,
      `SELECT c.oid::regclass::text AS raw, n.nspname || '.' || c.relname AS name,
         ARRAY(SELECT a.privilege_type::text FROM aclexplode(c.relacl) a
           WHERE a.grantee = 'platform_server'::regrole) AS rights
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind = 'r' AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'`,
    );
    expect(rows.length).toBeGreaterThan(60);
    for (const { name, rights } of rows) expect([...rights].sort(), name).toEqual(rightsOn(name).sort());
    for (const right of ['UPDATE', 'DELETE', 'TRUNCATE']) expect(rightsOn('public.events')).not.toContain(right);
  });
});

describe('the roles', () => {
  const log = createLog({ level: 'silent' });
  const lines = () => {
    const logged: string[] = [];
    return {
      logged,
      log: createLog({ level: 'warn', destination: { write: (line: string) => void logged.push(line) } }),
    };
  };
  const onlyBy = (url: string) => ({ kind: 'server', url, ownerUrl: null, directUrl: null, replica: null }) as const;
  const warning = 'The role of DATABASE_URL owns the tables';

  test('DATABASE_URL alone, of an owner: migrates, serves, and warns in one sentence', async () => {
    const url = await emptyDatabase();
    const { logged, log: warned } = lines();
    const owning = { ...testConfig(url), database: onlyBy(url) };
    const server = await startPlatform(owning, { log: warned, port: 0, jobs: false });
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
    await server.close();
    expect(logged.filter((line) => line.includes(warning))).toHaveLength(1);
    // The same database with separated roles, which needs nothing else and warns no more.
    const separated = lines();
    const again = await startPlatform(testConfig(url), { log: separated.log, port: 0, jobs: false });
    expect((await fetch(`${again.url}/health/ready`)).status).toBe(200);
    expect((await again.services.pool.query('SELECT count(*) FROM events')).rowCount).toBe(1);
    await again.close();
    expect(separated.logged.filter((line) => line.includes(warning))).toEqual([]);
    await dropDatabase(url);
  });

  test('DATABASE_URL alone, of a role that owns nothing: serves what is migrated, and says what is missing', async () => {
    const ownerUrl = await freshDatabase();
    const url = asServerRole(ownerUrl);
    await prepareDatabase(testConfig(ownerUrl), { url, ownerUrl }, log);
    const alone = { ...testConfig(ownerUrl), database: onlyBy(url) };
    const server = await startPlatform(alone, { log, port: 0, jobs: false });
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
    await server.close();
    const newest = migrationNames().at(-1);
    await asOwner({ databaseUrl: ownerUrl }, `DELETE FROM _prisma_migrations WHERE migration_name = '${newest}'`);
    await expect(startPlatform(alone, { log, port: 0, jobs: false })).rejects.toThrow(
      `lacks the migration ${newest}, and the role of DATABASE_URL does not own the tables; run \`platform migrate\``,
    );
    await dropDatabase(ownerUrl);
  });

  test('a role that does not exist is made with the password of the URL, and a new table is covered', async () => {
    const ownerUrl = await freshDatabase();
    const role = `made_${process.pid}_${Date.now()}`;
    const url = Object.assign(new URL(ownerUrl), { username: role, password: 'p%40ss%20word' }).href;
    await asOwner({ databaseUrl: ownerUrl }, 'CREATE TABLE later (id int); CREATE SEQUENCE later_ids');
    await prepareDatabase(testConfig(ownerUrl), { url, ownerUrl }, log);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    expect(await missingMigrations(client)).toEqual([]);
    await client.query(`INSERT INTO later VALUES (nextval('later_ids'))`);
    await expect(client.query('TRUNCATE later')).rejects.toMatchObject({ code: '42501' });
    // What was given by hand is taken away again.
    await asOwner({ databaseUrl: ownerUrl }, `GRANT ALL ON audit_rows, events TO ${role}`);
    await prepareDatabase(testConfig(ownerUrl), { url, ownerUrl }, log);
    await expect(client.query('UPDATE events SET type = type')).rejects.toMatchObject({ code: '42501' });
    await client.end();
    await dropDatabase(ownerUrl);
    await asOwner(platform, `DROP ROLE ${role}`);
  });

  test('two servers that start at once on an empty database give the rights once', async () => {
    const ownerUrl = await emptyDatabase();
    const urls = { url: asServerRole(ownerUrl), ownerUrl };
    await Promise.all([1, 2, 3].map(() => prepareDatabase(testConfig(ownerUrl), urls, log)));
    await dropDatabase(ownerUrl);
  });

  test('MIGRATION_DATABASE_URL without a role in DATABASE_URL stops the start', () => {
    for (const DATABASE_URL of ['', 'postgresql://db/platform'])
      expect(() =>
        loadConfig({ NODE_ENV: 'test', DATABASE_URL, MIGRATION_DATABASE_URL: 'postgresql://o:p@db/platform' }),
      ).toThrow('MIGRATION_DATABASE_URL is set; DATABASE_URL must then name the role of the server.');
  });
});
