import { accountsAwaitingReview, lockAnyAccount, noSuchAccount } from '../accounts/operations.ts';
import { isHub, isPlatformReader } from '../auth/roles.ts';
import type { AuditRow, Event, ProcessingAccount } from '../generated/prisma/client.ts';
import type { SessionContext } from '../graph/context.ts';
import type { ListArguments, Page } from '../graph/lists.ts';
import { act } from '../iam/operations.ts';
import type { Mode } from '../kit/mode.ts';
import { approveKyb, type KybReview, readReview, rejectKyb, reviewRequirement } from '../kyb/operations.ts';
import { operatorReach, readablePartnerId } from './reach.ts';

/** All a reviewer needs about one account. Null is what the person may not see, which is not the same as none. */
export interface OperatorKybView extends KybReview {
  events: Event[] | null;
  auditRows: AuditRow[] | null;
}

/** The newest of them: a reviewer reads how it came to this, not the account's whole life. */
const rowsMax = 100;

export async function listKybQueue(
  context: SessionContext,
  {
    mode,
    partnerSlug,
    ...args
  }: ListArguments<Record<string, never>> & { mode: Mode; partnerSlug?: string | null | undefined },
): Promise<Page<ProcessingAccount>> {
  return accountsAwaitingReview(context, await operatorReach(context, mode, partnerSlug), args);
}

/** One account's KYB without what was sent; an account outside the person's partner is as one that does not exist. */
export async function viewKyb(context: SessionContext, accountId: string): Promise<OperatorKybView> {
  const partnerId = await readablePartnerId(context);
  const account = await context.env.prisma.processingAccount.findFirst({
    where: { id: accountId, ...(partnerId !== null && { partnerId }) },
  });
  if (!account) throw noSuchAccount();
  return viewOf(context, account, false);
}

/** The same with what was sent, in the clear. That somebody read it is in the audit log before they have it. */
export async function revealKyb(context: SessionContext, accountId: string): Promise<OperatorKybView> {
  const action = 'revealKyb';
  const account = await act(context, { action, target: accountId }, async (change) => {
    const found = await lockAnyAccount(change, accountId);
    const sent = await change.tx.kybRequirement.findMany({
      where: { platformAccountId: accountId, value: { not: null } },
      select: { code: true },
    });
    change.audit({ action, target: accountId, after: { codes: sent.map(({ code }) => code).sort() } });
    return found;
  });
  return viewOf(context, account, true);
}

export function reviewKybRequirement(
  context: SessionContext,
  accountId: string,
  decision: Parameters<typeof reviewRequirement>[2],
): Promise<OperatorKybView> {
  return decide(context, 'reviewKybRequirement', accountId, (change) => reviewRequirement(change, accountId, decision));
}

export function approveAccountKyb(
  context: SessionContext,
  accountId: string,
  submittedAt: Date | null,
): Promise<OperatorKybView> {
  return decide(context, 'approveKyb', accountId, (change) => approveKyb(change, accountId, submittedAt));
}

export function rejectAccountKyb(
  context: SessionContext,
  accountId: string,
  reason: string,
  submittedAt: Date | null,
): Promise<OperatorKybView> {
  return decide(context, 'rejectKyb', accountId, (change) => rejectKyb(change, accountId, reason, submittedAt));
}

async function decide(
  context: SessionContext,
  action: string,
  accountId: string,
  change: Parameters<typeof act<ProcessingAccount>>[2],
): Promise<OperatorKybView> {
  return viewOf(context, await act(context, { action, target: accountId }, change), false);
}

async function viewOf(context: SessionContext, account: ProcessingAccount, reveal: boolean): Promise<OperatorKybView> {
  const { prisma } = context.env;
  const newestFirst = { orderBy: { sequence: 'desc' as const }, take: rowsMax };
  const [review, events, auditRows] = await Promise.all([
    readReview(context.env, account, reveal),
    isPlatformReader(context.caller)
      ? prisma.event.findMany({ where: { objectId: account.id }, ...newestFirst })
      : null,
    isHub(context.caller) ? prisma.auditRow.findMany({ where: { target: account.id }, ...newestFirst }) : null,
  ]);
  return { ...review, events, auditRows };
}
