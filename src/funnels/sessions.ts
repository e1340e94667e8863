import { tenantOf } from '../auth/tenancy.ts';
import { noSuchCustomer } from '../customers/operations.ts';
import { type Funnel, type FunnelSession, type Payment, Prisma, type Store } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { Conflict, invalid, NotFound } from '../kit/errors.ts';
import { newId, randomBase62 } from '../kit/ids.ts';
import { write, type Write } from '../kit/write.ts';
import { noSuchPayment } from '../payments/operations.ts';
import { atStore } from '../stores/operations.ts';
import { checkoutToken, tokenHashOf } from './checkout-token.ts';
import { countFigures } from './figures.ts';
import { eventOfPayment, paymentEvents } from './lifecycle.ts';
import { enter, figuresOfEntry, type FunnelMove, moveSession, tellOfStep } from './move-session.ts';
import { entryOf } from './next-step.ts';
import { noSuchFunnel } from './funnel-records.ts';
import { abandonedAfterMs, graphOf, lockSession } from './session-records.ts';
import type { CreateFunnelSessionInput, FunnelEventInput } from './sessions-schema.ts';

/** Begins a visitor's walk at the entry of a funnel, in its present version. */
export async function createFunnelSession(
  context: KeyContext,
  input: typeof CreateFunnelSessionInput.$inferInput,
): Promise<FunnelSession> {
  // A funnel's id implies its store.
  const storeId =
    input.storeId ??
    (input.funnelId == null
      ? null
      : ((
          await context.env.prisma.funnel.findFirst({
            where: { ...tenantOf(context.caller), id: input.funnelId },
            select: { storeId: true },
          })
        )?.storeId ?? null));
  if (input.storeId == null && input.funnelId != null && storeId === null) throw noSuchFunnel();
  return atStore(context, 'createFunnelSession', storeId, (store) =>
    write(context, 'createFunnelSession', async (change) => {
      const funnel = await funnelFor(change.tx, store, input.funnelId ?? null);
      const customerId = input.customerId ?? null;
      const { platformAccountId, mode } = store;
      if (
        customerId !== null &&
        !(await change.tx.customer.findFirst({
          where: { id: customerId, platformAccountId, mode },
          select: { id: true },
        }))
      )
        throw noSuchCustomer();
      return beginSession(context, change, funnel, customerId);
    }),
  );
}

async function funnelFor(
  tx: Write['tx'],
  { id: storeId, platformAccountId, mode }: Store,
  funnelId: string | null,
): Promise<Funnel> {
  const funnel = await tx.funnel.findFirst({
    where: funnelId === null ? { storeId, isDefault: true } : { id: funnelId, platformAccountId, mode },
  });
  if (!funnel && funnelId === null) throw new NotFound('The store has no default funnel: name a funnelId.');
  if (!funnel) throw noSuchFunnel();
  if (funnel.storeId !== storeId) throw invalid('funnelId', 'belongs to another store of the account');
  return funnel;
}

/** Begins a session within a change that is under way. */
export async function beginSession(
  { env }: Pick<KeyContext, 'env'>,
  change: Write,
  funnel: Funnel,
  customerId: string | null,
): Promise<FunnelSession> {
  const { tx, now } = change;
  const { id: funnelId, version, partnerId, platformAccountId, mode, storeId } = funnel;
  const graph = await graphOf(tx, { funnelId, version });
  const id = newId('funnelSession', now);
  const blank = {
    id,
    partnerId,
    platformAccountId,
    mode,
    storeId,
    funnelId,
    version,
    customerId,
    paymentInstrumentId: null,
    variantKey: customerId ?? id,
    tokenHash: tokenHashOf(checkoutToken(env.config, id)),
    moves: 0,
    convertedAt: null,
    expiresAt: new Date(now.getTime() + abandonedAfterMs),
    createdAt: now,
    updatedAt: now,
  };
  const entered = enter(
    graph,
    { ...blank, currentStepId: '', variantId: null, status: 'active', sequence: 0 },
    entryOf(graph).id,
    now,
  );
  const converted = entered.convertedAt !== null;
  const session = await tx.funnelSession.create({ data: { ...entered, sequence: converted ? 2 : 1 } });
  tellOfStep(change, session, 0, { fromStepId: null, eventType: null, converted });
  await countFigures(change, funnelId, [
    { stepId: '', variantId: null, measure: 'sessions', n: 1 },
    ...figuresOfEntry(session, converted),
  ]);
  return session;
}

export async function readFunnelSession({ env, caller }: KeyContext, id: string): Promise<FunnelSession> {
  const session = await env.prisma.funnelSession.findFirst({ where: { ...tenantOf(caller), id } });
  if (!session) throw noSuchSession();
  return session;
}

const dataBytesMax = 4_096;

/** Lets an event happen that the merchant's server tells of. Of money it is not believed: the payment it names is looked at. */
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
  // The step the sender saw: when another event moves the session first, this one finds that it is late.
  const seen = await readFunnelSession(context, sessionId);
  return write(context, 'nextFunnelStep', async (change) => {
    const session = await lockSession(change.tx, sessionId);
    if (session.status === 'abandoned' || session.expiresAt <= change.now)
      throw new Conflict('invalid_state', 'The session is over: nothing happened in it for a day.');
    const payment =
      paymentId === undefined || !tellsOfMoney(type)
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
    // Two sessions were told of the same payment at once.
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') throw usedAlready();
    throw error;
  });
}

function tellsOfMoney(type: string): boolean {
  return paymentEvents.includes(type) || type === 'offer_accepted';
}

/** A payment of the session's store that came to what the event says, and moved no session before. */
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
  if (used && !(used.sessionId === session.id && used.eventId === event.id)) throw usedAlready();
  const ofAnother =
    payment.orderId === null ? null : await tx.funnelOrder.findUnique({ where: { orderId: payment.orderId } });
  if (ofAnother && ofAnother.sessionId !== session.id) throw usedAlready();
  return payment;
}

function usedAlready(): Conflict {
  return new Conflict('already_exists', 'The payment has moved a session already.');
}

export function noSuchSession(): NotFound {
  return new NotFound('There is no such funnel session.');
}
