import type { EventType } from './event-types.ts';
import { newId } from './ids.ts';
import { toJson } from './json.ts';
import type { Mode } from './mode.ts';

export { toJson } from './json.ts';

/** A state change as the event row tells it (contract 17). Written only by `write.ts`, in the transaction of the change. */
export interface EventDraft {
  type: EventType;
  partnerId: string;
  platformAccountId: string;
  mode: Mode;
  storeId: string | null;
  objectId: string;
  /** The object's own counter after this change. */
  sequence: number;
  /** The object as the API shows it; nothing secret. */
  object: object;
}

/** A change that matters to access, as the audit row tells it. */
export interface AuditDraft {
  action: string;
  target: string | null;
  before?: object | null;
  after?: object | null;
  /** `allowed` unless said otherwise. */
  outcome?: 'allowed' | 'denied' | 'failed';
  reason?: string | null;
}

export interface Actor {
  kind: string;
  id: string;
  /** Of a person. */
  email?: string;
}

/** Who is named in the records of a change. */
export interface RecordedBy {
  actor: Actor;
  requestId: string;
  ip: string | null;
  now: Date;
  /** The test clock it happens on: `now` is that clock's time. */
  testClockId: string | null;
  /** Audit rows that go with whatever is written: a person's hand in what is otherwise the platform's own doing. */
  audits?: readonly AuditDraft[];
}

/**
 * The parts of a statement that write events and audit rows. `guard` names a part that must have found a row, so that a change
 * that did not happen leaves no record.
 */
export function recordParts(
  by: RecordedBy,
  events: readonly EventDraft[],
  ownAudits: readonly AuditDraft[],
  bind: (value: unknown) => string,
  guard?: string,
): string[] {
  const when = guard === undefined ? '' : ` WHERE EXISTS (SELECT 1 FROM ${guard})`;
  const audits = by.audits ? [...ownAudits, ...by.audits] : ownAudits;
  const parts: string[] = [];
  if (events.length > 0) {
    parts.push(`events_written AS (INSERT INTO events (${eventColumns}) SELECT ${eventColumns} FROM jsonb_to_recordset(${bind(toJson(events.map((event) => eventRow(event, by))))}::jsonb)
AS e(id text, type text, mode text, "partnerId" text, "platformAccountId" text, "storeId" text, "objectId" text, sequence int, "requestId" text, data jsonb, "createdAt" timestamptz, "testClockId" text)${when})`);
  }
  if (audits.length > 0) {
    parts.push(`audit_written AS (INSERT INTO audit_rows (${auditColumns}) SELECT ${auditColumns} FROM jsonb_to_recordset(${bind(toJson(audits.map((audit) => auditRow(audit, by))))}::jsonb)
AS a(id text, at timestamptz, "actorKind" text, "actorId" text, "actorEmail" text, action text, target text, before jsonb, after jsonb, outcome text, reason text, "requestId" text, ip text)${when})`);
  }
  return parts;
}

const eventColumns =
  'id, type, mode, "partnerId", "platformAccountId", "storeId", "objectId", sequence, "requestId", data, "createdAt", "testClockId"';
const auditColumns =
  'id, at, "actorKind", "actorId", "actorEmail", action, target, before, after, outcome, reason, "requestId", ip';

function eventRow({ object, ...event }: EventDraft, by: RecordedBy): object {
  return {
    id: newId('event', by.now),
    ...event,
    requestId: by.requestId,
    data: { object },
    createdAt: by.now,
    testClockId: by.testClockId,
  };
}

function auditRow(audit: AuditDraft, by: RecordedBy): object {
  const { actor, now, requestId, ip } = by;
  const named = { actorKind: actor.kind, actorId: actor.id, actorEmail: actor.email ?? null };
  return {
    id: newId('audit', now),
    at: now,
    ...named,
    before: null,
    after: null,
    outcome: 'allowed',
    reason: null,
    ...audit,
    requestId,
    ip,
  };
}
