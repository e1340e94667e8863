import { assertSameMode } from '../../auth/assert-same-mode.ts';
import { newSecret } from '../../auth/secret.ts';
import type { PartnerKeyContext } from '../../graph/context.ts';
import { newId } from '../../kit/ids.ts';
import { write } from '../../write/write.ts';
import { readAccount } from '../accounts/public.ts';
import type { IssuedKey } from './api-key-rows.ts';
import type { CreateApiKeyInput } from './inputs.ts';
import { assertLimitsConsistent } from './key-restrictions.ts';

/** Creates a sub-key. Only the returned value contains the secret; the answer stored for replay does not. */
export async function createApiKey(
  context: PartnerKeyContext,
  accountId: string,
  input: typeof CreateApiKeyInput.$inferInput,
): Promise<IssuedKey> {
  assertSameMode(context.caller, input.mode);
  return write(
    context,
    'createApiKey',
    async ({ tx, now, audit }) => {
      assertLimitsConsistent(input, now);
      // reads inside the transaction: its client has the same methods for reading
      const account = await readAccount(
        { ...context, services: { ...context.services, prisma: tx as never } },
        accountId,
      );
      const { secret, prefix, secretHash } = newSecret('sub', context.caller.mode, context.services.config.cell);
      const { id: platformAccountId, partnerId, mode } = account;
      const limits = { expiresAt: input.expiresAt ?? null, allowedIps: input.allowedIps ?? [] };
      const key = {
        id: newId('ak_', now),
        kind: 'sub',
        mode,
        partnerId,
        platformAccountId,
        prefix,
        label: input.label,
        ...limits,
        createdAt: now,
      };
      await tx.apiKey.create({ data: { ...key, secretHash } });
      audit({ action: 'createApiKey', target: key.id, after: key });
      return { ...key, secret };
    },
    { forReplay: (key) => ({ ...key, secret: null }) },
  );
}
