import { isHub, isPlatformReader } from '../../../auth/roles.ts';
import { peopleVisibility, visiblePartnerId } from '../../../auth/visibility.ts';
import type { SessionContext } from '../../../call/context.ts';
import { accountsAwaitingReview, type KybReview, noSuchAccount, readReview } from '../../../domains/accounts/public.ts';
import type { AuditRow, Event, ProcessingAccount } from '../../../generated/prisma/client.ts';
import type { Mode } from '../../../lib/ids.ts';
import type { ListArguments, Page } from '../../../lists/read-list.ts';
import { runAuditedChange } from '../../iam/public.ts';

/**
 * The data that a reviewer needs about one account. Null means that the caller may not read it, unlike an empty list.
 */
export interface OperatorKybView extends KybReview {
  events: Event[] | null;
  auditRows: AuditRow[] | null;
}

/** The maximum number of newest rows in the history. */
const rowsMax = 100;

/** The KYB of an account with its history; with the submitted values in clear text if `reveal` is true. */
export async function kybViewOf(
  context: SessionContext,
  account: ProcessingAccount,
  { reveal }: { reveal: boolean },
): Promise<OperatorKybView> {
  const { prisma } = context.services;
  const newestFirst = { orderBy: { sequence: 'desc' as const }, take: rowsMax };
  const [review, events, auditRows] = await Promise.all([
    readReview(context.services, account, reveal),
    isPlatformReader(context.caller)
      ? prisma.event.findMany({ where: { objectId: account.id }, ...newestFirst })
      : null,
    isHub(context.caller) ? prisma.auditRow.findMany({ where: { target: account.id }, ...newestFirst }) : null,
  ]);
  return { ...review, events, auditRows };
}

/** Runs one decision of a reviewer and returns the KYB after it. */
export async function decideKyb(
  context: SessionContext,
  action: string,
  accountId: string,
  change: Parameters<typeof runAuditedChange<ProcessingAccount>>[2],
): Promise<OperatorKybView> {
  const account = await runAuditedChange(context, { action, target: accountId }, change);
  return kybViewOf(context, account, { reveal: false });
}

/** The KYB of one account without the submitted values. 404 for an account that is not visible to the caller. */
export async function readKyb(context: SessionContext, accountId: string): Promise<OperatorKybView> {
  const partnerId = await visiblePartnerId(context);
  const account = await context.services.prisma.processingAccount.findFirst({
    where: { id: accountId, ...(partnerId !== null && { partnerId }) },
  });
  if (!account) throw noSuchAccount();
  return kybViewOf(context, account, { reveal: false });
}

type QueueArguments = ListArguments<Record<string, never>> & { mode: Mode; partnerSlug?: string | null | undefined };

/** Accounts that wait for a review, longest waiting first. */
export async function listKybQueue(
  context: SessionContext,
  { mode, partnerSlug, ...args }: QueueArguments,
): Promise<Page<ProcessingAccount>> {
  return accountsAwaitingReview(context, await peopleVisibility(context, { mode, partnerSlug }), args);
}
