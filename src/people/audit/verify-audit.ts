import { createHash } from 'node:crypto';
import { type Queryable, queryRow, queryRows, sql } from '../../database/sql.ts';

export type AuditVerdict =
  | { ok: true; rows: number }
  | { ok: false; sequence: number; id: string | null; problem: string };

interface ChainRow {
  id: string;
  sequence: number;
  previousHash: string;
  hash: string;
  text: string;
}

const batchSize = 5_000;

/**
 * Reads the chain from its first row and reports the first row that does not match. The hashed text is built by this
 * statement and not by the database's own function, and the head of the chain contains its length: a person with write
 * access to the database cannot change a row without writing every later row again, and a hash stored elsewhere reveals
 * even that.
 */
export async function verifyAudit(database: Queryable): Promise<AuditVerdict> {
  let previousHash = '';
  let sequence = 0;
  for (;;) {
    const rows = await readBatch(database, sequence);
    for (const row of rows) {
      const problem = problemOf(row, sequence + 1, previousHash);
      if (problem !== null)
        return { ok: false, sequence: sequence + 1, id: row.sequence === sequence + 1 ? row.id : null, problem };
      ({ sequence, hash: previousHash } = row);
    }
    if (rows.length < batchSize) break;
  }
  return verifyHead(database, sequence, previousHash);
}

function readBatch(database: Queryable, after: number): Promise<ChainRow[]> {
  return queryRows<ChainRow>(
    database,
    sql`
      SELECT r.id, r.sequence, r."previousHash", r.hash,
        jsonb_build_array(
          r."previousHash", r.sequence, r.id, to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          r."actorKind", r."actorId", r."actorEmail", r.action, r.target, r.before, r.after, r.outcome, r.reason,
          r."requestId", r.ip
        )::text AS text
      FROM audit_rows r
      WHERE r.sequence > ${after}
      ORDER BY r.sequence
      LIMIT ${batchSize}`,
  );
}

function problemOf(row: ChainRow, expected: number, previousHash: string): string | null {
  if (row.sequence !== expected) return `row ${expected} is missing`;
  if (row.previousHash !== previousHash) return 'it does not carry the hash of the row before';
  return createHash('sha256').update(row.text).digest('hex') === row.hash ? null : 'its content is not what was hashed';
}

async function verifyHead(database: Queryable, sequence: number, hash: string): Promise<AuditVerdict> {
  const head = await queryRow<{ sequence: number; hash: string }>(database, sql`SELECT sequence, hash FROM audit.head`);
  // Rows added after the last batch make the head later than what was read.
  if (head === undefined || head.sequence < sequence)
    return { ok: false, sequence, id: null, problem: 'the head of the chain was set back' };
  if (head.sequence === sequence && head.hash !== hash)
    return { ok: false, sequence, id: null, problem: 'the head of the chain has another hash than the last row' };
  if (head.sequence > sequence && (await countRowsAfter(database, sequence)) < head.sequence - sequence)
    return { ok: false, sequence: sequence + 1, id: null, problem: 'rows are missing at the end' };
  return { ok: true, rows: sequence };
}

async function countRowsAfter(database: Queryable, sequence: number): Promise<number> {
  const row = await queryRow<{ n: number }>(
    database,
    sql`
      SELECT count(*)::int AS n
      FROM audit_rows
      WHERE sequence > ${sequence}`,
  );
  return row?.n ?? 0;
}
