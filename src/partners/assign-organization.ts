import type { Organization, Partner } from '../generated/prisma/client.ts';
import type { SessionContext } from '../graph/context.ts';
import type { Env } from '../env.ts';
import { act, type Act, assertAllowed, canAdministerPlatform, conflict, lock, notFound } from '../iam/operations.ts';
import { InvalidInput, NotFound } from '../kit/errors.ts';
import type { AssignOrganizationInput } from './organizations-schema.ts';

export interface Assignment {
  accountId: string;
  partnerId: string | null;
  previousPartnerId: string | null;
}

/** A crash between the provider's change and ours is put right this much later at the soonest; no transaction lives that long. */
const settleAfterMs = 30_000;

/**
 * Tags an organization with a partner, at the provider and here. Before the provider is asked it is written down that the two may
 * differ; that note goes with our own change. When our change fails the provider's is taken back, and when that fails too the note
 * is what the sweep works from.
 */
export function assignOrganizationToPartner(
  context: SessionContext,
  input: typeof AssignOrganizationInput.$inferInput,
): Promise<Assignment> {
  assertShape(input);
  const action = 'assignOrganizationToPartner';
  return act(context, { action, target: input.accountId ?? input.organizationId ?? null }, async (change) => {
    assertAllowed(canAdministerPlatform(context.caller));
    const organization = await lockOrganization(change, input);
    const partner = await sharedPartner(change, input);
    if (partner?.status === 'offboarded') throw conflict('partner_offboarded');
    const previous =
      organization.partnerId === null
        ? null
        : await change.tx.partner.findUnique({
            where: { id: organization.partnerId },
            select: { id: true, slug: true },
          });
    const { organizationId } = organization;
    if (organizationId !== null) {
      await noteRevert(context.env, organizationId, previous?.slug ?? null);
      change.undo(() => takeBack(context.env, organizationId, previous?.slug ?? null));
      await context.env.identityProvider.setOrganizationPartner(organizationId, partner?.slug ?? null);
      await change.tx.pendingRevert.deleteMany({ where: { organizationId } });
    }
    await change.tx.organization.update({
      where: { accountId: organization.accountId },
      data: { partnerId: partner?.id ?? null },
    });
    const answer = {
      accountId: organization.accountId,
      partnerId: partner?.id ?? null,
      previousPartnerId: organization.partnerId,
    };
    change.audit({
      action,
      target: organization.accountId,
      before: { partnerId: answer.previousPartnerId },
      after: { partnerId: answer.partnerId },
    });
    return answer;
  });
}

function assertShape(input: typeof AssignOrganizationInput.$inferInput): void {
  const issues = [];
  if ((input.accountId == null) === (input.organizationId == null))
    issues.push({ path: 'accountId', message: 'must be named, or organizationId instead, and not both' });
  // Null means "no partner" here, so what counts is whether the field is there.
  if ((input.partnerId === undefined) === (input.partnerSlug === undefined))
    issues.push({ path: 'partnerId', message: 'must be named (null detaches), or partnerSlug instead, and not both' });
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** One change to an organization's tag at a time. */
async function lockOrganization(
  { tx }: Act,
  { accountId, organizationId }: typeof AssignOrganizationInput.$inferInput,
): Promise<Organization> {
  const where = accountId != null ? { accountId } : { organizationId: organizationId ?? '' };
  const found = await tx.organization.findUnique({ where, select: { accountId: true } });
  if (!found) throw new NotFound('There is no such organization.');
  await lock(tx, `organization:${found.accountId}`);
  return tx.organization.findUniqueOrThrow({ where: { accountId: found.accountId } });
}

async function sharedPartner(
  { tx }: Act,
  { partnerId, partnerSlug }: typeof AssignOrganizationInput.$inferInput,
): Promise<Partner | null> {
  if (partnerId == null && partnerSlug == null) return null;
  await tx.$queryRaw`SELECT id FROM partners WHERE id = ${partnerId ?? null} OR slug = ${partnerSlug ?? null} FOR SHARE`;
  const partner = await tx.partner.findUnique({
    where: partnerId != null ? { id: partnerId } : { slug: partnerSlug ?? '' },
  });
  if (!partner) throw notFound('partner_not_found');
  return partner;
}

/** In a transaction of its own: it must be there whatever becomes of ours. A note that is there already knows better what was before. */
async function noteRevert({ prisma, clock }: Env, organizationId: string, partnerSlug: string | null): Promise<void> {
  const now = clock.now();
  const dueAt = new Date(now.getTime() + settleAfterMs);
  await prisma.pendingRevert.upsert({
    where: { organizationId },
    update: { dueAt },
    create: { organizationId, partnerSlug, dueAt, createdAt: now },
  });
}

async function takeBack(env: Env, organizationId: string, partnerSlug: string | null): Promise<void> {
  try {
    await env.identityProvider.setOrganizationPartner(organizationId, partnerSlug);
    await env.prisma.pendingRevert.deleteMany({ where: { organizationId } });
  } catch (error) {
    await env.prisma.pendingRevert.updateMany({
      where: { organizationId },
      data: { dueAt: env.clock.now(), attempts: { increment: 1 }, lastError: String(error) },
    });
    throw error;
  }
}

/** Goes back at the provider to what was before changes that never became ours; whatever fails stays for the next pass. */
export async function settleReverts(env: Env): Promise<number> {
  const due = await env.prisma.pendingRevert.findMany({
    where: { dueAt: { lte: env.clock.now() } },
    orderBy: { dueAt: 'asc' },
    take: 100,
  });
  let settled = 0;
  for (const { organizationId, partnerSlug, attempts } of due) {
    try {
      await settleRevert(env, organizationId, partnerSlug);
      settled++;
    } catch (error) {
      env.log.error(
        { err: error, organizationId, attempts: attempts + 1 },
        "An organization's tag at the identity provider could not be put right yet.",
      );
      const dueAt = new Date(env.clock.now().getTime() + Math.min(5_000 * 2 ** attempts, 3_600_000));
      await env.prisma.pendingRevert.updateMany({
        where: { organizationId },
        data: { dueAt, attempts: { increment: 1 }, lastError: String(error) },
      });
    }
  }
  return settled;
}

async function settleRevert(
  { prisma, identityProvider }: Env,
  organizationId: string,
  partnerSlug: string | null,
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    const organization = await tx.organization.findUnique({ where: { organizationId }, select: { accountId: true } });
    if (organization) await lock(tx, `organization:${organization.accountId}`);
    // A change that went through meanwhile has taken the note with it.
    const { count } = await tx.pendingRevert.deleteMany({ where: { organizationId } });
    if (count === 1 && organization) await identityProvider.setOrganizationPartner(organizationId, partnerSlug);
  });
}
