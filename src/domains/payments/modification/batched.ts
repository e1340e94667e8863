import type pg from 'pg';
import { assertMayCharge } from '../../../auth/charging-status.ts';
import { tenantCondition } from '../../../auth/tenancy.ts';
import { noSuch } from '../../../auth/visible.ts';
import type { TenantContext } from '../../../call/context.ts';
import { type BatchQueue, newBatchQueue } from '../../../database/batched.ts';
import { withOutageRetry } from '../../../database/outage-retry.ts';
import type { Sql } from '../../../database/sql.ts';
import type { ModificationOutcome } from '../../../ports/card-processor.ts';
import type { Services } from '../../../services.ts';
import { commitBatched } from '../../../unit-of-work/commit-batched.ts';
import type { IdempotencyRecordKey } from '../../../unit-of-work/idempotency.ts';
import { auditsOnBehalf, type RecordedBy, recordParts } from '../../../unit-of-work/records.ts';
import { commitPartsOf } from '../../../unit-of-work/statement.ts';
import { recordedBy } from '../../../unit-of-work/write.ts';
import type { OrderChange } from '../../orders/public.ts';
import {
  hasTransaction,
  type ModificationResult,
  type PaymentRow,
  type PaymentWithTransactions,
  type RefundRow,
  requirePayment,
  transactionById,
} from '../payment/rows.ts';
import {
  commitModificationIntent,
  type DecidedPayment,
  type EndedModification,
  type EndedPayment,
  endedParts,
  reservedParts,
} from './commit.ts';
import { endedOf, type Modification, type ModificationIntent, modificationIntentOf } from './decide.ts';
import {
  type ModificationFacts,
  modificationFactsReader,
  type PaymentsInFlight,
  paymentsInFlight,
  type ReadModificationFacts,
  type VersionedPayment,
} from './facts.ts';

/** A capture, void or refund that may be committed in a batch. */
interface RequestedModification {
  recordKey: IdempotencyRecordKey | null;
  needsChargeRight: boolean;
  /** The payment as it was read, and the intent that was decided on it. */
  read: VersionedPayment;
  intent: ModificationIntent;
  /**
   * Decides the intent on the payment as changed by the calls before it in the batch. Throws if it is no longer
   * allowed.
   */
  decide(before: PaymentWithTransactions): ModificationIntent;
}

/** A modification whose intent is committed. */
export interface ReservedModification extends Pick<ModificationIntent, 'transaction' | 'refund'> {
  /** The payment with what this call and the others of the same statement have reserved. */
  state: PaymentWithTransactions;
  /** The version of its row in that state; null if unknown. */
  version: string | null;
}

/**
 * Commits an intent. Returns undefined, and writes nothing, if the payment was changed by another process or is locked,
 * if the intent is not allowed after those before it, if the idempotency key belongs to an earlier call, or if the
 * intent takes money and the account may not charge.
 */
type ReserveModification = (requested: RequestedModification) => Promise<ReservedModification | undefined>;

/**
 * Intents of one payment that arrive together are decided in order, each on the result of those before it, and written
 * by one statement.
 */
function modificationReserver(pool: pg.Pool, queue: BatchQueue, inFlight: PaymentsInFlight): ReserveModification {
  return commitBatched<RequestedModification, ReservedModification>(pool, queue, {
    tenantOf: ({ read }) => read.state.payment.platformAccountId,
    claims: ({ recordKey }) => (recordKey ? [`${recordKey.owner} ${recordKey.operation} ${recordKey.key}`] : []),
    mayRetryAlone: () => false,
    async write(requested) {
      const decided = decideInTurn(requested, inFlight);
      const written = await commitPartsOf<DecidedInTurn, { id: string; version: string }>(
        pool,
        decided,
        ({ payment }) => payment.id,
        reservedParts(decided),
        'reserved',
      );
      const reserved = new Map<RequestedModification, ReservedModification>();
      for (const group of decided) {
        const version = written.get(group)?.version;
        inFlight.note(group.payment.id, version === undefined ? null : { state: group.state, version });
        if (version === undefined) continue;
        // The row of this version contains what all of them reserve.
        for (const { requested: call, intent } of group.calls) {
          const { transaction, refund } = intent;
          reserved.set(call, { transaction, refund, state: group.state, version });
        }
      }
      return reserved;
    },
  });
}

