import type { Partner, PrismaClient } from '../../generated/prisma/client.ts';

/** The partner of a slug, for commands; null if there is none. */
export async function findPartner(
  { services }: { services: { prisma: PrismaClient } },
  slug: string,
): Promise<Partner | null> {
  return services.prisma.partner.findUnique({ where: { slug } });
}
