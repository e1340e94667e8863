import type { PartnerFacts } from '../auth/decisions.ts';
import type { SessionContext } from '../call/context.ts';
import { sql } from '../database/sql.ts';
import type { Partner, Prisma, PrismaClient } from '../generated/prisma/client.ts';

/** A client of the database, or of one transaction. */
export type DirectoryReader = Pick<PrismaClient, 'iamUser' | 'iamOrgMember' | 'partner' | 'partnerMembership'>;

/** The partner of the caller; null for internal staff. */
export async function callersPartner(
  db: DirectoryReader,
  { caller }: Pick<SessionContext, 'caller'>,
): Promise<PartnerFacts> {
  return caller.whitelabelOwnership === null ? null : findPartnerFacts(db, caller.whitelabelOwnership);
}

export async function findPartnerFacts(db: DirectoryReader, slug: string): Promise<PartnerFacts> {
  return db.partner.findUnique({ where: { slug }, select: { slug: true, status: true } });
}

/**
 * The partner, which cannot be changed or archived until the transaction ends. Other shared locks do not wait for this
 * one.
 */
export async function lockPartnerForShare(
  tx: Prisma.TransactionClient,
  { id, slug }: { id?: string | null | undefined; slug?: string | null | undefined },
): Promise<Partner | null> {
  const [row] = await tx.$queryRaw<{ id: string }[]>(sql`
    SELECT id
    FROM partners
    WHERE id = ${id ?? null} OR slug = ${slug ?? null}
    FOR SHARE`);
  return row === undefined ? null : tx.partner.findUnique({ where: { id: row.id } });
}
