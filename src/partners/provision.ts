import { insertPartnerKey, type KeyRow } from '../keys/operations.ts';
import { Prisma, type Partner, type PrismaClient } from '../generated/prisma/client.ts';
import { Conflict, invalid, NotFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Mode } from '../kit/mode.ts';
import { write, type Write, type Writer } from '../kit/write.ts';

/** A partner key just made: its secret is here and nowhere else. */
export type IssuedPartnerKey = KeyRow & { secret: string };

const slugPattern = /^[a-z0-9-]{3,40}$/;

/** Makes a partner. Its slug is taken for ever, also when the partner is archived one day. */
export async function createPartner(context: Writer, { slug, name }: { slug: string; name: string }): Promise<Partner> {
  if (!slugPattern.test(slug)) throw invalid('slug', 'must be 3 to 40 lower-case letters, digits and hyphens');
  if (name.trim() === '' || name.length > 200) throw invalid('name', 'must have 1 to 200 characters');
  return write(context, 'createPartner', async ({ tx, now, audit }) => {
    const partner = await tx.partner.create({ data: { id: newId('partner', now), slug, name: name.trim(), status: 'active', createdAt: now, updatedAt: now } });
    audit({ action: 'createPartner', target: partner.id, after: { slug, name: partner.name, status: partner.status } });
    return partner;
  }).catch((error: unknown) => {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') throw new Conflict('already_exists', `The slug ${slug} is taken.`);
    throw error;
  });
}

export async function findPartner({ env }: { env: { prisma: PrismaClient } }, slug: string): Promise<Partner | null> {
  return env.prisma.partner.findUnique({ where: { slug } });
}

/** Issues a partner key. Its audit row tells of everything but the secret, of which only a hash is kept. */
export function createPartnerKey(context: Writer, slug: string, { mode, label }: { mode: Mode; label: string }): Promise<IssuedPartnerKey> {
  if (label.trim() === '' || label.length > 100) throw invalid('label', 'must have 1 to 100 characters');
  const issue = async ({ tx, now, audit }: Write): Promise<IssuedPartnerKey> => {
    // Locked, so that a partner cannot be archived while a key of it is being made.
    await tx.$queryRaw`SELECT id FROM partners WHERE slug = ${slug} FOR SHARE`;
    const partner = await tx.partner.findUnique({ where: { slug } });
    if (!partner) throw new NotFound(`There is no partner ${slug}.`);
    if (partner.status === 'offboarded') throw new Conflict('invalid_state', `The partner ${slug} is offboarded: it gets no more keys.`);
    return insertPartnerKey({ tx, now, audit }, { partnerId: partner.id, mode, label: label.trim() });
  };
  return write(context, 'createPartnerKey', issue, { forReplay: (key) => ({ ...key, secret: null }) });
}
