import type { Visibility } from '../../auth/tenancy.ts';
import type { Context, PartnerKeyContext } from '../../call/context.ts';
import { sql } from '../../database/sql.ts';
import type { ProcessingAccount } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { date, is, oneOf, text } from '../../lists/filters.ts';
import { DateFilter, TextFilter } from '../../lists/inputs.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';
import { AccountStatus, KybStatusEnum, Mode } from './types.ts';

export const AccountFilters = builder.inputType('AccountFilters', {
  description: 'Conditions on accounts. An account is listed if it meets all of them.',
  fields: (t) => ({
    status: t.field({ type: [AccountStatus], description: 'Accounts in any of these statuses.' }),
    kybStatus: t.field({ type: [KybStatusEnum], description: 'Accounts in any of these KYB statuses.' }),
    country: t.field({ type: ['Country'], description: 'Accounts in any of these countries.' }),
    externalRef: t.field({ type: 'Name', description: "The account with exactly this reference of the partner's." }),
    createdAt: t.field({ type: DateFilter, description: 'Condition on the time of creation.' }),
    legalName: t.field({ type: TextFilter, description: "Condition on the merchant's legal name." }),
  }),
});

export const CreateAccountInput = builder.inputType('CreateAccountInput', {
  description: 'The merchant to provision.',
  fields: (t) => ({
    legalName: t.field({ type: 'Name', required: true, description: "The merchant's legal name." }),
    country: t.field({ type: 'Country', description: 'The country in which the merchant is established.' }),
    currency: t.field({
      type: 'Currency',
      defaultValue: 'USD',
      description: 'The base currency of the account and of its first store.',
    }),
    externalRef: t.field({
      type: 'Name',
      description:
        'Your own reference of the account, unique per partner and mode. A second call with the same reference ' +
        'returns the existing account unchanged.',
    }),
    mode: t.field({
      type: Mode,
      description:
        'Must be the mode of the API key, which is the default. Another mode is refused with 403 ' +
        '`mode_escalation_forbidden`.',
    }),
    metadata: t.field({ type: 'Metadata', description: 'Key-value data to store with the account.' }),
  }),
});

export const UpdateAccountInput = builder.inputType('UpdateAccountInput', {
  description: 'The fields to change. Fields that are left out keep their values.',
  fields: (t) => ({
    legalName: t.field({ type: 'Name', description: "The merchant's legal name." }),
    metadata: t.field({
      type: 'Metadata',
      description: 'Key-value data to store with the account. Replaces all existing keys.',
    }),
  }),
});

export const accountList: ListDefinition<typeof AccountFilters.$inferInput> = {
  table: 'processing_accounts',
  accountColumn: 'id',
  sorts: { createdAt: 'createdAt', legalName: 'legalName' },
  sortsOverAll: ['legalName'],
  filters: {
    status: oneOf('status'),
    kybStatus: oneOf('kybStatus'),
    country: oneOf('country'),
    externalRef: is('externalRef'),
    createdAt: date('createdAt'),
    legalName: text('legalName'),
  },
};

export function listAccounts(
  context: PartnerKeyContext,
  args: ListArguments<typeof AccountFilters.$inferInput>,
): Promise<Page<ProcessingAccount>> {
  return listAccountsWithin(context, context.caller, args);
}

/** The same list for any visibility, such as an operator's. */
export function listAccountsWithin(
  { services }: Context,
  visibility: Visibility,
  args: ListArguments<typeof AccountFilters.$inferInput>,
): Promise<Page<ProcessingAccount>> {
  return readList(services.pool, visibility, accountList, args);
}

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
