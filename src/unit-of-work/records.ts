import { createHash } from 'node:crypto';
import type { Actor, OnBehalf } from '../call/context.ts';
import { type Columns, recordset } from '../database/recordset.ts';
import { columnList, empty, identifier, type Sql, sql } from '../database/sql.ts';
import type { AuditKeys } from '../keys/audit-keys.ts';
import { type Mode, newId, newOrderedId } from '../lib/ids.ts';
import type { EventType } from '../registry.ts';

/**
 * The audit row of a change that an operator makes for an account. None for a change made with the account's own keys.
 */
export function auditsOnBehalf(
  { onBehalf }: { onBehalf: OnBehalf | null },
  target: string,
  before: object | null,
  after: object,
): AuditDraft[] {
  if (!onBehalf) return [];
  const { action, reason, facts } = onBehalf;
  return [{ action, target, before, after: { ...after, ...facts, ...(reason !== null && { reason }) } }];
}

/**
 * A state change as its event records it (docs/contract/17-events-and-webhooks.md). Events are written in the
 * transaction of the change.
 */
export interface EventDraft {
  type: EventType;
  partnerId: string;
  platformAccountId: string;
  mode: Mode;
  storeId: string | null;
  objectId: string;
  /** The object's own counter after this change. */
  sequence: number;
  /** The object as the API returns it, without secrets. */
  object: object;
}

/** A change as its audit row records it. */
export interface AuditDraft {
  action: string;
  target: string | null;
  before?: object | null;
  after?: object | null;
  /** Default: `allowed`. */
  outcome?: 'allowed' | 'denied' | 'failed';
  reason?: string | null;
  /** The mode of the target. Default: that of the actor, if it is a key, or of the events of the change. */
  mode?: string;
  /** The partner that it is about, whose people read the row. Default: that of the tenant, the events or the actor. */
  partnerId?: string | null;
}

/** Who made a change and when, for its records. */
export interface RecordedBy {
  actor: Actor;
  requestId: string;
  ip: string | null;
  now: Date;
  /** The test clock of the change; `now` is its time. */
  testClockId: string | null;
  auditKeys: AuditKeys;
  /** The partner whose objects are changed. */
  partnerId?: string | null;
  /** Audit rows added to every change, such as that of an operator who decided the outcome of a payment. */
  audits?: readonly AuditDraft[];
}

/**
 * The CTEs that write events and audit rows. `guard` names a CTE that must have found a row, so that a change that was
 * not made leaves no record.
 */
export function recordParts(
  by: RecordedBy,
  events: readonly EventDraft[],
  ownAudits: readonly AuditDraft[],
  guard?: string,
): Sql[] {
  const audits = by.audits ? [...ownAudits, ...by.audits] : ownAudits;
  return [
    ...(events.length > 0 ? [eventsPart(by, events, guard)] : []),
    ...(audits.length > 0 ? [auditsPart(by, audits, subjectOf(by, events), guard)] : []),
  ];
}

/** One of the changes of a statement, for its records. */
export interface RecordedChange {
  /** The row of the CTE `guard` that must have been found. */
  id: string;
  by: RecordedBy;
  events: readonly EventDraft[];
}

/** As `recordParts`, for changes of which each has its own row in the CTE `guard`. */
export function recordPartsOf(changes: readonly RecordedChange[], guard: string): Sql[] {
  const events = changes.flatMap(({ id, by, events: own }) =>
    own.map((event) => ({ changeId: id, ...eventRow(event, by) })),
  );
  const audits = changes.flatMap(({ id, by, events: own }) => {
    const subject = subjectOf(by, own);
    return (by.audits ?? []).map((audit) => ({ changeId: id, ...auditRow({ ...subject, ...audit }, by) }));
  });
  return [
    ...(events.length > 0
      ? [insertOf('events_written', 'events', changesEventColumns, events, guard, 'n.sequence')]
      : []),
    ...(audits.length > 0 ? [insertOf('audit_written', 'audit_rows', changesAuditColumns, audits, guard, 'n.id')] : []),
  ];
}

/** What an audit row is about, if its draft does not say. */
interface Subject {
  mode: string | null;
  partnerId: string | null;
}

function subjectOf({ actor, partnerId }: RecordedBy, [event]: readonly EventDraft[]): Subject {
  return {
    mode: actor.mode ?? event?.mode ?? null,
    partnerId: partnerId ?? event?.partnerId ?? actor.partnerId ?? null,
  };
}

