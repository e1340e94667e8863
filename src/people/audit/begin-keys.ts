import { join, queryRow, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';
import { recordParts } from '../../write/records.ts';

/**
 * Adds one row with a key to a log whose rows were written without: it contains the hash of the row before, so that
 * from now on none of them can be changed either. Does nothing in a log that has a key, or no row.
 */
export async function beginAuditKeys({ pool, prisma, clock, auditKeys }: Services): Promise<void> {
  const last = await queryRow<{ keyId: string | null }>(
    pool,
    sql`SELECT "keyId" FROM audit_rows ORDER BY sequence DESC LIMIT 1`,
  );
  if (last === undefined || last.keyId !== null) return;
  const by = {
    actor: { kind: 'system', id: 'start' },
    requestId: 'start_begin_audit_keys',
    ip: null,
    now: clock.now(),
    testClockId: null,
    auditKeys,
  };
  const parts = recordParts(by, [], [{ action: 'beginAuditKeys', target: auditKeys.newestId }]);
  await prisma.$queryRaw(sql`WITH ${join(parts, ', ')} SELECT 1 AS done`);
}
