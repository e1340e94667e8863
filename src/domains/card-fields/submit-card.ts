import { assertMayCharge, standingOf } from '../../auth/standing.ts';
import { constant, execute, sql } from '../../database/sql.ts';
import type { ClientSession } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { requestHashOf } from '../../kit/canonical-json.ts';
import { Conflict } from '../../kit/errors.ts';
import type { Services } from '../../services.ts';
import { findStoredCall } from '../../write/idempotency.ts';
import { recordKeyOf, type Write } from '../../write/write.ts';
import { asCardAttempt, type TokenizedCard, tokenizeCard } from '../instruments/public.ts';
import { type FieldsRequest, openClientSession, usedSessionError } from './open-client-session.ts';

const attemptsMax = 10;

export interface SubmittedCard {
  cardNumber: string;
  expMonth: number;
  expYear: number;
  cvc: string;
  cardholderName: string | null;
}

/** Makes the token of a session. Repeating an attempt returns its token and makes no other. */
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
  // Before the card is stored.
  assertMayCharge(await standingOf(services.pool, platformAccountId));
  await countSubmission(services, session);
  const taker = {
    customerId,
    take: (change: Write, made: { token: string; cardId: string }) => completeSession(change, session, made),
  };
  const tokenize = () => tokenizeCard(attempt, { storeId, ...card }, taker);
  return asCardAttempt(services, { sessionId, storeId, ip: from.ip }, tokenize);
}

/** A context in which the attempt makes one token. */
function attemptContext(context: KeyContext, sessionId: string, attemptId: string): KeyContext {
  const key = `fields:${sessionId}:${attemptId}`;
  return { ...context, idempotency: { owner: sessionId, key, requestHash: requestHashOf(key) } };
}

/** Every submitted card counts, also a refused one, so that a secret in foreign hands tries few numbers. */
async function countSubmission({ pool }: Pick<Services, 'pool'>, { id }: ClientSession): Promise<void> {
  const counted = await execute(
    pool,
    sql`
      UPDATE client_sessions
      SET attempts = attempts + 1
      WHERE id = ${id} AND attempts < ${constant(attemptsMax)}`,
  );
  if (counted === 0)
    throw new Conflict('invalid_state', 'This client session takes no card any more: too many were submitted.');
}

/** Of several attempts at once, one completes the session. The others store nothing. */
async function completeSession(
  { tx, now, passed }: Write,
  { id }: ClientSession,
  { token, cardId }: { token: string; cardId: string },
): Promise<void> {
  const { count } = await tx.clientSession.updateMany({
    where: { id, token: null, expiresAt: { gt: passed } },
    data: { token, cardId, completedAt: now },
  });
  if (count === 0) throw usedSessionError();
}
