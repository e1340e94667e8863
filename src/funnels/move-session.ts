import type { FunnelSession, Payment } from '../generated/prisma/client.ts';
import { Conflict } from '../kit/errors.ts';
import type { Write } from '../kit/write.ts';
import { countFigures, type FigureChange, placePayment } from './figures.ts';
import type { FunnelGraph } from './graph-rules.ts';
import { isConversion } from './lifecycle.ts';
import { edgeFor, isEnd, nodeOf } from './next-step.ts';
import { abandonedAfterMs, graphOf, sessionEvent } from './session-records.ts';
import { variantFor } from './variant-choice.ts';

export interface SessionEvent {
  id: string;
  type: string;
  data: Readonly<Record<string, unknown>>;
  /** The step it happened at; null: wherever the session stands. */
  stepId: string | null;
  /** The variant of that step, for the figures. */
  variantId?: string | null;
  payment?: Payment | undefined;
}

/** What an event did. When it led nowhere, both steps are the same. */
export interface FunnelMove {
  sessionId: string;
  fromStepId: string;
  currentStepId: string;
  variantId: string | null;
  done: boolean;
}

/**
 * Lets an event happen to a session that is locked. The same event again tells what it did the first time. An event of another step
 * than the session's moves nothing: of two at once one finds the step it was meant for. Money that came in counts in any case.
 */
export async function moveSession(change: Write, session: FunnelSession, event: SessionEvent): Promise<FunnelMove> {
  const { tx, now } = change;
  const graph = await graphOf(tx, session);
  const told = await tx.funnelEvent.findUnique({
    where: { sessionId_eventId: { sessionId: session.id, eventId: event.id } },
  });
  if (told)
    return {
      sessionId: session.id,
      fromStepId: told.fromStepId,
      currentStepId: told.toStepId,
      variantId: told.variantId,
      done: isEnd(graph, told.toStepId),
    };
  await assertRoom(tx, session.id);
  const isHere = event.stepId === null || event.stepId === session.currentStepId;
  const edge = isHere ? edgeFor(graph, session.currentStepId, await factsOf(tx, graph, session, event)) : null;
  const after = edge ? enter(graph, session, edge.target, now) : session;
  const { id: sessionId, partnerId, platformAccountId, mode } = session;
  const paymentId = event.payment?.id ?? null;
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
      paymentId,
      createdAt: now,
    },
  });
  await keep(change, session, after, event);
  await countFigures(change, session.funnelId, [
    ...figuresOf(session, after, event),
    ...(await moneyOf(change, session, event)),
  ]);
  return {
    sessionId,
    fromStepId: session.currentStepId,
    currentStepId: after.currentStepId,
    variantId: after.variantId,
    done: isEnd(graph, after.currentStepId),
  };
}

const eventsMax = 500;

async function assertRoom(tx: Write['tx'], sessionId: string): Promise<void> {
  if ((await tx.funnelEvent.count({ where: { sessionId } })) >= eventsMax)
    throw new Conflict('limit_reached', `A session takes at most ${eventsMax} events.`);
}

/** The session at its next step. */
export function enter(graph: FunnelGraph, session: FunnelSession, stepId: string, now: Date): FunnelSession {
  const node = nodeOf(graph, stepId);
  return {
    ...session,
    currentStepId: stepId,
    variantId: variantFor(session.variantKey, stepId, node.variants),
    status: isEnd(graph, stepId) ? 'completed' : 'active',
    convertedAt: session.convertedAt ?? (node.isConversion ? now : null),
  };
}

/** Writes what became of the session, and its events. */
async function keep(
  change: Write,
  before: FunnelSession,
  entered: FunnelSession,
  { type: eventType, payment }: SessionEvent,
): Promise<void> {
  const { tx, now } = change;
  const moved = entered !== before;
  const converted = entered.convertedAt !== null && before.convertedAt === null;
  const paid =
    payment && eventType !== 'payment_declined'
      ? { customerId: payment.customerId, paymentInstrumentId: payment.paymentInstrumentId }
      : {};
  const after = {
    ...entered,
    ...paid,
    moves: before.moves + (moved ? 1 : 0),
    sequence: before.sequence + (moved ? 1 : 0) + (converted ? 1 : 0),
    expiresAt: new Date(now.getTime() + abandonedAfterMs),
    updatedAt: now,
  };
  const { customerId, paymentInstrumentId, currentStepId, variantId, status, moves, convertedAt, expiresAt, sequence } =
    after;
  await tx.funnelSession.update({
    where: { id: before.id },
    data: {
      customerId,
      paymentInstrumentId,
      currentStepId,
      variantId,
      status,
      moves,
      convertedAt,
      expiresAt,
      sequence,
      updatedAt: now,
    },
  });
  if (moved) tellOfStep(change, after, before.sequence, { fromStepId: before.currentStepId, eventType, converted });
}

/** The events of having entered a step. */
export function tellOfStep(
  change: Write,
  session: FunnelSession,
  sequenceBefore: number,
  { fromStepId, eventType, converted }: { fromStepId: string | null; eventType: string | null; converted: boolean },
): void {
  change.event(sessionEvent('funnel/stepEntered', session, sequenceBefore + 1, { fromStepId, eventType }));
  if (converted) change.event(sessionEvent('funnel/converted', session, sequenceBefore + 2, { fromStepId, eventType }));
}

function figuresOf(before: FunnelSession, after: FunnelSession, event: SessionEvent): FigureChange[] {
  const changes: FigureChange[] = [];
  if (after !== before) {
    if (isConversion(event.type))
      changes.push({ stepId: before.currentStepId, variantId: before.variantId, measure: 'conversions', n: 1 });
    changes.push(...figuresOfEntry(after, after.convertedAt !== null && before.convertedAt === null));
  }
  // Whoever pays after all has not gone.
  if (before.status === 'abandoned' && after.status !== 'abandoned')
    changes.push({ stepId: before.currentStepId, variantId: before.variantId, measure: 'abandoned', n: -1 });
  return changes;
}

/** What a payment brought in, at the step it was made at, which the session may have left since. */
async function moneyOf(
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

export function figuresOfEntry(
  { currentStepId: stepId, variantId }: FunnelSession,
  converted: boolean,
): FigureChange[] {
  return [
    { stepId, variantId, measure: 'views', n: 1 },
    ...(converted ? [{ stepId: '', variantId: null, measure: 'converted', n: 1 } as const] : []),
  ];
}

/** What the expressions of the step's edges may ask; read only where there is one. */
async function factsOf(
  tx: Write['tx'],
  graph: FunnelGraph,
  session: FunnelSession,
  { id, type, data, payment }: SessionEvent,
) {
  const asked = graph.edges.some(
    ({ source, condition }) => source === session.currentStepId && condition.expression !== null,
  );
  const customerId = payment?.customerId ?? session.customerId;
  const customer = asked && customerId !== null ? await tx.customer.findUnique({ where: { id: customerId } }) : null;
  const order = asked && payment?.orderId ? await tx.order.findUnique({ where: { id: payment.orderId } }) : null;
  return {
    event: { id, type, data },
    payment,
    order: order ?? undefined,
    customer: customer
      ? { id: customer.id, email: customer.email, country: countryOf(customer.billingAddress), tags: customer.tags }
      : undefined,
    session: { id: session.id, stepId: session.currentStepId, variantId: session.variantId, moves: session.moves },
  };
}

function countryOf(address: unknown): string | null {
  return typeof address === 'object' && address !== null && 'country' in address && typeof address.country === 'string'
    ? address.country
    : null;
}
