import { createHash } from 'node:crypto';
import type pg from 'pg';

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
 * Walks the chain from its first row and names the first that does not fit. The text that is hashed is built here and not by the
 * database's own function, and the head says how long the chain must be: who can write to the database can still not make a
 * change fit without writing every later row anew, and a hash noted elsewhere shows even that.
 */
export async function verifyAudit(pool: Pick<pg.Pool, 'query'>): Promise<AuditVerdict> {
  let previousHash = '';
  let sequence = 0;
  for (;;) {
    const { rows } = await pool.query<ChainRow>({ text: batch, values: [sequence, batchSize] });
    for (const row of rows) {
      const problem = problemOf(row, sequence + 1, previousHash);
      if (problem !== null)
        return { ok: false, sequence: sequence + 1, id: row.sequence === sequence + 1 ? row.id : null, problem };
      ({ sequence, hash: previousHash } = row);
    }
    if (rows.length < batchSize) break;
  }
  const { rows } = await pool.query<{ sequence: number; hash: string }>('SELECT sequence, hash FROM audit.head');
  const head = rows[0];
  // Rows that came after our last batch are later than what was read.
  if (head === undefined || head.sequence < sequence)
    return { ok: false, sequence, id: null, problem: 'the head of the chain was set back' };
  if (head.sequence === sequence && head.hash !== previousHash)
    return { ok: false, sequence, id: null, problem: 'the head of the chain has another hash than the last row' };
  if (head.sequence > sequence) {
    const later = await pool.query<{ n: number }>({
      text: 'SELECT count(*)::int AS n FROM audit_rows WHERE sequence > $1',
      values: [sequence],
    });
    if ((later.rows[0]?.n ?? 0) < head.sequence - sequence)
      return { ok: false, sequence: sequence + 1, id: null, problem: 'rows are missing at the end' };
  }
  return { ok: true, rows: sequence };
}

function problemOf(row: ChainRow, expected: number, previousHash: string): string | null {
  if (row.sequence !== expected) return `row ${expected} is missing`;
  if (row.previousHash !== previousHash) return 'it does not carry the hash of the row before';
  return createHash('sha256').update(row.text).digest('hex') === row.hash ? null : 'its content is not what was hashed';
}

const batch = `SELECT r.id, r.sequence, r."previousHash", r.hash,
  jsonb_build_array(r."previousHash", r.sequence, r.id, to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    r."actorKind", r."actorId", r."actorEmail", r.action, r.target, r.before, r.after, r.outcome, r.reason, r."requestId", r.ip)::text AS text
FROM audit_rows r WHERE r.sequence > $1 ORDER BY r.sequence LIMIT $2`;
