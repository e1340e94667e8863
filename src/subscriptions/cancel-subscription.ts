import type { KeyContext } from '../graph/context.ts';
import { Conflict, DomainError, invalid } from '../kit/errors.ts';
import { write, type Write } from '../kit/write.ts';
import { runSubscription } from './jobs.ts';
import type { CancelSubscriptionInput } from './schema.ts';
import { end, lockSubscription, save } from './subscription-records.ts';
import type { CancellationOutcome, SubscriptionRow } from './types.ts';

type Input = typeof CancelSubscriptionInput.$inferInput;
type Answer = SubscriptionRow | { results: CancellationOutcome[] };

const subscriptionIdsMax = 100;

/** Ends one subscription or several, each on its own: at once, or with its period. */
export async function cancelSubscription(context: KeyContext, { subscriptionId, subscriptionIds, cancelAtPeriodEnd }: Input): Promise<Answer> {
  const atPeriodEnd = cancelAtPeriodEnd ?? false;
  if (subscriptionIds == null) {
    if (subscriptionId == null) throw invalid('subscriptionId', 'is required, or subscriptionIds');
    return followed(context, await write(context, 'cancelSubscription', (change) => cancel(context, change, subscriptionId, atPeriodEnd)));
  }
  if (subscriptionId != null) throw invalid('subscriptionIds', 'must not stand beside subscriptionId: use one of the two');
  if (subscriptionIds.length === 0 || subscriptionIds.length > subscriptionIdsMax) throw invalid('subscriptionIds', `must name 1 to ${subscriptionIdsMax} subscriptions`);
  const results = await write(context, 'cancelSubscription', async (change) => {
    const outcomes = new Map<string, CancellationOutcome>();
    // Locked in the order of their ids, so that two such calls never wait for each other.
    for (const id of [...new Set(subscriptionIds)].sort()) outcomes.set(id, await outcomeOf(id, cancel(context, change, id, atPeriodEnd)));
    return [...new Set(subscriptionIds)].flatMap((id) => outcomes.get(id) ?? []);
  });
  for (const { subscription } of results) if (subscription) await followed(context, subscription);
  return { results };
}

async function cancel(context: KeyContext, change: Write, id: string, atPeriodEnd: boolean): Promise<SubscriptionRow> {
  const before = await lockSubscription(change.tx, context.caller, id);
  if (!atPeriodEnd) return end(change, before, 'requested');
  if (before.status === 'canceled') throw new Conflict('invalid_state', 'The subscription is canceled already.');
  if (before.status === 'incomplete') throw new Conflict('invalid_state', 'A subscription that is incomplete has no paid period to end with: cancel it at once.');
  return before.cancelAtPeriodEnd ? before : save(change, before, { cancelAtPeriodEnd: true }, ['subscription/cancelScheduled']);
}

/** A challenge of its that is still open is closed at once; should this fail, the job does it. */
async function followed(context: KeyContext, canceled: SubscriptionRow): Promise<SubscriptionRow> {
  if (canceled.status === 'canceled' && canceled.chargingSince !== null && !context.replayed) await runSubscription(context, canceled.id).catch((error: unknown) => context.env.log.warn({ err: error, subscriptionId: canceled.id }, 'The charge of a canceled subscription could not be closed yet.'));
  return canceled;
}

async function outcomeOf(subscriptionId: string, canceling: Promise<SubscriptionRow>): Promise<CancellationOutcome> {
  try {
    return { subscriptionId, subscription: await canceling, error: null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { subscriptionId, subscription: null, error: { code: error.code, message: error.message } };
  }
}
