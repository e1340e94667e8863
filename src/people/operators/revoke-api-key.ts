import { type KeyRow, noSuchKey, revokeApiKey } from '../../domains/keys/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import { actOnBehalf } from './act-on-behalf.ts';

/** Revokes a sub-key of any account permanently, as one that was leaked. */
export function operatorRevokeApiKey(
  context: SessionContext,
  { keyId, reason }: { keyId: string; reason: string },
): Promise<KeyRow> {
  const find = async () => {
    const key = await context.services.prisma.apiKey.findFirst({ where: { id: keyId, kind: 'sub' } });
    if (!key) throw noSuchKey();
    return key;
  };
  return actOnBehalf(context, { action: 'operatorRevokeApiKey', target: keyId, reason }, find, (own) =>
    revokeApiKey(own, keyId),
  );
}
