import { assertModeServed } from '../../auth/sandbox.ts';
import type { SessionContext } from '../../graph/context.ts';
import type { Mode } from '../../kit/mode.ts';
import { runAuditedChange } from '../iam/public.ts';
import { refusalToSetLimit } from './policy.ts';
import { assertMay } from './refund-request-rows.ts';

interface Limit {
  mode: Mode;
  currency: string;
  /** Null takes the limit away. */
  amount?: number | null | undefined;
}

/** A limit as it is shown. */
export interface RefundLimitRow {
  mode: string;
  currency: string;
  amount: bigint | number;
  updatedAt: Date;
}

/** Sets from which amount a refund by a person needs a second person. Returns all limits of the mode. */
export function setRefundLimit(
  context: SessionContext,
  { mode, currency, amount = null, reason }: Limit & { reason: string },
): Promise<RefundLimitRow[]> {
  const action = 'setRefundLimit';
  const target = `${mode} ${currency}`;
  return runAuditedChange(context, { action, target }, async ({ tx, now, audit }) => {
    assertMay(refusalToSetLimit(context.caller));
    assertModeServed(context.services.config, mode);
    const where = { mode_currency: { mode, currency } };
    const before = await tx.refundLimit.findUnique({ where });
    if (amount === null) await tx.refundLimit.deleteMany({ where: { mode, currency } });
    else
      await tx.refundLimit.upsert({
        where,
        create: { mode, currency, amount, updatedAt: now },
        update: { amount, updatedAt: now },
      });
    audit({
      action,
      target,
      before: { amount: before && Number(before.amount) },
      after: { amount, reason },
      mode,
    });
    return tx.refundLimit.findMany({ where: { mode }, orderBy: { currency: 'asc' } });
  });
}
