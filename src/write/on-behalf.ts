import type { AuditDraft } from './records.ts';

/** What an operator does for an account, as the audit row of the change names it. */
export interface OnBehalf {
  action: string;
  reason: string;
}

/** The audit row of a change that an operator makes for an account. None for a change of the account's own keys. */
export function auditsOnBehalf(
  { onBehalf }: { onBehalf: OnBehalf | null },
  target: string,
  before: object | null,
  after: object,
): AuditDraft[] {
  return onBehalf ? [{ action: onBehalf.action, target, before, after: { ...after, reason: onBehalf.reason } }] : [];
}
