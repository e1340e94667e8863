import { empty, type Sql, sql } from '../database/sql.ts';
import { Forbidden } from '../lib/errors.ts';
import type { Mode } from '../lib/ids.ts';

/** Refuses a `mode` in a request that is not the mode of the key. */
export function assertSameMode(tenant: { mode: Mode }, named: Mode | null | undefined): void {
  if (named == null || named === tenant.mode) return;
  throw new Forbidden('mode_escalation_forbidden', `A ${tenant.mode} key cannot create ${named} objects.`);
}

/** 403 for everything live in the sandbox, which has test mode only (docs/contract/01-surfaces.md). */
export function assertModeServed({ sandbox }: { sandbox: boolean }, mode: Mode): void {
  if (sandbox && mode === 'live')
    throw new Forbidden(
      'sandbox_has_no_live_mode',
      'This is the sandbox, which has no live mode (sandbox_has_no_live_mode).',
    );
}

/** The condition of a job on its rows: in the sandbox, live rows are excluded. */
export function servedModes({ sandbox }: { sandbox: boolean }, mode: Sql): Sql {
  return sandbox ? sql`AND ${mode} = 'test'` : empty;
}

export type Environment = 'sandbox' | 'production' | 'development';

export function environmentOf({ sandbox, isProduction }: { sandbox: boolean; isProduction: boolean }): Environment {
  if (sandbox) return 'sandbox';
  return isProduction ? 'production' : 'development';
}
