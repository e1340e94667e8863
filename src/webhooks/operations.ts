import { tenantOf } from '../auth/tenancy.ts';
import type { Store, WebhookEndpoint } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { oneOf } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { Conflict, invalid, NotFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { write, type Write } from '../kit/write.ts';
import { storeOf } from '../stores/operations.ts';
import { buryDeliveries } from './delivery-statements.ts';
import type { CreateWebhookEndpointInput, UpdateWebhookEndpointInput, WebhookEndpointFilters } from './schema.ts';
import { newSigningSecret, sealSecret } from './signing.ts';

export { type DeliveryRow, listDeliveriesWithin } from './deliveries.ts';

/** An endpoint as it may be shown: without its secrets. */
export type EndpointRow = Omit<WebhookEndpoint, 'secret' | 'previousSecret' | 'leftUnanswered'>;
/** With its new secret in the clear; null in what a repeat of the call gets. */
export type IssuedEndpointRow = EndpointRow & { secret: string | null };

const endpointsMax = 20;
/** How long the replaced secret signs beside the new one. */
const rotationMs = 24 * 3_600_000;
const hidden = { secret: true, previousSecret: true, leftUnanswered: true } as const;

const endpointList: ListDefinition<typeof WebhookEndpointFilters.$inferInput> = {
  table: 'webhook_endpoints',
  extra: { columns: 'NULL AS secret, NULL AS "previousSecret"', joins: '' },
  sorts: { createdAt: 'createdAt' },
  filters: { storeId: oneOf('storeId'), enabled: (enabled, bind) => `t.enabled = ${bind(enabled)}` },
  always: () => 't."deletedAt" IS NULL',
};

export function listWebhookEndpoints(
  context: KeyContext,
  args: ListArguments<typeof WebhookEndpointFilters.$inferInput>,
): Promise<Page<EndpointRow>> {
  return readList(context.env.pool, context.caller, endpointList, args);
}

export function readWebhookEndpoint(context: KeyContext, webhookId: string): Promise<EndpointRow> {
  return findEndpoint(context, context.env.prisma, webhookId);
}

/** Adds an endpoint. Its secret is in the returned value only. */
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
      const id = newId('webhookEndpoint', now);
      const secret = newSigningSecret();
      const plain = {
        id,
        ...owner,
        url: input.url,
        eventTypes,
        description: input.description ?? null,
        ordered: input.ordered ?? false,
      };
      const endpoint = await tx.webhookEndpoint.create({
        data: { ...plain, secret: sealSecret(context.env.config, id, secret), createdAt: now, updatedAt: now },
        omit: hidden,
      });
      audit({ action: 'createWebhookEndpoint', target: id, after: plain });
      return { ...endpoint, secret };
    },
    { forReplay: (endpoint) => ({ ...endpoint, secret: null }) },
  );
}

export async function updateWebhookEndpoint(
  context: KeyContext,
  webhookId: string,
  input: typeof UpdateWebhookEndpointInput.$inferInput,
): Promise<EndpointRow> {
  for (const name of ['url', 'eventTypes', 'ordered', 'enabled'] as const)
    if (input[name] === null) throw invalid(name, 'must not be null: leave it out instead');
  if (input.url != null) await assertUrl(context, input.url);
  const eventTypes = input.eventTypes == null ? undefined : eventTypesOf(input.eventTypes);
  return write(context, 'updateWebhookEndpoint', async (change) => {
    const { tx, now, audit } = change;
    const before = await findEndpoint(context, tx, webhookId);
    const data = {
      ...(input.url != null && { url: input.url }),
      ...(eventTypes && { eventTypes }),
      ...(input.description !== undefined && { description: input.description }),
      ...(input.ordered != null && { ordered: input.ordered }),
      ...(input.enabled != null &&
        input.enabled !== before.enabled && {
          enabled: input.enabled,
          disabledReason: input.enabled ? null : 'manual',
        }),
    };
    if (Object.keys(data).length === 0) return before;
    // What failed at another address, or before it was mended, says nothing about what comes.
    const fresh = data.url !== undefined || data.enabled ? { failingSince: null, failingClockId: null } : {};
    const after = await tx.webhookEndpoint.update({
      where: { id: webhookId },
      data: { ...data, ...fresh, updatedAt: now },
      omit: hidden,
    });
    if (data.enabled === false) await tx.$executeRawUnsafe(buryDeliveries, now, webhookId);
    audit({ action: 'updateWebhookEndpoint', target: webhookId, before: only(before, data), after: data });
    return after;
  });
}

