import type { Partner, Prisma } from '../generated/prisma/client.ts';
import type { SessionContext } from '../graph/context.ts';
import {
  act,
  type Act,
  assertAllowed,
  canAdministerPlatform,
  canUpdatePartner,
  conflict,
  notFound,
  revokedState,
} from '../iam/operations.ts';
import { InvalidInput, type InputIssue } from '../kit/errors.ts';
import { assertFits } from './free-form.ts';
import { mergePatch } from './merge-patch.ts';
import { partnerObject } from './provision.ts';
import { assertOneName, type PartnerName } from './read-partners.ts';
import type { UpdatePartnerInput } from './schema.ts';

const patchFields = ['name', 'status', 'branding', 'preferences', 'commercialTerms'] as const;

/** Changes what is named; the three free-form objects by merge patch. `status: offboarded` archives. */
export function updatePartner(context: SessionContext, input: typeof UpdatePartnerInput.$inferInput): Promise<Partner> {
  assertOneName(input);
  assertPatch(input);
  const action = 'updatePartner';
  return act(context, { action, target: input.id ?? input.slug ?? null }, async (change) => {
    assertAllowed(canUpdatePartner(context.caller, input));
    const before = await lockPartner(change, input);
    if (before.status === 'offboarded' && input.status != null && input.status !== 'offboarded')
      throw conflict('partner_offboarded');
    if (input.status === 'offboarded') await closeInvitations(change, context, before);
    const merged = (name: 'branding' | 'preferences' | 'commercialTerms') =>
      input[name] !== undefined && { [name]: (mergePatch(before[name], input[name]) ?? {}) as Prisma.InputJsonObject }; // plain JSON, both sides of it
    const free = { ...merged('branding'), ...merged('preferences'), ...merged('commercialTerms') };
    assertFits(free);
    const data = {
      ...(input.name != null && { name: input.name }),
      ...(input.status != null && { status: input.status }),
      ...free,
    };
    const partner = await change.tx.partner.update({
      where: { id: before.id },
      data: { ...data, updatedAt: change.now },
    });
    change.audit({ action, target: partner.id, before: partnerObject(before), after: partnerObject(partner) });
    return partner;
  });
}

/** Takes a partner off the platform for good; its slug stays taken. Again: the same answer, with `offboarded` as the status before. */
export function archivePartner(
  context: SessionContext,
  id: string,
): Promise<{ partner: Partner; previousStatus: string }> {
  const action = 'archivePartner';
  return act(context, { action, target: id }, async (change) => {
    assertAllowed(canAdministerPlatform(context.caller));
    const before = await lockPartner(change, { id });
    await closeInvitations(change, context, before);
    const partner =
      before.status === 'offboarded'
        ? before
        : await change.tx.partner.update({ where: { id }, data: { status: 'offboarded', updatedAt: change.now } });
    change.audit({ action, target: id, before: { status: before.status }, after: { status: partner.status } });
    return { partner, previousStatus: before.status };
  });
}

/** Nobody joins an archived partner: what is pending ends at the provider and here. */
async function closeInvitations({ tx, now }: Act, { env }: SessionContext, partner: Partner): Promise<void> {
  const pending = await tx.partnerMembership.findMany({ where: { partnerId: partner.id, status: 'pending' } });
  for (const { invitationId } of pending)
    if (invitationId !== null) await env.identityProvider.revokeInvitation(invitationId);
  await tx.partnerMembership.updateMany({
    where: { id: { in: pending.map(({ id }) => id) } },
    data: revokedState(now),
  });
}

/** The partner, with its staff changes waiting until this transaction ends. */
async function lockPartner({ tx }: Act, { id, slug }: PartnerName): Promise<Partner> {
  const [row] = await tx.$queryRaw<
    { id: string }[]
  >`SELECT id FROM partners WHERE id = ${id ?? null} OR slug = ${slug ?? null} FOR UPDATE`;
  if (!row) throw notFound('partner_not_found');
  return tx.partner.findUniqueOrThrow({ where: { id: row.id } });
}

function assertPatch(input: typeof UpdatePartnerInput.$inferInput): void {
  const issues: InputIssue[] = [];
  for (const path of ['name', 'status'] as const)
    if (input[path] === null) issues.push({ path, message: 'must not be null: leave it out instead' });
  if (patchFields.every((name) => input[name] === undefined))
    issues.push({ path: '', message: `the patch is empty: name at least one of ${patchFields.join(', ')}` });
  if (issues.length > 0) throw new InvalidInput(issues);
}
