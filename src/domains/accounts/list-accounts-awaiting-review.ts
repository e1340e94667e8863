import type { Visibility } from '../../auth/tenancy.ts';
import { sql } from '../../database/sql.ts';
import type { ProcessingAccount } from '../../generated/prisma/client.ts';
import type { Context } from '../../graph/context.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';

export const awaitingReview: ListDefinition<Record<string, never>> = {
  table: 'processing_accounts',
  accountColumn: 'id',
  sorts: { submittedAt: 'kybSubmittedAt' },
  filters: {},
  always: sql`t."kybStatus" = 'submitted' AND t.status <> 'closed'`,
};

/** The accounts whose KYB awaits review, oldest submission first. */
export function accountsAwaitingReview(
  { services }: Context,
  visibility: Visibility,
  args: ListArguments<Record<string, never>>,
): Promise<Page<ProcessingAccount>> {
  return readList(services.pool, visibility, awaitingReview, {
    ...args,
    sortBy: { field: 'submittedAt', direction: 'asc' },
  });
}
