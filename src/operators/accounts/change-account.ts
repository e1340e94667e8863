import type { SessionContext } from '../../call/context.ts';
import {
  type AccountRow,
  type AccountStatus,
  accountTransitions,
  lockAnyAccount,
  recordAccountEvent,
  setAccount,
} from '../../domains/accounts/public.ts';
import { resumeDeferredCharges } from '../../domains/subscriptions/public.ts';
import { runAuditedChange } from '../../iam/public.ts';
import { Conflict } from '../../lib/errors.ts';

interface AccountChange {
  status?: AccountStatus;
  plan?: string;
}

/** Applies one change of an operator to an account. A change to the current value is audited and has no event. */
function changeAccount(
  context: SessionContext,
  action: string,
  accountId: string,
  data: AccountChange,
  reason: string | null = null,
): Promise<AccountRow> {
  return runAuditedChange(context, { action, target: accountId, reason }, async (change) => {
    const { tx, audit } = change;
    const before = await lockAnyAccount(change, accountId);
    assertMayBecome(before.status as AccountStatus, data); // a CHECK constraint limits the column to the states
    const shown = { status: before.status, plan: before.plan };
    audit({
      action,
      target: accountId,
      before: shown,
      after: { ...shown, ...data, ...(reason !== null && { reason }) },
      mode: before.mode,
      partnerId: before.partnerId,
    });
    if ((data.status ?? before.status) === before.status && (data.plan ?? before.plan) === before.plan) return before;
    const account = await setAccount(change, accountId, data);
    await recordAccountEvent(change, 'account/updated', account);
    if (data.status === 'active') await resumeDeferredCharges(tx, { platformAccountId: accountId });
    return account;
  });
}

function assertMayBecome(status: AccountStatus, { status: wanted }: AccountChange): void {
  if (status === wanted) return;
  if (status === 'closed') throw new Conflict('invalid_state', 'The account is closed (invalid_state).');
  if (wanted !== undefined && !accountTransitions[status].includes(wanted))
    throw new Conflict('invalid_state', 'The account is not active yet (invalid_state).');
}

/** Allows an account to charge: a live account that is pending approval, or a suspended account. */
export function activateAccount(context: SessionContext, accountId: string): Promise<AccountRow> {
  return changeAccount(context, 'activateAccount', accountId, { status: 'active' });
}

/** Closes an account permanently. */
export function closeAccount(context: SessionContext, accountId: string, reason: string): Promise<AccountRow> {
  return changeAccount(context, 'closeAccount', accountId, { status: 'closed' }, reason);
}

/** Stops an account from charging until it is activated again. */
export function suspendAccount(
  context: SessionContext,
  accountId: string,
  reason: string | null = null,
): Promise<AccountRow> {
  return changeAccount(context, 'suspendAccount', accountId, { status: 'suspended' }, reason);
}

/** Sets the plan of an account, which determines its rate limit. */
export function setAccountPlan(context: SessionContext, accountId: string, plan: string): Promise<AccountRow> {
  return changeAccount(context, 'setAccountPlan', accountId, { plan });
}
