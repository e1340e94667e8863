import type { Prisma } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import type { Slice } from '../iam/public.ts';
import type { OrganizationRow } from './organization-types.ts';

/** The part of a list of organizations that is asked for. */
export interface OrganizationPaging {
  kind?: string | null | undefined;
  limit: number;
  offset: number;
}

/** Organizations that match the conditions, newest first, each with its partner. */
export async function readOrganizations(
  { services }: SessionContext,
  conditions: Prisma.OrganizationWhereInput,
  { kind, limit, offset }: OrganizationPaging,
): Promise<Slice<OrganizationRow>> {
  const where = { ...conditions, ...(kind != null && { kind }) };
  const [rows, total] = await Promise.all([
    services.prisma.organization.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { accountId: 'desc' }],
      take: limit,
      skip: offset,
      include: { partner: { select: { slug: true, name: true } } },
    }),
    services.prisma.organization.count({ where }),
  ]);
  return { rows, total, limit, offset };
}