interface DecidedInTurn extends DecidedPayment {
  /** The payment after all of them. */
  state: PaymentWithTransactions;
  calls: (DecidedPayment['calls'][number] & { requested: RequestedModification })[];
}

/** Decides each intent on the payment as changed by those before it. One that is not allowed then is left out. */
function decideInTurn(requested: readonly RequestedModification[], inFlight: PaymentsInFlight): DecidedInTurn[] {
  const groups = new Map<string, DecidedInTurn>();
  for (const call of requested) {
    const { recordKey, needsChargeRight, read } = call;
    const { id } = read.state.payment;
    const group = groups.get(id);
    const latest = inFlight.latest(id) ?? read;
    const before = group?.state ?? latest.state;
    const intent = group || latest.version !== read.version ? decidedOrNull(call, before) : call.intent;
    if (!intent) continue;
    const { payment } = intent;
    const state = { payment, transactions: [...before.transactions, intent.transaction] };
    const decided = { recordKey, intent, requested: call };
    if (group)
      Object.assign(group, { payment, state, needsChargeRight: group.needsChargeRight || needsChargeRight }).calls.push(
        decided,
      );
    else groups.set(id, { version: latest.version, needsChargeRight, payment, state, calls: [decided] });
  }
  return [...groups.values()];
}

/** An intent that is rejected here is decided again under the lock, on current rows. */
function decidedOrNull(call: RequestedModification, before: PaymentWithTransactions): ModificationIntent | null {
  try {
    return call.decide(before);
  } catch {
    return null;
  }
}

/** The outcome of a modification whose intent this process has committed. */
interface OutcomeOfModification {
  by: RecordedBy;
  transactionId: string;
  refund: RefundRow | null;
  outcome: ModificationOutcome;
  /** The payment after its intent was committed. */
  reserved: VersionedPayment;
  /** The change of the order that the payment pays, decided on the payment after its intent was committed. */
  order: OrderChange | null;
}

/**
 * Commits an outcome and returns the answer of the call. Returns undefined, and writes nothing, if the payment was
 * changed by another process or is locked.
 */
type EndModification = (ended: OutcomeOfModification) => Promise<ModificationResult | undefined>;

/**
 * Outcomes of one payment that arrive together are applied in order, each on the result of those before it, and written
 * by one statement.
 */
function modificationEnder(pool: pg.Pool, queue: BatchQueue, inFlight: PaymentsInFlight): EndModification {
  return commitBatched<OutcomeOfModification, ModificationResult>(pool, queue, {
    tenantOf: ({ reserved }) => reserved.state.payment.platformAccountId,
    // An order follows one change of its payment at a time.
    claims: ({ reserved: { state } }) => (state.payment.orderId === null ? [] : [state.payment.id]),
    mayRetryAlone: () => false,
    async write(outcomes) {
      const ended = endInTurn(outcomes, inFlight);
      const written = await commitPartsOf<EndedInTurn, { id: string; version: string }>(
        pool,
        ended,
        ({ payment }) => payment.id,
        endedParts(ended),
        'resolved',
      );
      const results = new Map<OutcomeOfModification, ModificationResult>();
      for (const group of ended) {
        const version = written.get(group)?.version;
        inFlight.note(group.payment.id, version === undefined ? null : { state: group.state, version });
        if (version !== undefined) for (const { outcome, result } of group.ends) results.set(outcome, result);
      }
      return results;
    },
  });
}

interface EndedInTurn extends EndedPayment {
  state: PaymentWithTransactions;
  ends: (EndedModification & { outcome: OutcomeOfModification })[];
}

/** Applies each outcome to the payment as changed by those before it. One that does not apply is left out. */
function endInTurn(outcomes: readonly OutcomeOfModification[], inFlight: PaymentsInFlight): EndedInTurn[] {
  const groups = new Map<string, EndedInTurn>();
  for (const outcome of outcomes) {
    const { reserved, order } = outcome;
    const { id, orderId } = reserved.state.payment;
    const group = groups.get(id);
    const latest = (orderId === null && inFlight.latest(id)) || reserved;
    const ended = endedOrNull(outcome, group?.state ?? latest.state);
    if (!ended) continue;
    const { payment, transactions } = ended.result;
    const state = { payment, transactions };
    const end = { ...ended, order, outcome };
    if (group) Object.assign(group, { payment, state }).ends.push(end);
    else groups.set(id, { version: latest.version, payment, state, ends: [end] });
  }
  return [...groups.values()];
}

