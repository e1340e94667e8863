import type { AuditDraft } from './records.ts';

/** What a person does for an account, as the audit row of the change names it. */
export interface OnBehalf {
  action: string;
  /** Null for what takes none, such as a change of test mode. */
  reason: string | null;
  /** What the row names besides, such as the request that is approved. */
  facts?: object;
}

/** The audit row of a change that a person makes for an account. None for a change of the account's own keys. */
export function auditsOnBehalf(
  { onBehalf }: { onBehalf: OnBehalf | null },
  target: string,
  before: object | null,
  after: object,
): AuditDraft[] {
  if (!onBehalf) return [];
  const { action, reason, facts } = onBehalf;
  return [{ action, target, before, after: { ...after, ...facts, ...(reason !== null && { reason }) } }];
}
