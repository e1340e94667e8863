import {
  type DeliveryRow,
  type EndpointWithHealth,
  findEndpointWithHealth,
  noSuchEndpoint,
  redeliverWebhooksSince,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../domains/webhooks/public.ts';
import type { KeyContext, SessionContext } from '../../graph/context.ts';
import { inSteps } from '../../write/in-steps.ts';
import { recordKeyOf } from '../../write/write.ts';
import { actOnBehalf } from './act-on-behalf.ts';

interface Act {
  endpointId: string;
  reason: string;
}

/** An endpoint of either mode and any partner, with its health; 404 if there is none. */
export async function readOperatorEndpoint(context: SessionContext, endpointId: string): Promise<EndpointWithHealth> {
  const found = await findEndpointWithHealth(context, endpointId);
  if (!found) throw noSuchEndpoint();
  return found;
}

/** Switches an endpoint on or off. Off, its open deliveries are dead; on, it gets what happens from then on. */
export function operatorSwitchEndpoint(
  context: SessionContext,
  { enabled, ...act }: Act & { enabled: boolean },
): Promise<EndpointWithHealth> {
  const action = 'operatorSwitchWebhookEndpoint';
  return onEndpoint(context, action, act, (own) =>
    // The answer has more than the change: a repeat gets its health as it was then.
    inSteps(own, recordKeyOf(own, action), async () => {
      const { id } = await updateWebhookEndpoint(own, act.endpointId, { enabled });
      return readOperatorEndpoint(context, id);
    }),
  );
}

/** Sends the event `webhook/test`. */
export function operatorTestEndpoint(context: SessionContext, act: Act): Promise<DeliveryRow> {
  return onEndpoint(context, 'operatorTestWebhookEndpoint', act, (own) => testWebhookEndpoint(own, act.endpointId));
}

/** Replaces the signing secret. The answer alone contains the new one. */
export function operatorRotateSecret(
  context: SessionContext,
  act: Act,
): Promise<Awaited<ReturnType<typeof rotateWebhookSecret>>> {
  return onEndpoint(context, 'operatorRotateWebhookSecret', act, (own) => rotateWebhookSecret(own, act.endpointId));
}

/** Sends the events of an endpoint since a moment again. */
export function operatorRedeliverSince(
  context: SessionContext,
  { since, ...act }: Act & { since: Date },
): Promise<{ redelivered: number }> {
  return onEndpoint(context, 'operatorRedeliverWebhooksSince', act, (own) =>
    redeliverWebhooksSince(own, act.endpointId, since),
  );
}

/** Runs the operation of the endpoint's owner, on an endpoint of any partner. */
function onEndpoint<Result>(
  context: SessionContext,
  action: string,
  { endpointId, reason }: Act,
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
