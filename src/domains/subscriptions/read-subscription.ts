import { tenantOf } from '../../auth/tenancy.ts';
import type { KeyContext } from '../../graph/context.ts';
import { noSuchSubscription } from './subscription-rows.ts';
import type { SubscriptionRow } from './types.ts';

export async function readSubscription(context: KeyContext, subscriptionId: string): Promise<SubscriptionRow> {
  const subscription = await context.services.prisma.subscription.findFirst({
    where: { ...tenantOf(context.caller), id: subscriptionId },
  });
  if (!subscription) throw noSuchSubscription();
  return subscription;
}
