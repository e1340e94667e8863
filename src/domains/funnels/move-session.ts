import type { FunnelSession, Payment } from '../../generated/prisma/client.ts';
import { Conflict } from '../../kit/errors.ts';
import type { Write } from '../../write/write.ts';
import { countFigures } from './count-figures.ts';
import { enterStep, recordStepEvents } from './enter-step.ts';
import { factsOf } from './expression-facts.ts';
import { edgeFor, isEnd } from './next-step.ts';
import { figuresOfMove, figuresOfPayment } from './session-figures.ts';
import { abandonedAfterMs, graphOf } from './session-records.ts';

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
 * Applies an event to a locked session. An event that was applied before returns its first result. An event of another
 * step than the current one moves nothing, so that of two events at once only one moves the session. Its payment counts
 * as revenue in any case.
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
  await tx.funnelSession.update({
    where: { id: before.id },
    data: {
      customerId: after.customerId,
      paymentInstrumentId: after.paymentInstrumentId,
      currentStepId: after.currentStepId,
      variantId: after.variantId,
      status: after.status,
      moves: after.moves,
      convertedAt: after.convertedAt,
      expiresAt: after.expiresAt,
      sequence: after.sequence,
      updatedAt: after.updatedAt,
    },
  });
  if (hasMoved) recordStepEvents(change, after, before.sequence, { converted, done });
}
