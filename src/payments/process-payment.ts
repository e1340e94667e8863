import type { Env } from '../env.ts';
import type { KeyContext } from '../graph/context.ts';
import { blockingRule } from '../block-rules/operations.ts';
import type { PlatformClock } from '../kit/clock.ts';
import { newId } from '../kit/ids.ts';
import { awaitStoredCall, findStoredCall, type IdempotencyScope } from '../kit/idempotency.ts';
import { recordedBy, scopeOf } from '../kit/write.ts';
import { type ChargeRoute, routeOfCharge } from '../payment-flows/operations.ts';
import type { Outcome } from '../ports/card-processor.ts';
import { openConnection } from '../processors/operations.ts';
import { onClock } from '../test-clocks/operations.ts';
import { authorizeAtProcessor } from './ask-processor.ts';
import { chargeFacts, type ChargeFacts, type ChargeInput, orderNotPayable } from './charge-facts.ts';
import { commitIntent, commitSettlement, commitUnknown, commitWithoutProcessor } from './charge-statements.ts';
import { type NextAttempt, nextAttempt } from './cascade.ts';
import { challengeUrlOf } from './challenge-url.ts';
import type { PaymentWithTransactions } from './types.ts';

/** A payment whose id was stored before: with the same one it is made once. */
export interface PlannedPayment {
  paymentId: string;
  /** The period of the subscription it is for. */
  period: number;
}

/**
 * Charges a card: facts → route → intent (committed) → processor → outcome (committed), and in a cascade the last two again at the
 * next processor. The attempt's row with the processor's idempotency key is there before the processor is asked, so that whatever
 * happens in between can be found out by asking.
 */
export async function processPayment(
  context: KeyContext,
  input: ChargeInput,
  planned?: PlannedPayment,
): Promise<PaymentWithTransactions> {
  const { env } = context;
  const scope = scopeOf(context, 'processPayment');
  const facts = await chargeFacts(context, input).catch(async (error: unknown) => {
    // What has changed since the first call does not change its answer. Where there is no such call, its own refusal comes before a conflict.
    const stored = scope && (await findStoredCall(env.pool, scope).catch(() => null));
    if (!stored) throw error;
    return stored;
  });
  if ('answer' in facts) return replay(context, facts.answer);
  return onClock(env, facts.testClock, () => charge(context, scope, facts, input, planned));
}

async function charge(
  context: KeyContext,
  scope: IdempotencyScope | null,
  facts: ChargeFacts,
  input: ChargeInput,
  planned: PlannedPayment | undefined,
): Promise<PaymentWithTransactions> {
  const { env } = context;
  const now = env.clock.now();
  const id = planned?.paymentId ?? newId('payment', now);
  const rule = await blockingRule(env, facts);
  const route = rule
    ? noRoute
    : await routeOf(env, facts, { id, customerId: facts.customerId, currency: input.currency });
  const intent = intentOf(id, facts, route, input, env.clock, planned);
  const by = recordedBy(context, now);
  if (!route.first)
    return (
      (await commitWithoutProcessor(
        env.pool,
        by,
        scope,
        intent,
        rule ? { result: 'blocked', ruleId: rule.id, ruleName: rule.name } : { result: 'noProcessor' },
      )) ?? answerOfFirst(context, scope, facts.orderId)
    );
  if (!(await commitIntent(env.pool, by, scope, intent))) return answerOfFirst(context, scope, facts.orderId);
  let at: NextAttempt = { state: intent, connection: openConnection(env.config, route.first) };
  for (;;) {
    const end = await endOf(context, facts.cardId, at);
    if (end === 'unknown') return answerUnknown(context, scope, at.state);
    const next = await nextAttempt(env, at.state, end, facts.cardId);
    if (next) {
      at = next;
      continue;
    }
    const details = {
      by: recordedBy(context, env.clock.now()),
      challengeUrl: challengeUrlOf(env.config),
      answers: scope !== null,
    };
    // When a worker was faster, what it found is the answer.
    return (await commitSettlement(env.pool, at.state, end, details)) ?? answerOfWorker(context, scope, id);
  }
}

const noRoute: ChargeRoute = { first: null, rest: [] };

/** Where the charge goes: to the processor it names, by its flow, or to the account's first. Only a flow takes a statement more. */
async function routeOf(
  env: Env,
  { flow, processor }: ChargeFacts,
  charge: { id: string; customerId: string; currency: string },
): Promise<ChargeRoute> {
  return flow ? routeOfCharge(env, flow, charge) : { first: processor, rest: [] };
}

/** The answer of the call that has the Idempotency-Key; or the order was taken. */
async function answerOfFirst(
  context: KeyContext,
  scope: IdempotencyScope | null,
  orderId: string | null,
): Promise<PaymentWithTransactions> {
  const stored = scope && (await findStoredCall(context.env.pool, scope));
  if (stored) return replay(context, stored.answer);
  // Nobody has the key: what was not to be had is the order, which another payment took a moment ago, or which was cancelled.
  if (orderId !== null) throw await orderTaken(context, orderId);
  throw new Error('A charge that nothing stood against was not written.');
}

