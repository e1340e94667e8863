import type pg from 'pg';
import { quoted } from '../../database/backup/backup.ts';
import { asideSchema } from '../../database/move/aside-schema.ts';
import { brokenKeys } from '../../database/move/broken-keys.ts';
import { fullName, notPut } from '../../database/move/partner-tables.ts';
import {
  type Aside,
  beginMove,
  copyRows,
  digestsOf,
  makeTables,
  putRows,
  type TableDigest,
} from '../../database/move/set-aside.ts';
import { execute, join, queryRow, sql } from '../../database/sql.ts';
import { ConfigError } from '../../settings/config.ts';
import { recordParts } from '../../unit-of-work/records.ts';
import type { Cells } from './move-request.ts';
import { asideIn, type LeavingPartner } from './move-source.ts';

export async function hasArrived(target: pg.Client, id: string): Promise<boolean> {
  return (await queryRow(target, sql`SELECT FROM partners WHERE id = ${id}`)) !== undefined;
}

/** Copies what is set aside, in one transaction, unless an earlier run has, and compares counts and digests. */
export async function copy(source: pg.Client, target: pg.Client, { id }: LeavingPartner): Promise<number> {
  const [from, to] = [await asideIn(source, id), await asideIn(target, id, 'arriving')];
  await target.query('BEGIN');
  try {
    const isThere = await queryRow(target, sql`SELECT FROM pg_namespace WHERE nspname = ${to.schema}`);
    if (isThere === undefined) {
      await makeTables(target, to);
      await copyRows(source, from, target, to);
    }
    const [sent, received] = [await digestsOf(source, from), await digestsOf(target, to)];
    const different = Object.keys({ ...sent, ...received }).filter((name) => !isSame(sent[name], received[name]));
    if (different.length > 0) throw new ConfigError(`The copy differs from the original in ${different.join(', ')}.`);
    await target.query('COMMIT');
    return rowsIn(received);
  } catch (error) {
    await target.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Puts the copy into the tables, in one transaction. The foreign keys of all rows that arrived and the ledger of the
 * whole cell are verified before the commit. From here on the partner is in service here.
 */
export async function arrive(
  { target, here, by }: Cells,
  { id, slug }: LeavingPartner,
  fromCell: string,
): Promise<void> {
  const all = await asideIn(target, id, 'arriving');
  const aside: Aside = { ...all, tables: all.tables.filter((table) => !(fullName(table) in notPut)) };
  await beginMove(target);
  try {
    const digests = await digestsOf(target, aside);
    // The identity provider of this cell does not know the organization.
    await target.query(`UPDATE ${quoted(aside.schema, 'public.organizations')} SET "organizationId" = NULL`);
    await putRows(target, aside);
    await sumFiguresAgain(target, id);
    const broken = await brokenKeys(target, aside);
    if (broken.length > 0) throw new ConfigError(`Rows of the partner lack what they refer to: ${broken.join(', ')}.`);
    const [difference] = await here.ledgerDifferences(target);
    if (difference) throw new ConfigError(`The ledger would differ: ${difference.about}: ${difference.message}.`);
    await forgetEarlierMove(target, id);
    await target.query(`DROP SCHEMA ${quoted(aside.schema)} CASCADE`);
    await target.query('SET LOCAL session_replication_role = origin');
    const after = { slug, fromCell, rows: rowsIn(digests), tables: digests };
    const recordedBy = { ...by, now: here.now(), testClockId: null, auditKeys: here.auditKeys };
    const parts = recordParts(recordedBy, [], [{ action: 'movePartner', target: id, after }]);
    await execute(target, sql`WITH ${join(parts, ', ')} SELECT 1`);
    await target.query('COMMIT');
  } catch (error) {
    await target.query('ROLLBACK').catch(() => {});
    throw (error as { code?: string }).code === '23505'
      ? new ConfigError(`This cell has a row that the partner brings, too: ${(error as Error).message}.`)
      : error;
  }
}

/** Removes a copy that is not in service. */
export async function dropCopy(target: pg.Client, id: string): Promise<void> {
  await target.query(`DROP SCHEMA IF EXISTS ${quoted(asideSchema(id, 'arriving'))} CASCADE`);
}

/** This cell may have summed other days than the one that the partner leaves. */
async function sumFiguresAgain(target: pg.Client, id: string): Promise<void> {
  await execute(
    target,
    sql`
      INSERT INTO counters.figures_changed ("platformAccountId", day)
      SELECT DISTINCT r."platformAccountId", (r."createdAt" AT TIME ZONE 'UTC')::date
      FROM (
        SELECT "platformAccountId", "createdAt" FROM payments WHERE "partnerId" = ${id}
        UNION ALL SELECT "platformAccountId", "createdAt" FROM refunds WHERE "partnerId" = ${id}
        UNION ALL SELECT "platformAccountId", "createdAt" FROM disputes WHERE "partnerId" = ${id}
      ) r`,
  );
}

/** A partner that comes back: what it left here is older than what it brings. */
async function forgetEarlierMove(target: pg.Client, id: string): Promise<void> {
  await execute(target, sql`DELETE FROM cells.stopped_keys WHERE "partnerId" = ${id}`);
  await execute(target, sql`DELETE FROM cells.moves WHERE "partnerId" = ${id}`);
  await target.query(`DROP SCHEMA IF EXISTS ${quoted(asideSchema(id, 'moved'))} CASCADE`);
}

function isSame(one: TableDigest | undefined, other: TableDigest | undefined): boolean {
  return one !== undefined && one.rows === other?.rows && one.digest === other.digest;
}

function rowsIn(digests: Record<string, TableDigest>): number {
  return Object.values(digests).reduce((sum, { rows }) => sum + rows, 0);
}
