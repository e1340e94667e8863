import { assertMayCharge, chargingStatusOf } from '../../../auth/charging-status.ts';
import type { TenantContext } from '../../../call/context.ts';
import { withOutageRetry } from '../../../database/outage-retry.ts';
import { newId } from '../../../lib/ids.ts';
import {
  awaitStoredCall,
  findStoredCall,
  type IdempotencyRecordKey,
  withReplay,
} from '../../../unit-of-work/idempotency.ts';
import { recordedBy, recordKeyOf } from '../../../unit-of-work/write.ts';
import { openConnection } from '../../processors/public.ts';
import { onClock } from '../../test-clocks/public.ts';
import { stateColumns } from '../payment/lifecycle.ts';
import { captureAmount, voidAmount } from '../payment/policy.ts';
import { modifyAtProcessor } from '../payment/processor.ts';
import { authorizationReferenceOf, type ModificationResult, type PaymentWithTransactions } from '../payment/rows.ts';
import { earlierModification } from './answer.ts';
import { reserve } from './batched.ts';
import { commitModificationUnknown, commitReservedEnd } from './commit.ts';
import { type Modification, requireAllowed } from './decide.ts';
import type { ModificationFacts } from './facts.ts';

/**
 * Captures, voids or refunds: facts → intent (committed) → processor → outcome (committed). An unknown outcome is left
 * to the job that asks the processor; it is not inferred.
 */
export async function modify(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  request: Modification,
): Promise<ModificationResult> {
  const { services, tenant } = context;
  const { inFlight, facts: readFacts } = services.modificationStatements;
  const leave = inFlight.enter(request.paymentId);
  try {
    const facts = await readFacts(tenant, request.paymentId);
    return await onClock(services, facts?.testClock, () =>
      withReplay(
        context,
        recordKey,
        () => run(context, recordKey, request, facts),
        (stored) => earlierModification(services, stored),
      ),
    );
  } finally {
    leave();
  }
}

async function run(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  request: Modification,
  facts: ModificationFacts | undefined,
): Promise<ModificationResult> {
  const { services } = context;
  const { type, paymentId } = request;
  const transactionId = newId('txn_', services.clock.now());
  const reserved = await reserve(context, recordKey, request, facts, transactionId);
  if (!reserved) return answerOfFirst(context, recordKey, facts);
  const { transaction, state } = reserved;
  const connection =
    facts?.processor?.id === transaction.processorId ? openConnection(services.config, facts.processor) : undefined;
  const startedAt = performance.now();
  let ended: ModificationResult | null = null;
  try {
    const outcome = await modifyAtProcessor(services, transaction, authorizationReferenceOf(state), connection);
    const by = recordedBy(context, services.clock.now());
    ended = await withOutageRetry({ run: () => commitReservedEnd(services, by, reserved, outcome) });
  } catch (error) {
    services.log.warn(
      { err: error, paymentId, transactionId, requestId: context.requestId },
      `The outcome of a ${type} is unknown.`,
    );
  } finally {
    context.answer.timings.set('processor', performance.now() - startedAt);
  }
  if (ended) return ended;
  const known = await withOutageRetry({
    run: () => commitModificationUnknown(services.pool, state.payment, transactionId),
  });
  // A job, or a commit whose answer was lost, may have recorded the outcome: the stored answer is returned.
  return recordKey ? earlierModification(services, await awaitStoredCall(services.pool, recordKey)) : known;
}

/** The answer of the call that has the idempotency key. Without such a call, the account may not charge any more. */
async function answerOfFirst(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  facts: ModificationFacts | undefined,
): Promise<ModificationResult> {
  const { services } = context;
  const { pool } = services;
  const stored = recordKey && (await findStoredCall(pool, recordKey));
  if (stored) {
    context.answer.replayed = true;
    return earlierModification(services, stored.answer);
  }
  if (facts) assertMayCharge(await chargingStatusOf(pool, facts.state.payment.platformAccountId));
  throw new Error('An intent was not written though its idempotency key was free and its account may charge.');
}

/** Takes an authorized amount, or part of it. An authorization is captured once; the rest of it is released. */
export function capturePayment(
  context: TenantContext,
  { paymentId, amount }: { paymentId: string; amount?: number | null | undefined },
): Promise<PaymentWithTransactions> {
  return modify(context, recordKeyOf(context, 'capturePayment'), {
    type: 'capture',
    paymentId,
    needsChargeRight: true,
    intend: ({ payment }, now) => ({
      amount: requireAllowed(captureAmount(payment, amount ?? null, now)),
      payment: stateColumns.processing,
    }),
  });
}

/** Releases an authorization. */
export function voidPayment(context: TenantContext, paymentId: string): Promise<PaymentWithTransactions> {
  return modify(context, recordKeyOf(context, 'voidPayment'), {
    type: 'void',
    paymentId,
    intend: ({ payment }, now) => ({
      amount: requireAllowed(voidAmount(payment, now), { code: 'TRANSACTION_NOT_AUTHORIZE' }),
      payment: stateColumns.processing,
    }),
  });
}
