import { type Queryable, queryRow, type Sql, sql } from '../database/sql.ts';
import { Forbidden } from '../lib/errors.ts';

/** The statuses of an account and of its partner, on which it depends whether the account may charge. */
export interface ChargingStatus {
  accountStatus: string;
  partnerStatus: string;
}

/** The statuses of a partner for which nothing is charged (docs/contract/03-callers-and-keys.md). */
export const blockedPartnerStatuses = ['suspended', 'offboarded'];

export function isPartnerBlocked(partnerStatus: string): boolean {
  return blockedPartnerStatuses.includes(partnerStatus);
}

export function mayCharge({ accountStatus, partnerStatus }: ChargingStatus): boolean {
  return accountStatus === 'active' && !isPartnerBlocked(partnerStatus);
}

/** 403 unless the account may charge. The partner comes first: its suspension is why its accounts cannot charge. */
export function assertMayCharge({ accountStatus, partnerStatus }: ChargingStatus): void {
  if (isPartnerBlocked(partnerStatus))
    throw new Forbidden('partner_not_active', 'The partner cannot charge: it is not active.');
  if (accountStatus !== 'active')
    throw new Forbidden(
      'account_not_active',
      'The account cannot charge: it is not active. Voids and refunds are allowed.',
    );
}

/** A visitor does not get the reason. An account that is pending approval shows its pages, and cannot be paid yet. */
export function assertOpenToVisitors({ status, partner }: { status: string; partner: { status: string } }): void {
  const reason = isPartnerBlocked(partner.status)
    ? 'partner_not_active'
    : status === 'suspended' || status === 'closed'
      ? 'account_not_active'
      : null;
  if (reason !== null) throw new Forbidden(reason, 'This checkout is currently closed.');
}

/** Whether account `a` of partner `owner` may charge, as a condition. */
export const mayChargeSql: Sql = sql`a.status = 'active' AND owner.status <> ALL(${blockedPartnerStatuses}::text[])`;

/** The row of an account that may charge; no row if it may not. */
export function chargingAccount(platformAccountId: string): Sql {
  return sql`
    SELECT a.id
    FROM processing_accounts a
    JOIN partners owner ON owner.id = a."partnerId"
    WHERE a.id = ${platformAccountId} AND ${mayChargeSql}`;
}

/** The statuses of an account and of its partner, one row. */
export function chargingStatusStatement(platformAccountId: string): Sql {
  return sql`
    SELECT a.status AS "accountStatus", owner.status AS "partnerStatus"
    FROM processing_accounts a
    JOIN partners owner ON owner.id = a."partnerId"
    WHERE a.id = ${platformAccountId}`;
}

export async function chargingStatusOf(database: Queryable, platformAccountId: string): Promise<ChargingStatus> {
  const status = await queryRow<ChargingStatus>(database, chargingStatusStatement(platformAccountId));
  if (!status) throw new Error(`There is no account ${platformAccountId}.`);
  return status;
}
