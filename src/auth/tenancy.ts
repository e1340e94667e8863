import type { Replica } from '../database/replica.ts';
import { identifier, type Sql, sql } from '../database/sql.ts';
import type { Mode } from '../lib/ids.ts';
import type { ApiKeyCaller } from './caller.ts';

/**
 * Which rows exist for a caller. Every query of tenant data takes its condition from here: a row outside it is answered
 * exactly like a row that does not exist. The composite foreign keys of the database are a second safeguard.
 */
export interface Tenant {
  partnerId: string;
  mode: Mode;
  /** Only for a sub-key; all accounts of its partner are visible to a partner key. */
  platformAccountId?: string;
}

/** What is visible to people in a list: one mode of one partner, or of all partners. */
export interface PeopleVisibility {
  kind: 'people';
  mode: Mode;
  /** Null for every partner. */
  partnerId: string | null;
  /** The replica for lists that may be slightly out of date; null for the primary. */
  replica: Replica | null;
}

/** Every row of a table without tenants. */
interface FullVisibility {
  kind: 'whole';
  replica: Replica | null;
}

/** The reader of a list. */
export type Visibility = ApiKeyCaller | PeopleVisibility | FullVisibility;

/** The Prisma `where` of every table below a processing account. */
export function tenantOf(caller: ApiKeyCaller): Tenant {
  const { partnerId, mode } = caller;
  return caller.kind === 'subKey'
    ? { partnerId, mode, platformAccountId: caller.platformAccountId }
    : { partnerId, mode };
}

/** What is visible of single objects: to people those of both modes. */
export type ObjectVisibility = ApiKeyCaller | { kind: 'people'; partnerId: string | null };

/** The Prisma `where` of single objects of every table below a processing account. */
export function tenantWhere(visibility: ObjectVisibility): Partial<Tenant> {
  if (visibility.kind !== 'people') return tenantOf(visibility);
  return visibility.partnerId === null ? {} : { partnerId: visibility.partnerId };
}

/** The same of the table of processing accounts itself. A sub-key's condition is on `id`: join it to others by `AND`. */
export function accountWhere(visibility: ObjectVisibility): { partnerId?: string; mode?: Mode; id?: string } {
  const { platformAccountId, ...tenant } = tenantWhere(visibility);
  return platformAccountId === undefined ? tenant : { ...tenant, id: platformAccountId };
}

/** The same condition as a fragment of a statement, on alias `t`. */
export function tenantCondition(visibility: Visibility, accountColumn = 'platformAccountId'): Sql {
  if (visibility.kind === 'whole') return sql`true`;
  if (visibility.kind === 'subKey') return sql`t.${identifier(accountColumn)} = ${visibility.platformAccountId}`;
  if (visibility.partnerId === null) return sql`t.mode = ${visibility.mode}`;
  return sql`t."partnerId" = ${visibility.partnerId} AND t.mode = ${visibility.mode}`;
}

/** The columns of one question, when a statement answers those of several callers: they decide which rows it sees. */
export const requestedTenantColumns = { partnerId: 'text', mode: 'text', accountId: 'text' };

export function requestedTenant(caller: ApiKeyCaller): Record<keyof typeof requestedTenantColumns, string | null> {
  const { partnerId, mode } = caller;
  return { partnerId, mode, accountId: caller.kind === 'subKey' ? caller.platformAccountId : null };
}

/** As `tenantCondition`, on an alias, for the rows that question `q` sees. */
export function requestedTenantCondition(alias: string): Sql {
  const column = (name: string) => identifier(`${alias}.${name}`);
  return sql`
    ${column('partnerId')} = q."partnerId" AND ${column('mode')} = q.mode
    AND (q."accountId" IS NULL OR ${column('platformAccountId')} = q."accountId")`;
}

/** The owner of an idempotency key or a rate limit: the account of a sub-key, or the partner and its mode. */
export function ownerOf(caller: ApiKeyCaller): string {
  return caller.kind === 'subKey' ? caller.platformAccountId : `${caller.partnerId}:${caller.mode}`;
}
