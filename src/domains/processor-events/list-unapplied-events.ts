import type { Context } from '../../call/context.ts';
import { sql } from '../../database/sql.ts';
import type { UnappliedEvent } from '../../generated/prisma/client.ts';
import type { Mode } from '../../lib/ids.ts';
import { is } from '../../lists/filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';

interface UnappliedEventFilters {
  mode?: Mode;
  status?: string;
  processorId?: string;
}

const unappliedEventList: ListDefinition<UnappliedEventFilters> = {
  table: 'unapplied_events',
  extra: { columns: sql`t."receivedAt" AS "createdAt"` },
  sorts: { createdAt: 'receivedAt' },
  filters: { mode: is('mode'), status: is('status'), processorId: is('processorId') },
};

/** The events of processors that were not applied, or only later, newest first. */
export function listUnappliedEvents(
  { services: { pool }, replica }: Context,
  args: ListArguments<UnappliedEventFilters>,
): Promise<Page<UnappliedEvent & { createdAt: Date }>> {
  return readList(pool, { kind: 'whole', replica }, unappliedEventList, args);
}
