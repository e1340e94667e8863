import {
  cancelSubscription,
  noSuchSubscription,
  pauseSubscription,
  resumeSubscription,
  type SubscriptionRow,
} from '../../domains/subscriptions/public.ts';
import type { KeyContext, SessionContext } from '../../graph/context.ts';
import { actOnBehalf } from './act-on-behalf.ts';

interface Act {
  subscriptionId: string;
  reason: string;
}

/** Cancels a subscription of any account. */
export function operatorCancel(
  context: SessionContext,
  { cancelAtPeriodEnd, ...act }: Act & { cancelAtPeriodEnd?: boolean | null | undefined },
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
  { resumeAt, ...act }: Act & { resumeAt?: Date | null | undefined },
): Promise<SubscriptionRow> {
  const { subscriptionId } = act;
  return onSubscription(context, 'operatorPauseSubscription', act, (own) =>
    pauseSubscription(own, { subscriptionId, resumeAt }),
  );
}

/** Ends a pause of a subscription of any account, or revokes its scheduled cancellation. */
export function operatorResume(context: SessionContext, act: Act): Promise<SubscriptionRow> {
  return onSubscription(context, 'operatorResumeSubscription', act, (own) =>
    resumeSubscription(own, act.subscriptionId),
  );
}

function onSubscription(
  context: SessionContext,
  action: string,
  { subscriptionId, reason }: Act,
  run: (own: KeyContext) => Promise<SubscriptionRow>,
): Promise<SubscriptionRow> {
  const find = async () => {
    const subscription = await context.services.prisma.subscription.findUnique({ where: { id: subscriptionId } });
    if (!subscription) throw noSuchSubscription();
    return subscription;
  };
  return actOnBehalf(context, { action, target: subscriptionId, reason }, find, run);
}
