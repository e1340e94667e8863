import { isCutOff, type Standing, standingStatement } from '../../../auth/standing.ts';
import { sql } from '../../../database/sql.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import type { PeriodRow, SubscriptionRow } from '../types.ts';

export type WithheldReason =
  | 'partner_suspended'
  | 'partner_offboarded'
  | 'account_suspended'
  | 'account_closed'
  | 'account_not_approved';

export type WithheldStatus = 'withheld' | 'charged' | 'skipped' | 'canceled';

/** The standing of the account of a subscription. */
export async function standingWithin(
  tx: Prisma.TransactionClient,
  { platformAccountId }: Pick<SubscriptionRow, 'platformAccountId'>,
): Promise<Standing> {
  const [standing] = await tx.$queryRaw<Standing[]>(standingStatement(platformAccountId));
  if (!standing) throw new Error(`There is no account ${platformAccountId}.`);
  return standing;
}

/** Why a charge is withheld. Null if the account may charge. */
export function withheldReasonOf({ partnerStatus, accountStatus }: Standing): WithheldReason | null {
  if (isCutOff(partnerStatus)) return partnerStatus === 'suspended' ? 'partner_suspended' : 'partner_offboarded';
  if (accountStatus === 'active') return null;
  if (accountStatus === 'suspended') return 'account_suspended';
  return accountStatus === 'closed' ? 'account_closed' : 'account_not_approved';
}

/** Says what became of the withheld charges of a subscription. */
export async function endWithheld(
  { tx, now }: Write,
  { id: subscriptionId, withheldSince }: Pick<SubscriptionRow, 'id' | 'withheldSince'>,
  status: WithheldStatus,
  dueAt: Prisma.DateTimeFilter | Date = {},
): Promise<void> {
  if (withheldSince === null) return;
  await tx.withheldCharge.updateMany({
    where: { subscriptionId, status: 'withheld', dueAt },
    data: { status, updatedAt: now },
  });
}

/** What a charge that begins says about those that were withheld: it is one of them, and makes up for no other. */
export async function endWithheldBefore(
  change: Write,
  subscription: SubscriptionRow,
  { startsAt }: Pick<PeriodRow, 'startsAt'>,
): Promise<void> {
  await endWithheld(change, subscription, 'skipped', { lt: startsAt });
  await endWithheld(change, subscription, 'charged');
}

/**
 * Makes the subscriptions of an account or a partner that may charge again go on, those on test clocks when advanced.
 */
export async function wakeWithheld(
  tx: Prisma.TransactionClient,
  owner: { partnerId: string } | { platformAccountId: string },
): Promise<void> {
  const condition =
    'partnerId' in owner
      ? sql`"partnerId" = ${owner.partnerId}`
      : sql`"platformAccountId" = ${owner.platformAccountId}`;
  await tx.$executeRaw(sql`
    UPDATE subscriptions
    SET "dueAt" = "withheldSince"
    WHERE "withheldSince" IS NOT NULL AND ${condition}`);
}
