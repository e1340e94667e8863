import type { Visibility } from '../../auth/tenancy.ts';
import type { Context } from '../../call/context.ts';
import { sql } from '../../database/sql.ts';
import type { ProcessingAccount } from '../../generated/prisma/client.ts';
import { anyOf, dates, exactly, listOf, texts } from '../../lists/list-of.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';
import { Account, AccountStatus, KybStatusEnum } from './types.ts';

export const accounts = listOf('Account', Account, (row: ProcessingAccount) => row, {
  of: 'accounts',
  table: 'processing_accounts',
  accountColumn: 'id',
  sorts: { createdAt: 'createdAt', legalName: 'legalName' },
  sortsOverAll: ['legalName'],
  aboutFilters: 'Conditions on accounts. An account is listed if it meets all of them.',
  filters: {
    status: anyOf(AccountStatus, 'Accounts in any of these statuses.'),
    kybStatus: anyOf(KybStatusEnum, 'Accounts in any of these KYB statuses.'),
    country: anyOf('Country', 'Accounts in any of these countries.'),
    externalRef: exactly('Name', "The account with exactly this reference of the partner's."),
    createdAt: dates('Condition on the time of creation.'),
    legalName: texts("Condition on the merchant's legal name."),
  },
  forPeople: true,
});

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