/** It was payable when it was looked at; since then it was paid, is being paid, or was cancelled. */
async function orderTaken({ env }: KeyContext, orderId: string): Promise<Error> {
  const { status } = await env.prisma.order.findUniqueOrThrow({ where: { id: orderId }, select: { status: true } });
  return orderNotPayable(status);
}

function replay(context: KeyContext, answer: unknown): PaymentWithTransactions {
  context.replayed = true;
  return answer as PaymentWithTransactions; // stored by one of the charge's statements
}

/** Nobody knows yet what became of it: the worker is to find out. It may have done so meanwhile, then its answer is the one that is kept. */
async function answerUnknown(
  { env }: KeyContext,
  scope: IdempotencyScope | null,
  state: PaymentWithTransactions,
): Promise<PaymentWithTransactions> {
  await commitUnknown(env.pool, state);
  return scope ? ((await awaitStoredCall(env.pool, scope)) as PaymentWithTransactions) : state; // stored by commitSettlement or commitUnknown
}

/** What a worker has made of the charge: settled it, or gone on with its cascade. */
async function answerOfWorker(
  context: KeyContext,
  scope: IdempotencyScope | null,
  paymentId: string,
): Promise<PaymentWithTransactions> {
  const { transactions, ...payment } = await context.env.prisma.payment.findUniqueOrThrow({
    where: { id: paymentId },
    include: { transactions: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] } },
  });
  return payment.subStatus === 'processing'
    ? answerUnknown(context, scope, { payment, transactions })
    : { payment, transactions };
}

async function endOf(
  context: KeyContext,
  cardId: string,
  { state: { payment, transactions }, connection }: NextAttempt,
): Promise<Outcome | 'unknown'> {
  const attempt = transactions.at(-1);
  if (!attempt) throw new Error(`Payment ${payment.id} has no attempt.`);
  const begun = performance.now();
  try {
    return await authorizeAtProcessor(context.env, payment, attempt, cardId, connection);
  } catch (error) {
    context.env.log.warn(
      { err: error, paymentId: payment.id, transactionId: attempt.id, requestId: context.requestId },
      'the outcome of a charge is unknown',
    );
    return 'unknown';
  } finally {
    context.timings.set('processor', (context.timings.get('processor') ?? 0) + performance.now() - begun);
  }
}

/** A flow's `force` is for cardholders: nobody could answer the challenge of a charge that the merchant initiates. */
function threeDsOf(facts: ChargeFacts, input: ChargeInput): 'automatic' | 'force' | 'skip' {
  const ofFlow = facts.flow?.threeDs ?? 'automatic';
  return input.threeDs ?? (ofFlow === 'force' && input.initiatedBy === 'merchant' ? 'automatic' : ofFlow);
}

function intentOf(
  id: string,
  facts: ChargeFacts,
  { first, rest }: ChargeRoute,
  input: ChargeInput,
  clock: PlatformClock,
  planned: PlannedPayment | undefined,
): PaymentWithTransactions {
  const now = clock.now();
  const { partnerId, platformAccountId, mode } = facts;
  const tenant = { partnerId, platformAccountId, mode };
  const money = { amount: input.amount, currency: input.currency };
  const payment = {
    id,
    ...tenant,
    storeId: facts.storeId,
    customerId: facts.customerId,
    paymentInstrumentId: facts.paymentInstrumentId,
    orderId: facts.orderId,
    subscriptionId: facts.subscriptionId,
    subscriptionPeriod: planned?.period ?? null,
    testClockId: facts.testClock?.id ?? null,
    ...money,
    capturedAmount: 0,
    refundedAmount: 0,
    reservedAmount: 0,
    disputedAmount: 0,
    status: 'pending',
    subStatus: 'processing',
    failureCode: null,
    failureMessage: null,
    requireAction: null,
    requireActionData: null,
    actionExpiresAt: null,
    authorizationExpiresAt: null,
    voidedAt: null,
    processorId: first?.id ?? null,
    paymentFlowId: facts.flow?.id ?? null,
    cascade: first && rest.length > 0 ? rest : null,
    initiatedBy: input.initiatedBy,
    reasonType: input.reasonType ?? null,
    threeDs: threeDsOf(facts, input),
    returnUrl: input.returnUrl ?? null,
    billingAddress: (input.billingAddress ?? null) as never, // an input object is plain JSON
    shippingAddress: (input.shippingAddress ?? null) as never, // as above
    metadata: (input.metadata ?? {}) as never, // the scalar has checked that it is plain JSON
    cardLast4: facts.cardLast4,
    customerEmailLower: facts.customerEmailLower,
    sequence: 1,
    createdAt: now,
    updatedAt: now,
  };
  if (first === null) return { payment, transactions: [] };
  const attempt = {
    id: newId('transaction', now),
    paymentId: payment.id,
    ...tenant,
    type: input.mode === 'auth' ? 'authorization' : 'purchase',
    status: 'processing',
    ...money,
    processorId: first.id,
    processorType: first.type,
    processorReference: null,
    failureCode: null,
    askedAt: clock.real(),
    createdAt: now,
    updatedAt: now,
  };
  return { payment, transactions: [attempt] };
}
