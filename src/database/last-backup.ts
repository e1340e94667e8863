import { execute, type Queryable, queryRow, sql } from './sql.ts';

/** A standby, a role that may only read, and a database that is not migrated to this version yet. */
const cannotRecord = ['25006', '42501', '42P01'];

/** Records when a backup of this database was taken. False where it cannot: the backup is good nevertheless. */
export async function recordBackup(database: Queryable, takenAt: Date): Promise<boolean> {
  try {
    await execute(
      database,
      sql`
        INSERT INTO operating.last_backup AS l ("takenAt")
        VALUES (${takenAt})
        ON CONFLICT ("onlyRow") DO UPDATE SET "takenAt" = greatest(l."takenAt", excluded."takenAt")`,
    );
    return true;
  } catch (error) {
    if (cannotRecord.includes(String((error as { code?: string }).code))) return false;
    throw error;
  }
}

/** When the last recorded backup was taken; null if there was none. */
export async function lastBackupAt(database: Queryable): Promise<Date | null> {
  const row = await queryRow<{ takenAt: Date }>(database, sql`SELECT "takenAt" FROM operating.last_backup`);
  return row?.takenAt ?? null;
}
