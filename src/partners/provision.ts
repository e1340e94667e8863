import type { Partner, Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { conflict } from '../iam/operations.ts';
import { insertPartnerKey, type IssuedPartnerKey } from '../keys/operations.ts';
import { invalid } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Mode } from '../kit/mode.ts';
import { write, type Write, type Writer } from '../kit/write.ts';
import { assertFits } from './free-form.ts';

export interface NewPartner {
  slug: string;
  name: string;
  /** `active` when left out. */
  status?: string | null | undefined;
  branding?: object | null | undefined;
  preferences?: object | null | undefined;
  commercialTerms?: object | null | undefined;
}

/**
 * The row and the audit row of a new partner, for whoever has asked whether it may be made: a superadmin, a command, the demo. Its
 * slug is taken for ever, also when the partner is archived one day, and two who want it at once do not both get it.
 */
export async function insertPartner(
  { tx, now, audit }: Pick<Write, 'tx' | 'now' | 'audit'>,
  { slug, name, status, branding, preferences, commercialTerms }: NewPartner,
): Promise<Partner> {
  const free = { branding: json(branding), preferences: json(preferences), commercialTerms: json(commercialTerms) };
  assertFits(free);
  const row = {
    id: newId('partner', now),
    slug,
    name,
    status: status ?? 'active',
    ...free,
    createdAt: now,
    updatedAt: now,
  };
  const [partner] = await tx.partner.createManyAndReturn({ data: [row], skipDuplicates: true });
  if (!partner) throw conflict('slug_taken');
  audit({ action: 'createPartner', target: partner.id, after: partnerObject(partner) });
  return partner;
}

const slugPattern = /^[a-z0-9-]{3,40}$/;

/** Makes a partner where nobody is signed in: by a command, or for the demo. */
export function provisionPartner(context: Writer, { slug, name }: { slug: string; name: string }): Promise<Partner> {
  if (!slugPattern.test(slug)) throw invalid('slug', 'must be 3 to 40 lower-case letters, digits and hyphens');
  if (name.trim() === '' || name.length > 200) throw invalid('name', 'must have 1 to 200 characters');
  return write(context, 'createPartner', (change) => insertPartner(change, { slug, name: name.trim() }));
}

export async function findPartner({ env }: { env: { prisma: PrismaClient } }, slug: string): Promise<Partner | null> {
  return env.prisma.partner.findUnique({ where: { slug } });
}

/** Issues a partner key in the same way. Its audit row tells of everything but the secret, of which only a hash is kept. */
export function provisionPartnerKey(
  context: Writer,
  slug: string,
  { mode, label }: { mode: Mode; label: string },
): Promise<IssuedPartnerKey> {
  if (label.trim() === '' || label.length > 100) throw invalid('label', 'must have 1 to 100 characters');
  return write(context, 'createPartnerKey', (change) => insertPartnerKey(change, slug, { mode, label: label.trim() }), {
    forReplay: (key) => ({ ...key, secret: null }),
  });
}

/** The partner as the audit log shows it. */
export function partnerObject(partner: Partner): object {
  return { ...partner };
}

function json(value: object | null | undefined): Prisma.InputJsonObject {
  return (value ?? {}) as Prisma.InputJsonObject; // the scalar has checked that it is plain JSON
}
