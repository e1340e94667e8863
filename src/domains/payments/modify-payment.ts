import { assertMayCharge, standingOf } from '../../auth/standing.ts';
import { tenantCondition } from '../../auth/tenancy.ts';
import type { Sql } from '../../database/sql.ts';
import { throughOutage } from '../../database/through-outage.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { awaitStoredCall, findStoredCall, type IdempotencyRecordKey } from '../../write/idempotency.ts';
import { auditsOnBehalf } from '../../write/on-behalf.ts';
import { recordParts } from '../../write/records.ts';
import { recordedBy } from '../../write/write.ts';
import { atCustomersTime } from '../test-clocks/public.ts';
import { modifyAtProcessor } from './ask-processor.ts';
import { hasTransaction } from './commit-charge-intent.ts';
import { commitModificationEnd, commitModificationUnknown } from './commit-modification-end.ts';
import { commitModificationIntent } from './commit-modification-intent.ts';
import { type Modification, type ModificationIntent, modificationIntentOf } from './modification-intent.ts';
import type { ModificationResult, PaymentRow, PaymentWithTransactions } from './payment-rows.ts';
import { authorizationReferenceOf, requirePayment, transactionOf } from './payment-with-transactions.ts';
import { readPayment } from './read-payment.ts';

/**
 * Captures, voids or refunds: intent (committed) → processor → outcome (committed). An unknown outcome is left to the
 * job that asks the processor; it is not inferred.
 */
export function modify(
  context: KeyContext,
  recordKey: IdempotencyRecordKey | null,
  request: Modification,
): Promise<ModificationResult> {
  return atCustomersTime(context, { paymentId: request.paymentId }, () => run(context, recordKey, request));
}

async function run(
  context: KeyContext,
  recordKey: IdempotencyRecordKey | null,
  request: Modification,
): Promise<ModificationResult> {
  const { services, caller } = context;
  const { type, paymentId } = request;
  const now = services.clock.now();
  const stored =
    recordKey &&
    (await findStoredCall(services.pool, recordKey).catch((conflict: unknown) =>
      refusalBefore(conflict, context, request),
    ));
  if (stored) return replay(context, stored.answer);
  const transactionId = newId('txn_', now);
  const intent = await throughOutage({
    run: () =>
      commitModificationIntent(
        services,
        {
          recordKey,
          tenant: tenantCondition(caller),
          records: (before, after) => auditsOf(context, before, after, now),
        },
        request,
        transactionId,
        (before) => modificationIntentOf(request, before, transactionId, services.clock),
      ),
    done: () => findModified(context, paymentId, transactionId),
    begins: true,
  });
  if (!intent && recordKey) return replay(context, await awaitStoredCall(services.pool, recordKey));
  if (!intent) throw new Error('An intent without an idempotency key was not written.');
  const startedAt = performance.now();
  try {
    const outcome = await modifyAtProcessor(
      services,
      transactionOf(intent, transactionId),
      authorizationReferenceOf(intent),
    );
    const by = recordedBy(context, services.clock.now());
    return await throughOutage({
      run: () => commitModificationEnd(services.pool, by, paymentId, transactionId, outcome),
    });
  } catch (error) {
    services.log.warn(
      { err: error, paymentId, transactionId, requestId: context.requestId },
      `The outcome of a ${type} is unknown.`,
    );
    const known = await throughOutage({
      run: () => commitModificationUnknown(services.pool, paymentId, transactionId),
    });
    // A job may have resolved the outcome in the meantime: then its answer is the one that is stored.
    // stored by commitModificationEnd or commitModificationUnknown
    return recordKey ? ((await awaitStoredCall(services.pool, recordKey)) as ModificationResult) : known;
  } finally {
    context.timings.set('processor', performance.now() - startedAt);
  }
}

/** The payment if it has the modification with this id, which this call has made. */
async function findModified(
  { services }: KeyContext,
  paymentId: string,
  transactionId: string,
): Promise<PaymentWithTransactions | null> {
  if (!(await hasTransaction(services.pool, transactionId))) return null;
  return requirePayment(services.prisma, { id: paymentId });
}

/** The audit row of an operator's change. It is written with the intent, since a job may record the outcome. */
function auditsOf(
  context: KeyContext,
  { payment: before }: PaymentWithTransactions,
  { payment: after, transaction: { id: transactionId, type, amount } }: ModificationIntent,
  now: Date,
): Sql[] {
  const shown = ({ status, subStatus, capturedAmount, refundedAmount, reservedAmount }: PaymentRow) => ({
    status,
    subStatus,
    capturedAmount: Number(capturedAmount),
    refundedAmount: Number(refundedAmount),
    reservedAmount: Number(reservedAmount),
  });
  const change = { ...shown(after), transactionId, type, amount: Number(amount) };
  return recordParts(
    recordedBy(context, now),
    [],
    auditsOnBehalf(context, before.id, shown(before), change),
    'reserved',
  );
}

/** A conflict comes last (docs/contract/05-errors.md): an error of this call by itself comes before it. */
async function refusalBefore(
  conflict: unknown,
  context: KeyContext,
  { paymentId, takesMoney, intend }: Modification,
): Promise<never> {
  if (!(conflict instanceof Conflict) || conflict.data['reason'] !== 'idempotency_key_reused') throw conflict;
  const before = await readPayment(context, paymentId);
  if (takesMoney) assertMayCharge(await standingOf(context.services.pool, before.payment.platformAccountId));
  intend(before, context.services.clock.now());
  throw conflict;
}

function replay(context: KeyContext, answer: unknown): ModificationResult {
  context.replayed = true;
  return answer as ModificationResult; // stored by commitModificationEnd or commitModificationUnknown
}
