import { builder } from '../../graph/builder.ts';
import { pageArguments, pageComplexity } from '../../graph/pages.ts';
import { AuditFilters } from './inputs.ts';
import { listAuditRows } from './list-audit-rows.ts';
import { AuditPage } from './types.ts';

builder.queryFields((t) => ({
  auditLog: t.withAuth({ hub: true }).field({
    type: AuditPage,
    description: 'Lists the rows of the audit log, newest first, with refused and failed attempts.',
    args: { ...pageArguments, filters: t.arg({ type: AuditFilters, description: 'Filters of the list.' }) },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listAuditRows(context, args),
  }),
}));
