import { builder } from '../../graph/builder.ts';
import { pageArguments, pageComplexity } from '../../graph/pages.ts';
import { type Anchor, readHead } from './anchors.ts';
import { AuditFilters } from './inputs.ts';
import { listAuditRows } from './list-audit-rows.ts';
import { AuditPage } from './types.ts';

const AuditHead = builder.objectRef<Anchor>('AuditHead').implement({
  description: 'The last row of the audit log. Kept elsewhere, it shows later that no row was cut off.',
  fields: (t) => ({
    sequence: t.exposeInt('sequence', { description: 'Position of the row, which is the number of rows.' }),
    hash: t.exposeString('hash', { description: 'Hash of the row in hexadecimal.' }),
    anchor: t.string({
      description: 'Both, as `npm run audit:verify -- --anchor` takes them.',
      resolve: ({ sequence, hash }) => `${sequence}:${hash}`,
    }),
    newestKeyId: t.id({
      description: 'The key with which this server hashes new rows.',
      resolve: (_head, _args, { services }) => services.auditKeys.newestId,
    }),
  }),
});

builder.queryFields((t) => ({
  auditHead: t.withAuth({ hub: true }).field({
    type: AuditHead,
    nullable: true,
    description: 'Returns the head of the audit log. Null while the log has no row.',
    resolve: (_root, _args, { services }) => readHead(services.pool),
  }),
  auditLog: t.withAuth({ hub: true }).field({
    type: AuditPage,
    description: 'Lists the rows of the audit log, newest first, with refused and failed attempts.',
    args: { ...pageArguments, filters: t.arg({ type: AuditFilters, description: 'Filters of the list.' }) },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listAuditRows(context, args),
  }),
}));
