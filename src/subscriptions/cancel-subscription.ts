import type { KeyContext } from '../graph/context.ts';
import { Conflict, DomainError, invalid } from '../kit/errors.ts';
import { claimCall, storeAnswer } from '../kit/idempotency.ts';
import { scopeOf, write, type Write } from '../kit/write.ts';
import { runSubscription } from './jobs.ts';
import type { CancelSubscriptionInput } from './schema.ts';
import { atSubscriptionsTime, end, lockSubscription, save } from './subscription-records.ts';
import type { CancellationOutcome, SubscriptionRow } from './types.ts';

type Input = typeof CancelSubscriptionInput.$inferInput;
type Answer = SubscriptionRow | { results: CancellationOutcome[] };

const subscriptionIdsMax = 100;

/** Ends one subscription or several, each on its own: at once, or with its period. */
export async function cancelSubscription(
  context: KeyContext,
  { subscriptionId, subscriptionIds, cancelAtPeriodEnd }: Input,
): Promise<Answer> {
  const atPeriodEnd = cancelAtPeriodEnd ?? false;
  if (subscriptionIds == null) {
    if (subscriptionId == null) throw invalid('subscriptionId', 'is required, or subscriptionIds');
    return cancelOne(context, 'cancelSubscription', subscriptionId, atPeriodEnd);
  }
  if (subscriptionId != null)
    throw invalid('subscriptionIds', 'must not stand beside subscriptionId: use one of the two');
  if (subscriptionIds.length === 0 || subscriptionIds.length > subscriptionIdsMax)
    throw invalid('subscriptionIds', `must name 1 to ${subscriptionIdsMax} subscriptions`);
  return cancelSeveral(context, [...new Set(subscriptionIds)], atPeriodEnd);
}

function cancelOne(
  context: KeyContext,
  operation: string,
  subscriptionId: string,
  atPeriodEnd: boolean,
): Promise<SubscriptionRow> {
  return atSubscriptionsTime(context, subscriptionId, async () =>
    followed(
      context,
      await write(context, operation, (change) => cancel(context, change, subscriptionId, atPeriodEnd)),
    ),
  );
}

/** Several under one key: each claims a part of the key for itself, so that a repeat after a crash goes on where the first call stopped. */
async function cancelSeveral(
  context: KeyContext,
  subscriptionIds: readonly string[],
  atPeriodEnd: boolean,
): Promise<Answer> {
  const { pool } = context.env;
  const scope = scopeOf(context, 'cancelSubscription');
  const stored = scope && (await claimCall(pool, scope));
  if (stored) {
    context.replayed = true;
    return stored.answer as Answer; // stored below
  }
  const results: CancellationOutcome[] = [];
  for (const id of subscriptionIds)
    results.push(await outcomeOf(id, cancelOne(context, `cancelSubscription:${id}`, id, atPeriodEnd)));
  context.replayed = false;
  if (scope) await storeAnswer(pool, scope, { results });
  return { results };
}

async function cancel(context: KeyContext, change: Write, id: string, atPeriodEnd: boolean): Promise<SubscriptionRow> {
  const before = await lockSubscription(change.tx, context.caller, id);
  if (!atPeriodEnd) return end(change, before, 'requested');
  if (before.status === 'canceled') throw new Conflict('invalid_state', 'The subscription is canceled already.');
  if (before.status === 'incomplete')
    throw new Conflict(
      'invalid_state',
      'A subscription that is incomplete has no paid period to end with: cancel it at once.',
    );
  return before.cancelAtPeriodEnd
    ? before
    : save(change, before, { cancelAtPeriodEnd: true }, ['subscription/cancelScheduled']);
}

/** A challenge of its that is still open is closed at once; should this fail, the job does it. */
async function followed(context: KeyContext, canceled: SubscriptionRow): Promise<SubscriptionRow> {
  if (canceled.status === 'canceled' && canceled.chargingSince !== null && !context.replayed)
    await runSubscription(context, canceled.id).catch((error: unknown) =>
      context.env.log.warn(
        { err: error, subscriptionId: canceled.id },
        'The charge of a canceled subscription could not be closed yet.',
      ),
    );
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
