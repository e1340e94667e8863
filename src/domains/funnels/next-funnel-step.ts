import { type FunnelSession, type Payment, Prisma } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict, invalid } from '../../kit/errors.ts';
import { randomBase62 } from '../../kit/ids.ts';
import { type Write, write } from '../../write/write.ts';
import { noSuchPayment } from '../payments/public.ts';
import type { FunnelEventInput } from './inputs.ts';
import { eventOfPayment, paymentEvents } from './lifecycle.ts';
import { type FunnelMove, moveSession } from './move-session.ts';
import { readFunnelSession } from './read-funnel-session.ts';
import { lockSession } from './session-records.ts';

const dataBytesMax = 4_096;

/** Applies an event that the merchant's server reports. An event about a payment is checked against that payment. */
export async function nextFunnelStep(
  context: KeyContext,
  sessionId: string,
  { id, type, data }: typeof FunnelEventInput.$inferInput,
  fromStepId: string | null,
): Promise<FunnelMove> {
  if (JSON.stringify(data ?? {}).length > dataBytesMax)
    throw invalid('event.data', `must have at most ${dataBytesMax} characters as JSON`);
  const paymentId = data?.['paymentId'];
  if (paymentId !== undefined && typeof paymentId !== 'string')
    throw invalid('event.data.paymentId', 'must be the id of a payment, prefix pay_');
  if (paymentId === undefined && paymentEvents.includes(type))
    throw invalid('event.data.paymentId', `is required: ${type} is believed of a payment only`);
  // The step the caller saw. If another event moves the session first, this event does not apply to the new step.
  const seen = await readFunnelSession(context, sessionId);
  return write(context, 'nextFunnelStep', async (change) => {
    const session = await lockSession(change.tx, sessionId);
    if (session.status === 'abandoned' || session.expiresAt <= change.passed)
      throw new Conflict('invalid_state', 'The session is over: nothing happened in it for a day.');
    const payment =
      paymentId === undefined || !isPaymentEvent(type)
        ? undefined
        : await paymentOf(change.tx, session, { id: id ?? null, type, paymentId });
    return moveSession(change, session, {
      id: id ?? `evt_${randomBase62(22)}`,
      type,
      data: data ?? {},
      stepId: fromStepId ?? seen.currentStepId,
      payment,
    });
  }).catch((error: unknown) => {
    // Another session recorded the same payment at the same time: `paymentId` is unique among the events.
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') throw paymentUsedError();
    throw error;
  });
}

function isPaymentEvent(type: string): boolean {
  return paymentEvents.includes(type) || type === 'offer_accepted';
}

/** A payment of the session's store that has the outcome the event reports and has moved no other session. */
async function paymentOf(
  tx: Write['tx'],
  session: FunnelSession,
  event: { id: string | null; type: string; paymentId: string },
): Promise<Payment> {
  const { storeId, platformAccountId, mode } = session;
  const payment = await tx.payment.findFirst({ where: { id: event.paymentId, storeId, platformAccountId, mode } });
  if (!payment) throw noSuchPayment();
  if (eventOfPayment(payment.status, event.type === 'offer_accepted' ? 'offer' : 'checkout') !== event.type)
    throw new Conflict(
      'invalid_state',
      `The payment is ${payment.status.replaceAll('_', ' ')}: it is no ${event.type}.`,
    );
  const used = await tx.funnelEvent.findUnique({ where: { paymentId: payment.id } });
  if (used && !(used.sessionId === session.id && used.eventId === event.id)) throw paymentUsedError();
  const funnelOrder =
    payment.orderId === null ? null : await tx.funnelOrder.findUnique({ where: { orderId: payment.orderId } });
  if (funnelOrder && funnelOrder.sessionId !== session.id) throw paymentUsedError();
  return payment;
}

function paymentUsedError(): Conflict {
  return new Conflict('already_exists', 'The payment has moved a session already.');
}
