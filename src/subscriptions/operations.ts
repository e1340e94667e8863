import { type Reach, tenantOf } from '../auth/tenancy.ts';
import type { Context, KeyContext } from '../graph/context.ts';
import { is, oneOf } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { Conflict } from '../kit/errors.ts';
import type { Write } from '../kit/write.ts';
import { runSubscription } from './jobs.ts';
import type { SubscriptionFilters } from './schema.ts';
import { noSuchSubscription } from './subscription-records.ts';
import type { SubscriptionRow } from './types.ts';

export { noSuchSubscription } from './subscription-records.ts';

const subscriptionList: ListDefinition<typeof SubscriptionFilters.$inferInput> = {
  table: 'subscriptions',
  sorts: { createdAt: 'createdAt', nextBillingDate: 'nextBillingDate', status: 'status' },
  filters: { status: oneOf('status'), customerId: is('customerId'), priceId: is('priceId'), storeId: oneOf('storeId') },
  counted: true,
};

export function listSubscriptions(
  context: KeyContext,
  args: ListArguments<typeof SubscriptionFilters.$inferInput>,
): Promise<Page<SubscriptionRow>> {
  return listSubscriptionsWithin(context, context.caller, args);
}

/** The same list for whoever else looks at subscriptions. */
export function listSubscriptionsWithin(
  { env }: Context,
  reach: Reach,
  args: ListArguments<typeof SubscriptionFilters.$inferInput>,
): Promise<Page<SubscriptionRow>> {
  return readList(env.pool, reach, subscriptionList, args);
}

export async function readSubscription(context: KeyContext, subscriptionId: string): Promise<SubscriptionRow> {
  const subscription = await context.env.prisma.subscription.findFirst({
    where: { ...tenantOf(context.caller), id: subscriptionId },
  });
  if (!subscription) throw noSuchSubscription();
  return subscription;
}

type Bind = (value: unknown) => string;
type PaymentOfSubscription = { subscriptionId: string | null };

/** The part of a statement that settles a payment which wakes the subscription it is a period's charge of. `guard` names a part that must have found a row. */
export function subscriptionDuePart({ subscriptionId }: PaymentOfSubscription, bind: Bind, guard: string): string {
  return `subscription_woken AS (UPDATE subscriptions SET "dueAt" = "chargingSince" WHERE id = ${bind(subscriptionId)} AND "chargingSince" IS NOT NULL AND EXISTS (SELECT 1 FROM ${guard}))`;
}

/** The part of a statement that asks for a subscription's end. */
export function subscriptionCancelPart(subscriptionId: string, now: Date, bind: Bind, guard: string): string {
  return `subscription_canceled AS (UPDATE subscriptions SET "cancelRequestedAt" = ${bind(now)}, "dueAt" = ${bind(now)} WHERE id = ${bind(subscriptionId)} AND status <> 'canceled' AND EXISTS (SELECT 1 FROM ${guard}))`;
}

/** Does now what the statement has asked for; should it fail, the job does it. */
export async function subscriptionFollows(context: Context, { subscriptionId }: PaymentOfSubscription): Promise<void> {
  if (subscriptionId === null) return;
  await runSubscription(context, subscriptionId).catch((error: unknown) =>
    context.env.log.warn({ err: error, subscriptionId }, 'A subscription could not follow its payment yet.'),
  );
}

export { subscriptionFollows as subscriptionEnds };

/** A card that is to be charged again is not removed. Called with the customer's row locked, as those do who choose a card. */
export async function assertBacksNoSubscription({ tx }: Write, paymentInstrumentId: string): Promise<void> {
  const backed = await tx.subscription.findFirst({
    where: { paymentInstrumentId, status: { not: 'canceled' } },
    select: { id: true },
  });
  if (backed)
    throw new Conflict(
      'invalid_state',
      `The payment instrument is charged for subscription ${backed.id}: give that another one first, or cancel it.`,
    );
}
