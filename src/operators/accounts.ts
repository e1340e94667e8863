import { accountTransitions, type AccountStatus } from '../accounts/lifecycle.ts';
import { accountEvent, type AccountRow, lockAnyAccount } from '../accounts/operations.ts';
import type { SessionContext } from '../graph/context.ts';
import { act } from '../iam/operations.ts';
import { Conflict } from '../kit/errors.ts';

/** Lets an account charge: a live one that waited for an operator, or one that was suspended. */
export function activateAccount(context: SessionContext, accountId: string): Promise<AccountRow> {
  return changeAccount(context, 'activateAccount', accountId, { status: 'active' });
}

export function suspendAccount(
  context: SessionContext,
  accountId: string,
  reason: string | null = null,
): Promise<AccountRow> {
  return changeAccount(context, 'suspendAccount', accountId, { status: 'suspended' }, reason);
}

export function closeAccount(context: SessionContext, accountId: string, reason: string): Promise<AccountRow> {
  return changeAccount(context, 'closeAccount', accountId, { status: 'closed' }, reason);
}

export function setAccountPlan(context: SessionContext, accountId: string, plan: string): Promise<AccountRow> {
  return changeAccount(context, 'setAccountPlan', accountId, { plan });
}

interface Standing {
  status?: AccountStatus;
  plan?: string;
}

/** One change of an operator to an account. What is so already stays as it is; a closed account is closed. */
function changeAccount(
  context: SessionContext,
  action: string,
  accountId: string,
  data: Standing,
  reason: string | null = null,
): Promise<AccountRow> {
  return act(context, { action, target: accountId }, async (change) => {
    const { tx, now, event, audit } = change;
    const before = await lockAnyAccount(change, accountId);
    assertMayBecome(before.status as AccountStatus, data); // a CHECK constraint holds the column to the states
    const shown = { status: before.status, plan: before.plan };
    audit({
      action,
      target: accountId,
      before: shown,
      after: { ...shown, ...data, ...(reason !== null && { reason }) },
    });
    if ((data.status ?? before.status) === before.status && (data.plan ?? before.plan) === before.plan) return before;
    const account = await tx.processingAccount.update({
      where: { id: accountId },
      data: { ...data, sequence: { increment: 1 }, updatedAt: now },
    });
    event(accountEvent('account/updated', account));
    return account;
  });
}

function assertMayBecome(status: AccountStatus, { status: wanted }: Standing): void {
  if (status === wanted) return;
  if (status === 'closed') throw new Conflict('invalid_state', 'The account is closed (invalid_state).');
  if (wanted !== undefined && !accountTransitions[status].includes(wanted))
    throw new Conflict('invalid_state', 'The account is not active yet (invalid_state).');
}
