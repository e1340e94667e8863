import type { KeyContext } from '../graph/context.ts';
import { blockingRule } from '../block-rules/operations.ts';
import type { PlatformClock } from '../kit/clock.ts';
import { newId } from '../kit/ids.ts';
import { awaitStoredCall, findStoredCall, type IdempotencyScope } from '../kit/idempotency.ts';
import { recordedBy, scopeOf } from '../kit/write.ts';
import type { Outcome } from '../ports/card-processor.ts';
import type { ProcessorConnection } from '../ports/processor-connection.ts';
import { openConnection } from '../processors/operations.ts';
import { onClock } from '../test-clocks/operations.ts';
import { authorizeAtProcessor } from './ask-processor.ts';
import { chargeFacts, type ChargeFacts, type ChargeInput, orderNotPayable } from './charge-facts.ts';
import { commitIntent, commitSettlement, commitUnknown, commitWithoutProcessor } from './charge-statements.ts';
import { challengeUrlOf } from './challenge-url.ts';
import type { PaymentRow, PaymentWithTransactions, TransactionRow } from './types.ts';

/** A payment whose id was stored before: with the same one it is made once. */
export interface PlannedPayment {
  paymentId: string;
  /** The period of the subscription it is for. */
  period: number;
}

/**
 * Charges a card: facts → intent (committed) → processor → outcome (committed). The attempt's row with the processor's
 * idempotency key is there before the processor is asked, so that whatever happens in between can be found out by asking.
 */
export async function processPayment(context: KeyContext, input: ChargeInput, planned?: PlannedPayment): Promise<PaymentWithTransactions> {
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

async function charge(context: KeyContext, scope: IdempotencyScope | null, facts: ChargeFacts, input: ChargeInput, planned: PlannedPayment | undefined): Promise<PaymentWithTransactions> {
  const { env } = context;
  const now = env.clock.now();
  const rule = await blockingRule(env, facts);
  const intent = intentOf(rule ? { ...facts, processorId: null } : facts, input, env.clock, planned);
  const [attempt] = intent.transactions;
  const by = recordedBy(context, now);
  if (!attempt) return (await commitWithoutProcessor(env.pool, by, scope, intent, rule ? { result: 'blocked', ruleId: rule.id, ruleName: rule.name } : { result: 'noProcessor' })) ?? answerOfFirst(context, scope, facts.orderId);
  if (!(await commitIntent(env.pool, by, scope, intent))) return answerOfFirst(context, scope, facts.orderId);
  const end = await endOf(context, facts, intent.payment, attempt);
  if (end === 'unknown') {
    await commitUnknown(env.pool, intent);
    // A worker may have found out meanwhile: then its answer is the one that is kept.
    return scope ? ((await awaitStoredCall(env.pool, scope)) as PaymentWithTransactions) : intent; // stored by commitSettlement or commitUnknown
  }
  const details = { by: recordedBy(context, env.clock.now()), challengeUrl: challengeUrlOf(env.config), answers: scope !== null };
  // When a worker was faster, what it found is the answer.
  return (await commitSettlement(env.pool, intent, end, details)) ?? readSettled(context, intent.payment.id);
}

/** The answer of the call that has the Idempotency-Key; or the order was taken. */
async function answerOfFirst(context: KeyContext, scope: IdempotencyScope | null, orderId: string | null): Promise<PaymentWithTransactions> {
  const stored = scope && (await findStoredCall(context.env.pool, scope));
  if (stored) return replay(context, stored.answer);
  // Nobody has the key: what was not to be had is the order, which another payment took a moment ago.
  if (orderId !== null) throw orderNotPayable('pending');
  throw new Error('A charge that nothing stood against was not written.');
}

function replay(context: KeyContext, answer: unknown): PaymentWithTransactions {
  context.replayed = true;
  return answer as PaymentWithTransactions; // stored by one of the charge's statements
}

async function endOf(context: KeyContext, facts: ChargeFacts, payment: PaymentRow, attempt: TransactionRow): Promise<Outcome | 'unknown'> {
  const begun = performance.now();
  try {
    return await authorizeAtProcessor(context.env, payment, attempt, facts.cardId, connectionOf(context.env, facts));
  } catch (error) {
    context.env.log.warn({ err: error, paymentId: payment.id, transactionId: attempt.id, requestId: context.requestId }, 'the outcome of a charge is unknown');
    return 'unknown';
  } finally {
    context.timings.set('processor', performance.now() - begun);
  }
}

function connectionOf({ config }: KeyContext['env'], { processorId, processorOptions, processorSecrets }: ChargeFacts): ProcessorConnection | undefined {
  return processorId === null ? undefined : openConnection(config, { id: processorId, options: processorOptions, secrets: processorSecrets });
}

function intentOf(facts: ChargeFacts, input: ChargeInput, clock: PlatformClock, planned: PlannedPayment | undefined): PaymentWithTransactions {
  const now = clock.now();
  const { partnerId, platformAccountId, mode, processorId, processorType } = facts;
  const tenant = { partnerId, platformAccountId, mode };
  const money = { amount: input.amount, currency: input.currency };
  const payment = {
    id: planned?.paymentId ?? newId('payment', now),
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
    status: 'pending',
    subStatus: 'processing',
    failureCode: null,
    failureMessage: null,
    requireAction: null,
    requireActionData: null,
    actionExpiresAt: null,
    authorizationExpiresAt: null,
    voidedAt: null,
    processorId,
    initiatedBy: input.initiatedBy,
    reasonType: input.reasonType ?? null,
    threeDs: input.threeDs,
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
  if (processorId === null) return { payment, transactions: [] };
  const attempt = { id: newId('transaction', now), paymentId: payment.id, ...tenant, type: input.mode === 'auth' ? 'authorization' : 'purchase', status: 'processing', ...money, processorId, processorType, processorReference: null, failureCode: null, askedAt: clock.real(), createdAt: now, updatedAt: now };
  return { payment, transactions: [attempt] };
}

async function readSettled(context: KeyContext, paymentId: string): Promise<PaymentWithTransactions> {
  const { transactions, ...payment } = await context.env.prisma.payment.findUniqueOrThrow({ where: { id: paymentId }, include: { transactions: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] } } });
  return { payment, transactions };
}
