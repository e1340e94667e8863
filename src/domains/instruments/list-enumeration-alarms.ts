import type { OperatorVisibility } from '../../auth/tenancy.ts';
import type { EnumerationAlarm } from '../../generated/prisma/client.ts';
import type { Context } from '../../graph/context.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';

const alarmList: ListDefinition<Record<string, never>> = {
  table: 'enumeration_alarms',
  sorts: { createdAt: 'createdAt' },
  filters: {},
};

/** The refused enumerations of card numbers, newest first. */
export function listEnumerationAlarms(
  { services }: Context,
  visibility: OperatorVisibility,
  args: ListArguments<Record<string, never>>,
): Promise<Page<EnumerationAlarm>> {
  return readList(services.pool, visibility, alarmList, args);
}
