import { tenantOf } from '../../auth/tenancy.ts';
import { sql } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import { auditsOnBehalf } from '../../write/on-behalf.ts';
import { write } from '../../write/write.ts';
import type { KeyRow } from './api-key-rows.ts';

/** Revokes a sub-key of the partner. 404 for any other id, that of a partner key included. */
export async function revokeApiKey(context: KeyContext, keyId: string): Promise<KeyRow> {
  return write(context, 'revokeApiKey', async ({ tx, now, audit }) => {
    const where = { ...tenantOf(context.caller), id: keyId, kind: 'sub' };
    const { count } = await tx.apiKey.updateMany({
      where: { ...where, status: 'active' },
      data: { status: 'revoked', revokedAt: now },
    });
    const key = await tx.apiKey.findFirst({ where, omit: { secretHash: true } });
    if (!key) throw noSuchKey();
    const [before, after] = [{ status: count === 1 ? 'active' : 'revoked' }, { status: 'revoked' }];
    for (const row of auditsOnBehalf(context, keyId, before, after)) audit(row);
    if (count === 1 && !context.onBehalf) audit({ action: 'revokeApiKey', target: keyId, before, after });
    const [use] = await tx.$queryRaw<{ at: Date }[]>(sql`
      SELECT at
      FROM limits.key_uses
      WHERE "keyId" = ${keyId}`);
    return use && (key.lastUsedAt === null || use.at > key.lastUsedAt) ? { ...key, lastUsedAt: use.at } : key;
  });
}

export function noSuchKey(): NotFound {
  return new NotFound('There is no such API key.');
}
