import { sql } from '../../database/sql.ts';
import type { Store } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { type Write, write } from '../../write/write.ts';
import { storeOf } from '../stores/public.ts';
import { assertUrl, eventTypesOf } from './endpoint-input.ts';
import { hidden, type IssuedEndpointRow } from './endpoint-rows.ts';
import type { CreateWebhookEndpointInput } from './inputs.ts';
import { encryptSigningSecret, newSigningSecret } from './signing.ts';

/** Creates an endpoint. Only the returned value contains its secret. */
export async function createWebhookEndpoint(
  context: KeyContext,
  input: typeof CreateWebhookEndpointInput.$inferInput,
): Promise<IssuedEndpointRow> {
  await assertUrl(context, input.url);
  const eventTypes = eventTypesOf(input.eventTypes);
  const owner = await ownerOf(context, input.storeId);
  return write(
    context,
    'createWebhookEndpoint',
    async (change) => {
      const { tx, now, audit } = change;
      await assertRoom(change, owner);
      const id = newId('wh_', now);
      const secret = newSigningSecret();
      const plain = {
        id,
        ...owner,
        url: input.url,
        eventTypes,
        description: input.description ?? null,
        ordered: input.ordered ?? false,
      };
      const encrypted = encryptSigningSecret(context.services.config, id, secret);
      const endpoint = await tx.webhookEndpoint.create({
        data: { ...plain, secret: encrypted, createdAt: now, updatedAt: now },
        omit: hidden,
      });
      audit({ action: 'createWebhookEndpoint', target: id, after: plain });
      return { ...endpoint, secret };
    },
    { forReplay: (endpoint) => ({ ...endpoint, secret: null }) },
  );
}

type Owner = Pick<Store, 'partnerId' | 'mode'> & { platformAccountId: string | null; storeId: string | null };

/**
 * The owner of the endpoint: the account of the named store, the account of the sub-key, or the partner in one mode if
 * a partner key names no store.
 */
async function ownerOf(context: KeyContext, storeId: string | null | undefined): Promise<Owner> {
  const { caller } = context;
  const { partnerId, mode } = caller;
  if (storeId != null)
    return { partnerId, mode, platformAccountId: (await storeOf(context, storeId)).platformAccountId, storeId };
  const platformAccountId = caller.kind === 'subKey' ? caller.platformAccountId : null;
  return { partnerId, mode, platformAccountId, storeId: null };
}

const endpointsMax = 20;

/** Locks the owner's row while it counts, so that of two calls at once one counts the other's endpoint. */
async function assertRoom({ tx }: Write, { partnerId, mode, platformAccountId }: Owner): Promise<void> {
  if (platformAccountId === null)
    await tx.$queryRaw(sql`SELECT id FROM partners WHERE id = ${partnerId} FOR NO KEY UPDATE`);
  else await tx.$queryRaw(sql`SELECT id FROM processing_accounts WHERE id = ${platformAccountId} FOR NO KEY UPDATE`);
  const count = await tx.webhookEndpoint.count({ where: { partnerId, mode, platformAccountId, deletedAt: null } });
  if (count >= endpointsMax)
    throw new Conflict('limit_reached', `There are ${endpointsMax} webhook endpoints already: delete one first.`);
}
