import { accountEvent, type AccountRow, noSuchAccount } from '../accounts/operations.ts';
import type { SessionContext } from '../graph/context.ts';
import { act } from '../iam/operations.ts';
import { Conflict } from '../kit/errors.ts';

/** Lets an account charge: a live one that waited for an operator, or one that was suspended. */
export function activateAccount(context: SessionContext, accountId: string): Promise<AccountRow> {
  return changeAccount(context, 'activateAccount', accountId, { status: 'active' });
}

export function suspendAccount(context: SessionContext, accountId: string): Promise<AccountRow> {
  return changeAccount(context, 'suspendAccount', accountId, { status: 'suspended' });
}

export function setAccountPlan(context: SessionContext, accountId: string, plan: string): Promise<AccountRow> {
  return changeAccount(context, 'setAccountPlan', accountId, { plan });
}

/** One change of an operator to an account. What is so already stays as it is; a closed account is closed. */
function changeAccount(context: SessionContext, action: string, accountId: string, data: { status?: string; plan?: string }): Promise<AccountRow> {
  return act(context, { action, target: accountId }, async ({ tx, now, event, audit }) => {
    await tx.$queryRaw`SELECT id FROM processing_accounts WHERE id = ${accountId} FOR UPDATE`;
    const before = await tx.processingAccount.findUnique({ where: { id: accountId } });
    if (!before) throw noSuchAccount();
    if (before.status === 'closed') throw new Conflict('invalid_state', 'The account is closed (invalid_state).');
    if (data.status === 'suspended' && before.status === 'pending_operator_assignment') throw new Conflict('invalid_state', 'The account is not active yet (invalid_state).');
    const shown = { status: before.status, plan: before.plan };
    audit({ action, target: accountId, before: shown, after: { ...shown, ...data } });
    if ((data.status ?? before.status) === before.status && (data.plan ?? before.plan) === before.plan) return before;
    const account = await tx.processingAccount.update({ where: { id: accountId }, data: { ...data, sequence: { increment: 1 }, updatedAt: now } });
    event(accountEvent('account/updated', account));
    return account;
  });
}
