import type pg from 'pg';
import type { ScopeMap } from '../../auth/scopes.ts';
import type { Visibility } from '../../auth/tenancy.ts';
import { empty, join, type Sql, sql } from '../../database/sql.ts';
import { accounts, awaitingReview } from '../../domains/accounts/public.ts';
import { customers, customersFor } from '../../domains/customers/public.ts';
import { disputes } from '../../domains/disputes/public.ts';
import { orders } from '../../domains/orders/public.ts';
import { payments } from '../../domains/payments/public.ts';
import { subscriptions } from '../../domains/subscriptions/public.ts';
import { events, webhookDeliveries } from '../../domains/webhooks/public.ts';
import { auditColumns, auditListOf } from '../../iam/public.ts';
import { countRows, type RowOrder, readRows } from '../../lists/all-rows.ts';
import type { ListDefinition } from '../../lists/read-list.ts';
import { decimalText } from '../../theme/money.ts';

type ExportedRow = Readonly<Record<string, unknown>> & { id: string };

/** A list that can be exported: its scope, the columns of a row, and how rows are counted and read. */
export interface ExportKind {
  /** The scope of the list itself. */
  scope: ScopeMap;
  /** The names of the columns, which are those of the rows. */
  columns: readonly string[];
  count(pool: pg.Pool, visibility: Visibility, filters: object, max: number): Promise<number>;
  read(pool: pg.Pool, visibility: Visibility, filters: object): AsyncGenerator<ExportedRow[], void>;
}

interface Definition<Filters extends object> {
  scope: ScopeMap;
  list(visibility: Visibility): ListDefinition<Filters>;
  columns: readonly string[];
  /** The columns that are amounts in minor units of the row's `currency`. Each has its decimal text at the end. */
  amounts?: readonly string[];
  /** Columns of other tables in a row. */
  shows?: readonly Shown[];
  /** Default: newest first. */
  order?: RowOrder;
}

/** Columns of another table, and the join that they come from. */
interface Shown {
  columns: Sql;
  join: Sql;
}

/** Large enough for few statements, and a few hundred kilobytes at most. */
const rowsOfBatch = 500;
const newestFirst: RowOrder = { column: 'createdAt', direction: 'desc' };

function exportKind<Filters extends object>(definition: Definition<Filters>): ExportKind {
  const { scope, columns, amounts = [], order = newestFirst } = definition;
  // The graph has checked the filters of a list against the type of that list.
  const own = (filters: object) => filters as Filters;
  return {
    scope,
    columns: [...columns, ...amounts.map(decimalOf)],
    count: (pool, visibility, filters, max) =>
      countRows(pool, visibility, definition.list(visibility), { filters: own(filters), max }),
    read: (pool, visibility, filters) =>
      withDecimals(
        amounts,
        readRows<ExportedRow, Filters>(pool, visibility, shownList(definition, visibility), {
          filters: own(filters),
          order,
          batch: rowsOfBatch,
        }),
      ),
  };
}

const decimalOf = (amount: string): string => `${amount}Decimal`;

async function* withDecimals(
  amounts: readonly string[],
  batches: AsyncGenerator<ExportedRow[], void>,
): AsyncGenerator<ExportedRow[], void> {
  for await (const batch of batches)
    yield batch.map((row) => {
      const decimals = amounts.map((name) => {
        const amount = row[name] as bigint | number | null; // a column of amounts
        return [decimalOf(name), amount === null ? null : decimalText(amount, String(row['currency']))];
      });
      return { ...row, ...Object.fromEntries(decimals) };
    });
}

/** The list with every column of its table, and columns of other tables in place of those that its pages show. */
function shownList<Filters extends object>(
  { list, shows = [] }: Definition<Filters>,
  visibility: Visibility,
): ListDefinition<Filters> {
  const { columns: _columns, extra: _extra, ...rest } = list(visibility);
  if (shows.length === 0) return rest;
  return {
    ...rest,
    extra: {
      columns: join(shows.map(({ columns }) => columns)),
      joins: shows.reduce((joins, { join: one }) => sql`${joins} ${one}`, empty),
    },
  };
}

