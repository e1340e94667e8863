import type { Prisma } from '../generated/prisma/client.ts';
import { identifier, raw, sql } from './sql.ts';

type Strength = 'NO KEY UPDATE' | 'NO KEY UPDATE SKIP LOCKED' | 'UPDATE' | 'SHARE';

/**
 * Locks the row with an identifier until the transaction ends. False if none was locked: there is none, or it was
 * skipped.
 */
export async function lockRow(
  tx: Pick<Prisma.TransactionClient, '$queryRaw'>,
  table: string,
  id: string,
  strength: Strength = 'NO KEY UPDATE',
): Promise<boolean> {
  const locked = await tx.$queryRaw<unknown[]>(sql`
    SELECT id
    FROM ${identifier(table)}
    WHERE id = ${id}
    FOR ${raw(strength)}`);
  return locked.length > 0;
}
