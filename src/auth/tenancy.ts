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

/** The Prisma `where` of every table below a processing account. */
export function tenantOf(caller: ApiKeyCaller): Tenant {
  const { partnerId, mode } = caller;
  return caller.kind === 'subKey' ? { partnerId, mode, platformAccountId: caller.platformAccountId } : { partnerId, mode };
}

/** The Prisma `where` of the table of processing accounts itself. */
export function accountTenantOf(caller: ApiKeyCaller): { partnerId: string; mode: Mode; id?: string } {
  const { partnerId, mode } = caller;
  return caller.kind === 'subKey' ? { partnerId, mode, id: caller.platformAccountId } : { partnerId, mode };
}

/** The same condition for hand-written SQL on alias `t`; `bind` takes a value and gives its placeholder. */
export function tenantSql(caller: ApiKeyCaller, bind: (value: unknown) => string, accountColumn = 'platformAccountId'): string {
  if (caller.kind === 'subKey') return `t."${accountColumn}" = ${bind(caller.platformAccountId)}`;
  return `t."partnerId" = ${bind(caller.partnerId)} AND t.mode = ${bind(caller.mode)}`;
}

/** Whom an idempotency key and a rate limit belong to: the account of a sub-key, or the partner and its mode. */
export function ownerOf(caller: ApiKeyCaller): string {
  return caller.kind === 'subKey' ? caller.platformAccountId : `${caller.partnerId}:${caller.mode}`;
}