/** An outcome that does not apply to the payment as known here is retried under the lock, on current rows. */
function endedOrNull(
  { by, transactionId, refund, outcome }: OutcomeOfModification,
  before: PaymentWithTransactions,
): EndedModification | null {
  try {
    return endedOf(by, { ...before, refund }, transactionId, outcome);
  } catch {
    return null;
  }
}

/** The statements of a capture, void or refund. Calls of a process that arrive together are batched in each of them. */
export interface ModificationStatements {
  inFlight: PaymentsInFlight;
  facts: ReadModificationFacts;
  reserve: ReserveModification;
  end: EndModification;
}

export function modificationStatements({ pool }: Pick<Services, 'pool'>): ModificationStatements {
  const queue = newBatchQueue();
  const inFlight = paymentsInFlight();
  return {
    inFlight,
    facts: modificationFactsReader(pool, inFlight),
    reserve: modificationReserver(pool, queue, inFlight),
    end: modificationEnder(pool, queue, inFlight),
  };
}

/**
 * Commits the intent: in a batch, decided on the payment as it was read, or under the payment's lock if it has changed
 * since then. Returns null if the idempotency key belongs to an earlier call, or the account may not charge any more.
 */
export function reserve(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  request: Modification,
  facts: ModificationFacts | undefined,
  transactionId: string,
): Promise<ReservedModification | null> {
  return withOutageRetry<ReservedModification | null>({
    run: () => commit(context, recordKey, request, facts, transactionId),
    done: () => findReserved(context, request.paymentId, transactionId),
    begins: true,
  });
}

async function commit(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  request: Modification,
  facts: ModificationFacts | undefined,
  transactionId: string,
): Promise<ReservedModification | null> {
  const { services, tenant } = context;
  if (!facts) throw noSuch('payment');
  const { state, version, chargingStatus } = facts;
  const needsChargeRight = request.needsChargeRight === true;
  if (needsChargeRight) assertMayCharge(chargingStatus);
  // A batch does not run in the async context of its calls, which may be on a test clock.
  const [now, earliest, real] = [services.clock.now(), services.clock.earliest(), services.clock.real()];
  const clock = { now: () => now, earliest: () => earliest, real: () => real };
  const decide = (before: PaymentWithTransactions) => modificationIntentOf(request, before, transactionId, clock);
  const intent = decide(state);
  const { reserve: reserveTogether, inFlight } = services.modificationStatements;
  const read = { state, version };
  const shared =
    request.withIntent === undefined && isShareable(context, intent)
      ? await reserveTogether({ recordKey, needsChargeRight, read, intent, decide })
      : undefined;
  if (shared) return shared;
  const reserved = await commitModificationIntent(
    services,
    {
      recordKey,
      platformAccountId: state.payment.platformAccountId,
      tenant: tenantCondition(tenant),
      records: (before, after) => auditsOf(context, before, after, now),
    },
    request,
    decide,
  );
  if (reserved?.version) inFlight.note(request.paymentId, { state: reserved.state, version: reserved.version });
  return reserved;
}

/** The payment if it has the modification with this id, which this call has committed. */
async function findReserved(
  { services }: TenantContext,
  paymentId: string,
  transactionId: string,
): Promise<ReservedModification | null> {
  if (!(await hasTransaction(services.pool, transactionId))) return null;
  const state = await requirePayment(services.prisma, { id: paymentId });
  return { transaction: transactionById(state, transactionId), refund: null, state, version: null };
}

/**
 * A change that writes contended rows, such as the head of the audit log, is not batched, so that it does not delay the
 * others.
 */
function isShareable({ onBehalf }: TenantContext, { blockRule, cancelsSubscription }: ModificationIntent): boolean {
  return onBehalf === null && blockRule === null && cancelsSubscription === null;
}

/** The audit row of an operator's change. It is written with the intent, since a job may record the outcome. */
function auditsOf(
  context: TenantContext,
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
