import { sql } from '../database/sql.ts';
import { Conflict } from '../kit/errors.ts';
import type { Write } from './write.ts';

/**
 * 409 if an account has `max` rows of a kind already. Locks the account until the transaction ends, so that concurrent
 * calls count each other's rows.
 */
export async function assertRoom(
  { tx }: Pick<Write, 'tx'>,
  platformAccountId: string,
  { what, max, count }: { what: string; max: number; count(of: { platformAccountId: string }): Promise<number> },
): Promise<void> {
  await tx.$queryRaw(sql`
    SELECT id
    FROM processing_accounts
    WHERE id = ${platformAccountId}
    FOR NO KEY UPDATE`);
  const present = await count({ platformAccountId });
  if (present >= max)
    throw new Conflict('limit_reached', `An account has at most ${max} ${what}; this one has ${present}.`);
}
