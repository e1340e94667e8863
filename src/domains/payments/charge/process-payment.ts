import { assertMayCharge, chargingStatusOf } from '../../../auth/charging-status.ts';
import type { TenantContext } from '../../../call/context.ts';
import { withOutageRetry } from '../../../database/outage-retry.ts';
import { Conflict } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import type { Outcome } from '../../../ports/card-processor.ts';
import type { Services } from '../../../services.ts';
import { awaitStoredCall, findStoredCall, type IdempotencyRecordKey } from '../../../unit-of-work/idempotency.ts';
import { recordedBy, recordKeyOf } from '../../../unit-of-work/write.ts';
import { blockingRule } from '../../block-rules/public.ts';
import { type ChargeRoute, openConnection, routeOfCharge } from '../../processors/public.ts';
import { onClock } from '../../test-clocks/public.ts';
import type { ChargeInput } from '../inputs.ts';
import { authorizeAtProcessor, cardOfCharge, challengeUrlOf, type RevealedCard } from '../payment/processor.ts';
import { lastAttemptOf, type PaymentWithTransactions, requirePayment } from '../payment/rows.ts';
import { commitUnknown, earlierAnswer } from './answer.ts';
import { type NextAttempt, nextAttempt } from './cascade.ts';
import { commitOutcome, commitWithoutProcessor } from './commit-outcome.ts';
import { type ChargeFacts, chargeFacts, orderNotPayable } from './facts.ts';
import { beginCharge, chargeIntentOf } from './intent.ts';
import type { AttemptEnd } from './outcome.ts';

/** A payment whose id was stored before, so that repeated calls with the id make it once. */
export interface PlannedPayment {
  paymentId: string;
  /** The period of the subscription it pays for. */
  period: number;
  /** Until when a challenge can be answered. Null for the default time. */
  challengeUntil: Date | null;
}

/**
 * Charges a card: facts → route → card → intent (committed) → processor → outcome (committed). A cascade repeats the
 * last two at the next processor. The attempt's row contains the processor's idempotency key and is committed before
 * the processor is called, so that an unknown outcome can be resolved by asking.
 */
export async function processPayment(
  context: TenantContext,
  input: ChargeInput,
  planned?: PlannedPayment,
): Promise<PaymentWithTransactions> {
  const { services } = context;
  const recordKey = recordKeyOf(context, 'processPayment');
  const facts = await chargeFacts(context, input);
  return onClock(services, facts.testClock, () => charge(context, recordKey, facts, input, planned));
}

async function charge(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  facts: ChargeFacts,
  input: ChargeInput,
  planned: PlannedPayment | undefined,
): Promise<PaymentWithTransactions> {
  const { services } = context;
  const { cardId } = facts;
  const now = services.clock.now();
  const paymentId = planned?.paymentId ?? newId('pay_', now);
  const rule = await blockingRule(services, facts);
  const route = rule ? noRoute : await routeOf(services, paymentId, facts, input);
  const state = chargeIntentOf({ paymentId, planned: planned ?? null, facts, route, input }, services.clock);
  const intent = { by: recordedBy(context, now), recordKey, state };
  if (!route.first) {
    const end: AttemptEnd = rule ? { result: 'blocked', rule } : { result: 'noProcessor' };
    return (await commitWithoutProcessor(services, intent, end)) ?? answerOfFirst(context, recordKey, facts);
  }
  const card = await cardOfCharge(services, cardId, state.payment);
  if (!(await beginCharge(services, intent))) {
    if (planned) throw await periodClosedError(services, facts);
    return answerOfFirst(context, recordKey, facts);
  }
  const connection = openConnection(services.config, route.first);
  return runAttempts(context, recordKey, card, { state, connection });
}

const noRoute: ChargeRoute = { first: null, rest: [] };

/** The route of a charge: the processor it names, the route of its flow, or the account's first usable processor. */
async function routeOf(
  services: Services,
  id: string,
  { flow, processor, customerId }: ChargeFacts,
  { currency }: ChargeInput,
): Promise<ChargeRoute> {
  return flow ? routeOfCharge(services, flow, { id, customerId, currency }) : { first: processor, rest: [] };
}

