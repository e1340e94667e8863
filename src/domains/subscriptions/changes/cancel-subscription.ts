import { newAnswerNotes, type TenantContext } from '../../../call/context.ts';
import { Conflict, invalid } from '../../../lib/errors.ts';
import { entryErrorOf, runMultiStepCall } from '../../../unit-of-work/multi-step-call.ts';
import { recordKeyOf, type Write, write } from '../../../unit-of-work/write.ts';
import type { CancelSubscriptionInput } from '../inputs.ts';
import { runSubscription } from '../periods/run-subscription.ts';
import { atSubscriptionsTime, auditChange, end, lockSubscription, save } from '../subscription/rows.ts';
import type { CancellationOutcome, SubscriptionRow } from '../types.ts';

type Input = typeof CancelSubscriptionInput.$inferInput;
type Answer = SubscriptionRow | { results: CancellationOutcome[] };

const subscriptionIdsMax = 100;

/** Cancels one subscription or several, each in a separate database transaction: now, or at the end of its period. */
export async function cancelSubscription(
  context: TenantContext,
  { subscriptionId, subscriptionIds, cancelAtPeriodEnd }: Input,
): Promise<Answer> {
  const atPeriodEnd = cancelAtPeriodEnd ?? false;
  // the input has exactly one of the two
  if (subscriptionIds == null) return cancelOne(context, 'cancelSubscription', subscriptionId as string, atPeriodEnd);
  if (subscriptionIds.length === 0 || subscriptionIds.length > subscriptionIdsMax)
    throw invalid('subscriptionIds', `must contain 1 to ${subscriptionIdsMax} subscriptions`);
  return cancelSeveral(context, [...new Set(subscriptionIds)], atPeriodEnd);
}

function cancelOne(
  context: TenantContext,
  operation: string,
  subscriptionId: string,
  atPeriodEnd: boolean,
): Promise<SubscriptionRow> {
  return atSubscriptionsTime(context, subscriptionId, async () =>
    closeOpenCharge(
      context,
      await write(context, operation, (change) => cancelAudited(context, change, subscriptionId, atPeriodEnd)),
    ),
  );
}

/**
 * Each subscription has its own record under the Idempotency-Key of the call, so that a repeat after a crash continues
 * where the first call stopped.
 */
async function cancelSeveral(
  context: TenantContext,
  subscriptionIds: readonly string[],
  atPeriodEnd: boolean,
): Promise<Answer> {
  return runMultiStepCall(context, recordKeyOf(context, 'cancelSubscription'), async () => {
    const results: CancellationOutcome[] = [];
    for (const id of subscriptionIds) {
      const canceling = cancelOne(
        { ...context, answer: newAnswerNotes() },
        `cancelSubscription:${id}`,
        id,
        atPeriodEnd,
      );
      results.push(await cancellationOutcome(id, canceling));
    }
    return { results };
  });
}

async function cancelAudited(
  context: TenantContext,
  change: Write,
  id: string,
  atPeriodEnd: boolean,
): Promise<SubscriptionRow> {
  const before = await lockSubscription(change.tx, context.tenant, id);
  const after = await cancel(change, before, atPeriodEnd);
  auditChange(context, change, before, after);
  return after;
}

async function cancel(change: Write, before: SubscriptionRow, atPeriodEnd: boolean): Promise<SubscriptionRow> {
  if (!atPeriodEnd) return end(change, before, 'requested');
  if (before.status === 'canceled') throw new Conflict('invalid_state', 'The subscription is already canceled.');
  if (before.status === 'incomplete')
    throw new Conflict('invalid_state', 'A subscription that is incomplete has no paid period: cancel it immediately.');
  return before.cancelAtPeriodEnd
    ? before
    : save(change, before, { cancelAtPeriodEnd: true }, 'subscription/cancelScheduled');
}

/** Ends an open challenge of the subscription. If that fails, the job does it. */
async function closeOpenCharge(context: TenantContext, canceled: SubscriptionRow): Promise<SubscriptionRow> {
  if (canceled.status === 'canceled' && canceled.chargingSince !== null && !context.answer.replayed)
    await runSubscription(context, canceled.id).catch((error: unknown) =>
      context.services.log.warn(
        { err: error, subscriptionId: canceled.id },
        'The charge of a canceled subscription could not be closed yet.',
      ),
    );
  return canceled;
}

async function cancellationOutcome(
  subscriptionId: string,
  canceling: Promise<SubscriptionRow>,
): Promise<CancellationOutcome> {
  try {
    return { subscriptionId, subscription: await canceling, error: null };
  } catch (error) {
    return { subscriptionId, subscription: null, error: entryErrorOf(error) };
  }
}