export async function deleteWebhookEndpoint(
  context: KeyContext,
  webhookId: string,
): Promise<{ id: string; deleted: true }> {
  return write(context, 'deleteWebhookEndpoint', async ({ tx, now, audit }) => {
    await findEndpoint(context, tx, webhookId);
    await tx.webhookEndpoint.update({
      where: { id: webhookId },
      data: { deletedAt: now, enabled: false, disabledReason: 'deleted', updatedAt: now },
    });
    await tx.$executeRawUnsafe(buryDeliveries, now, webhookId);
    audit({ action: 'deleteWebhookEndpoint', target: webhookId });
    return { id: webhookId, deleted: true as const };
  });
}

/** Gives the endpoint a new secret; the one it had signs beside it for a day, so that the receiver can change over at leisure. */
export async function rotateWebhookSecret(context: KeyContext, webhookId: string): Promise<IssuedEndpointRow> {
  return write(
    context,
    'rotateWebhookSecret',
    async ({ tx, now, audit }) => {
      await findEndpoint(context, tx, webhookId);
      // Two rotations at once must not both take the same secret for the one before theirs.
      const [{ secret: previousSecret } = { secret: null }] = await tx.$queryRaw<
        { secret: string | null }[]
      >`SELECT secret FROM webhook_endpoints WHERE id = ${webhookId} FOR NO KEY UPDATE`;
      const secret = newSigningSecret();
      const previousSecretUntil = new Date(now.getTime() + rotationMs);
      const data = {
        secret: sealSecret(context.env.config, webhookId, secret),
        previousSecret,
        previousSecretUntil,
        updatedAt: now,
      };
      const endpoint = await tx.webhookEndpoint.update({ where: { id: webhookId }, data, omit: hidden });
      audit({ action: 'rotateWebhookSecret', target: webhookId, after: { previousSecretUntil } });
      return { ...endpoint, secret };
    },
    { forReplay: (endpoint) => ({ ...endpoint, secret: null }) },
  );
}

/** The endpoint as the caller may see it, or 404. Takes the client or a transaction. */
export async function findEndpoint(
  { caller }: Pick<KeyContext, 'caller'>,
  db: Pick<Write['tx'], 'webhookEndpoint'>,
  webhookId: string,
): Promise<EndpointRow> {
  const endpoint = await db.webhookEndpoint.findFirst({
    where: { ...tenantOf(caller), id: webhookId, deletedAt: null },
    omit: hidden,
  });
  if (!endpoint) throw new NotFound('There is no such webhook endpoint.');
  return endpoint;
}

async function assertUrl({ env, caller }: KeyContext, url: string): Promise<void> {
  if (caller.mode === 'live' && !url.toLowerCase().startsWith('https:'))
    throw invalid('url', 'must be an https address in live mode');
  const refusal = await env.webhookSender.refusalOf(url);
  if (refusal !== null) throw invalid('url', refusal);
}

function eventTypesOf(given: readonly string[]): string[] {
  if (given.length === 0) throw invalid('eventTypes', 'must name at least one type of event');
  return [...new Set(given)];
}

type Owner = Pick<Store, 'partnerId' | 'mode'> & { platformAccountId: string | null; storeId: string | null };

/** Whose endpoint it is: the store's account, the sub-key's account, or with a partner key that names no store the partner in that mode. */
async function ownerOf(context: KeyContext, storeId: string | null | undefined): Promise<Owner> {
  const { caller } = context;
  const { partnerId, mode } = caller;
  if (storeId != null)
    return { partnerId, mode, platformAccountId: (await storeOf(context, storeId)).platformAccountId, storeId };
  return {
    partnerId,
    mode,
    platformAccountId: caller.kind === 'subKey' ? caller.platformAccountId : null,
    storeId: null,
  };
}

/** Holds the account's row while it counts, so that of two calls at once one sees the other's endpoint. */
async function assertRoom({ tx }: Write, { partnerId, mode, platformAccountId }: Owner): Promise<void> {
  if (platformAccountId === null) await tx.$queryRaw`SELECT id FROM partners WHERE id = ${partnerId} FOR NO KEY UPDATE`;
  else await tx.$queryRaw`SELECT id FROM processing_accounts WHERE id = ${platformAccountId} FOR NO KEY UPDATE`;
  const count = await tx.webhookEndpoint.count({ where: { partnerId, mode, platformAccountId, deletedAt: null } });
  if (count >= endpointsMax)
    throw new Conflict('limit_reached', `There are ${endpointsMax} webhook endpoints already: delete one first.`);
}

/** Of a row the fields another object names. */
function only(row: EndpointRow, like: object): object {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name in like));
}
