import { type ChargingStatus, chargingStatusStatement, isPartnerBlocked } from '../../../auth/charging-status.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { newRow } from '../../../lib/ids.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import type { PeriodRow, SubscriptionRow } from '../types.ts';

export type DeferredReason =
  | 'partner_suspended'
  | 'partner_offboarded'
  | 'account_suspended'
  | 'account_closed'
  | 'account_not_approved';

export type DeferredStatus = 'deferred' | 'charged' | 'skipped' | 'canceled';

/** The statuses of the account of a subscription and of its partner. */
export async function chargingStatusWithin(
  tx: Prisma.TransactionClient,
  { platformAccountId }: Pick<SubscriptionRow, 'platformAccountId'>,
): Promise<ChargingStatus> {
  const [status] = await tx.$queryRaw<ChargingStatus[]>(chargingStatusStatement(platformAccountId));
  if (!status) throw new Error(`There is no account ${platformAccountId}.`);
  return status;
}

/** Why a charge is deferred. Null if the account may charge. */
export function deferredReasonOf({ partnerStatus, accountStatus }: ChargingStatus): DeferredReason | null {
  if (isPartnerBlocked(partnerStatus))
    return partnerStatus === 'suspended' ? 'partner_suspended' : 'partner_offboarded';
  if (accountStatus === 'active') return null;
  if (accountStatus === 'suspended') return 'account_suspended';
  return accountStatus === 'closed' ? 'account_closed' : 'account_not_approved';
}

export interface DueCharge {
  dueAt: Date;
  amount: number;
}

export async function recordDeferred(
  { tx, now }: Write,
  subscription: SubscriptionRow,
  due: readonly DueCharge[],
  reason: DeferredReason,
): Promise<void> {
  await tx.deferredCharge.createMany({
    data: due.map(({ dueAt, amount }) => ({
      ...newRow('dch_', subscription, now),
      subscriptionId: subscription.id,
      currency: subscription.currency,
      amount,
      dueAt,
      reason,
    })),
    skipDuplicates: true,
  });
}

/** Sets the final status of the deferred charges of a subscription. */
export async function endDeferred(
  { tx, now }: Write,
  { id: subscriptionId, deferredSince }: Pick<SubscriptionRow, 'id' | 'deferredSince'>,
  status: DeferredStatus,
  dueAt: Prisma.DateTimeFilter | Date = {},
): Promise<void> {
  if (deferredSince === null) return;
  await tx.deferredCharge.updateMany({
    where: { subscriptionId, status: 'deferred', dueAt },
    data: { status, updatedAt: now },
  });
}

/**
 * Ends the deferred charges when a charge starts: those of earlier periods are skipped, and that of its period is
 * charged.
 */
export async function endDeferredBefore(
  change: Write,
  subscription: SubscriptionRow,
  { startsAt }: Pick<PeriodRow, 'startsAt'>,
): Promise<void> {
  await endDeferred(change, subscription, 'skipped', { lt: startsAt });
  await endDeferred(change, subscription, 'charged');
}
