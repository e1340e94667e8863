import { requireRow, visible } from '../../../auth/visible.ts';
import type { TenantContext } from '../../../call/context.ts';
import { type FunnelSession, type Payment, Prisma } from '../../../generated/prisma/client.ts';
import { Conflict, invalid } from '../../../lib/errors.ts';
import { randomBase62 } from '../../../lib/ids.ts';
import { type Write, write } from '../../../unit-of-work/write.ts';
import { countFigures, figuresOfMove, figuresOfPayment } from '../figures.ts';
import { edgeFor, enterStep, factsOf, isEnd, recordStepEvents } from '../graph/next-step.ts';
import { eventOfPayment, paymentEvents } from '../graph/rules.ts';
import type { FunnelEventInput } from '../inputs.ts';
import { abandonedAfterMs, graphOf, lockSession, updateSession } from './rows.ts';

export interface SessionEvent {
  id: string;
  type: string;
  data: Readonly<Record<string, unknown>>;
  /** The step at which it happened; null for the current step of the session. */
  stepId: string | null;
  /** The variant of that step, for the figures. */
  variantId?: string | null;
  payment?: Payment | undefined;
}

/** The result of an event. Both steps are the same if no edge was taken. */
export interface FunnelMove {
  sessionId: string;
  fromStepId: string;
  currentStepId: string;
  variantId: string | null;
  done: boolean;
}

/**
 * Applies an event to a locked session. An event that was applied before returns its first result. An event of a step
 * other than the current one does not move the session, so that only one of two concurrent events does. Its payment
 * counts as revenue in any case.
 */
export async function moveSession(change: Write, session: FunnelSession, event: SessionEvent): Promise<FunnelMove> {
  const { tx, now } = change;
  const graph = await graphOf(tx, session);
  const recorded = await tx.funnelEvent.findUnique({
    where: { sessionId_eventId: { sessionId: session.id, eventId: event.id } },
  });
  if (recorded)
    return {
      sessionId: session.id,
      fromStepId: recorded.fromStepId,
      currentStepId: recorded.toStepId,
      variantId: recorded.variantId,
      done: isEnd(graph, recorded.toStepId),
    };
  await assertRoom(tx, session.id);
  const isHere = event.stepId === null || event.stepId === session.currentStepId;
  const edge = isHere ? edgeFor(graph, session.currentStepId, await factsOf(tx, graph, session, event)) : null;
  const after = edge ? enterStep(graph, session, edge.target, now) : session;
  const { id: sessionId, partnerId, platformAccountId, mode } = session;
  await tx.funnelEvent.create({
    data: {
      sessionId,
      eventId: event.id,
      partnerId,
      platformAccountId,
      mode,
      type: event.type,
      fromStepId: session.currentStepId,
      toStepId: after.currentStepId,
      variantId: after.variantId,
      paymentId: event.payment?.id ?? null,
      createdAt: now,
    },
  });
  const done = isEnd(graph, after.currentStepId);
  await storeSession(change, session, after, event, done);
  await countFigures(change, session.funnelId, [
    ...figuresOfMove(session, after, event),
    ...(await figuresOfPayment(change, session, event)),
  ]);
  return {
    sessionId,
    fromStepId: session.currentStepId,
    currentStepId: after.currentStepId,
    variantId: after.variantId,
    done,
  };
}

const eventsMax = 500;

async function assertRoom(tx: Write['tx'], sessionId: string): Promise<void> {
  if ((await tx.funnelEvent.count({ where: { sessionId } })) >= eventsMax)
    throw new Conflict('limit_reached', `A session takes at most ${eventsMax} events.`);
}

/** Stores the session after an event, and records the events of a move. */
async function storeSession(
  change: Write,
  before: FunnelSession,
  entered: FunnelSession,
  { type: eventType, payment }: SessionEvent,
  done: boolean,
): Promise<void> {
  const { tx, now } = change;
  const hasMoved = entered !== before;
  const converted = entered.convertedAt !== null && before.convertedAt === null;
  const paid =
    payment && eventType !== 'payment_declined'
      ? { customerId: payment.customerId, paymentInstrumentId: payment.paymentInstrumentId }
      : {};
  const after = {
    ...entered,
    ...paid,
    moves: before.moves + (hasMoved ? 1 : 0),
    sequence: before.sequence + (hasMoved ? 1 : 0) + (converted ? 1 : 0),
    expiresAt: new Date(now.getTime() + abandonedAfterMs),
    updatedAt: now,
  };
  await updateSession(tx, after);
  if (hasMoved) recordStepEvents(change, after, before.sequence, { converted, done });
}

const dataBytesMax = 4_096;

/** Applies an event that the merchant's server reports. An event about a payment is checked against that payment. */
export async function nextFunnelStep(
  context: TenantContext,
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
    throw invalid('event.data.paymentId', `is required: ${type} requires a payment`);
  // The step that the caller saw. If another event moves the session first, this event does not apply to the new step.
  const seen = await visible(context, 'funnelSession', sessionId);
  return write(context, 'nextFunnelStep', async (change) => {
    const session = await lockSession(change.tx, sessionId);
    if (session.status === 'abandoned' || session.expiresAt <= change.earliest)
      throw new Conflict('invalid_state', 'The session expired after 24 hours of inactivity.');
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
    // Another session recorded the same payment concurrently: `paymentId` is unique among the events.
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') throw paymentUsedError();
    throw error;
  });
}

function isPaymentEvent(type: string): boolean {
  return paymentEvents.includes(type) || type === 'offer_accepted';
}

/** A payment of the session's store that has the reported outcome and has moved no other session. */
async function paymentOf(
  tx: Write['tx'],
  session: FunnelSession,
  event: { id: string | null; type: string; paymentId: string },
): Promise<Payment> {
  const { storeId, platformAccountId, mode } = session;
  const payment = await requireRow(tx, 'payment', { id: event.paymentId, storeId, platformAccountId, mode });
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
  return new Conflict('already_exists', 'The payment was already used for a session.');
}
