import { conflict, notFound } from '../../auth/decisions.ts';
import type { SessionContext } from '../../call/context.ts';
import { sql } from '../../database/sql.ts';
import type { Partner, Prisma } from '../../generated/prisma/client.ts';
import { type InputIssue, InvalidInput, invalid } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { Write } from '../../unit-of-work/write.ts';
import { revokeMemberships } from '../staff/membership-rows.ts';
import { assertBranding } from '../staff/pending-invitation.ts';
import { storeLogo, takeLogo } from './partner-logo.ts';

/** Objects that merge patches extend need a size limit. */
const freeFormCharactersMax = 65_536;

/** Rejects free-form objects that are too large, by name. */
export function assertFits(objects: Readonly<Record<string, unknown>>): void {
  const tooLarge = Object.entries(objects).filter(
    ([, value]) => value !== undefined && JSON.stringify(value).length > freeFormCharactersMax,
  );
  const issues: InputIssue[] = tooLarge.map(([path]) => ({
    path,
    message: `must have at most ${freeFormCharactersMax} characters as JSON`,
  }));
  if (issues.length > 0) throw new InvalidInput(issues);
}

export interface NewPartner {
  slug: string;
  name: string;
  /** Default: `active`. */
  status?: string | null | undefined;
  branding?: object | null | undefined;
  preferences?: object | null | undefined;
  commercialTerms?: object | null | undefined;
}

/**
 * Inserts a partner and its audit row. The caller has checked the permission: a superadmin, a command, or the demo. A
 * slug stays reserved after its partner is archived, and of two concurrent inserts of a slug one is 409.
 */
export async function insertPartner(
  { tx, now, audit }: Pick<Write, 'tx' | 'now' | 'audit'>,
  { slug, name, status, branding, preferences, commercialTerms }: NewPartner,
): Promise<Partner> {
  assertBranding(branding);
  const taken = takeLogo(json(branding), {});
  const free = { branding: taken.branding, preferences: json(preferences), commercialTerms: json(commercialTerms) };
  assertFits(free);
  const row = {
    id: newId('par_', now),
    slug,
    name,
    status: status ?? 'active',
    ...free,
    createdAt: now,
    updatedAt: now,
  };
  const [partner] = await tx.partner.createManyAndReturn({ data: [row], skipDuplicates: true });
  if (!partner) throw conflict('slug_taken');
  await storeLogo({ tx, now }, partner.id, taken.logo);
  audit({ action: 'createPartner', target: partner.id, partnerId: partner.id, after: partnerObject(partner) });
  return partner;
}

function json(value: object | null | undefined): Prisma.InputJsonObject {
  return value ?? {}; // the scalar has checked that it is plain JSON
}

/** The partner, locked until the transaction ends, so that changes of its staff wait. */
export async function lockPartner({ tx }: Pick<Write, 'tx'>, { id, slug }: PartnerName): Promise<Partner> {
  const [row] = await tx.$queryRaw<{ id: string }[]>(sql`
    SELECT id
    FROM partners
    WHERE id = ${id ?? null} OR slug = ${slug ?? null}
    FOR NO KEY UPDATE`);
  if (!row) throw notFound('partner_not_found');
  return tx.partner.findUniqueOrThrow({ where: { id: row.id } });
}

export function changePartner(
  { tx, now }: Pick<Write, 'tx' | 'now'>,
  id: string,
  data: Prisma.PartnerUpdateInput,
): Promise<Partner> {
  return tx.partner.update({ where: { id }, data: { ...data, updatedAt: now } });
}

/** Revokes every pending invitation of a partner that is being archived, at the provider and in the roster. */
export async function revokePendingInvitations(
  { tx, now }: Write,
  { services }: SessionContext,
  partner: Partner,
): Promise<void> {
  const pending = await tx.partnerMembership.findMany({ where: { partnerId: partner.id, status: 'pending' } });
  for (const { invitationId } of pending)
    if (invitationId !== null) await services.identityProvider.revokeInvitation(invitationId);
  await revokeMemberships({ tx, now }, { id: { in: pending.map(({ id }) => id) } });
}

/** The audit row of an archived partner, for every operation that archives one. */
export function auditArchive({ audit }: Pick<Write, 'audit'>, { id, status }: Partner): void {
  audit({
    action: 'archivePartner',
    target: id,
    partnerId: id,
    before: { status },
    after: { status: 'offboarded', previousStatus: status },
  });
}

/** The partner as the audit log shows it. */
export function partnerObject(partner: Partner): object {
  return { ...partner };
}

/** The identifier of a partner in a request: exactly one of the two fields. */
export interface PartnerName {
  id?: string | null | undefined;
  slug?: string | null | undefined;
}

export function assertOneName({ id, slug }: PartnerName): void {
  if (id == null && slug == null) throw invalid('id', 'is required, or slug instead');
  if (id != null && slug != null) throw invalid('slug', 'cannot be combined with id');
}
