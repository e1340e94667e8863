import { assertMayCharge, standingOf } from '../../auth/standing.ts';
import { type Sql, sql } from '../../database/sql.ts';
import { inLoneTransaction } from '../../database/transaction.ts';
import type { Services } from '../../services.ts';
import type { IdempotencyRecordKey } from '../../write/idempotency.ts';
import { commitPartsOf, rowOf } from '../../write/statement.ts';
import type { Modification, ModificationIntent } from './modification-intent.ts';
import { type DecidedPayment, reservedParts } from './modification-intent-statement.ts';
import type { ReservedModification } from './modification-reserver.ts';
import type { PaymentWithTransactions } from './payment-rows.ts';
import { lockPayment } from './payment-with-transactions.ts';

/**
 * Commits the intent of a capture, void or refund before the processor is called, under the payment's lock, so that of
 * several at the same time each sees what the one before it has reserved. If `decide` throws, nothing is written.
 * Returns null, and writes nothing, if the idempotency key belongs to an earlier call, or if the account may not charge
 * any more.
 */
export function commitModificationIntent(
  { pool, followers }: Pick<Services, 'pool' | 'followers'>,
  {
    recordKey,
    platformAccountId,
    tenant,
    records,
  }: {
    recordKey: IdempotencyRecordKey | null;
    platformAccountId: string;
    tenant: Sql;
    /** The CTEs of the records of the change; they follow `reserved`. */
    records?: (before: PaymentWithTransactions, intent: ModificationIntent) => Sql[];
  },
  { paymentId, takesMoney, also }: Pick<Modification, 'paymentId' | 'takesMoney' | 'also'>,
  decide: (before: PaymentWithTransactions) => ModificationIntent,
): Promise<ReservedModification | null> {
  return inLoneTransaction(pool, platformAccountId, async (client) => {
    const before = await lockPayment(client, paymentId, tenant);
    if (takesMoney) assertMayCharge(await standingOf(client, before.payment.platformAccountId));
    const intent = decide(before);
    await also?.assert(client, intent);
    const decided: DecidedPayment = {
      version: null,
      takesMoney: takesMoney === true,
      payment: intent.payment,
      calls: [{ recordKey, intent }],
    };
    const parts = [
      ...reservedParts([decided]),
      ...sideParts(intent, followers),
      ...(also?.parts(intent) ?? []),
      ...(records ? records(before, intent) : []),
    ];
    const written = await commitPartsOf<DecidedPayment, { id: string; version: string }>(
      client,
      [decided],
      ({ payment }) => payment.id,
      parts,
      'reserved',
    );
    const row = written.get(decided);
    const { payment, transaction, refund } = intent;
    const state = { payment, transactions: [...before.transactions, transaction] };
    return row ? { transaction, refund, state, version: row.version } : null;
  });
}

/** What the call changes beside the payment. */
function sideParts(
  { payment, blockRule, cancelsSubscription }: ModificationIntent,
  followers: Services['followers'],
): Sql[] {
  const parts: Sql[] = [];
  if (blockRule)
    parts.push(sql`blocked AS (INSERT INTO block_rules SELECT r.* FROM reserved, ${rowOf('block_rules', blockRule)})`);
  if (cancelsSubscription !== null)
    for (const follower of followers.payments)
      parts.push(...follower.cancelParts(cancelsSubscription, payment.updatedAt, 'reserved'));
  return parts;
}
