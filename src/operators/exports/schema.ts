import { accounts } from '../../domains/accounts/public.ts';
import { customers } from '../../domains/customers/public.ts';
import { disputes } from '../../domains/disputes/public.ts';
import { orders } from '../../domains/orders/public.ts';
import { payments } from '../../domains/payments/public.ts';
import { subscriptions } from '../../domains/subscriptions/public.ts';
import { events, webhookDeliveries } from '../../domains/webhooks/public.ts';
import { builder } from '../../graph/builder.ts';
import { Mode } from '../../graph/shared-types.ts';
import { AuditFilters } from '../../iam/public.ts';
import { invalid } from '../../lib/errors.ts';
import { visibilityArgs } from '../../lists/inputs.ts';
import type { ExportName } from './export-kinds.ts';
import { beginExport, type Export, exportRowsMax } from './export-request.ts';

const perMinute = 10;

const ExportObject = builder.objectRef<Export>('Export').implement({
  description:
    'An export of a list as CSV, whose file can be downloaded for five minutes with the session that created it. ' +
    'The file is UTF-8 with a byte order mark. Amounts are integers in minor units beside their currency, times ' +
    'are ISO 8601 in UTC, and a text that a spreadsheet would take for a formula begins with an apostrophe.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Unique identifier of the export, prefix `exp_`, the target of its audit rows.',
    }),
    url: t.exposeString('url', {
      description:
        'Address of the file, for the person who created the export. Each GET reads the rows again. If reading ' +
        'fails, the download is aborted, never silently truncated.',
    }),
    rows: t.exposeInt('rows', { description: 'Number of rows that matched when the export was created.' }),
    rowsMax: t.exposeInt('rowsMax', { description: 'The most rows that an export may have.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Time from which the download can no longer begin.',
    }),
  }),
});

const ExportedList = builder.inputType('ExportedList', {
  isOneOf: true,
  description: 'The list to export, by its name, with its filters: `{}` for all of its rows.',
  fields: (t) => ({
    payments: t.field({ type: payments.Filters, description: 'What `payments` lists.' }),
    disputes: t.field({ type: disputes.Filters, description: 'What `disputes` lists.' }),
    customers: t.field({ type: customers.Filters, description: 'What `customers` lists.' }),
    orders: t.field({ type: orders.Filters, description: 'What `orders` lists.' }),
    subscriptions: t.field({ type: subscriptions.Filters, description: 'What `subscriptions` lists.' }),
    accounts: t.field({ type: accounts.Filters, description: 'What `accounts` lists.' }),
    kybQueue: t.boolean({ description: 'True for what `kybQueue` lists, longest waiting first.' }),
    events: t.field({ type: events.Filters, description: 'What `events` lists.' }),
    webhookDeliveries: t.field({ type: webhookDeliveries.Filters, description: 'What `webhookDeliveries` lists.' }),
    auditLog: t.field({ type: AuditFilters, description: 'What `auditLog` lists. It has no partner.' }),
  }),
});

builder.mutationField('createExport', (t) =>
  t.withAuth({ directory: true }).field({
    type: ExportObject,
    description:
      'Creates an export of the rows that a list shows the caller, newest first. It is a mutation because it records the ' +
      `reader in the audit log. 400 above ${exportRowsMax} rows, 403 for a caller who may not read the list. At most ` +
      `${perMinute} exports a minute for a user.`,
    args: {
      list: t.arg({ type: ExportedList, required: true, description: 'The list and its filters.' }),
      mode: t.arg({ type: Mode, description: 'The mode of the rows. Required, but for the audit log.' }),
      partnerSlug: visibilityArgs.partnerSlug,
    },
    rateLimit: { max: perMinute, window: '1m', by: ({ caller }) => caller.userId },
    resolve: (_root, { list: requested, mode, partnerSlug }, context) => {
      // isOneOf: exactly one, and not null
      const [[list, filters]] = Object.entries(requested) as [[ExportName, object | boolean]];
      if (filters === false) throw invalid(`list.${list}`, 'must be true');
      return beginExport(context, {
        list,
        mode: mode ?? null,
        partnerSlug: partnerSlug ?? null,
        filters: filters === true ? {} : filters,
      });
    },
  }),
);
