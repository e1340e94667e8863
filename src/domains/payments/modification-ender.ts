import type pg from 'pg';
import type { Turns } from '../../database/together.ts';
import type { ModificationOutcome } from '../../ports/card-processor.ts';
import { commitTogether } from '../../write/commit-together.ts';
import type { RecordedBy } from '../../write/records.ts';
import { commitPartsOf } from '../../write/statement.ts';
import type { OrderChange } from '../orders/public.ts';
import { modificationEndOf } from './modification-end.ts';
import { type EndedModification, type EndedPayment, endedParts } from './modification-end-statement.ts';
import type { ModificationResult, PaymentWithTransactions, RefundRow } from './payment-rows.ts';
import { transactionOf } from './payment-with-transactions.ts';
import type { PaymentsInFlight, VersionedPayment } from './payments-in-flight.ts';

/** The outcome of a modification whose intent this process has committed. */
interface OutcomeOfModification {
  by: RecordedBy;
  transactionId: string;
  refund: RefundRow | null;
  outcome: ModificationOutcome;
  /** The payment as the intent has left it. */
  reserved: VersionedPayment;
  /** The change of the order that the payment pays, decided on the payment as the intent has left it. */
  order: OrderChange | null;
}

/**
 * Commits an outcome and returns what the call answers. Returns undefined, and writes nothing, if the payment was
 * changed by another process or is locked.
 */
export type EndModification = (ended: OutcomeOfModification) => Promise<ModificationResult | undefined>;

/** Those of one payment that arrive together are applied one after the other, and written by the same statement. */
export function modificationEnder(pool: pg.Pool, turns: Turns, inFlight: PaymentsInFlight): EndModification {
  return commitTogether<OutcomeOfModification, ModificationResult>(pool, turns, {
    tenantOf: ({ reserved }) => reserved.state.payment.platformAccountId,
    // The order follows one change of its payment at a time.
    claims: ({ reserved: { state } }) => (state.payment.orderId === null ? [] : [state.payment.id]),
    mayBeWrittenAlone: () => false,
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

/** Applies each to the payment as those before it leave it. One that does not apply is left out. */
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

/** What does not apply to the payment as it is known here is tried again under the lock, where nothing is late. */
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

/** The outcome of a modification applied to its payment, without its order. Throws if it has ended before. */
export function endedOf(
  by: RecordedBy,
  before: ModificationResult,
  transactionId: string,
  outcome: ModificationOutcome,
): EndedModification {
  const transaction = transactionOf(before, transactionId);
  if (transaction.status !== 'processing') throw new Error(`Transaction ${transactionId} has ended.`);
  const end = modificationEndOf(before.payment, transaction, outcome, by.now);
  const { refund } = before;
  const result: ModificationResult = {
    payment: end.payment,
    transactions: before.transactions.map((other) => (other === transaction ? end.transaction : other)),
    refund: refund && end.refundStatus ? { ...refund, status: end.refundStatus, updatedAt: by.now } : refund,
  };
  return { by, before: before.payment, end, result, order: null };
}
