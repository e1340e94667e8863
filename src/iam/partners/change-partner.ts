import { assertAllowed } from '../../auth/decisions.ts';
import type { SessionContext } from '../../call/context.ts';
import type { Partner } from '../../generated/prisma/client.ts';
import { DomainError, invalid } from '../../lib/errors.ts';
import { isOutage } from '../../lib/outage.ts';
import { entryErrorOf } from '../../unit-of-work/multi-step-call.ts';
import { runAuditedChange, runChangeAtProvider } from '../audited-change.ts';
import { canAdministerPlatform } from '../policy.ts';
import { inviteStaff } from '../staff/invite-staff.ts';
import type { CreatePartnerInput } from './inputs.ts';
import { auditArchive, changePartner, insertPartner, lockPartner, revokePendingInvitations } from './partner-rows.ts';
import type { InvitedAdmin } from './types.ts';

/** Each invitation is a mail and a separate transaction within one request. */
const adminsMax = 50;

/**
 * Creates a partner and invites its first admins. A failed invitation is reported in the answer and reverts nothing.
 */
export async function createPartner(
  context: SessionContext,
  input: typeof CreatePartnerInput.$inferInput,
): Promise<{ partner: Partner; invited: InvitedAdmin[] }> {
  if (input.status === 'offboarded')
    throw invalid('status', 'must be one of onboarding, active, suspended: a new partner cannot be archived');
  if ((input.adminEmails ?? []).length > adminsMax)
    throw invalid('adminEmails', `must contain at most ${adminsMax} items`);
  const partner = await addPartner(context, input);
  const emails = new Map((input.adminEmails ?? []).map((email) => [email.toLowerCase(), email]));
  const invited: InvitedAdmin[] = [];
  for (const email of emails.values()) invited.push(await inviteAdmin(context, partner.slug, email));
  return { partner, invited };
}

function addPartner(context: SessionContext, input: typeof CreatePartnerInput.$inferInput): Promise<Partner> {
  return runAuditedChange(context, { action: 'createPartner', target: input.slug }, (change) => {
    assertAllowed(canAdministerPlatform(context.caller));
    return insertPartner(change, input);
  });
}

async function inviteAdmin(context: SessionContext, slug: string, email: string): Promise<InvitedAdmin> {
  try {
    const { status } = await inviteStaff(context, slug, { email, roles: ['partneradmin'] });
    return { email, status, error: null };
  } catch (error) {
    // A repeat of the call makes the invitation that an outage has prevented.
    if (context.idempotency && (error instanceof DomainError || isOutage(error))) entryErrorOf(error);
    if (error instanceof DomainError) return { email, status: 'error', error: error.message };
    context.services.log.error({ err: error, slug }, 'The first admin of a partner could not be invited.');
    return { email, status: 'error', error: 'Internal error: invite again.' };
  }
}

export interface ArchiveResult {
  partner: Partner;
  previousStatus: string;
}

/** Archives a partner permanently; its slug stays reserved. A repeat returns `offboarded` as the previous status. */
export function archivePartner(context: SessionContext, id: string): Promise<ArchiveResult> {
  const action = 'archivePartner';
  return runChangeAtProvider(context, { action, target: id }, async (change) => {
    assertAllowed(canAdministerPlatform(context.caller));
    const before = await lockPartner(change, { id });
    await revokePendingInvitations(change, context, before);
    const partner = before.status === 'offboarded' ? before : await changePartner(change, id, { status: 'offboarded' });
    auditArchive(change, before);
    return { partner, previousStatus: before.status };
  });
}
