import { cancelSubscription, noSuchSubscription, type SubscriptionRow } from '../../domains/subscriptions/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import { actOnBehalf } from './act-on-behalf.ts';

/** Cancels a subscription of any account. */
export function operatorCancel(
  context: SessionContext,
  {
    reason,
    ...cancellation
  }: { subscriptionId: string; cancelAtPeriodEnd?: boolean | null | undefined; reason: string },
): Promise<SubscriptionRow> {
  const { subscriptionId } = cancellation;
  const find = async () => {
    const subscription = await context.services.prisma.subscription.findUnique({ where: { id: subscriptionId } });
    if (!subscription) throw noSuchSubscription();
    return subscription;
  };
  const act = { action: 'operatorCancelSubscription', target: subscriptionId, reason };
  // one subscription, not several: the answer is that subscription
  return actOnBehalf(
    context,
    act,
    find,
    async (own) => (await cancelSubscription(own, cancellation)) as SubscriptionRow,
  );
}
