import { execute, type Queryable, queryRow, queryRows, sql } from '../../database/sql.ts';
import type { AuditKeys } from '../../keys/audit-keys.ts';
import { newId } from '../../lib/ids.ts';
import type { Anchor } from './anchors.ts';

export type AuditVerdict =
  | { ok: true; rows: number; head: string }
  | { ok: false; sequence: number; id: string | null; problem: string };

interface ChainRow {
  id: string;
  sequence: number;
  previousHash: string;
  hash: string;
  keyId: string;
  text: string;
}

/** The position of the verification in the log: after the row `sequence`. */
interface Position {
  sequence: number;
  hash: string;
}

const batchSize = 5_000;

/**
 * Reads the log from its first row and reports the first row that does not match. The hashed text is built by this
 * statement and not by the database's own function, and the keys are not in the database, so a writer to the database
 * can change, remove, insert or move no row unnoticed. Rows that are cut off at the end are detected only by comparison
 * with an anchor.
 */
export async function verifyAudit(
  database: Queryable,
  keys: AuditKeys,
  anchors: readonly Anchor[] = [],
): Promise<AuditVerdict> {
  const anchored = new Map(anchors.map(({ sequence, hash }) => [sequence, hash]));
  let at: Position = { sequence: 0, hash: '' };
  for (;;) {
    const rows = await readRows(database, at.sequence);
    for (const row of rows) {
      const sequence = at.sequence + 1;
      const problem = problemOf(row, at, keys) ?? anchorProblem(row, anchored);
      if (problem !== null) {
        return { ok: false, sequence, id: row.sequence === sequence ? row.id : null, problem };
      }
      at = { sequence, hash: row.hash };
    }
    if (rows.length === 0) break;
  }
  return verifyEnd(database, at, Math.max(0, ...anchored.keys()));
}

function readRows(database: Queryable, after: number): Promise<ChainRow[]> {
  return queryRows<ChainRow>(
    database,
    sql`
      SELECT r.id, r.sequence, r."previousHash", r.hash, r."keyId",
        (
          jsonb_build_array(
            r."previousHash", r.sequence, r.id, to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            r."actorKind", r."actorId", r."actorEmail", r.action, r.target, r.before, r.after, r.outcome, r.reason,
            r."requestId", r.ip, r."keyId"
          ) || CASE WHEN r.mode IS NULL THEN '[]'::jsonb ELSE jsonb_build_array(r.mode) END
            || CASE
              WHEN r."partnerId" IS NULL THEN '[]'::jsonb
              ELSE jsonb_build_array(jsonb_build_object('partnerId', r."partnerId"))
            END
        )::text AS text
      FROM audit_rows r
      WHERE r.sequence > ${after}
      ORDER BY r.sequence
      LIMIT ${batchSize}`,
  );
}

function problemOf(row: ChainRow, { sequence, hash }: Position, keys: AuditKeys): string | null {
  if (row.sequence !== sequence + 1) return `row ${sequence + 1} is missing`;
  if (row.previousHash !== hash) return 'it does not carry the hash of the row before';
  const expected = keys.hashOf(row);
  if (expected === null) return `its key ${row.keyId} is not among the keys given`;
  return expected === row.hash ? null : 'its content is not what was hashed';
}

function anchorProblem(row: ChainRow, anchored: ReadonlyMap<number, string>): string | null {
  const hash = anchored.get(row.sequence);
  return hash === undefined || hash === row.hash ? null : 'its hash is not that of an anchor';
}

async function verifyEnd(database: Queryable, { sequence, hash }: Position, anchoredTo: number): Promise<AuditVerdict> {
  const head = await queryRow<{ sequence: number; hash: string }>(database, sql`SELECT sequence, hash FROM audit.head`);
  const problem = await endProblem(database, sequence, hash, head);
  if (problem !== null) return { ok: false, sequence, id: null, problem };
  if (anchoredTo > sequence)
    return {
      ok: false,
      sequence: sequence + 1,
      id: null,
      problem: `rows are cut off: an anchor names row ${anchoredTo}`,
    };
  return { ok: true, rows: sequence, head: `${sequence}:${hash}` };
}

async function endProblem(
  database: Queryable,
  sequence: number,
  hash: string,
  head: { sequence: number; hash: string } | undefined,
): Promise<string | null> {
  // Rows added after the last batch make the head later than what was read.
  if (head === undefined || head.sequence < sequence) return 'the head of the chain was set back';
  if (head.sequence === sequence && head.hash !== hash)
    return 'the head of the chain has another hash than the last row';
  if (head.sequence > sequence && (await countRowsAfter(database, sequence)) < head.sequence - sequence)
    return 'rows are missing at the end';
  return null;
}

async function countRowsAfter(database: Queryable, sequence: number): Promise<number> {
  const row = await queryRow<{ n: number }>(
    database,
    sql`
      SELECT count(*) AS n
      FROM audit_rows
      WHERE sequence > ${sequence}`,
  );
  return row?.n ?? 0;
}

/** A verification of the audit log and its result. */
export interface AuditVerification {
  at: Date;
  by: string;
  ok: boolean;
  rows: number;
  anchors: number;
  problem: string | null;
}

/**
 * Stores the result of a verification, to show operators when the log was last verified. It proves nothing, since a
 * writer to the database can change it too.
 */
export async function storeVerification(
  database: Queryable,
  { at, by, anchors }: Pick<AuditVerification, 'at' | 'by' | 'anchors'>,
  verdict: AuditVerdict,
): Promise<void> {
  const rows = verdict.ok ? verdict.rows : verdict.sequence - 1;
  const problem = verdict.ok ? null : `row ${verdict.sequence}: ${verdict.problem}`;
  await execute(
    database,
    sql`
      INSERT INTO audit_verifications (id, at, by, ok, rows, anchors, problem)
      VALUES (${newId('audv_', at)}, ${at}, ${by}, ${verdict.ok}, ${rows}, ${anchors}, ${problem})`,
  );
}

export async function lastVerification(database: Queryable): Promise<AuditVerification | null> {
  const last = await queryRow<AuditVerification>(
    database,
    sql`
      SELECT at, by, ok, rows, anchors, problem
      FROM audit_verifications
      ORDER BY at DESC, id DESC
      LIMIT 1`,
  );
  return last ?? null;
}
