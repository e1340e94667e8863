import type { ApiKeyCaller } from '../../auth/caller.ts';
import { createContext, type KeyContext, type OnBehalf, type SessionContext } from '../../call/context.ts';
import { type KeyRow, noSuchKey, revokeApiKey } from '../../domains/keys/public.ts';
import {
  capturePayment,
  noSuchPayment,
  type PaymentWithTransactions,
  voidPayment,
} from '../../domains/payments/public.ts';
import {
  cancelSubscription,
  noSuchSubscription,
  pauseSubscription,
  resumeSubscription,
  type SubscriptionRow,
} from '../../domains/subscriptions/public.ts';
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
import { keyOfMutation } from '../../graph/plugins.ts';
import { NotFound } from '../../lib/errors.ts';
import type { Mode } from '../../lib/ids.ts';
import { findFirstCall } from '../../unit-of-work/idempotency.ts';
import { runMultiStepCall } from '../../unit-of-work/multi-step-call.ts';
import { recordRefusal } from '../../unit-of-work/refusals.ts';
import { recordKeyOf } from '../../unit-of-work/write.ts';

/**
 * An object of an account on which an operator acts, or one of a partner, such as an endpoint for the events of all its
 * accounts.
 */
interface Owned {
  partnerId: string;
  platformAccountId: string | null;
  mode: string;
}

/**
 * Runs the operation that an account's own keys use, with an operator as actor. The account and the mode are those of
 * the object, regardless of the statuses of account and partner. The audit row is part of the change; a rejected change
 * has an audit row with the reason.
 */
export async function actOnBehalf<Result>(
  context: SessionContext,
  { target, ...onBehalf }: OnBehalf & { target: string },
  find: () => Promise<Owned>,
  run: (own: KeyContext) => Promise<Result>,
): Promise<Result> {
  try {
    const own = contextOnBehalf(context, await find(), onBehalf);
    const result = await run(own);
    context.replayed = own.replayed;
    for (const [name, ms] of own.timings) context.timings.set(name, ms);
    return result;
  } catch (error) {
    // A repeat that gets the answer of its first call was not rejected.
    const key = keyOfMutation(context);
    const isAnswered = key !== null && (await findFirstCall(context.services.pool, key, error)) !== null;
    if (!isAnswered) await recordRefusal(context, { action: onBehalf.action, target }, error);
    throw error;
  }
}

function contextOnBehalf(
  { services, actor, requestId, ip, idempotencyOfUser }: SessionContext,
  { partnerId, platformAccountId, mode }: Owned,
  onBehalf: OnBehalf,
): KeyContext {
  const served = mode as Mode; // a CHECK constraint limits the column to the two modes
  const key = { keyId: actor.id, keyPrefix: '', mode: served, partnerId };
  const caller: ApiKeyCaller =
    platformAccountId === null ? { kind: 'partnerKey', ...key } : { kind: 'subKey', ...key, platformAccountId };
  const own = createContext({ services, caller, requestId, ip });
  return { ...own, caller, actor: { ...actor, mode: served }, idempotency: idempotencyOfUser, onBehalf };
}

interface PaymentAct {
  paymentId: string;
  reason: string;
}

/** Voids an authorization of any account. */
export function operatorVoid(context: SessionContext, act: PaymentAct): Promise<PaymentWithTransactions> {
  return onPayment(context, 'operatorVoidPayment', act, (own) => voidPayment(own, act.paymentId));
}

/** Captures an authorization of an account that may charge. */
export function operatorCapture(
  context: SessionContext,
  { amount, ...act }: PaymentAct & { amount?: number | null | undefined },
): Promise<PaymentWithTransactions> {
  const { paymentId } = act;
  return onPayment(context, 'operatorCapturePayment', act, (own) => capturePayment(own, { paymentId, amount }));
}

/** Runs the operation of an account on a payment of any account. */
export function onPayment<Result>(
  context: SessionContext,
  action: string,
  { paymentId, reason }: PaymentAct,
  run: (own: KeyContext) => Promise<Result>,
): Promise<Result> {
  const find = async () => {
    const payment = await context.services.prisma.payment.findUnique({ where: { id: paymentId } });
    if (!payment) throw noSuchPayment();
    return payment;
  };
  return actOnBehalf(context, { action, target: paymentId, reason }, find, run);
}

interface SubscriptionAct {
  subscriptionId: string;
  reason: string;
}

/** Cancels a subscription of any account. */
export function operatorCancel(
  context: SessionContext,
  { cancelAtPeriodEnd, ...act }: SubscriptionAct & { cancelAtPeriodEnd?: boolean | null | undefined },
): Promise<SubscriptionRow> {
  const { subscriptionId } = act;
  return onSubscription(
    context,
    'operatorCancelSubscription',
    act,
    // one subscription, not several: the answer is that subscription
    async (own) => (await cancelSubscription(own, { subscriptionId, cancelAtPeriodEnd })) as SubscriptionRow,
  );
}

/** Pauses a subscription of any account. */
export function operatorPause(
  context: SessionContext,
  { resumeAt, ...act }: SubscriptionAct & { resumeAt?: Date | null | undefined },
): Promise<SubscriptionRow> {
  const { subscriptionId } = act;
  return onSubscription(context, 'operatorPauseSubscription', act, (own) =>
    pauseSubscription(own, { subscriptionId, resumeAt }),
  );
}

/** Ends a pause of a subscription of any account, or revokes its scheduled cancellation. */
export function operatorResume(context: SessionContext, act: SubscriptionAct): Promise<SubscriptionRow> {
  return onSubscription(context, 'operatorResumeSubscription', act, (own) =>
    resumeSubscription(own, act.subscriptionId),
  );
}

function onSubscription(
  context: SessionContext,
  action: string,
  { subscriptionId, reason }: SubscriptionAct,
  run: (own: KeyContext) => Promise<SubscriptionRow>,
): Promise<SubscriptionRow> {
  const find = async () => {
    const subscription = await context.services.prisma.subscription.findUnique({ where: { id: subscriptionId } });
    if (!subscription) throw noSuchSubscription();
    return subscription;
  };
  return actOnBehalf(context, { action, target: subscriptionId, reason }, find, run);
}

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

/** The end of the description of such a field. */
export const always =
  'Allowed whatever the statuses of the account and its partner are. The partner gets the usual events. The change ' +
  'is recorded in the audit log. An `Idempotency-Key` belongs to the user.';