/** `order`: each event of an object must find the one before it. */
function insertOf(
  part: string,
  table: string,
  columns: Columns & { changeId: 'text' },
  rows: readonly object[],
  guard: string,
  order: string,
): Sql {
  const { changeId: _changeId, ...stored } = columns;
  const names = Object.keys(stored);
  return sql`${identifier(part)} AS (
    INSERT INTO ${identifier(table)} (${columnList(names)})
    SELECT ${columnList(names.map((name) => `n.${name}`))}
    FROM ${identifier(guard)} g
    JOIN ${recordset('n', columns, 'id', rows)} ON n."changeId" = g.id
    ORDER BY ${identifier(order)}
  )`;
}

const eventColumns = {
  id: 'text',
  type: 'text',
  mode: 'text',
  partnerId: 'text',
  platformAccountId: 'text',
  storeId: 'text',
  objectId: 'text',
  sequence: 'int',
  requestId: 'text',
  data: 'jsonb',
  createdAt: 'timestamptz',
  testClockId: 'text',
};

const changesEventColumns = { changeId: 'text', ...eventColumns } as const;

function eventsPart(by: RecordedBy, events: readonly EventDraft[], guard?: string): Sql {
  return sql`events_written AS (
    INSERT INTO events (${columnList(Object.keys(eventColumns))})
    SELECT e.*
    FROM ${recordset(
      'e',
      eventColumns,
      'id',
      events.map((event) => eventRow(event, by)),
    )}
    ${whereFound(guard)}
  )`;
}

const auditColumns = {
  id: 'text',
  at: 'timestamptz',
  actorKind: 'text',
  actorId: 'text',
  actorEmail: 'text',
  action: 'text',
  target: 'text',
  before: 'jsonb',
  after: 'jsonb',
  outcome: 'text',
  reason: 'text',
  requestId: 'text',
  ip: 'text',
  mode: 'text',
  partnerId: 'text',
  keyId: 'text',
  hash: 'text',
};

const changesAuditColumns = { changeId: 'text', ...auditColumns } as const;

function auditsPart(by: RecordedBy, audits: readonly AuditDraft[], subject: Subject, guard?: string): Sql {
  return sql`audit_written AS (
    INSERT INTO audit_rows (${columnList(Object.keys(auditColumns))})
    SELECT a.*
    FROM ${recordset(
      'a',
      auditColumns,
      'id',
      audits.map((audit) => auditRow({ ...subject, ...audit }, by)),
    )}
    ${whereFound(guard)}
  )`;
}

function whereFound(guard: string | undefined): Sql {
  return guard === undefined ? empty : sql`WHERE EXISTS (SELECT 1 FROM ${identifier(guard)})`;
}

function eventRow({ object, ...event }: EventDraft, by: RecordedBy): object {
  return {
    // In the order of `sequence`, also within a millisecond. A trigger corrects differences between clocks.
    id: newOrderedId('evt_', by.now, event.sequence),
    ...event,
    requestId: by.requestId,
    data: { object },
    createdAt: by.now,
    testClockId: by.testClockId,
  };
}

const targetMax = 400;

/** An index contains the targets, whose entries are bounded. The hash of a longer one tells it from others. */
function boundedTarget(target: string): string {
  if (target.length <= targetMax) return target;
  const hash = createHash('sha256').update(target).digest('hex');
  return `${target.slice(0, targetMax - hash.length - 1).toWellFormed()}#${hash}`;
}

function auditRow(audit: Omit<AuditDraft, keyof Subject> & Subject, by: RecordedBy): object {
  const { actor, now, requestId, ip, auditKeys } = by;
  const id = newId('aud_', now);
  const named = { actorKind: actor.kind, actorId: actor.id, actorEmail: actor.email ?? null };
  return {
    id,
    at: now,
    ...named,
    before: null,
    after: null,
    outcome: 'allowed',
    reason: null,
    ...audit,
    target: audit.target === null ? null : boundedTarget(audit.target),
    requestId,
    ip,
    ...auditKeys.blocksOf(id),
  };
}

/** The row of a resource: its owner and its counter of changes. */
interface ResourceRow {
  id: string;
  partnerId: string;
  platformAccountId: string;
  storeId: string | null;
  mode: string;
  sequence: number;
}

/** The event of a change of a row, with the resource as the API returns it after the change. */
export function rowEvent(
  type: EventType,
  { id: objectId, partnerId, platformAccountId, storeId, mode, sequence }: ResourceRow,
  object: object,
): EventDraft {
  // a CHECK constraint or a foreign key holds mode to the two of its account
  return { type, partnerId, platformAccountId, mode: mode as Mode, storeId, objectId, sequence, object };
}
