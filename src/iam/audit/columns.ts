import type { Caller } from '../../auth/caller.ts';
import { type Sql, sql } from '../../database/sql.ts';
import type { AuditRow } from '../../generated/prisma/client.ts';

/** A row of the audit log as `auditColumns` read it. */
export type AuditListRow = AuditRow & { createdAt: Date; refusal: string | null };

/**
 * The columns that are shown otherwise than they are stored: names and contents of the table are part of the hash.
 */
interface ShownColumns {
  actorId: Sql;
  actorEmail: Sql;
  ip: Sql;
  before: Sql;
  after: Sql;
  /**
   * What was given for the change. A row keeps it in `after`, and the row of a change that was made may keep it in
   * `reason`.
   */
  reason: Sql;
  /** A row keeps the code of its error in `reason`. */
  refusal: Sql;
}

const whole: ShownColumns = {
  actorId: sql`t."actorId"`,
  actorEmail: sql`t."actorEmail"`,
  ip: sql`t.ip`,
  before: sql`t.before`,
  after: sql`t.after`,
  reason: sql`
    coalesce(
      t.after->>'reason', t.after->>'rejectionReason', CASE WHEN t.outcome = 'allowed' THEN t.reason END
    )`,
  refusal: sql`CASE WHEN t.outcome <> 'allowed' THEN t.reason END`,
};

/** Whether a row of a partner was written by one of its keys or people, also by who has left it since. */
const isOwn = sql`(
  t."actorKind" IN ('partnerKey', 'subKey')
  OR EXISTS (
    SELECT 1
    FROM iam_users u
    JOIN partners p ON p.slug = u."whitelabelOwnership"
    WHERE u."idpUserId" = t."actorId" AND p.id = t."partnerId"
  )
  OR EXISTS (
    SELECT 1 FROM partner_memberships m WHERE m."userId" = t."actorId" AND m."partnerId" = t."partnerId"
  )
)`;

/** What others wrote for the audit log alone. */
const privateKeys = sql`'{reason,note}'::text[]`;

/** What people of a partner see: of what internal staff did neither who it was nor why. */
const ofPartner: ShownColumns = {
  actorId: sql`CASE WHEN ${isOwn} OR t."actorKind" <> 'user' THEN t."actorId" ELSE 'internal-staff' END`,
  actorEmail: sql`CASE WHEN ${isOwn} THEN t."actorEmail" END`,
  ip: sql`CASE WHEN ${isOwn} THEN t.ip END`,
  before: sql`CASE WHEN ${isOwn} THEN t.before ELSE t.before - ${privateKeys} END`,
  after: sql`CASE WHEN ${isOwn} THEN t.after ELSE t.after - ${privateKeys} END`,
  reason: sql`CASE WHEN ${isOwn} THEN ${whole.reason} END`,
  refusal: whole.refusal,
};

/** The partner whose rows alone a person reads; null for internal staff, who read all of them. */
export function auditedPartnerOf(caller: Caller): string | null {
  if (caller.kind !== 'session' || caller.whitelabelOwnership === null) return null;
  return caller.partnerId ?? 'none';
}

/** How the columns are shown to people of a partner, or to internal staff. */
export function shownColumns(partnerId: string | null): ShownColumns {
  return partnerId === null ? whole : ofPartner;
}

/** The rows about a partner, or all rows. */
export function auditRowsOf(partnerId: string | null): Sql {
  return partnerId === null ? sql`true` : sql`t."partnerId" = ${partnerId}`;
}

/** Beside the columns of the table: the time under the name that every list sorts by, and what is shown otherwise. */
export function auditColumns(partnerId: string | null): Sql {
  const { actorId, actorEmail, ip, before, after, reason, refusal } = shownColumns(partnerId);
  return sql`
    t.at AS "createdAt", ${actorId} AS "actorId", ${actorEmail} AS "actorEmail", ${ip} AS ip, ${before} AS before,
    ${after} AS after, ${reason} AS reason, ${refusal} AS refusal`;
}
