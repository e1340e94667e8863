import { setTimeout as delay } from 'node:timers/promises';
import { execute } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import { toJson } from '../../kit/json.ts';
import type { Services } from '../../services.ts';
import { claimPart, findStoredCall, type IdempotencyRecordKey } from '../../write/idempotency.ts';
import { recordKeyOf, type Write, write } from '../../write/write.ts';
import { chargeOpenPeriod } from './charge-period.ts';
import { type FailedCharge, paymentFailedError } from './failed-change.ts';
import type { SubscriptionRow } from './types.ts';

/**
 * A call that may charge changes the database before and after it calls a processor: the period is opened and committed
 * first, then it is charged. A repeat after a crash finds the open period and charges it if no process has. The answer
 * is stored once there is one.
 */
export async function chargedCall(
  context: KeyContext,
  operation: string,
  open: (change: Write) => Promise<SubscriptionRow>,
  failureOf: (services: Services, opened: SubscriptionRow) => Promise<FailedCharge | null> = async () => null,
): Promise<SubscriptionRow> {
  const { services } = context;
  const opened = await write(context, operation, open);
  const { id } = opened;
  const recordKey = recordKeyOf(context, `${operation}:answer`);
  if (context.replayed && recordKey) {
    const stored = await findStoredAnswer(services, recordKey);
    if (stored) return rowOf(stored.answer as StoredAnswer); // stored below
  }
  context.replayed = false;
  const startedAt = performance.now();
  await chargeOpenPeriod(context, id);
  context.timings.set('processor', performance.now() - startedAt);
  const failed = await failureOf(services, opened);
  const answer: StoredAnswer = failed
    ? { failed }
    : await withPayment(services, await services.prisma.subscription.findUniqueOrThrow({ where: { id } }));
  if (!recordKey) return rowOf(answer);
  await execute(services.pool, claimPart(recordKey, id, { answer: toJson(answer) }));
  // Of two calls that finish at the same time, both return the stored answer.
  return rowOf((await findStoredCall(services.pool, recordKey))?.answer as StoredAnswer); // stored by one of the two
}

/** An answer as it is stored. A repeat of a call whose charge failed is refused again. */
type StoredAnswer = SubscriptionRow | { failed: FailedCharge };

function rowOf(answer: StoredAnswer): SubscriptionRow {
  if ('failed' in answer) throw paymentFailedError(answer.failed);
  return answer;
}

const waitMs = 2_000;
const pollMs = 50;

/** Waits for the answer of the first call, which may still be charging. Null if it died. */
async function findStoredAnswer({ pool }: Services, recordKey: IdempotencyRecordKey) {
  for (const until = performance.now() + waitMs; ; await delay(pollMs)) {
    const stored = await findStoredCall(pool, recordKey);
    if (stored || performance.now() >= until) return stored;
  }
}

/** Adds the latest payment as it is now, so that a repeat of the call returns the same. */
async function withPayment({ prisma }: Services, subscription: SubscriptionRow): Promise<SubscriptionRow> {
  const { latestPaymentId: id } = subscription;
  return { ...subscription, latestPayment: id === null ? null : await prisma.payment.findUnique({ where: { id } }) };
}
