import type { KeyContext, SessionContext } from '../../call/context.ts';
import { type KeyRow, noSuchKey, revokeApiKey } from '../../domains/keys/public.ts';
import {
  type DeliveryRow,
  type EndpointWithHealth,
  findEndpointWithHealth,
  noSuchEndpoint,
  redeliverWebhook,
  redeliverWebhooksSince,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../domains/webhooks/public.ts';
import { actOnBehalf } from '../../graph/by-caller.ts';
import { NotFound } from '../../lib/errors.ts';
import { runMultiStepCall } from '../../unit-of-work/multi-step-call.ts';
import { recordKeyOf } from '../../unit-of-work/write.ts';

interface EndpointAct {
  endpointId: string;
  reason: string;
}

/** An endpoint of either mode and any partner, with its health; 404 if there is none. */
export async function readOperatorEndpoint(context: SessionContext, endpointId: string): Promise<EndpointWithHealth> {
  const found = await findEndpointWithHealth(context, endpointId);
  if (!found) throw noSuchEndpoint();
  return found;
}

/**
 * Switches an endpoint on or off. When it is switched off, its open deliveries are marked dead; when it is switched on,
 * it gets the events from then on.
 */
export function operatorSwitchEndpoint(
  context: SessionContext,
  { enabled, ...act }: EndpointAct & { enabled: boolean },
): Promise<EndpointWithHealth> {
  const action = 'operatorSwitchWebhookEndpoint';
  return onEndpoint(context, action, act, (own) =>
    // The answer contains more than the change: a repeat returns the endpoint's health as it was then.
    runMultiStepCall(own, recordKeyOf(own, action), async () => {
      const { id } = await updateWebhookEndpoint(own, act.endpointId, { enabled });
      return readOperatorEndpoint(context, id);
    }),
  );
}

/** Sends the event `webhook/test`. */
export function operatorTestEndpoint(context: SessionContext, act: EndpointAct): Promise<DeliveryRow> {
  return onEndpoint(context, 'operatorTestWebhookEndpoint', act, (own) => testWebhookEndpoint(own, act.endpointId));
}

/** Replaces the signing secret. Only the answer contains the new one. */
export function operatorRotateSecret(
  context: SessionContext,
  act: EndpointAct,
): Promise<Awaited<ReturnType<typeof rotateWebhookSecret>>> {
  return onEndpoint(context, 'operatorRotateWebhookSecret', act, (own) => rotateWebhookSecret(own, act.endpointId));
}

/** Sends the events of an endpoint since a moment again. */
export function operatorRedeliverSince(
  context: SessionContext,
  { since, ...act }: EndpointAct & { since: Date },
): Promise<{ redelivered: number }> {
  return onEndpoint(context, 'operatorRedeliverWebhooksSince', act, (own) =>
    redeliverWebhooksSince(own, act.endpointId, since),
  );
}

/** Runs the operation of the endpoint's owner, on an endpoint of any partner. */
function onEndpoint<Result>(
  context: SessionContext,
  action: string,
  { endpointId, reason }: EndpointAct,
  run: (own: KeyContext) => Promise<Result>,
): Promise<Result> {
  const find = async () => {
    const endpoint = await context.services.prisma.webhookEndpoint.findUnique({
      where: { id: endpointId },
      select: { partnerId: true, platformAccountId: true, mode: true },
    });
    if (!endpoint) throw noSuchEndpoint();
    return endpoint;
  };
  return actOnBehalf(context, { action, target: endpointId, reason }, find, run);
}

/** Sends the event of a delivery of any partner again. */
export function operatorRedeliver(
  context: SessionContext,
  { deliveryId, reason }: { deliveryId: string; reason: string },
): Promise<DeliveryRow> {
  const act = { action: 'operatorRedeliverWebhook', target: deliveryId, reason };
  const find = async () => {
    const delivery = await context.services.prisma.webhookDelivery.findUnique({ where: { id: deliveryId } });
    if (!delivery) throw new NotFound('There is no such delivery.');
    return delivery;
  };
  return actOnBehalf(context, act, find, (own) => redeliverWebhook(own, deliveryId));
}

/** Revokes a sub-key of any account permanently, for example one that was leaked. */
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

/** The argument of everything that an operator does for an account. */
export const reason = {
  type: 'Name',
  required: true,
  description: 'Why it is done, recorded in the audit log. Not shown to the partner.',
} as const;
