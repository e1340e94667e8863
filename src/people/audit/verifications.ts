import { execute, type Queryable, queryRow, sql } from '../../database/sql.ts';
import { newId } from '../../kit/ids.ts';
import type { AuditVerdict } from './verify-audit.ts';

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
 * Stores the result of a verification, for operators to see when the log was last verified. It proves nothing: who can
 * write to the database can write it, too.
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
