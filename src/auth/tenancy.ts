import type { Replica } from '../database/replica.ts';
import { identifier, type Sql, sql } from '../database/sql.ts';
import type { Mode } from '../lib/ids.ts';

/**
 * Whose rows an operation reads and changes, which is also the Prisma `where` of every table below a processing account.
 * Every query of tenant data takes its condition from here: a row outside it is answered exactly like a row that does
 * not exist. The composite foreign keys of the database are a second safeguard.
 */
export interface Tenant {
  partnerId: string;
  mode: Mode;
  /** Absent for all accounts of the partner. */
  platformAccountId?: string;
}

/** All accounts of a partner in one mode. */
export type PartnerTenant = Tenant & { platformAccountId?: never };

/** The columns by which a row belongs to a tenant. */
export interface TenantColumns {
  partnerId: string;
  /** Null for a row of the partner itself, such as an endpoint for the events of all its accounts. */
  platformAccountId: string | null;
  mode: string;
}

/** The tenant that a row belongs to. */
export function tenantOfRow({ partnerId, platformAccountId, mode }: TenantColumns): Tenant {
  const tenant = { partnerId, mode: mode as Mode }; // a CHECK constraint limits the column to the two modes
  return platformAccountId === null ? tenant : { ...tenant, platformAccountId };
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
export type Visibility = Tenant | PeopleVisibility | FullVisibility;

export function isOfPeople(visibility: Visibility): visibility is PeopleVisibility {
  return 'kind' in visibility && visibility.kind === 'people';
}

/** Whether a list has the rows of all partners. */
export function isOverPartners(visibility: Visibility): boolean {
  return isOfPeople(visibility) && visibility.partnerId === null;
}

/** What is visible of single objects: to people those of both modes. */
export type ObjectVisibility = Tenant | { kind: 'people'; partnerId: string | null };

/** The Prisma `where` of single objects of every table below a processing account. */
export function tenantWhere(visibility: ObjectVisibility): Partial<Tenant> {
  if (!('kind' in visibility)) return visibility;
  return visibility.partnerId === null ? {} : { partnerId: visibility.partnerId };
}

/** The same of the table of processing accounts itself. A sub-key's condition is on `id`: join it to others by `AND`. */
export function accountWhere(visibility: ObjectVisibility): { partnerId?: string; mode?: Mode; id?: string } {
  const { platformAccountId, ...tenant } = tenantWhere(visibility);
  return platformAccountId === undefined ? tenant : { ...tenant, id: platformAccountId };
}

/** The same condition as a fragment of a statement, on alias `t`. */
export function tenantCondition(visibility: Visibility, accountColumn = 'platformAccountId'): Sql {
  if ('kind' in visibility) {
    if (visibility.kind === 'whole') return sql`true`;
    if (visibility.partnerId === null) return sql`t.mode = ${visibility.mode}`;
  } else if (visibility.platformAccountId !== undefined)
    return sql`t.${identifier(accountColumn)} = ${visibility.platformAccountId}`;
  return sql`t."partnerId" = ${visibility.partnerId} AND t.mode = ${visibility.mode}`;
}

/** The columns of one question, when a statement answers those of several callers: they decide which rows it sees. */
export const requestedTenantColumns = { partnerId: 'text', mode: 'text', accountId: 'text' };

export function requestedTenant(tenant: Tenant): Record<keyof typeof requestedTenantColumns, string | null> {
  const { partnerId, mode, platformAccountId = null } = tenant;
  return { partnerId, mode, accountId: platformAccountId };
}

/** As `tenantCondition`, on an alias, for the rows that question `q` sees. */
export function requestedTenantCondition(alias: string): Sql {
  const column = (name: string) => identifier(`${alias}.${name}`);
  return sql`
    ${column('partnerId')} = q."partnerId" AND ${column('mode')} = q.mode
    AND (q."accountId" IS NULL OR ${column('platformAccountId')} = q."accountId")`;
}

/** The owner of an idempotency key or a rate limit: the account, or the partner and its mode. */
export function ownerOf({ partnerId, mode, platformAccountId }: Tenant): string {
  return platformAccountId ?? `${partnerId}:${mode}`;
}
