import type { KeyContext } from '../graph/context.ts';
import { claimPart, findStoredCall } from '../kit/idempotency.ts';
import { toJson } from '../kit/records.ts';
import { scopeOf, write, type Write } from '../kit/write.ts';
import { chargeOpenPeriod } from './charge-period.ts';
import type { SubscriptionRow } from './types.ts';

/**
 * A call that may charge has two effects with a processor between them: what it begins is committed first, then the charge comes to
 * its end. A repeat after a crash finds what was begun, and charges it if nobody has; the answer is kept when there is one.
 */
export async function chargedCall(context: KeyContext, operation: string, begin: (change: Write) => Promise<SubscriptionRow>): Promise<SubscriptionRow> {
  const { env } = context;
  const { id } = await write(context, operation, begin);
  const scope = scopeOf(context, `${operation}:answer`);
  const stored = scope && (await findStoredCall(env.pool, scope));
  if (stored) return stored.answer as SubscriptionRow; // kept below
  context.replayed = false;
  const begun = performance.now();
  await chargeOpenPeriod(context, id);
  context.timings.set('processor', performance.now() - begun);
  const answer = await env.prisma.subscription.findUniqueOrThrow({ where: { id } });
  if (!scope) return answer;
  const values: unknown[] = [];
  await env.pool.query({ name: 'keep-answer', text: claimPart(scope, id, env.clock.now(), (value) => `$${values.push(value)}`, { answer: toJson(answer) }), values });
  // Of two calls that came to the end at once both give the answer that is kept.
  return (await findStoredCall(env.pool, scope))?.answer as SubscriptionRow; // kept by one of the two
}
