import { setTimeout as delay } from 'node:timers/promises';
import type { Env } from '../env.ts';
import type { KeyContext } from '../graph/context.ts';
import { claimPart, findStoredCall, type IdempotencyScope } from '../kit/idempotency.ts';
import { toJson } from '../kit/records.ts';
import { scopeOf, write, type Write } from '../kit/write.ts';
import { chargeOpenPeriod } from './charge-period.ts';
import type { SubscriptionRow } from './types.ts';

/**
 * A call that may charge has two effects with a processor between them: what it begins is committed first, then the charge comes to
 * its end. A repeat after a crash finds what was begun, and charges it if nobody has; the answer is kept when there is one.
 */
export async function chargedCall(
  context: KeyContext,
  operation: string,
  begin: (change: Write) => Promise<SubscriptionRow>,
): Promise<SubscriptionRow> {
  const { env } = context;
  const { id } = await write(context, operation, begin);
  const scope = scopeOf(context, `${operation}:answer`);
  if (context.replayed && scope) {
    const stored = await keptAnswer(env, scope);
    if (stored) return stored.answer as SubscriptionRow; // kept below
  }
  context.replayed = false;
  const begun = performance.now();
  await chargeOpenPeriod(context, id);
  context.timings.set('processor', performance.now() - begun);
  const answer = await withPayment(env, await env.prisma.subscription.findUniqueOrThrow({ where: { id } }));
  if (!scope) return answer;
  const values: unknown[] = [];
  await env.pool.query({
    name: 'keep-answer',
    text: claimPart(scope, id, (value) => `$${values.push(value)}`, { answer: toJson(answer) }),
    values,
  });
  // Of two calls that came to the end at once both give the answer that is kept.
  return (await findStoredCall(env.pool, scope))?.answer as SubscriptionRow; // kept by one of the two
}

const waitMs = 2_000;
const pollMs = 50;

/** Whoever began this may still be charging: then its answer comes in a moment. When it has died, nothing comes. */
async function keptAnswer({ pool }: Env, scope: IdempotencyScope) {
  for (const until = performance.now() + waitMs; ; await delay(pollMs)) {
    const stored = await findStoredCall(pool, scope);
    if (stored || performance.now() >= until) return stored;
  }
}

/** With its latest charge as it is now, so that a repeat of the call tells the same. */
async function withPayment({ prisma }: Env, subscription: SubscriptionRow): Promise<SubscriptionRow> {
  const { latestPaymentId: id } = subscription;
  return { ...subscription, latestPayment: id === null ? null : await prisma.payment.findUnique({ where: { id } }) };
}
