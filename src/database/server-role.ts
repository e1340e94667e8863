import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { ConfigError } from '../settings/config.ts';
import { withClient } from './client.ts';
import { platformLock } from './migrate.ts';
import { type Queryable, queryRow, queryRows, sql } from './sql.ts';
import { inTransaction } from './transaction.ts';

/** Rows are added and never changed: not by the server, and not by anyone who has its connection. */
const history: readonly string[] = [
  'public.audit_rows',
  'public.audit_verifications',
  'public.blocked_charges',
  'public.events',
  'public.funnel_events',
  'ledger.postings',
  'cells.own',
];
/** Only triggers and migrations write here. */
const readOnly: readonly string[] = [
  'audit.head',
  'counters.user_counts',
  'ledger.balances',
  'public._prisma_migrations',
  'vault.installation',
  'vault.place',
];
/** Rows are never removed. */
const kept: readonly string[] = [
  'keys.checks',
  'public.partners',
  'public.processing_accounts',
  'public.stores',
  'public.api_keys',
  'public.partner_key_requests',
  'public.payments',
  'public.transactions',
  'public.refunds',
  'public.refund_requests',
  'public.disputes',
];
/** Versions are deleted with their funnel and are never changed. */
const fixed: readonly string[] = ['public.funnel_versions'];

/** The rights of the server's role on a table. It may truncate none and add a trigger to none. */
export function rightsOn(table: string): string[] {
  if (readOnly.includes(table)) return ['SELECT'];
  if (history.includes(table)) return ['SELECT', 'INSERT'];
  if (kept.includes(table)) return ['SELECT', 'INSERT', 'UPDATE'];
  return fixed.includes(table) ? ['SELECT', 'INSERT', 'DELETE'] : ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
}

/**
 * Grants the role of `url` the rights that a server needs, and revokes all others. Run by the owner of the tables after
 * each migration, so that new tables are covered. Nothing changes if the rights are right already. A role that does not
 * exist is created, with the password in the URL.
 */
export async function grantServerRole(
  url: string,
  ownerUrl: string,
  settings: RoleSettings = { server: 'DATABASE_URL', owner: 'MIGRATION_DATABASE_URL' },
): Promise<void> {
  const { role, password } = roleOf(url);
  const grant = async (owner: pg.Client): Promise<void> => {
    // Two processes that start concurrently would change the same entries.
    await queryRow(owner, sql`SELECT pg_advisory_xact_lock(${platformLock})`);
    if (!(await roleExists(owner, role))) await createRole(owner, role, password, settings);
    if (await isOwner(owner, role)) return;
    for (const statement of await missingGrants(owner, role)) await owner.query(statement);
  };
  await withClient(ownerUrl, 'platform-migrations', (owner) => inTransaction(owner, () => grant(owner)));
}

/** The settings of the two roles, for an error. */
export interface RoleSettings {
  server: string;
  owner: string;
}

/** Whether the role of this connection could change the tables and their triggers, and thereby the history in them. */
export async function ownsTables(database: Queryable): Promise<boolean> {
  const row = await queryRow<{ owns: boolean }>(
    database,
    sql`
      SELECT r.rolsuper OR pg_has_role(r.oid, d.datdba, 'MEMBER') OR EXISTS (
        SELECT 1
        FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'public' AND c.relkind = 'r' AND pg_has_role(r.oid, c.relowner, 'MEMBER')
      ) AS owns
      FROM pg_roles r, pg_database d
      WHERE r.rolname = current_user AND d.datname = current_database()`,
  );
  return row?.owns ?? false;
}

