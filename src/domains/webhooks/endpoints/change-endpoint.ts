import type { TenantContext } from '../../../call/context.ts';
import { lockRow } from '../../../database/lock-row.ts';
import { sql } from '../../../database/sql.ts';
import type { Store } from '../../../generated/prisma/client.ts';
import { Conflict } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { auditsOnBehalf } from '../../../unit-of-work/records.ts';
import { type Write, write } from '../../../unit-of-work/write.ts';
import { ownerAt } from '../../stores/public.ts';
import { markDeliveriesDead } from '../deliveries/rows.ts';
import type { CreateWebhookEndpointInput, UpdateWebhookEndpointInput } from '../inputs.ts';
import { assertUrl, type EndpointRow, eventTypesOf, findEndpoint, hidden, type IssuedEndpointRow } from './rows.ts';
import { encryptSigningSecret, newSigningSecret } from './signing.ts';

/** Creates an endpoint. Only the returned value contains its secret. */
export async function createWebhookEndpoint(
  context: TenantContext,
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
async function ownerOf(context: TenantContext, storeId: string | null | undefined): Promise<Owner> {
  const { partnerId, mode, platformAccountId } = context.tenant;
  if (platformAccountId === undefined && storeId == null)
    return { partnerId, mode, platformAccountId: null, storeId: null };
  return ownerAt(context, storeId);
}

const endpointsMax = 20;

/** Locks the owner's row while it counts, so that of two concurrent calls one counts the other's endpoint. */
async function assertRoom({ tx }: Write, { partnerId, mode, platformAccountId }: Owner): Promise<void> {
  if (platformAccountId === null) await lockRow(tx, 'partners', partnerId);
  else await lockRow(tx, 'processing_accounts', platformAccountId);
  const count = await tx.webhookEndpoint.count({ where: { partnerId, mode, platformAccountId, deletedAt: null } });
  if (count >= endpointsMax)
    throw new Conflict('limit_reached', `The maximum is ${endpointsMax} webhook endpoints: delete one first.`);
}

type UpdateInput = typeof UpdateWebhookEndpointInput.$inferInput;

export async function updateWebhookEndpoint(
  context: TenantContext,
  webhookId: string,
  input: UpdateInput,
): Promise<EndpointRow> {
  if (input.url != null) await assertUrl(context, input.url);
  const eventTypes = input.eventTypes == null ? undefined : eventTypesOf(input.eventTypes);
  return write(context, 'updateWebhookEndpoint', async (change) => {
    const { tx, now, audit } = change;
    const before = await findEndpoint(context, tx, webhookId);
    const data = { ...changesIn(input, before), ...(eventTypes && { eventTypes }) };
    const wanted = { enabled: data.enabled ?? before.enabled };
    for (const row of auditsOnBehalf(context, webhookId, fieldsNamedIn(before, wanted), wanted)) audit(row);
    if (Object.keys(data).length === 0) return before;
    // Failures at another address, or before the receiver was fixed, do not count towards later ones.
    const fresh = data.url !== undefined || data.enabled ? { failingSince: null, failingClockId: null } : {};
    const after = await tx.webhookEndpoint.update({
      where: { id: webhookId },
      data: { ...data, ...fresh, updatedAt: now },
      omit: hidden,
    });
    if (data.enabled === false) await tx.$executeRaw(markDeliveriesDead(webhookId, now));
    if (!context.onBehalf)
      audit({ action: 'updateWebhookEndpoint', target: webhookId, before: fieldsNamedIn(before, data), after: data });
    return after;
  });
}

function changesIn({ url, description, ordered, enabled }: UpdateInput, before: EndpointRow) {
  return {
    ...(url != null && { url }),
    ...(description !== undefined && { description }),
    ...(ordered != null && { ordered }),
    ...(enabled != null &&
      enabled !== before.enabled && { enabled, disabledReason: enabled ? null : ('manual' as const) }),
  };
}

/** The fields of a row that are also in another object. */
function fieldsNamedIn(row: EndpointRow, like: object): object {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name in like));
}

export async function deleteWebhookEndpoint(
  context: TenantContext,
  webhookId: string,
): Promise<{ id: string; deleted: true }> {
  return write(context, 'deleteWebhookEndpoint', async ({ tx, now, audit }) => {
    await findEndpoint(context, tx, webhookId);
    await tx.webhookEndpoint.update({
      where: { id: webhookId },
      data: { deletedAt: now, enabled: false, disabledReason: 'deleted', updatedAt: now },
    });
    await tx.$executeRaw(markDeliveriesDead(webhookId, now));
    audit({ action: 'deleteWebhookEndpoint', target: webhookId });
    return { id: webhookId, deleted: true as const };
  });
}

/** How long the previous secret signs in addition to the new one. */
const rotationMs = 24 * 3_600_000;

/** Replaces the secret of an endpoint. The previous secret signs as well for a day, while the receiver is updated. */
export async function rotateWebhookSecret(context: TenantContext, webhookId: string): Promise<IssuedEndpointRow> {
  return write(
    context,
    'rotateWebhookSecret',
    async ({ tx, now, audit }) => {
      await findEndpoint(context, tx, webhookId);
      // Locked, so that two concurrent rotations do not keep the same secret as the previous one.
      const [{ secret: previousSecret } = { secret: null }] = await tx.$queryRaw<{ secret: string | null }[]>(sql`
        SELECT secret FROM webhook_endpoints WHERE id = ${webhookId} FOR NO KEY UPDATE`);
      const secret = newSigningSecret();
      const previousSecretUntil = new Date(now.getTime() + rotationMs);
      const data = {
        secret: encryptSigningSecret(context.services.config, webhookId, secret),
        previousSecret,
        previousSecretUntil,
        updatedAt: now,
      };
      const endpoint = await tx.webhookEndpoint.update({ where: { id: webhookId }, data, omit: hidden });
      const after = { previousSecretUntil };
      for (const row of auditsOnBehalf(context, webhookId, null, after)) audit(row);
      if (!context.onBehalf) audit({ action: 'rotateWebhookSecret', target: webhookId, after });
      return { ...endpoint, secret };
    },
    { forReplay: (endpoint) => ({ ...endpoint, secret: null }) },
  );
}
