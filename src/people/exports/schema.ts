import type { SessionContext } from '../../call/context.ts';
import { accounts } from '../../domains/accounts/public.ts';
import { customers } from '../../domains/customers/public.ts';
import { disputes } from '../../domains/disputes/public.ts';
import { orders } from '../../domains/orders/public.ts';
import { payments } from '../../domains/payments/public.ts';
import { subscriptions } from '../../domains/subscriptions/public.ts';
import { events, webhookDeliveries } from '../../domains/webhooks/public.ts';
import { builder } from '../../graph/builder.ts';
import { limitedTo } from '../../graph/field-limits.ts';
import { Mode } from '../../graph/shared-types.ts';
import { visibilityArgs } from '../../lists/inputs.ts';
import { AuditFilters } from '../audit/public.ts';
import type { ExportName } from './export-kinds.ts';
import { beginExport, type Export, type ExportRequest, exportRowsMax } from './export-request.ts';

const perMinute = 10;

const ExportObject = builder.objectRef<Export>('Export').implement({
  description:
    'An export of a list as CSV, whose file can be downloaded for five minutes with the session that began it. The ' +
    'file is UTF-8 with a byte order mark. Amounts are integers in minor units beside their currency, times are ISO ' +
    '8601 in UTC, and a text that a spreadsheet would take for a formula begins with an apostrophe.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Unique identifier of the export, prefix `exp_`, the target of its audit rows.',
    }),
    url: t.exposeString('url', {
      description:
        'Address of the file, for the person who began the export. Each GET reads the rows again. A file that could ' +
        'not be read to its end is broken off: it never ends early as if it were whole.',
    }),
    rows: t.exposeInt('rows', { description: 'Number of rows that matched when the export began.' }),
    rowsMax: t.exposeInt('rowsMax', { description: 'The most rows that an export may have.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Time from which the download can no longer begin.',
    }),
  }),
});

type Asked = Partial<Omit<ExportRequest, 'list'>>;

/** The resolver of an export. All exports of a user share one limit. */
function exporting(list: ExportName, action: string) {
  return limitedTo(
    { name: 'export', perMinute, whose: ({ caller }: SessionContext) => caller.userId },
    (_root: unknown, { mode, partnerSlug, filters }: { [Name in keyof Asked]?: Asked[Name] | null }, context) =>
      beginExport(context, action, {
        list,
        mode: mode ?? null,
        partnerSlug: partnerSlug ?? null,
        filters: filters ?? {},
      }),
  );
}

const about = (what: string, order = 'newest first') =>
  `Begins an export of the rows that \`${what}\` lists with these arguments, ${order}. It is a mutation because it ` +
  `records the reader in the audit log. 400 above ${exportRowsMax} rows. At most ${perMinute} exports a minute for ` +
  'a user.';
const filtersArg = { description: 'Filters, as those of the list.' } as const;

builder.mutationFields((t) => ({
  exportPayments: t.withAuth({ directory: true }).field({
    type: ExportObject,
    description: about('payments'),
    args: { ...visibilityArgs, filters: t.arg({ type: payments.Filters, ...filtersArg }) },
    resolve: exporting('payments', 'exportPayments'),
  }),
  exportDisputes: t.withAuth({ directory: true }).field({
    type: ExportObject,
    description: about('disputes'),
    args: { ...visibilityArgs, filters: t.arg({ type: disputes.Filters, ...filtersArg }) },
    resolve: exporting('disputes', 'exportDisputes'),
  }),
  exportCustomers: t.withAuth({ directory: true }).field({
    type: ExportObject,
    description: about('customers'),
    args: { ...visibilityArgs, filters: t.arg({ type: customers.Filters, ...filtersArg }) },
    resolve: exporting('customers', 'exportCustomers'),
  }),
  exportOrders: t.withAuth({ directory: true }).field({
    type: ExportObject,
    description: about('orders'),
    args: { ...visibilityArgs, filters: t.arg({ type: orders.Filters, ...filtersArg }) },
    resolve: exporting('orders', 'exportOrders'),
  }),
  exportSubscriptions: t.withAuth({ directory: true }).field({
    type: ExportObject,
    description: about('subscriptions'),
    args: { ...visibilityArgs, filters: t.arg({ type: subscriptions.Filters, ...filtersArg }) },
    resolve: exporting('subscriptions', 'exportSubscriptions'),
  }),
  exportAccounts: t.withAuth({ directory: true }).field({
    type: ExportObject,
    description: about('accounts'),
    args: { ...visibilityArgs, filters: t.arg({ type: accounts.Filters, ...filtersArg }) },
    resolve: exporting('accounts', 'exportAccounts'),
  }),
  exportKybQueue: t.withAuth({ directory: true }).field({
    type: ExportObject,
    description: about('kybQueue', 'longest waiting first'),
    args: visibilityArgs,
    resolve: exporting('kybQueue', 'exportKybQueue'),
  }),
  exportEvents: t.withAuth({ platformStaff: true }).field({
    type: ExportObject,
    description: about('events'),
    args: { ...visibilityArgs, filters: t.arg({ type: events.Filters, ...filtersArg }) },
    resolve: exporting('events', 'exportEvents'),
  }),
  exportDeliveries: t.withAuth({ platformStaff: true }).field({
    type: ExportObject,
    description: about('webhookDeliveries'),
    args: { ...visibilityArgs, filters: t.arg({ type: webhookDeliveries.Filters, ...filtersArg }) },
    resolve: exporting('deliveries', 'exportDeliveries'),
  }),
  exportAuditLog: t.withAuth({ hub: true }).field({
    type: ExportObject,
    description: about('auditLog'),
    args: {
      mode: t.arg({ type: Mode, description: 'Only rows of this mode. Without it, all rows.' }),
      filters: t.arg({ type: AuditFilters, ...filtersArg }),
    },
    resolve: exporting('auditLog', 'exportAuditLog'),
  }),
}));