function roleOf(url: string): { role: string; password: string } {
  const { username, password } = new URL(url);
  return { role: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** An owner keeps its rights: a deployment whose roles are not separated. */
async function isOwner(owner: pg.Client, role: string): Promise<boolean> {
  const row = await queryRow<{ owns: boolean }>(
    owner,
    sql`
      SELECT rolsuper OR pg_has_role(oid, current_user, 'MEMBER') AS owns
      FROM pg_roles
      WHERE rolname = ${role}`,
  );
  return row?.owns ?? false;
}

async function roleExists(owner: pg.Client, role: string): Promise<boolean> {
  return (await queryRow(owner, sql`SELECT 1 FROM pg_roles WHERE rolname = ${role}`)) !== undefined;
}

/** The password is sent as its SCRAM verifier, since the database may log statements. */
async function createRole(owner: pg.Client, role: string, password: string, settings: RoleSettings): Promise<void> {
  const name = owner.escapeIdentifier(role);
  const login = password === '' ? '' : ` PASSWORD ${owner.escapeLiteral(scramVerifier(password))}`;
  await owner.query('SAVEPOINT role');
  try {
    await owner.query(`CREATE ROLE ${name} LOGIN${login}`);
  } catch (error) {
    const { code } = error as { code?: string };
    // Roles belong to the whole server, and another database on it may have just created this one.
    if (code !== '42710' && code !== '23505')
      throw new ConfigError(
        `The role ${role} of ${settings.server} does not exist, and the role of ${settings.owner} may not create it; ` +
          `as a superuser, run CREATE ROLE ${name} LOGIN with its password, and start again.`,
        { cause: error },
      );
    await owner.query('ROLLBACK TO role');
  }
}

/** SCRAM-SHA-256 as PostgreSQL stores it. */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, 4096, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$4096:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}

interface Granted {
  schema: string;
  name: string;
  kind: 'table' | 'sequence';
  rights: string[];
}

/** The statements that make the rights of the role equal to `rightsOn`. */
async function missingGrants(owner: pg.Client, role: string): Promise<string[]> {
  const name = owner.escapeIdentifier(role);
  const schemas = await queryRows<{ schema: string; uses: boolean; creates: boolean }>(
    owner,
    sql`
      SELECT nspname AS schema, has_schema_privilege(${role}, oid, 'USAGE') AS uses,
        has_schema_privilege(${role}, oid, 'CREATE') AS creates
      FROM pg_namespace
      WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'`,
  );
  const relations = await queryRows<Granted>(
    owner,
    sql`
      SELECT n.nspname AS schema, c.relname AS name,
        CASE c.relkind WHEN 'S' THEN 'sequence' ELSE 'table' END AS kind,
        CASE c.relkind
          WHEN 'S' THEN ARRAY(
            SELECT p FROM unnest(ARRAY['USAGE', 'SELECT', 'UPDATE']) p WHERE has_sequence_privilege(${role}, c.oid, p)
          )
          ELSE ARRAY(
            SELECT p
            FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) p
            WHERE has_table_privilege(${role}, c.oid, p)
          )
        END AS rights
      FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'S') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
        AND pg_has_role(c.relowner, 'MEMBER')
      ORDER BY 1, 2`,
  );
  const statements: string[] = [];
  for (const { schema, uses, creates } of schemas) {
    const inSchema = owner.escapeIdentifier(schema);
    if (!uses) statements.push(`GRANT USAGE ON SCHEMA ${inSchema} TO ${name}`);
    if (creates) statements.push(`REVOKE CREATE ON SCHEMA ${inSchema} FROM PUBLIC, ${name}`);
  }
  for (const { schema, name: relation, kind, rights } of relations) {
    const wanted = kind === 'sequence' ? ['USAGE', 'SELECT'] : rightsOn(`${schema}.${relation}`);
    if (wanted.length === rights.length && wanted.every((right) => rights.includes(right))) continue;
    const object = `${kind} ${owner.escapeIdentifier(schema)}.${owner.escapeIdentifier(relation)}`;
    statements.push(`REVOKE ALL ON ${object} FROM ${name}; GRANT ${wanted.join(', ')} ON ${object} TO ${name}`);
  }
  return statements;
}
