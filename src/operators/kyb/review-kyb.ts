import { peopleVisibility } from '../../auth/visibility.ts';
import type { SessionContext } from '../../call/context.ts';
import {
  accountsAwaitingReview,
  approveKyb,
  type KybView,
  lockAnyAccount,
  readRevealed,
  rejectKyb,
  reviewRequirement,
  withRequirements,
} from '../../domains/accounts/public.ts';
import type { ProcessingAccount } from '../../generated/prisma/client.ts';
import { runAuditedChange } from '../../iam/public.ts';
import type { Mode } from '../../lib/ids.ts';
import type { ListArguments, Page } from '../../lists/read-list.ts';

type QueueArguments = ListArguments<Record<string, never>> & { mode: Mode; partnerSlug?: string | null | undefined };

/** Accounts that wait for a review, longest waiting first. */
export async function listKybQueue(
  context: SessionContext,
  { mode, partnerSlug, ...args }: QueueArguments,
): Promise<Page<ProcessingAccount>> {
  return accountsAwaitingReview(context, await peopleVisibility(context, { mode, partnerSlug }), args);
}

/** Runs one decision of a reviewer and returns the KYB after it. */
async function decideKyb(
  context: SessionContext,
  attempt: Parameters<typeof runAuditedChange>[1],
  change: Parameters<typeof runAuditedChange<ProcessingAccount>>[2],
): Promise<KybView> {
  const account = await runAuditedChange(context, attempt, change);
  return withRequirements(context.services, account);
}

/** Approves a submitted KYB as a whole. */
export function approveAccountKyb(
  context: SessionContext,
  accountId: string,
  submittedAt: Date | null,
): Promise<KybView> {
  return decideKyb(context, { action: 'approveKyb', target: accountId }, (change) =>
    approveKyb(change, accountId, submittedAt),
  );
}

/** Rejects a submitted KYB. */
export function rejectAccountKyb(
  context: SessionContext,
  accountId: string,
  reason: string,
  submittedAt: Date | null,
): Promise<KybView> {
  return decideKyb(context, { action: 'rejectKyb', target: accountId, reason }, (change) =>
    rejectKyb(change, accountId, reason, submittedAt),
  );
}

/** Approves or rejects one requirement of a submitted KYB. */
export function reviewKybRequirement(
  context: SessionContext,
  accountId: string,
  decision: Parameters<typeof reviewRequirement>[2],
): Promise<KybView> {
  return decideKyb(context, { action: 'reviewKybRequirement', target: accountId, reason: decision.reason }, (change) =>
    reviewRequirement(change, accountId, decision),
  );
}

interface Reveal {
  platformAccountId: string;
  reason: string;
}

/** The KYB of one account with the submitted values in clear text. The audit row is committed before they are read. */
export async function revealKyb(context: SessionContext, { platformAccountId, reason }: Reveal): Promise<KybView> {
  const action = 'revealKyb';
  const account = await runAuditedChange(context, { action, target: platformAccountId, reason }, async (change) => {
    const found = await lockAnyAccount(change, platformAccountId);
    const sent = await change.tx.kybRequirement.findMany({
      where: { platformAccountId, value: { not: null } },
      select: { code: true },
    });
    const codes = sent.map(({ code }) => code).sort();
    change.audit({ action, target: platformAccountId, after: { codes, reason }, partnerId: found.partnerId });
    return found;
  });
  return readRevealed(context.services, account);
}