/** Calls one processor after another until the charge has an outcome, and commits it. */
async function runAttempts(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  card: RevealedCard,
  first: NextAttempt,
): Promise<PaymentWithTransactions> {
  const { services } = context;
  for (let at = first; ; ) {
    const end = await authorizeAttempt(context, card, at);
    if (end === 'unknown') return answerUnknown(context, recordKey, at.state);
    const next = await nextAttempt(services, at.state, end, card.id);
    if (next) {
      at = next;
      continue;
    }
    const details = {
      by: recordedBy(context, services.clock.now()),
      challengeUrl: challengeUrlOf(services.config),
      answers: recordKey !== null,
    };
    const committed = await commitOutcome(services, at.state, end, details);
    // If a job was faster, the outcome that it recorded is the answer.
    return committed ?? answerOfJob(context, recordKey, at.state.payment.id);
  }
}

async function authorizeAttempt(
  context: TenantContext,
  card: RevealedCard,
  at: NextAttempt,
): Promise<Outcome | 'unknown'> {
  const { payment } = at.state;
  const attempt = lastAttemptOf(at.state);
  const startedAt = performance.now();
  try {
    return await authorizeAtProcessor(context.services, payment, attempt, card, at.connection);
  } catch (error) {
    context.services.log.warn(
      { err: error, paymentId: payment.id, transactionId: attempt.id, requestId: context.requestId },
      'The outcome of a charge is unknown.',
    );
    return 'unknown';
  } finally {
    context.answer.timings.set(
      'processor',
      (context.answer.timings.get('processor') ?? 0) + performance.now() - startedAt,
    );
  }
}

/**
 * The answer of the call that has the idempotency key. Without such a call, a status has changed since the facts were
 * read, or the order was reserved.
 */
async function answerOfFirst(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  { orderId, platformAccountId }: ChargeFacts,
): Promise<PaymentWithTransactions> {
  const { services } = context;
  const { pool } = services;
  const stored = recordKey && (await findStoredCall(pool, recordKey));
  if (stored) {
    context.answer.replayed = true;
    return earlierAnswer(services, stored.answer);
  }
  assertMayCharge(await chargingStatusOf(pool, platformAccountId));
  if (orderId !== null) throw await orderTakenError(context, orderId);
  throw new Error('A charge was not written though its idempotency key was free and it pays no order.');
}

/** The period was chargeable when its payment was planned. Since then it was closed, or the account suspended. */
async function periodClosedError({ pool }: Services, { platformAccountId }: ChargeFacts): Promise<Error> {
  assertMayCharge(await chargingStatusOf(pool, platformAccountId));
  return new Conflict('invalid_state', 'The period was closed before its charge started.');
}

/**
 * The order was payable when the facts were read. Since then it was paid or canceled, or another payment has started.
 */
async function orderTakenError({ services }: TenantContext, orderId: string): Promise<Error> {
  const { status } = await services.prisma.order.findUniqueOrThrow({
    where: { id: orderId },
    select: { status: true },
  });
  return orderNotPayable(status);
}

/** The outcome is left to the job that resolves it. If the job was faster, its answer is the stored one. */
async function answerUnknown(
  { services }: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  state: PaymentWithTransactions,
): Promise<PaymentWithTransactions> {
  await withOutageRetry({ run: () => commitUnknown(services.pool, state) });
  return recordKey ? earlierAnswer(services, await awaitStoredCall(services.pool, recordKey)) : state;
}

/** What a job has recorded for the charge: its outcome, as stored, or the next attempt of its cascade. */
async function answerOfJob(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  paymentId: string,
): Promise<PaymentWithTransactions> {
  const state = await requirePayment(context.services.prisma, { id: paymentId });
  if (state.payment.subStatus === 'processing') return answerUnknown(context, recordKey, state);
  // The payment may have changed since then.
  return recordKey ? earlierAnswer(context.services, await awaitStoredCall(context.services.pool, recordKey)) : state;
}
