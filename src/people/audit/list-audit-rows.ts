import { sql } from '../../database/sql.ts';
import type { SessionContext } from '../../graph/context.ts';
import { date, is, oneOf } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { Mode } from '../../kit/mode.ts';
import type { AuditFilters } from './inputs.ts';
import type { AuditListRow } from './types.ts';

type Filters = typeof AuditFilters.$inferInput & { mode?: Mode | null };

export const auditList: ListDefinition<Filters> = {
  table: 'audit_rows',
  extra: { columns: sql`t.at AS "createdAt"` },
  // The order of the chain: times can be equal, sequence numbers cannot.
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
    mode: is('mode'),
  },
};

export function listAuditRows(
  { services, replica }: SessionContext,
  { mode, ...args }: ListArguments<typeof AuditFilters.$inferInput> & { mode?: Mode | null | undefined },
): Promise<Page<AuditListRow>> {
  const filters = { ...args.filters, ...(mode != null && { mode }) };
  return readList(services.pool, { kind: 'whole', replica }, auditList, { ...args, filters });
}
