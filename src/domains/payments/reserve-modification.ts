import { assertMayCharge } from '../../auth/standing.ts';
import { tenantCondition } from '../../auth/tenancy.ts';
import type { Sql } from '../../database/sql.ts';
import { throughOutage } from '../../database/through-outage.ts';
import type { KeyContext } from '../../graph/context.ts';
import type { IdempotencyRecordKey } from '../../write/idempotency.ts';
import { auditsOnBehalf } from '../../write/on-behalf.ts';
import { recordParts } from '../../write/records.ts';
import { recordedBy } from '../../write/write.ts';
import { hasTransaction } from './commit-charge-intent.ts';
import { commitModificationIntent } from './commit-modification-intent.ts';
import type { ModificationFacts } from './modification-facts.ts';
import { type Modification, type ModificationIntent, modificationIntentOf } from './modification-intent.ts';
import type { ReservedModification } from './modification-reserver.ts';
import type { PaymentRow, PaymentWithTransactions } from './payment-rows.ts';
import { noSuchPayment, requirePayment, transactionOf } from './payment-with-transactions.ts';

/**
 * Commits the intent: decided on the payment as it was read, together with others, or under its lock if it has changed
 * since then. Returns null if the idempotency key belongs to an earlier call, or the account may not charge any more.
 */
export function reserve(
  context: KeyContext,
  recordKey: IdempotencyRecordKey | null,
  request: Modification,
  facts: ModificationFacts | undefined,
  transactionId: string,
): Promise<ReservedModification | null> {
  return throughOutage<ReservedModification | null>({
    run: () => commit(context, recordKey, request, facts, transactionId),
    done: () => findReserved(context, request.paymentId, transactionId),
    begins: true,
  });
}

async function commit(
  context: KeyContext,
  recordKey: IdempotencyRecordKey | null,
  request: Modification,
  facts: ModificationFacts | undefined,
  transactionId: string,
): Promise<ReservedModification | null> {
  const { services, caller } = context;
  if (!facts) throw noSuchPayment();
  const { state, version, standing } = facts;
  const takesMoney = request.takesMoney === true;
  if (takesMoney) assertMayCharge(standing);
  // A batch does not run in the context of its calls, which may be on a test clock.
  const [now, passed, real] = [services.clock.now(), services.clock.passed(), services.clock.real()];
  const clock = { now: () => now, passed: () => passed, real: () => real };
  const decide = (before: PaymentWithTransactions) => modificationIntentOf(request, before, transactionId, clock);
  const intent = decide(state);
  const { reserve: reserveTogether, inFlight } = services.modificationStatements;
  const read = { state, version };
  const shared =
    request.also === undefined && isShareable(context, intent)
      ? await reserveTogether({ recordKey, takesMoney, read, intent, decide })
      : undefined;
  if (shared) return shared;
  const reserved = await commitModificationIntent(
    services,
    {
      recordKey,
      platformAccountId: state.payment.platformAccountId,
      tenant: tenantCondition(caller),
      records: (before, after) => auditsOf(context, before, after, now),
    },
    request,
    decide,
  );
  if (reserved?.version) inFlight.note(request.paymentId, { state: reserved.state, version: reserved.version });
  return reserved;
}

/** The payment if it has the modification with this id, which this call has made. */
async function findReserved(
  { services }: KeyContext,
  paymentId: string,
  transactionId: string,
): Promise<ReservedModification | null> {
  if (!(await hasTransaction(services.pool, transactionId))) return null;
  const state = await requirePayment(services.prisma, { id: paymentId });
  return { transaction: transactionOf(state, transactionId), refund: null, state, version: null };
}

/** A change that writes rows for which others wait, such as the head of the audit log, holds up nobody else. */
function isShareable({ onBehalf }: KeyContext, { blockRule, cancelsSubscription }: ModificationIntent): boolean {
  return onBehalf === null && blockRule === null && cancelsSubscription === null;
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
