import { constant, execute, type Sql, sql } from '../../database/sql.ts';
import type { Payment } from '../../generated/prisma/client.ts';
import { removeUnlocked } from '../../jobs/leases.ts';
import { Conflict, DomainError, RateLimited } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { networkOf } from '../../lib/network.ts';
import type { Services } from '../../services.ts';
import type { Write } from '../../unit-of-work/write.ts';

const minuteMs = 60_000;

/** The declines after which a session takes no card any more. */
const sessionMax = 10;
/** The declines of a network and of a store within a time, after which they wait. */
const networkLimit = { max: 50, windowMs: 60 * minuteMs };
const storeLimit = { max: 100, windowMs: 10 * minuteMs };
/** Longer than a session lives in which nothing but declines happens. */
const keptMs = 7 * 24 * 60 * minuteMs;

/** A visitor's session in which a card is tried, and the visitor's address. */
export interface CardVisit {
  sessionId: string;
  storeId: string;
  ip: string;
}

/**
 * Runs an attempt of a visitor with a card, if its session, network and store may try a card. An attempt that is
 * running counts like a
 * decline, so that many at once cannot pass a bound together; one that ends otherwise is not counted. What a crash left
 * running stays counted.
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
    // Always in this order, so that no two attempts wait for each other.
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
  if (full?.sessionFull)
    throw new Conflict('invalid_state', 'This checkout takes no card any more: too many cards were declined.');
  const waitMs = Math.max(waitMsOf(full?.networkAt, networkLimit, now), waitMsOf(full?.storeAt, storeLimit, now));
  if (waitMs > 0) throw new RateLimited(Math.ceil(waitMs / 1_000), {}, 'Too many cards were declined');
  return id;
}

/** The time until an attempt has left the window of its limit; 0 without one. */
function waitMsOf(at: Date | null | undefined, { windowMs }: { windowMs: number }, now: Date): number {
  // By a clock that is behind it is in the window, and by the database's no more.
  return at ? Math.max(1, at.getTime() + windowMs - now.getTime()) : 0;
}

/** The attempt whose leaving of the window makes room again. Null if there is room. */
function oldestOf(of: Sql, { max, windowMs }: { max: number; windowMs: number }, earliest: Date): Sql {
  return sql`
    SELECT at
    FROM limits.card_attempts
    WHERE ${of} AND state <> 'ended' AND at > ${new Date(earliest.getTime() - windowMs)}
    ORDER BY at DESC
    OFFSET ${constant(max - 1)}
    LIMIT 1`;
}

/** The attempt does not run any more. If it was declined, `countDecline` has counted its payment. */
async function endAttempt({ pool }: Pick<Services, 'pool'>, id: string): Promise<void> {
  await execute(pool, sql`UPDATE limits.card_attempts SET state = 'ended' WHERE id = ${id}`);
}

/**
 * Counts a declined payment of a session once, also one that is declined after a challenge or that a job resolves. Its
 * network is that of the session's latest attempt, which made it: a session has one payment under way.
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

/** Deletes attempts that no bound asks about any more. */
export async function purgeCardAttempts({ pool, clock }: Pick<Services, 'pool' | 'clock'>): Promise<number> {
  const where = sql`at < ${new Date(clock.earliestReal().getTime() - keptMs)}`;
  return removeUnlocked(pool, { table: sql`limits.card_attempts`, by: sql`at`, where });
}
