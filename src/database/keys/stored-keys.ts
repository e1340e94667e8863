import { type Queryable, queryRow, sql } from '../sql.ts';
import type { StoredCheck, StoredKeys } from './decide-keys.ts';
import { idsInUse } from './used-keys.ts';

/** Held by the process that writes checks: of two first starts the second finds the keys of the first one. */
const keysLock = 471_100_017;

/** Whether a database is of a version that keeps checks. */
export async function keepsChecks(database: Queryable): Promise<boolean> {
  const row = await queryRow<{ keeps: boolean }>(
    database,
    sql`
      SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'keys' AND tablename = 'checks') AS keeps`,
  );
  return row?.keeps ?? false;
}

/** The checks alone, also of a database whose other tables are of an earlier version. */
export async function readChecks(database: Queryable): Promise<StoredCheck[]> {
  const row = await queryRow<{ checks: StoredCheck[] }>(database, sql`SELECT (${checks}) AS checks`);
  return row?.checks ?? [];
}

/** The checks, and the keys that stored data needs; with `isVaultAlone` of a database of cards only. */
export async function readKeys(database: Queryable, isVaultAlone: boolean): Promise<StoredKeys> {
  const row = await queryRow<{ checks: StoredCheck[]; used: string[] }>(
    database,
    sql`SELECT (${checks}) AS checks, ARRAY(${idsInUse(isVaultAlone)}) AS used`,
  );
  return { checks: row?.checks ?? [], used: row?.used ?? [] };
}

const checks = sql`
  SELECT coalesce(
    jsonb_agg(
      jsonb_build_object('setting', setting, 'keyId', "keyId", 'check', "check", 'state', state)
      ORDER BY array_position(ARRAY['VAULT_KEYS', 'AUDIT_KEYS', 'FINGERPRINT_KEY', 'IDP_SECRET'], setting), "keyId"
    ),
    '[]'
  )
  FROM keys.checks`;

/** Decides again while no other process can write checks, and stores what follows from that. */
export async function changeChecks(database: Queryable, decide: () => Promise<readonly StoredCheck[]>): Promise<void> {
  await database.query('BEGIN');
  try {
    await queryRow(database, sql`SELECT pg_advisory_xact_lock(${keysLock})`);
    for (const { setting, keyId, check, state } of await decide())
      await queryRow(
        database,
        sql`
          INSERT INTO keys.checks (setting, "keyId", "check", state)
          VALUES (${setting}, ${keyId}, ${check}, ${state})
          ON CONFLICT (setting, "keyId") DO UPDATE
          SET "check" = excluded."check", state = excluded.state, "changedAt" = now()`,
      );
    await database.query('COMMIT');
  } catch (error) {
    await database.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
