import type { KeyContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import { auditsOnBehalf } from '../../write/on-behalf.ts';
import { write } from '../../write/write.ts';
import { markDeliveriesDead } from './dead-deliveries.ts';
import { assertUrl, eventTypesOf } from './endpoint-input.ts';
import { type EndpointRow, findEndpoint, hidden } from './endpoint-rows.ts';
import type { UpdateWebhookEndpointInput } from './inputs.ts';

type UpdateInput = typeof UpdateWebhookEndpointInput.$inferInput;

export async function updateWebhookEndpoint(
  context: KeyContext,
  webhookId: string,
  input: UpdateInput,
): Promise<EndpointRow> {
  for (const name of ['url', 'eventTypes', 'ordered', 'enabled'] as const)
    if (input[name] === null) throw invalid(name, 'must not be null: leave it out instead');
  if (input.url != null) await assertUrl(context, input.url);
  const eventTypes = input.eventTypes == null ? undefined : eventTypesOf(input.eventTypes);
  return write(context, 'updateWebhookEndpoint', async (change) => {
    const { tx, now, audit } = change;
    const before = await findEndpoint(context, tx, webhookId);
    const data = { ...changesIn(input, before), ...(eventTypes && { eventTypes }) };
    const wanted = { enabled: data.enabled ?? before.enabled };
    for (const row of auditsOnBehalf(context, webhookId, fieldsNamedIn(before, wanted), wanted)) audit(row);
    if (Object.keys(data).length === 0) return before;
    // Failures at another address, or before the receiver was repaired, do not count against what follows.
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

/** The fields of a row that another object names. */
function fieldsNamedIn(row: EndpointRow, like: object): object {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name in like));
}
