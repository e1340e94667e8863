import { queryRows, sql } from '../../database/sql.ts';
import type { SessionContext } from '../../graph/context.ts';
import { assertAllowed, canReadPartners } from '../iam/public.ts';
import type { PartnerSummary, WholeList } from './types.ts';

/** All partners, newest first, with the number of their staff, accounts and organizations. */
export async function listPartners(
  { services, caller }: SessionContext,
  status: readonly string[] | null | undefined,
): Promise<WholeList<PartnerSummary>> {
  assertAllowed(canReadPartners(caller));
  const statuses = status == null ? null : [...status];
  const rows = await queryRows<PartnerSummary>(
    services.pool,
    sql`
      SELECT
        p.id, p.slug, p.name, p.status, p."createdAt",
        (
          SELECT count(*)
          FROM partner_memberships m
          WHERE m."partnerId" = p.id AND m.status = 'active'
        ) AS "staffCount",
        (SELECT count(*) FROM processing_accounts a WHERE a."partnerId" = p.id) AS "merchantCount",
        (SELECT count(*) FROM organizations o WHERE o."partnerId" = p.id) AS "orgCount"
      FROM partners p
      WHERE ${statuses}::text[] IS NULL OR p.status = ANY(${statuses}::text[])
      ORDER BY p."createdAt" DESC, p.id DESC`,
  );
  return { rows, total: rows.length };
}
