import { type Queryable, queryRow, type Sql, sql } from '../database/sql.ts';
import { Forbidden } from '../lib/errors.ts';

/** The statuses of an account and of its partner, on which it depends whether the account may charge. */
export interface Standing {
  accountStatus: string;
  partnerStatus: string;
}

/** The statuses of a partner for which nothing is charged (docs/contract/03-callers-and-keys.md). */
export const cutOffStatuses = ['suspended', 'offboarded'];

export function isCutOff(partnerStatus: string): boolean {
  return cutOffStatuses.includes(partnerStatus);
}

export function mayCharge({ accountStatus, partnerStatus }: Standing): boolean {
  return accountStatus === 'active' && !isCutOff(partnerStatus);
}

/** 403 unless the account may charge. The partner comes first: its suspension is why its accounts cannot charge. */
export function assertMayCharge({ accountStatus, partnerStatus }: Standing): void {
  if (isCutOff(partnerStatus))
    throw new Forbidden('partner_not_active', 'The partner is not active: nothing is charged for it.');
  if (accountStatus !== 'active')
    throw new Forbidden(
      'account_not_active',
      'The account is not active: it cannot take money. What it holds can be voided, and what it took refunded.',
    );
}

/** A visitor is not told why. An account that waits for an operator shows its pages, and cannot be paid yet. */
export function assertOpenToVisitors({ status, partner }: { status: string; partner: { status: string } }): void {
  const reason = isCutOff(partner.status)
    ? 'partner_not_active'
    : status === 'suspended' || status === 'closed'
      ? 'account_not_active'
      : null;
  if (reason !== null) throw new Forbidden(reason, 'This checkout is closed at the moment.');
}

/** Whether account `a` of partner `owner` may charge, as a condition. */
export const mayChargeSql: Sql = sql`a.status = 'active' AND owner.status <> ALL(${cutOffStatuses}::text[])`;

/** The row of an account that may charge; no row if it may not. */
export function chargingAccount(platformAccountId: string): Sql {
  return sql`
    SELECT a.id
    FROM processing_accounts a
    JOIN partners owner ON owner.id = a."partnerId"
    WHERE a.id = ${platformAccountId} AND ${mayChargeSql}`;
}

/** The standing of an account, one row. */
export function standingStatement(platformAccountId: string): Sql {
  return sql`
    SELECT a.status AS "accountStatus", owner.status AS "partnerStatus"
    FROM processing_accounts a
    JOIN partners owner ON owner.id = a."partnerId"
    WHERE a.id = ${platformAccountId}`;
}

export async function standingOf(database: Queryable, platformAccountId: string): Promise<Standing> {
  const standing = await queryRow<Standing>(database, standingStatement(platformAccountId));
  if (!standing) throw new Error(`There is no account ${platformAccountId}.`);
  return standing;
}
