import { builder } from '../../graph/builder.ts';
import { Mode, storedColumn } from '../../graph/shared-types.ts';
import { pageType } from '../../lists/inputs.ts';
import type { AuditListRow } from './columns.ts';

export const AuditOutcome = builder.enumType('AuditOutcome', {
  description: 'The outcome of an attempted change.',
  values: {
    allowed: { description: 'The change was made.' },
    denied: { description: 'The change was refused for lack of permission (403).' },
    failed: { description: 'The change was not made (404, 409 or 500).' },
  } as const,
});

export const AuditEntry = builder.objectRef<AuditListRow>('AuditEntry').implement({
  description:
    'A row of the audit log: a change that affects access, or the attempt at one. Rows are never changed or deleted. ' +
    'Each row contains the hash of the row before it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the row, prefix `aud_`.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Time of the change.' }),
    actorKind: t.exposeString('actorKind', {
      description:
        'Kind of the actor: `user`, `partnerKey` or `subKey`; `operator-cli` for a command, `system` for the ' +
        'platform, `anonymous` for an invited user without an account.',
    }),
    actorUserId: t.exposeID('actorId', {
      description:
        'Identifier of the actor: the user, prefix `user_`, or the API key, prefix `ak_`. A fixed name for every ' +
        'other kind.',
    }),
    actorEmail: t.exposeString('actorEmail', {
      nullable: true,
      description: 'Email address of the user at the time of the change. Null for an actor that is not a user.',
    }),
    action: t.exposeString('action', { description: 'Name of the operation.' }),
    target: t.exposeString('target', {
      nullable: true,
      description: 'Identifier or name of the changed object. Null if there is none.',
    }),
    before: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The object before the change. Null if it is not recorded.',
      resolve: ({ before }) => before,
    }),
    after: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The object after the change. Null if it is not recorded.',
      resolve: ({ after }) => after,
    }),
    outcome: t.field({
      type: AuditOutcome,
      description: 'The outcome of the change.',
      // a CHECK constraint limits the column to the values of the enum
      ...storedColumn('outcome'),
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The reason that was given for the change or the attempt. Null if none was given.',
    }),
    refusal: t.exposeString('refusal', {
      nullable: true,
      description: 'Code of the error for which the change was denied or failed. Null if it was made.',
    }),
    requestId: t.exposeID('requestId', { description: 'The `Request-Id` of the request.' }),
    ip: t.exposeString('ip', {
      nullable: true,
      description: 'IP address of the caller. Null for a change without a request.',
    }),
    mode: t.field({
      type: Mode,
      nullable: true,
      description:
        'The mode of the key that made the change, or of the account, payment, subscription or partner key that an ' +
        'operator changed. Null for a change of people, partners and organizations, for an attempt of an operator ' +
        'that was refused, and for a row written before this field existed.',
      ...storedColumn('mode'),
    }),
    sequence: t.expose('sequence', {
      type: 'Count',
      description: 'Position of the row in the log, from 1, without gaps.',
    }),
    previousHash: t.exposeString('previousHash', {
      description: 'Hash of the row before. Empty for the first row.',
    }),
    hash: t.exposeString('hash', {
      description:
        'Hash of this row in hexadecimal, which includes the hash of the row before: HMAC-SHA256 with a key that is ' +
        'not in the database.',
    }),
    keyId: t.exposeID('keyId', { description: 'The key of the hash.' }),
  }),
});

export const AuditPage = pageType('AuditPage', AuditEntry, 'rows');