const account: Shown = {
  columns: sql`a."legalName" AS "accountName"`,
  join: sql`LEFT JOIN processing_accounts a ON a.id = t."platformAccountId"`,
};
const partner: Shown = {
  columns: sql`p.slug AS "partnerSlug"`,
  join: sql`LEFT JOIN partners p ON p.id = t."partnerId"`,
};
const customer: Shown = {
  columns: sql`c.email AS "customerEmail"`,
  join: sql`LEFT JOIN customers c ON c.id = t."customerId"`,
};
const card: Shown = {
  columns: sql`i.brand AS "cardBrand"`,
  join: sql`LEFT JOIN payment_instruments i ON i.id = t."paymentInstrumentId"`,
};
const store: Shown = { columns: sql`s.name AS "storeName"`, join: sql`LEFT JOIN stores s ON s.id = t."storeId"` };
const submittedAt: Shown = { columns: sql`t."kybSubmittedAt" AS "submittedAt"`, join: sql`` };

/** Splits the names of columns. They are part of the contract: new ones are added at the end. */
const named = (names: string): readonly string[] => names.trim().split(/\s+/);
const money = 'amount currency';
const tenant = 'platformAccountId accountName partnerSlug';

/** Every list that can be exported, by the name of its root field. */
export const exportKinds = {
  payments: exportKind({
    scope: { directory: true },
    list: () => payments.definition,
    shows: [customer, card, account, partner],
    columns: named(`
      id createdAt status subStatus ${money} capturedAmount refundedAmount failureCode failureMessage customerId
      customerEmail cardBrand cardLast4 orderId subscriptionId processorId storeId ${tenant}`),
    amounts: ['amount', 'capturedAmount', 'refundedAmount'],
  }),
  disputes: exportKind({
    scope: { directory: true },
    list: () => disputes.definition,
    shows: [account, partner],
    columns: named(`
      id createdAt status reason ${money} evidenceDueAt closedAt paymentId processorId processorReference storeId
      ${tenant}`),
    amounts: ['amount'],
  }),
  customers: exportKind({
    scope: { directory: true },
    list: (visibility) => customersFor(customers.definition, visibility),
    shows: [store, account, partner],
    columns: named(`
      id createdAt email firstName lastName phone tags lastOrderId paymentInstrumentCardLast4 storeId storeName
      ${tenant}`),
  }),
  orders: exportKind({
    scope: { directory: true },
    list: () => orders.definition,
    shows: [customer, account, partner],
    columns: named(`id createdAt status ${money} customerId customerEmail paymentId storeId ${tenant}`),
    amounts: ['amount'],
  }),
  subscriptions: exportKind({
    scope: { directory: true },
    list: () => subscriptions.definition,
    shows: [customer, account, partner],
    columns: named(`
      id createdAt status ${money} interval intervalCount priceId quantity customerId customerEmail currentPeriodStart
      currentPeriodEnd nextBillingDate trialEndsAt pausedAt resumeAt cancelAtPeriodEnd canceledAt cancellationReason
      storeId ${tenant}`),
    amounts: ['amount'],
  }),
  accounts: exportKind({
    scope: { directory: true },
    list: () => accounts.definition,
    shows: [partner],
    columns: named('id createdAt legalName status kybStatus plan country currency externalRef partnerSlug'),
  }),
  kybQueue: exportKind({
    scope: { directory: true },
    list: () => awaitingReview,
    shows: [submittedAt, partner],
    columns: named('id submittedAt legalName status kybStatus country externalRef partnerSlug'),
    order: { column: 'kybSubmittedAt', direction: 'asc' },
  }),
  events: exportKind({
    scope: { directory: true },
    list: () => events.definition,
    shows: [account, partner],
    columns: named(`id createdAt type objectId sequence requestId storeId ${tenant}`),
  }),
  webhookDeliveries: exportKind({
    scope: { directory: true },
    list: () => webhookDeliveries.definition,
    shows: [account, partner],
    columns: named(`
      id createdAt eventType eventId objectId status attemptCount nextAttemptAt endpointId ${tenant}`),
  }),
  auditLog: exportKind({
    scope: { hub: true },
    list: () => auditListOf(null),
    shows: [{ columns: auditColumns(null), join: empty }],
    columns: named(`
      sequence id at action outcome reason actorKind actorId actorEmail target requestId ip mode before after hash
      refusal`),
    order: { column: 'sequence', direction: 'desc' },
  }),
} as const satisfies Record<string, ExportKind>;

export type ExportName = keyof typeof exportKinds;
