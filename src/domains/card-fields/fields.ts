import { assertMayCharge, chargingStatusOf } from '../../auth/charging-status.ts';
import type { TenantContext } from '../../call/context.ts';
import { requestHashOf } from '../../lib/json.ts';
import type { Services } from '../../services.ts';
import { brandFields, brandOf } from '../../theme/brand.ts';
import { findStoredCall } from '../../unit-of-work/idempotency.ts';
import { recordKeyOf, type Write } from '../../unit-of-work/write.ts';
import { asCardAttempt, type TokenizedCard, tokenizeCard } from '../instruments/public.ts';
import type { FrameVisitor } from './browser-files.ts';
import {
  completeSession,
  countSubmission,
  type FieldsRequest,
  openClientSession,
  usedSessionError,
} from './client-session.ts';

/** The content of the frame. It depends on the session and never on the page around the frame. */
export interface FieldsView {
  storeName: string;
  amount: number | null;
  currency: string | null;
  livemode: boolean;
  expiresAt: Date;
  /** Relative, for browsers whose clock is wrong. */
  expiresInMs: number;
}

/** 410 if the session has already created its token. */
export async function readFields(services: Services, from: FieldsRequest): Promise<FieldsView> {
  const { session, storeName } = await openClientSession(services, from);
  if (session.token !== null) throw usedSessionError();
  const { amount, currency, mode, expiresAt } = session;
  return {
    storeName,
    amount: amount === null ? null : Number(amount),
    currency,
    livemode: mode === 'live',
    expiresAt,
    expiresInMs: expiresAt.getTime() - services.clock.real().getTime(),
  };
}

/**
 * The origins that may frame a session's pages, until a day after it has expired, and the brand of its partner. No
 * origins if there is no such session.
 */
export async function readFraming(
  { prisma }: Pick<Services, 'prisma'>,
  id: string,
): Promise<Pick<FrameVisitor, 'origins' | 'brand'>> {
  const found = /^cs_[0-9A-Za-z]{22}$/.test(id)
    ? await prisma.clientSession.findUnique({
        where: { id },
        select: {
          origins: true,
          store: { select: { account: { select: { partner: { select: brandFields } } } } },
        },
      })
    : null;
  return found ? { origins: found.origins, brand: brandOf(found.store.account.partner) } : { origins: [], brand: null };
}

export interface SubmittedCard {
  cardNumber: string;
  expMonth: number;
  expYear: number;
  cvc: string;
  cardholderName: string | null;
}

/** Creates the token of a session. Repeating an attempt returns its token and creates no other. */
export async function submitCard(
  services: Services,
  from: FieldsRequest,
  { attemptId, card }: { attemptId: string; card: SubmittedCard },
): Promise<TokenizedCard> {
  const { context, session } = await openClientSession(services, from);
  const { id: sessionId, storeId, platformAccountId, customerId } = session;
  const attempt = attemptContext(context, sessionId, attemptId);
  const recordKey = recordKeyOf(attempt, 'tokenizeCard');
  const earlier = recordKey && (await findStoredCall(services.pool, recordKey));
  if (earlier) return earlier.answer as TokenizedCard; // `tokenizeCard` returned it in the first call
  if (session.token !== null) throw usedSessionError();
  // Checked before the card is stored.
  assertMayCharge(await chargingStatusOf(services.pool, platformAccountId));
  await countSubmission(services, session);
  const taker = {
    customerId,
    take: (change: Write, made: { token: string; cardId: string }) => completeSession(change, session, made),
  };
  const tokenize = () => tokenizeCard(attempt, { storeId, ...card }, taker);
  return asCardAttempt(services, { sessionId, storeId, ip: from.ip }, tokenize);
}

/** A context in which the attempt creates one token. */
function attemptContext(context: TenantContext, sessionId: string, attemptId: string): TenantContext {
  const key = `fields:${sessionId}:${attemptId}`;
  return { ...context, idempotency: { owner: sessionId, key, requestHash: requestHashOf(key) } };
}
