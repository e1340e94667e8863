import { assertMayCharge, standingOf } from '../../auth/standing.ts';
import { throughOutage } from '../../database/through-outage.ts';
import type { KeyContext } from '../../graph/context.ts';
import { DomainError, Unavailable } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { awaitStoredCall, findStoredCall, type IdempotencyRecordKey, isReuse } from '../../write/idempotency.ts';
import { recordedBy } from '../../write/write.ts';
import { openConnection } from '../processors/public.ts';
import { onClock } from '../test-clocks/public.ts';
import { modifyAtProcessor } from './ask-processor.ts';
import { commitModificationUnknown, commitReservedEnd } from './commit-modification-end.ts';
import { earlierModification } from './modification-answer.ts';
import type { ModificationFacts } from './modification-facts.ts';
import type { Modification } from './modification-intent.ts';
import type { ReservedModification } from './modification-reserver.ts';
import type { ModificationResult } from './payment-rows.ts';
import { authorizationReferenceOf } from './payment-with-transactions.ts';
import { reserve } from './reserve-modification.ts';

/**
 * Captures, voids or refunds: facts → intent (committed) → processor → outcome (committed). An unknown outcome is left
 * to the job that asks the processor; it is not inferred.
 */
export async function modify(
  context: KeyContext,
  recordKey: IdempotencyRecordKey | null,
  request: Modification,
): Promise<ModificationResult> {
  const { services, caller } = context;
  const { inFlight, facts: readFacts } = services.modificationStatements;
  const leave = inFlight.enter(request.paymentId);
  try {
    const facts = await readFacts(caller, request.paymentId);
    return await onClock(services, facts?.testClock, () => run(context, recordKey, request, facts));
  } finally {
    leave();
  }
}

async function run(
  context: KeyContext,
  recordKey: IdempotencyRecordKey | null,
  request: Modification,
  facts: ModificationFacts | undefined,
): Promise<ModificationResult> {
  const { services } = context;
  const { type, paymentId } = request;
  const transactionId = newId('txn_', services.clock.now());
  let reserved: ReservedModification | null;
  try {
    reserved = await reserve(context, recordKey, request, facts, transactionId);
  } catch (error) {
    return answerBefore(context, recordKey, error);
  }
  if (!reserved) return answerOfFirst(context, recordKey, facts);
  const { transaction, state } = reserved;
  const connection =
    facts?.processor?.id === transaction.processorId ? openConnection(services.config, facts.processor) : undefined;
  const startedAt = performance.now();
  try {
    const outcome = await modifyAtProcessor(services, transaction, authorizationReferenceOf(state), connection);
    const by = recordedBy(context, services.clock.now());
    return await throughOutage({ run: () => commitReservedEnd(services, by, reserved, outcome) });
  } catch (error) {
    services.log.warn(
      { err: error, paymentId, transactionId, requestId: context.requestId },
      `The outcome of a ${type} is unknown.`,
    );
    const known = await throughOutage({
      run: () => commitModificationUnknown(services.pool, state.payment, transactionId),
    });
    // A job may have resolved the outcome in the meantime: then its answer is the one that is stored.
    return recordKey ? earlierModification(services, await awaitStoredCall(services.pool, recordKey)) : known;
  } finally {
    context.timings.set('processor', performance.now() - startedAt);
  }
}

/**
 * A change since the first call with the idempotency key does not change its answer. If there was no such call, or one
 * with another body, the error of this call stands: it comes before a conflict (docs/contract/05-errors.md).
 */
async function answerBefore(
  context: KeyContext,
  recordKey: IdempotencyRecordKey | null,
  error: unknown,
): Promise<ModificationResult> {
  if (!recordKey || !(error instanceof DomainError) || error instanceof Unavailable) throw error;
  const stored = await findStoredCall(context.services.pool, recordKey).catch((conflict: unknown) => {
    throw isReuse(conflict) ? error : conflict;
  });
  if (!stored) throw error;
  return replay(context, stored.answer);
}

/** The answer of the call that has the idempotency key. Without such a call, the account may not charge any more. */
async function answerOfFirst(
  context: KeyContext,
  recordKey: IdempotencyRecordKey | null,
  facts: ModificationFacts | undefined,
): Promise<ModificationResult> {
  const { pool } = context.services;
  const stored = recordKey && (await findStoredCall(pool, recordKey));
  if (stored) return replay(context, stored.answer);
  if (facts) assertMayCharge(await standingOf(pool, facts.state.payment.platformAccountId));
  throw new Error('An intent was not written though its idempotency key was free and its account may charge.');
}

function replay(context: KeyContext, answer: unknown): Promise<ModificationResult> {
  context.replayed = true;
  return earlierModification(context.services, answer);
}
