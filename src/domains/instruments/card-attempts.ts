import { recordset } from '../../database/recordset.ts';
import { constant, execute, identifier, type Sql, sql } from '../../database/sql.ts';
import type { Payment } from '../../generated/prisma/client.ts';
import type { Keep } from '../../jobs/retention.ts';
import { Conflict, DomainError, RateLimited } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { networkOf } from '../../lib/network.ts';
import type { Services } from '../../services.ts';
import type { Write } from '../../unit-of-work/write.ts';

const minuteMs = 60_000;

/** The number of declines after which a session accepts no further card. */
const sessionMax = 10;
/** The maximum number of declines of a network and of a store within a time. Further attempts are then 429. */
const networkLimit = { max: 50, windowMs: 60 * minuteMs };
const storeLimit = { max: 100, windowMs: 10 * minuteMs };
/** Longer than a session with nothing but declines exists. */
const keptMs = 7 * 24 * 60 * minuteMs;

/** A visitor's session in which a card is tried, and the visitor's address. */
export interface CardVisit {
  sessionId: string;
  storeId: string;
  ip: string;
}

/**
 * Runs an attempt of a visitor with a card, unless its session, network or store is at its limit of declines. A running
 * attempt counts as a decline, so that concurrent attempts cannot exceed a limit together. If it ends otherwise, it is
 * not counted. An attempt that a crash left running stays counted.
 */
export async function asCardAttempt<Result>(
  services: Services,
  visit: CardVisit,
  work: () => Promise<Result>,
): Promise<Result> {
  const id = await beginAttempt(services, visit);
  try {
    const result = await work();
    await endAttempt(services, id);
    return result;
  } catch (error) {
    // Only a domain error proves that nothing was charged.
    if (error instanceof DomainError) await endAttempt(services, id);
    throw error;
  }
}

interface Full {
  sessionFull: boolean;
  networkAt: Date | null;
  storeAt: Date | null;
}

async function beginAttempt(
  { prisma, clock }: Pick<Services, 'prisma' | 'clock'>,
  { sessionId, storeId, ip }: CardVisit,
): Promise<string> {
  const [now, earliest] = [clock.real(), clock.earliestReal()];
  const network = networkOf(ip);
  const id = newId('try_', now);
  const full = await prisma.$transaction(async (tx) => {
    // Always locked in this order, so that no two attempts deadlock.
    for (const key of [storeId, network, sessionId])
      await tx.$queryRaw(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`card-attempts/${key}`}, 0))::text`);
    const [found] = await tx.$queryRaw<Full[]>(sql`
      SELECT
        (SELECT count(*) FROM limits.card_attempts WHERE "sessionId" = ${sessionId} AND state <> 'ended')
          >= ${constant(sessionMax)} AS "sessionFull",
        (${oldestOf(sql`network = ${network}`, networkLimit, earliest)}) AS "networkAt",
        (${oldestOf(sql`"storeId" = ${storeId}`, storeLimit, earliest)}) AS "storeAt"`);
    if (found && !found.sessionFull && found.networkAt === null && found.storeAt === null)
      await tx.$executeRaw(sql`
        INSERT INTO limits.card_attempts (id, "sessionId", "storeId", network, state, at)
        VALUES (${id}, ${sessionId}, ${storeId}, ${network}, 'running', ${now})`);
    return found;
  });
  if (full?.sessionFull) throw new Conflict('invalid_state', 'Too many declined cards in this checkout.');
  const waitMs = Math.max(waitMsOf(full?.networkAt, networkLimit, now), waitMsOf(full?.storeAt, storeLimit, now));
  if (waitMs > 0) throw new RateLimited(Math.ceil(waitMs / 1_000), {}, 'Too many cards were declined');
  return id;
}

/** The time until an attempt has left the window of its limit; 0 without an attempt. */
function waitMsOf(at: Date | null | undefined, { windowMs }: { windowMs: number }, now: Date): number {
  // It is in the window by the earlier clock, but may have left it by the other one.
  return at ? Math.max(1, at.getTime() + windowMs - now.getTime()) : 0;
}

/** The time of the attempt that must leave the window before another one is allowed. Null if one is allowed now. */
function oldestOf(of: Sql, { max, windowMs }: { max: number; windowMs: number }, earliest: Date): Sql {
  return sql`
    SELECT at
    FROM limits.card_attempts
    WHERE ${of} AND state <> 'ended' AND at > ${new Date(earliest.getTime() - windowMs)}
    ORDER BY at DESC
    OFFSET ${constant(max - 1)}
    LIMIT 1`;
}

/** Ends a running attempt. If it was declined, `countDecline` has counted its payment. */
async function endAttempt({ pool }: Pick<Services, 'pool'>, id: string): Promise<void> {
  await execute(pool, sql`UPDATE limits.card_attempts SET state = 'ended' WHERE id = ${id}`);
}

/**
 * Counts a declined payment of a session once, also if it is declined after a challenge or by a job. Its network is
 * that of the session's latest attempt, which made it: a session has one payment in progress at a time.
 */
export async function countDecline(
  { tx }: Write,
  { clock }: Pick<Services, 'clock'>,
  sessionId: string,
  payment: Pick<Payment, 'id'>,
): Promise<void> {
  await tx.$executeRaw(sql`
    INSERT INTO limits.card_attempts (id, "sessionId", "storeId", network, state, at)
    SELECT ${payment.id}, a."sessionId", a."storeId", a.network, 'declined', ${clock.real()}
    FROM limits.card_attempts a
    WHERE a."sessionId" = ${sessionId}
    ORDER BY a.at DESC
    LIMIT 1
    ON CONFLICT DO NOTHING`);
}

/** The CTE that counts the attempts which submitted the cards of declined payments as declined. */
export function attemptDeclinedPart(
  payments: readonly Pick<Payment, 'id' | 'paymentInstrumentId'>[],
  guard: string,
): Sql {
  const rows = payments.map(({ id, paymentInstrumentId }) => ({ id, paymentInstrumentId }));
  return sql`card_attempt_declined AS (
        UPDATE limits.card_attempts
        SET state = 'declined'
        WHERE id IN (
          SELECT attempt.id
          FROM ${identifier(guard)} g
          JOIN ${recordset('r', { id: 'text', paymentInstrumentId: 'text' }, 'id', rows)} ON r.id = g.id
          CROSS JOIN LATERAL (
            SELECT a.id
            FROM payment_instruments i
            JOIN client_sessions s ON s."cardId" = i."cardId"
            JOIN limits.card_attempts a ON a."sessionId" = s.id
            WHERE i.id = r."paymentInstrumentId"
            ORDER BY a.at DESC
            LIMIT 1
          ) attempt
        )
      )`;
}

export const cardAttemptsKept: Keep = { table: sql`limits.card_attempts`, by: sql`at`, forMs: keptMs };
