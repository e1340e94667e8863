import { sql } from '../../database/sql.ts';
import type { PartnerKeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import type { KeyRow } from './api-key-rows.ts';

/** Revokes a sub-key of the partner. 404 for any other id, that of a partner key included. */
export async function revokeApiKey(context: PartnerKeyContext, keyId: string): Promise<KeyRow> {
  const { partnerId, mode } = context.caller;
  return write(context, 'revokeApiKey', async ({ tx, now, audit }) => {
    const where = { id: keyId, partnerId, mode, kind: 'sub' };
    const { count } = await tx.apiKey.updateMany({
      where: { ...where, status: 'active' },
      data: { status: 'revoked', revokedAt: now },
    });
    const key = await tx.apiKey.findFirst({ where, omit: { secretHash: true } });
    if (!key) throw new NotFound('There is no such API key.');
    if (count === 1)
      audit({ action: 'revokeApiKey', target: keyId, before: { status: 'active' }, after: { status: 'revoked' } });
    const [use] = await tx.$queryRaw<{ at: Date }[]>(sql`
      SELECT at
      FROM limits.key_uses
      WHERE "keyId" = ${keyId}`);
    return use && (key.lastUsedAt === null || use.at > key.lastUsedAt) ? { ...key, lastUsedAt: use.at } : key;
  });
}
