import type { KeyContext } from '../../graph/context.ts';
import { auditsOnBehalf } from '../../write/on-behalf.ts';
import type { Write } from '../../write/write.ts';
import type { SubscriptionRow } from './types.ts';

/** Adds the audit row of a change that an operator makes to a subscription. */
export function auditChange(context: KeyContext, change: Write, before: SubscriptionRow, after: SubscriptionRow): void {
  const shown = ({ status, cancelAtPeriodEnd, resumeAt }: SubscriptionRow) => ({ status, cancelAtPeriodEnd, resumeAt });
  for (const audit of auditsOnBehalf(context, before.id, shown(before), shown(after))) change.audit(audit);
}
