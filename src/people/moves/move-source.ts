import pg from 'pg';
import { quoted } from '../../database/backup/backup.ts';
import { type AsidePrefix, asideSchema } from '../../database/move/aside-schema.ts';
import { type PartnerTable, partnerTables } from '../../database/move/partner-tables.ts';
import { type Aside, beginMove, makeTables, putRows, takeRows } from '../../database/move/set-aside.ts';
import { execute, type Queryable, queryRow, sql } from '../../database/sql.ts';

/** What of a partner has begun and not finished: calls to processors, deliveries, advances of test clocks. */
export async function inFlightOf(database: Queryable, partnerId: string): Promise<number> {
  const row = await queryRow<{ count: number }>(
    database,
    sql`
      SELECT (
        (SELECT count(*) FROM payments WHERE "partnerId" = ${partnerId} AND "subStatus" = 'processing')
        + (SELECT count(*) FROM transactions WHERE "partnerId" = ${partnerId} AND status = 'processing')
        + (SELECT count(*) FROM webhook_deliveries WHERE "partnerId" = ${partnerId} AND "leasedUntil" > now())
        + (SELECT count(*) FROM subscriptions WHERE "partnerId" = ${partnerId} AND "chargingSince" IS NOT NULL)
        + (SELECT count(*) FROM test_clocks WHERE "partnerId" = ${partnerId} AND "drivenBy" IS NOT NULL
            AND "leasedUntil" > now())
        + (SELECT count(*) FROM limits.card_attempts a JOIN stores s ON s.id = a."storeId"
            WHERE s."partnerId" = ${partnerId} AND a.state = 'running' AND a.at > now() - interval '1 minute')
      )::int AS count`,
  );
  return row?.count ?? 0;
}

/** A partner in the cell that it leaves. Without a state it is in service there. */
export interface LeavingPartner {
  id: string;
  slug: string;
  state: 'stopped' | 'aside' | 'moved' | null;
}

export async function findLeaving(source: pg.Client, slug: string): Promise<LeavingPartner | undefined> {
  return queryRow<LeavingPartner>(
    source,
    sql`
      SELECT m."partnerId" AS id, m.slug, m.state
      FROM cells.moves m
      WHERE m.slug = ${slug}
      UNION ALL
      SELECT p.id, p.slug, NULL
      FROM partners p
      WHERE p.slug = ${slug} AND NOT EXISTS (SELECT FROM cells.moves m WHERE m."partnerId" = p.id)`,
  );
}

/** From here on every call with a key of the partner is refused with 503. */
export async function stop(source: pg.Client, { id, slug }: LeavingPartner, cell: string, now: Date): Promise<void> {
  await source.query('BEGIN');
  await execute(
    source,
    sql`
      INSERT INTO cells.moves ("partnerId", slug, state, cell, at)
      VALUES (${id}, ${slug}, 'stopped', ${cell}, ${now})`,
  );
  await stopKeys(source, id);
  await source.query('COMMIT');
}

async function stopKeys(source: pg.Client, id: string): Promise<void> {
  await execute(
    source,
    sql`
      INSERT INTO cells.stopped_keys ("secretHash", "partnerId")
      SELECT "secretHash", "partnerId" FROM api_keys WHERE "partnerId" = ${id}
      ON CONFLICT DO NOTHING`,
  );
}

/**
 * Takes all rows of the partner out of the tables, in one transaction, so that no job, page or webhook finds it.
 * Returns the number of rows, or null if something is in flight or holds its rows, which is about to end.
 */
export async function setAside(source: pg.Client, { id }: LeavingPartner): Promise<number | null> {
  const aside = await asideIn(source, id);
  await beginMove(source);
  try {
    // Whoever adds a row below an account waits for these locks, and finds no account afterwards.
    await source.query("SET LOCAL lock_timeout = '30s'");
    await execute(source, sql`SELECT FROM partners WHERE id = ${id} FOR UPDATE`);
    await execute(source, sql`SELECT FROM processing_accounts WHERE "partnerId" = ${id} ORDER BY id FOR UPDATE`);
    if ((await inFlightOf(source, id)) > 0) {
      await source.query('ROLLBACK');
      return null;
    }
    await stopKeys(source, id);
    await makeTables(source, aside);
    // Transactions that had begun before add their last rows between two rounds.
    let rows = 0;
    for (let taken = -1; taken !== 0; rows += taken) taken = await takeRows(source, aside, id);
    await setState(source, id, 'aside');
    await source.query('COMMIT');
    return rows;
  } catch (error) {
    await source.query('ROLLBACK').catch(() => {});
    if (isLockTimeout(error)) return null;
    throw error;
  }
}

export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

export async function setState(source: pg.Client, id: string, state: 'aside' | 'moved'): Promise<void> {
  await execute(source, sql`UPDATE cells.moves SET state = ${state} WHERE "partnerId" = ${id}`);
}

/** Puts a partner into service again as it was, in one transaction. */
export async function putBack(source: pg.Client, { id, state }: LeavingPartner): Promise<void> {
  await beginMove(source);
  try {
    if (state === 'aside') {
      const aside = await asideIn(source, id);
      await putRows(source, aside);
      await source.query(`DROP SCHEMA ${quoted(aside.schema)} CASCADE`);
    }
    await execute(source, sql`DELETE FROM cells.stopped_keys WHERE "partnerId" = ${id}`);
    await execute(source, sql`DELETE FROM cells.moves WHERE "partnerId" = ${id}`);
    await source.query('COMMIT');
  } catch (error) {
    await source.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

export async function asideIn(client: pg.Client, id: string, prefix: AsidePrefix = 'moved'): Promise<Aside> {
  const tables: PartnerTable[] = await partnerTables(client);
  return { schema: asideSchema(id, prefix), tables };
}
