import type { FunnelSession } from '../../generated/prisma/client.ts';
import type { Write } from '../../write/write.ts';
import { type FigureChange, placePayment } from './count-figures.ts';
import { isConversion } from './lifecycle.ts';
import type { SessionEvent } from './move-session.ts';

/** The counts of an event that moved a session from `before` to `after`, or left it where it was. */
export function figuresOfMove(before: FunnelSession, after: FunnelSession, event: SessionEvent): FigureChange[] {
  const left = { stepId: before.currentStepId, variantId: before.variantId };
  const changes: FigureChange[] = [];
  if (after !== before) {
    if (isConversion(event.type)) changes.push({ ...left, measure: 'conversions', n: 1 });
    changes.push(...figuresOfEntry(after, after.convertedAt !== null && before.convertedAt === null));
  }
  // A visitor who pays after all has not abandoned the session.
  if (before.status === 'abandoned' && after.status !== 'abandoned')
    changes.push({ ...left, measure: 'abandoned', n: -1 });
  return changes;
}

export function figuresOfEntry(
  { currentStepId: stepId, variantId }: FunnelSession,
  converted: boolean,
): FigureChange[] {
  return [
    { stepId, variantId, measure: 'views', n: 1 },
    ...(converted ? [{ stepId: '', variantId: null, measure: 'converted', n: 1 } as const] : []),
  ];
}

/** The revenue of a payment at the step where it was made, which the session may have left since. */
export async function figuresOfPayment(
  change: Write,
  before: FunnelSession,
  { type, stepId: given, variantId: ofStep, payment }: SessionEvent,
): Promise<FigureChange[]> {
  if (!payment || !isConversion(type)) return [];
  const place = { stepId: given ?? before.currentStepId, variantId: ofStep === undefined ? before.variantId : ofStep };
  const refunded = await placePayment(change, before.funnelId, { paymentId: payment.id, ...place });
  return [
    { ...place, measure: `revenue/${payment.currency}`, n: Number(payment.amount) },
    ...(refunded > 0 ? [{ ...place, measure: `refunded/${payment.currency}`, n: refunded } as const] : []),
  ];
}
