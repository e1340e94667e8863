import type { Prisma } from '../../generated/prisma/client.ts';
import { invalid } from '../../lib/errors.ts';
import type { Services } from '../../services.ts';
import { brandEntry } from '../../theme/brand.ts';
import { type LogoImage, logoPath, readLogo } from '../../theme/logo.ts';
import type { Write } from '../../unit-of-work/write.ts';

const key = 'logoImage';

/** A branding as it is stored, and the partner's image: kept if undefined, removed if null. */
interface TakenLogo {
  branding: Prisma.InputJsonObject;
  logo: LogoImage | null | undefined;
}

/**
 * Replaces the image in a branding by its address. The earlier address may be sent again: a caller who writes back what
 * was read changes nothing.
 */
export function takeLogo(branding: Prisma.InputJsonObject, before: unknown): TakenLogo {
  const given = branding[key];
  if (given == null) return { branding, logo: null };
  if (given === brandEntry(before, key)) return { branding, logo: undefined };
  const read = readLogo(given);
  if ('problem' in read) throw invalid(`branding.${key}`, read.problem);
  return { branding: { ...branding, [key]: logoPath(read) }, logo: read };
}

/** Stores the image. A partner has one at most. */
export async function storeLogo(
  { tx, now }: Pick<Write, 'tx' | 'now'>,
  partnerId: string,
  logo: TakenLogo['logo'],
): Promise<void> {
  if (logo === undefined) return;
  if (logo === null) return void (await tx.partnerLogo.deleteMany({ where: { partnerId } }));
  const data = { file: logo.file, content: Uint8Array.from(logo.content), createdAt: now };
  await tx.partnerLogo.upsert({ where: { partnerId }, create: { partnerId, ...data }, update: data });
}

/** The image at an address. Null if no partner has it any more. */
export async function readLogoFile({ prisma }: Pick<Services, 'prisma'>, file: string): Promise<Uint8Array | null> {
  const found = await prisma.partnerLogo.findFirst({ where: { file }, select: { content: true } });
  return found?.content ?? null;
}
