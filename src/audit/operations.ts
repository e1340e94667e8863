import type { AuditRow } from '../generated/prisma/client.ts';
import type { SessionContext } from '../graph/context.ts';
import { date, is, oneOf } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import type { AuditFilters } from './schema.ts';

/** A row as the list reads it; the moment stands under the name every list has it under, too. */
export type AuditListRow = AuditRow & { createdAt: Date };

const auditList: ListDefinition<typeof AuditFilters.$inferInput> = {
  table: 'audit_rows',
  extra: { columns: 't.at AS "createdAt"', joins: '' },
  // The chain's own order: moments can be equal, and its numbers cannot.
  sorts: { createdAt: 'sequence' },
  filters: {
    action: oneOf('action'),
    outcome: oneOf('outcome'),
    actorUserId: is('actorId'),
    actorEmail: is('actorEmail'),
    target: is('target'),
    reason: is('reason'),
    requestId: is('requestId'),
    at: date('at'),
  },
};

export function listAuditRows(
  { env }: SessionContext,
  args: ListArguments<typeof AuditFilters.$inferInput>,
): Promise<Page<AuditListRow>> {
  return readList(env.pool, { kind: 'whole' }, auditList, args);
}
