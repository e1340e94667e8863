import type { Mode } from '../kit/mode.ts';
import type { ApiKeyCaller } from './caller.ts';

/**
 * Which rows exist for a caller. Every query of tenant data takes its condition from here: a row outside it is answered exactly
 * like a row that does not exist. Behind it the composite foreign keys of the database are a second wall.
 */
export interface Tenant {
  partnerId: string;
  mode: Mode;
  /** Only for a sub-key; a partner key reaches every account of its partner. */
  platformAccountId?: string;
}

/** What a person looks through: one mode of one partner, or of all of them. */
export interface OperatorReach {
  kind: 'operator';
  mode: Mode;
  /** Null for every partner. */
  partnerId: string | null;
}

/** Every row of a table that has no tenants. */
export interface WholeReach {
  kind: 'whole';
}

/** Whoever a list is read for. */
export type Reach = ApiKeyCaller | OperatorReach | WholeReach;

/** The Prisma `where` of every table below a processing account. */
export function tenantOf(caller: ApiKeyCaller): Tenant {
  const { partnerId, mode } = caller;
  return caller.kind === 'subKey'
    ? { partnerId, mode, platformAccountId: caller.platformAccountId }
    : { partnerId, mode };
}

/** The Prisma `where` of the table of processing accounts itself. */
export function accountTenantOf(caller: ApiKeyCaller): { partnerId: string; mode: Mode; id?: string } {
  const { partnerId, mode } = caller;
  return caller.kind === 'subKey' ? { partnerId, mode, id: caller.platformAccountId } : { partnerId, mode };
}

/** The same condition for hand-written SQL on alias `t`; `bind` takes a value and gives its placeholder. */
export function tenantSql(reach: Reach, bind: (value: unknown) => string, accountColumn = 'platformAccountId'): string {
  if (reach.kind === 'whole') return 'true';
  if (reach.kind === 'subKey') return `t."${accountColumn}" = ${bind(reach.platformAccountId)}`;
  if (reach.partnerId === null) return `t.mode = ${bind(reach.mode)}`;
  return `t."partnerId" = ${bind(reach.partnerId)} AND t.mode = ${bind(reach.mode)}`;
}

/** Whom an idempotency key and a rate limit belong to: the account of a sub-key, or the partner and its mode. */
export function ownerOf(caller: ApiKeyCaller): string {
  return caller.kind === 'subKey' ? caller.platformAccountId : `${caller.partnerId}:${caller.mode}`;
}
