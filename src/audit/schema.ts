import { builder } from '../graph/builder.ts';
import { DateFilter } from '../graph/list-inputs.ts';
import { pageArguments, pageComplexity, pageType } from '../graph/pages.ts';
import { type AuditListRow, listAuditRows } from './operations.ts';

const AuditOutcome = builder.enumType('AuditOutcome', {
  description: 'What came of a change.',
  values: {
    allowed: { description: 'It was made.' },
    denied: { description: 'The policy refused it (403).' },
    failed: { description: 'It came to nothing (404, 409, 500).' },
  } as const,
});

export const AuditEntry = builder.objectRef<AuditListRow>('AuditEntry').implement({
  description:
    'Who changed what that matters to access, or tried to. Never changed or removed; each carries the hash of the one before.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `aud_`.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    actorKind: t.exposeString('actorKind', {
      description:
        '`user`, `partnerKey` or `subKey`; `operator-cli` for a command, `system` for the platform itself, `anonymous` for who followed an invitation without an account.',
    }),
    actorUserId: t.exposeString('actorId', {
      description: 'The person, prefix `user_`, or the key, prefix `ak_`; of the others a word.',
    }),
    actorEmail: t.exposeString('actorEmail', {
      nullable: true,
      description: "The person's e-mail address at the time.",
    }),
    action: t.exposeString('action', { description: 'The mutation.' }),
    target: t.exposeString('target', { nullable: true, description: 'What it was about.' }),
    before: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What it was.',
      resolve: ({ before }) => before,
    }),
    after: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What it became.',
      resolve: ({ after }) => after,
    }),
    outcome: t.field({
      type: AuditOutcome,
      description: 'What came of it.',
      resolve: ({ outcome }) => outcome as never,
    }), // a CHECK constraint holds the column to the enum
    reason: t.exposeString('reason', { nullable: true, description: 'Why it was denied or failed.' }),
    requestId: t.exposeString('requestId', { description: 'The `Request-Id` of the call.' }),
    ip: t.exposeString('ip', { nullable: true, description: 'Where it came from.' }),
    sequence: t.int({ description: 'Its place in the chain, from 1.', resolve: ({ sequence }) => Number(sequence) }),
    previousHash: t.exposeString('previousHash', { description: 'Hash of the row before.' }),
    hash: t.exposeString('hash', { description: 'Hash of this row, with the one before in it.' }),
  }),
});

export const AuditFilters = builder.inputType('AuditFilters', {
  description: 'Which rows. All that are given must hold.',
  fields: (t) => ({
    action: t.stringList({ description: 'Any of these mutations.' }),
    outcome: t.field({ type: [AuditOutcome], description: 'Any of these outcomes.' }),
    actorUserId: t.string({ description: 'By this person or key.' }),
    actorEmail: t.string({ description: 'By the person with this address.' }),
    target: t.string({ description: 'About this.' }),
    reason: t.string({ description: 'For this reason.' }),
    requestId: t.string({ description: 'In this call.' }),
    at: t.field({ type: DateFilter, description: 'When.' }),
  }),
});

const AuditPage = pageType('AuditPage', AuditEntry, 'rows');

builder.queryFields((t) => ({
  auditLog: t.withAuth({ hub: true }).field({
    type: AuditPage,
    description: 'Who changed what, the newest first, denials included.',
    args: { ...pageArguments, filters: t.arg({ type: AuditFilters, description: 'Which rows.' }) },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listAuditRows(context, args),
  }),
}));
