import { countAttempt, hourMs, takeBackAttempt } from '../../auth/attempts.ts';
import { isHub } from '../../auth/roles.ts';
import type { SessionContext } from '../../graph/context.ts';
import { Conflict, type PolicyReason } from '../../kit/errors.ts';

/** Of the addresses that a partner's staff invite in an hour, those that may be refused as not invitable. */
export const refusedInvitesMax = 30;

/**
 * Runs an invitation by a partner's own staff. That an address is not invitable tells that its person has a role
 * elsewhere, so a partner may learn it of few. Invitations are counted before they are made and those that end
 * otherwise are taken back, so that concurrent ones are bounded too and the answer beyond the bound tells nothing.
 */
export async function withBoundedRefusals<Result>(
  { caller, services }: SessionContext,
  partnerSlug: string,
  invite: () => Promise<Result>,
): Promise<Result> {
  if (isHub(caller) || caller.whitelabelOwnership !== partnerSlug) return invite();
  const subject = `not-invitable/${partnerSlug}`;
  await countAttempt(services, subject, refusedInvitesMax, hourMs);
  let isRefused = false;
  try {
    return await invite();
  } catch (error) {
    isRefused = error instanceof Conflict && error.data['reason'] === notInvitable;
    throw error;
  } finally {
    if (!isRefused) await takeBackAttempt(services, subject);
  }
}

const notInvitable: PolicyReason = 'email_not_invitable';
