import { builder } from '../../graph/builder.ts';
import { Mode } from '../../graph/shared-types.ts';
import { pageArguments, pageComplexity } from '../../lists/inputs.ts';
import { type Anchor, readHead } from './anchors.ts';
import { AuditFilters, listAuditRows } from './list-audit-rows.ts';
import { AuditPage } from './types.ts';
import { type AuditVerification, lastVerification } from './verify-audit.ts';

const LastVerification = builder.objectRef<AuditVerification>('AuditVerification').implement({
  description:
    'A past run of `platform verify audit` and its result, as the database has it. It is no proof: run the command ' +
    'to verify the log.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'Time of the verification.' }),
    by: t.exposeString('by', {
      description: 'Who ran the command: the account of the operating system and the machine.',
    }),
    ok: t.exposeBoolean('ok', { description: 'Whether the log was valid.' }),
    rows: t.expose('rows', {
      type: 'Count',
      description: 'Number of rows that were found right, from the first one on.',
    }),
    anchors: t.exposeInt('anchors', {
      description: 'Number of anchors that the log was compared with. Without one, truncation is not detected.',
    }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'The first invalid row, and why. Null if the log was valid.',
    }),
  }),
});

const AuditHead = builder.objectRef<Anchor>('AuditHead').implement({
  description: 'The last row of the audit log. Kept elsewhere, it shows later that no row was cut off.',
  fields: (t) => ({
    sequence: t.expose('sequence', {
      type: 'Count',
      description: 'Position of the row, which is the number of rows that were ever written.',
    }),
    hash: t.exposeString('hash', { description: 'Hash of the row in hexadecimal.' }),
    anchor: t.string({
      description: 'Both, in the format of `platform verify audit --anchor`.',
      resolve: ({ sequence, hash }) => `${sequence}:${hash}`,
    }),
    newestKeyId: t.id({
      description: 'The key with which this server hashes new rows.',
      resolve: (_head, _args, { services }) => services.auditKeys.newestId,
    }),
    lastVerification: t.field({
      type: LastVerification,
      nullable: true,
      description: 'The last verification of the log. Null if it was never verified.',
      resolve: (_head, _args, { services }) => lastVerification(services.pool),
    }),
  }),
});

builder.objectField(AuditPage, 'head', (t) =>
  t.field({
    type: AuditHead,
    nullable: true,
    authScopes: { hub: true },
    description: 'The last row of the log, whatever the page and the filters. Null while the log has no row.',
    resolve: (_page, _args, { services }) => readHead(services.pool),
  }),
);

builder.queryFields((t) => ({
  auditLog: t.withAuth({ auditor: true }).field({
    type: AuditPage,
    description:
      'Lists the rows of the audit log, newest first, with refused and failed attempts. Users of a partner ' +
      'see the rows about their partner; of what internal staff did, neither who it was nor why. Rows are counted up to 10,000: ' +
      'the `total` of more is null.',
    args: {
      mode: t.arg({
        type: Mode,
        description:
          'Only rows of this mode. Without it, rows of both modes and rows that have none: those of people, partners ' +
          'and organizations, of refused attempts of operators, and of versions that did not record the mode.',
      }),
      ...pageArguments,
      filters: t.arg({ type: AuditFilters, description: 'Filters of the list.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listAuditRows(context, args),
  }),
}));
