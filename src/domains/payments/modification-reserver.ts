import type pg from 'pg';
import type { Turns } from '../../database/together.ts';
import { commitTogether } from '../../write/commit-together.ts';
import type { IdempotencyRecordKey } from '../../write/idempotency.ts';
import { commitPartsOf } from '../../write/statement.ts';
import type { ModificationIntent } from './modification-intent.ts';
import { type DecidedPayment, reservedParts } from './modification-intent-statement.ts';
import type { PaymentWithTransactions } from './payment-rows.ts';
import type { PaymentsInFlight, VersionedPayment } from './payments-in-flight.ts';

/** A capture, void or refund that may be committed together with others. */
interface AskedModification {
  recordKey: IdempotencyRecordKey | null;
  takesMoney: boolean;
  /** The payment as it was read, and the intent on it. */
  read: VersionedPayment;
  intent: ModificationIntent;
  /** The intent on the payment as others of the batch leave it. Throws if it is not allowed any more. */
  decide(before: PaymentWithTransactions): ModificationIntent;
}

/** A modification whose intent is committed. */
export interface ReservedModification extends Pick<ModificationIntent, 'transaction' | 'refund'> {
  /** The payment with what it has reserved, and what others of the same statement have. */
  state: PaymentWithTransactions;
  /** The version of its row in that state; null if it is not known. */
  version: string | null;
}

/**
 * Commits an intent. Returns undefined, and writes nothing, if the payment was changed by another process or is locked,
 * if the intent is not allowed after those before it, if the idempotency key belongs to an earlier call, or if money is
 * taken and the account may not charge.
 */
export type ReserveModification = (asked: AskedModification) => Promise<ReservedModification | undefined>;

/** Those of one payment that arrive together are decided one after the other, and written by the same statement. */
export function modificationReserver(pool: pg.Pool, turns: Turns, inFlight: PaymentsInFlight): ReserveModification {
  return commitTogether<AskedModification, ReservedModification>(pool, turns, {
    tenantOf: ({ read }) => read.state.payment.platformAccountId,
    claims: ({ recordKey }) => (recordKey ? [`${recordKey.owner} ${recordKey.operation} ${recordKey.key}`] : []),
    mayBeWrittenAlone: () => false,
    async write(asked) {
      const decided = decideInTurn(asked, inFlight);
      const written = await commitPartsOf<DecidedInTurn, { id: string; version: string }>(
        pool,
        decided,
        ({ payment }) => payment.id,
        reservedParts(decided),
        'reserved',
      );
      const reserved = new Map<AskedModification, ReservedModification>();
      for (const group of decided) {
        const version = written.get(group)?.version;
        inFlight.note(group.payment.id, version === undefined ? null : { state: group.state, version });
        if (version === undefined) continue;
        // The row of this version has what all of them reserve.
        for (const { asked: call, intent } of group.calls) {
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
  calls: (DecidedPayment['calls'][number] & { asked: AskedModification })[];
}

/** Decides each on the payment as those before it leave it. One that is not allowed then is left out. */
function decideInTurn(asked: readonly AskedModification[], inFlight: PaymentsInFlight): DecidedInTurn[] {
  const groups = new Map<string, DecidedInTurn>();
  for (const call of asked) {
    const { recordKey, takesMoney, read } = call;
    const { id } = read.state.payment;
    const group = groups.get(id);
    const latest = inFlight.latest(id) ?? read;
    const before = group?.state ?? latest.state;
    const intent = group || latest.version !== read.version ? decidedOrNull(call, before) : call.intent;
    if (!intent) continue;
    const { payment } = intent;
    const state = { payment, transactions: [...before.transactions, intent.transaction] };
    const decided = { recordKey, intent, asked: call };
    if (group) Object.assign(group, { payment, state, takesMoney: group.takesMoney || takesMoney }).calls.push(decided);
    else groups.set(id, { version: latest.version, takesMoney, payment, state, calls: [decided] });
  }
  return [...groups.values()];
}

/** What is refused here is decided again under the lock, where nothing is late. */
function decidedOrNull(call: AskedModification, before: PaymentWithTransactions): ModificationIntent | null {
  try {
    return call.decide(before);
  } catch {
    return null;
  }
}
