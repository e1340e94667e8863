import { assertAllowed, conflict, notFound } from '../../auth/decisions.ts';
import type { SessionContext } from '../../call/context.ts';
import type { Organization, Partner } from '../../generated/prisma/client.ts';
import { InvalidInput, NotFound } from '../../lib/errors.ts';
import { type AuditedChange, runChangeAtProvider } from '../audited-change.ts';
import { tagOrganization } from '../identity/mirror.ts';
import { lockPartnerForShare } from '../partner-facts.ts';
import { canAdministerPlatform } from '../policy.ts';
import { lockName } from '../users/access.ts';
import type { AssignOrganizationInput } from './inputs.ts';
import type { Assignment } from './organization-types.ts';
import { dropPendingCompensation, revertOrganizationTag, storePendingCompensation } from './pending-compensations.ts';

type Input = typeof AssignOrganizationInput.$inferInput;

/**
 * Tags an organization with a partner, at the provider and in the mirror. A pending revert is stored before the
 * provider is called, and deleted in the transaction of the change. If the transaction fails, the tag at the provider
 * is reverted; if that fails too, the job reverts it.
 */
export function assignOrganizationToPartner(context: SessionContext, input: Input): Promise<Assignment> {
  assertShape(input);
  const action = 'assignOrganizationToPartner';
  const target = input.accountId ?? input.organizationId ?? null;
  return runChangeAtProvider(context, { action, target }, async (change) => {
    assertAllowed(canAdministerPlatform(context.caller));
    const organization = await lockOrganization(change, input);
    const partner = await lockNamedPartner(change, input);
    if (partner?.status === 'offboarded') throw conflict('partner_offboarded');
    const { accountId, partnerId: previousPartnerId } = organization;
    await setTagAtProvider(change, context, organization, partner);
    await tagOrganization(change.tx, accountId, partner?.id ?? null);
    const answer = { accountId, partnerId: partner?.id ?? null, previousPartnerId };
    change.audit({
      action,
      target: accountId,
      before: { partnerId: previousPartnerId },
      after: { partnerId: answer.partnerId },
    });
    return answer;
  });
}

function assertShape(input: Input): void {
  const issues = [];
  if ((input.accountId == null) === (input.organizationId == null))
    issues.push({ path: 'accountId', message: 'is required, or organizationId instead, and not both' });
  // Null means "no partner", so it counts whether the field is present.
  if ((input.partnerId === undefined) === (input.partnerSlug === undefined))
    issues.push({ path: 'partnerId', message: 'is required (null detaches), or partnerSlug instead, and not both' });
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** Locks the organization, since its tag is changed by one call at a time. */
async function lockOrganization({ tx }: AuditedChange, { accountId, organizationId }: Input): Promise<Organization> {
  const where = accountId != null ? { accountId } : { organizationId: organizationId ?? '' };
  const found = await tx.organization.findUnique({ where, select: { accountId: true } });
  if (!found) {
    const isProcessingAccount = accountId?.startsWith('tpa_') === true;
    const hint = ' This is the identifier of a processing account; that of an organization begins with acc_.';
    throw new NotFound(`Organization not found.${isProcessingAccount ? hint : ''}`);
  }
  await lockName(tx, `organization:${found.accountId}`);
  return tx.organization.findUniqueOrThrow({ where: { accountId: found.accountId } });
}

async function lockNamedPartner({ tx }: AuditedChange, { partnerId, partnerSlug }: Input): Promise<Partner | null> {
  if (partnerId == null && partnerSlug == null) return null;
  const partner = await lockPartnerForShare(tx, { id: partnerId, slug: partnerSlug });
  if (!partner) throw notFound('partner_not_found');
  return partner;
}

/** An organization without an id at the provider has no tag there. */
async function setTagAtProvider(
  { tx, compensate }: AuditedChange,
  { services }: SessionContext,
  { organizationId, partnerId }: Organization,
  partner: Partner | null,
): Promise<void> {
  if (organizationId === null) return;
  const previous =
    partnerId === null ? null : await tx.partner.findUnique({ where: { id: partnerId }, select: { slug: true } });
  const previousSlug = previous?.slug ?? null;
  await storePendingCompensation(services, organizationId, previousSlug);
  compensate(() => revertOrganizationTag(services, organizationId, previousSlug));
  await services.identityProvider.setOrganizationPartner(organizationId, partner?.slug ?? null);
  await dropPendingCompensation(tx, organizationId);
}
