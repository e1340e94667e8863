import type { TenantContext } from '../../../call/context.ts';
import { Conflict, invalid } from '../../../lib/errors.ts';
import { findStoredCall } from '../../../unit-of-work/idempotency.ts';
import { recordKeyOf, type Write } from '../../../unit-of-work/write.ts';
import { lockCustomer } from '../../customers/public.ts';
import { abandonChallenge } from '../../payments/public.ts';
import type { UpdateSubscriptionInput } from '../inputs.ts';
import { chargedCall, failedChange } from '../periods/charge-period.ts';
import { runSubscription } from '../periods/run-subscription.ts';
import { noPendingUpdate } from '../subscription/object.ts';
import {
  type ActorContext,
  atSubscriptionsTime,
  chargeInProgressError,
  lockSubscription,
  save,
  wrongState,
} from '../subscription/rows.ts';
import { assertMayBeCharged, instrumentFor, planFor } from '../subscription/terms.ts';
import type { SubscriptionRow } from '../types.ts';
import { openChange, type PlannedChange, termsOf } from './price.ts';
import { closeIfCreditCovers, differenceOfStartedPeriods, repriceFailed, repricePaid } from './reprice.ts';

/**
 * An update replaces the change whose challenge is unanswered. The challenge is closed first, outside of the
 * transaction, so that the cardholder cannot pay for a change that is not made.
 */
class ChallengeToClose extends Error {
  readonly paymentId: string;

  constructor(paymentId: string) {
    super('The challenge of a change must be closed.');
    this.paymentId = paymentId;
  }
}

/**
 * Closes the challenge, and with it removes the pending change. 409 if the payment has, or may have, another outcome.
 */
async function closeChallenge(by: ActorContext, subscriptionId: string, paymentId: string): Promise<void> {
  const { services } = by;
  const payment = await services.prisma.payment.findUnique({ where: { id: paymentId } });
  if (payment) await abandonChallenge(services, paymentId);
  const after = await services.prisma.payment.findUnique({ where: { id: paymentId }, select: { subStatus: true } });
  if (after?.subStatus !== 'authentication_expired')
    throw new Conflict(
      'invalid_state',
      'The payment of the change is in progress or completed. Read the subscription again.',
    );
  await runSubscription(by, subscriptionId);
}

type Input = typeof UpdateSubscriptionInput.$inferInput;

const operation = 'updateSubscription';

/** Changes the price, the quantity or the card of a subscription. */
export function updateSubscription(context: TenantContext, input: Input): Promise<SubscriptionRow> {
  return atSubscriptionsTime(context, input.subscriptionId, async () => {
    const update = () => chargedCall(context, operation, (change) => changeOne(context, change, input), failedChange);
    try {
      return await update();
    } catch (error) {
      if (!(error instanceof ChallengeToClose)) throw error;
      // A call that is rejected because of its key changes nothing.
      const recordKey = recordKeyOf(context, operation);
      if (recordKey) await findStoredCall(context.services.pool, recordKey);
      await closeChallenge(context, input.subscriptionId, error.paymentId);
      return update();
    }
  });
}

async function changeOne(context: TenantContext, change: Write, input: Input): Promise<SubscriptionRow> {
  const { tx } = change;
  const before = await lockSubscription(tx, context.tenant, input.subscriptionId);
  const { priceId = null, quantity = null, paymentInstrumentId = null } = input;
  const customer = { id: before.customerId, platformAccountId: before.platformAccountId };
  if (paymentInstrumentId !== null) await lockCustomer(tx, before.customerId);
  const instrument = paymentInstrumentId === null ? null : await instrumentFor(tx, customer, paymentInstrumentId);
  const terms = { priceId: priceId ?? before.priceId, quantity: quantity ?? before.quantity };
  const plan = priceId === null && quantity === null ? null : await planFor(tx, before, terms);
  if (plan && plan.price.currency !== before.currency)
    throw invalid('priceId', `must be in the currency of the subscription, ${before.currency}`);
  if (before.status === 'canceled') throw wrongState(before, 'changed');
  const isOther = terms.priceId !== before.priceId || terms.quantity !== before.quantity;
  if (before.chargingSince !== null) {
    if (plan && !isOther && before.pendingPaymentId !== null) throw new ChallengeToClose(before.pendingPaymentId);
    throw chargeInProgressError(before);
  }
  const card = { paymentInstrumentId: instrument?.id ?? before.paymentInstrumentId };
  if (plan && isOther) return changePlan(change, before, { plan, quantity: terms.quantity, ...card }, input);
  const isTakenBack = plan !== null && before.pendingPriceId !== null;
  return isTakenBack || card.paymentInstrumentId !== before.paymentInstrumentId
    ? save(change, before, { ...card, ...(isTakenBack && noPendingUpdate) }, 'subscription/updated')
    : before;
}

/**
 * With the same billing interval, the prorated difference is added to the balance, which is part of the next charge.
 * While a charge fails, its next retry includes the difference. With another billing interval, a new period starts when
 * it is paid, or, without proration, when the paid period ends. Either replaces a change that was scheduled.
 */
async function changePlan(
  change: Write,
  before: SubscriptionRow,
  planned: PlannedChange,
  { prorate, returnUrl }: Input,
): Promise<SubscriptionRow> {
  const { price, amount } = planned.plan;
  if (before.status === 'incomplete') throw wrongState(before, 'changed to another price or quantity');
  const isSameBillingInterval = price.interval === before.interval && price.intervalCount === before.intervalCount;
  if (isSameBillingInterval || before.status === 'trialing') {
    const reprice = before.status === 'past_due' ? repriceFailed : repricePaid;
    const inForce = (prorate ?? true) ? await reprice(change, before, amount) : 0;
    const begun = differenceOfStartedPeriods(before, amount, change.now, { prorate: prorate ?? true });
    const changes = { ...termsOf(planned), ...noPendingUpdate, balance: Number(before.balance) + inForce + begun };
    return closeIfCreditCovers(change, await save(change, before, changes, 'subscription/updated'));
  }
  if (before.status !== 'active') throw wrongState(before, 'changed to another interval');
  if (prorate ?? true) {
    await assertMayBeCharged(change.tx, before.platformAccountId);
    const from = returnUrl == null ? before : await save(change, before, { returnUrl }, null);
    return openChange(change, from, planned);
  }
  const { quantity, paymentInstrumentId } = planned;
  const isScheduled = before.pendingPriceId === price.id && before.pendingQuantity === quantity;
  if (isScheduled && paymentInstrumentId === before.paymentInstrumentId) return before;
  const scheduled = { paymentInstrumentId, pendingPriceId: price.id, pendingQuantity: quantity };
  return save(change, before, scheduled, 'subscription/updated');
}
