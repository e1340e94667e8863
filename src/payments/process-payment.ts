import type { KeyContext } from '../graph/context.ts';
import { newId } from '../kit/ids.ts';
import { awaitStoredCall, findStoredCall } from '../kit/idempotency.ts';
import { recordedBy, scopeOf } from '../kit/write.ts';
import { authorizeAtProcessor } from './ask-processor.ts';
import { chargeFacts, type ChargeFacts, type ChargeInput } from './charge-facts.ts';
import { commitIntent, commitSettlement, commitUnknown } from './charge-statements.ts';
import { challengeUrlOf } from './challenge-url.ts';
import type { AttemptEnd } from './lifecycle.ts';
import type { PaymentWithTransactions } from './types.ts';

/**
 * Charges a card: facts → intent (committed) → processor → outcome (committed). The attempt's row with the processor's
 * idempotency key is there before the processor is asked, so that whatever happens in between can be found out by asking.
 */
export async function processPayment(context: KeyContext, input: ChargeInput): Promise<PaymentWithTransactions> {
  const { env } = context;
  const scope = scopeOf(context, 'processPayment');
  const facts = await chargeFacts(context, input).catch(async (error: unknown) => {
    // What has changed since the first call does not change its answer.
    const stored = scope && (await findStoredCall(env.pool, scope));
    if (!stored) throw error;
    return stored;
  });
  if ('answer' in facts) return replay(context, facts.answer);
  const now = env.clock.now();
  const intent = intentOf(facts, input, now);
  if (!(await commitIntent(env.pool, recordedBy(context, now), scope, intent)) && scope) {
    return replay(context, await awaitStoredCall(env.pool, scope));
  }
  const end = await endOf(context, facts, intent);
  if (end === 'unknown') {
    await commitUnknown(env.pool, intent);
    return intent;
  }
  const details = { by: recordedBy(context, env.clock.now()), challengeUrl: challengeUrlOf(env.config), answers: scope !== null };
  // When a worker was faster, what it found is the answer.
  return (await commitSettlement(env.pool, intent, end, details)) ?? readSettled(context, intent.payment.id);
}

function replay(context: KeyContext, answer: unknown): PaymentWithTransactions {
  context.replayed = true;
  return answer as PaymentWithTransactions; // stored by commitSettlement or commitUnknown
}

async function endOf(context: KeyContext, facts: ChargeFacts, { payment, transactions: [attempt] }: PaymentWithTransactions): Promise<AttemptEnd | 'unknown'> {
  if (!attempt) return { result: 'noProcessor' };
  const begun = performance.now();
  try {
    return await authorizeAtProcessor(context.env, payment, attempt, facts.cardId);
  } catch (error) {
    context.env.log.warn({ err: error, paymentId: payment.id, transactionId: attempt.id, requestId: context.requestId }, 'the outcome of a charge is unknown');
    return 'unknown';
  } finally {
    context.timings.set('processor', performance.now() - begun);
  }
}

function intentOf(facts: ChargeFacts, input: ChargeInput, now: Date): PaymentWithTransactions {
  const { partnerId, platformAccountId, mode, processorId, processorType } = facts;
  const tenant = { partnerId, platformAccountId, mode };
  const money = { amount: input.amount, currency: input.currency };
  const payment = {
    id: newId('payment', now),
    ...tenant,
    storeId: facts.storeId,
    customerId: facts.customerId,
    paymentInstrumentId: facts.paymentInstrumentId,
    ...money,
    capturedAmount: 0,
    refundedAmount: 0,
    status: 'pending',
    subStatus: 'processing',
    failureCode: null,
    failureMessage: null,
    requireAction: null,
    requireActionData: null,
    actionExpiresAt: null,
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
  const attempt = { id: newId('transaction', now), paymentId: payment.id, ...tenant, type: 'purchase', status: 'processing', ...money, processorId, processorType, processorReference: null, failureCode: null, askedAt: now, createdAt: now, updatedAt: now };
  return { payment, transactions: [attempt] };
}

async function readSettled(context: KeyContext, paymentId: string): Promise<PaymentWithTransactions> {
  const { transactions, ...payment } = await context.env.prisma.payment.findUniqueOrThrow({ where: { id: paymentId }, include: { transactions: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] } } });
  return { payment, transactions };
}
