import type { SessionContext } from '../../call/context.ts';
import { type Sql, sql } from '../../database/sql.ts';
import { builder } from '../../graph/builder.ts';
import type { Mode } from '../../lib/ids.ts';
import { date, is, oneOf } from '../../lists/filters.ts';
import { DateFilter } from '../../lists/inputs.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';
import { type AuditListRow, auditColumns, auditedPartnerOf, auditRowsOf, shownColumns } from './columns.ts';
import { AuditOutcome } from './types.ts';

type Filters = typeof AuditFilters.$inferInput & { mode?: Mode | null };

/** The list of the rows about a partner, or of all rows. */
export function auditListOf(partnerId: string | null): ListDefinition<Filters> {
  const shown = shownColumns(partnerId);
  const as = (column: Sql) => (value: string) => sql`${column} = ${value}`;
  return {
    table: 'audit_rows',
    always: auditRowsOf(partnerId),
    extra: { columns: auditColumns(partnerId) },
    // The order of the chain: times can be equal, sequence numbers cannot.
    sorts: { createdAt: 'sequence' },
    filters: {
      action: oneOf('action'),
      outcome: oneOf('outcome'),
      actorUserId: as(shown.actorId),
      actorEmail: as(shown.actorEmail),
      target: aboutTarget,
      reason: as(shown.reason),
      refusal: as(shown.refusal),
      requestId: is('requestId'),
      at: date('at'),
      mode: is('mode'),
    },
  };
}

/** The rows about an object; of a user, also those about memberships and about invitations of the user's email address. */
function aboutTarget(target: string): Sql {
  return sql`
    t.target = ANY(ARRAY(
      SELECT ${target}::text
      UNION ALL
      SELECT m.id
      FROM partner_memberships m
      WHERE m."userId" = ${target}
      UNION ALL
      SELECT m.id
      FROM iam_users u
      JOIN partner_memberships m ON m."emailLower" = u."emailLower" AND m."userId" IS NULL
      WHERE u."idpUserId" = ${target}
    ))`;
}

export function listAuditRows(
  { services, replica, caller }: SessionContext,
  { mode, ...args }: ListArguments<typeof AuditFilters.$inferInput> & { mode?: Mode | null | undefined },
): Promise<Page<AuditListRow>> {
  const filters = { ...args.filters, ...(mode != null && { mode }) };
  const list = auditListOf(auditedPartnerOf(caller));
  return readList(services.pool, { kind: 'whole', replica }, list, { ...args, filters });
}

export const AuditFilters = builder.inputType('AuditFilters', {
  description: 'Filters of the audit log. A row must match every given filter.',
  fields: (t) => ({
    action: t.stringList({ description: 'Only rows of one of these operations.' }),
    outcome: t.field({ type: [AuditOutcome], description: 'Only rows with one of these outcomes.' }),
    actorUserId: t.id({ description: 'Only rows of this user or API key.' }),
    actorEmail: t.string({ description: 'Only rows of the user with this email address.' }),
    target: t.string({
      description:
        'Only rows about this object; of a user, also about memberships of the user and invitations of the email address.',
    }),
    reason: t.string({ description: 'Only rows for which exactly this reason was given.' }),
    refusal: t.string({ description: 'Only rows with this code of an error.' }),
    requestId: t.id({ description: 'Only rows of the request with this `Request-Id`.' }),
    at: t.field({ type: DateFilter, description: 'Only rows of this time.' }),
  }),
});
