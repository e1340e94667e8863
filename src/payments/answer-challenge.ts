import type { Env } from '../env.ts';
import type { ThreeDsSession } from '../generated/prisma/client.ts';
import { Conflict, NotFound } from '../kit/errors.ts';
import { atClockTime } from '../test-clocks/operations.ts';

/** A mock challenge of test mode, for the page that shows it. Live challenges are the card's bank's own. */
export async function readChallenge(env: Env, sessionId: string): Promise<ChallengeShown> {
  assertIsId(sessionId);
  const session = await env.prisma.threeDsSession.findFirst({
    where: { id: sessionId, mode: 'test', url: null },
    include: { payment: { select: { amount: true, currency: true, cardLast4: true, testClockId: true } } },
  });
  if (!session) throw new NotFound('There is no such challenge.');
  return atClockTime(env, session.payment.testClockId, async () => ({
    ...session,
    hasExpired: session.expiresAt <= env.clock.now(),
  }));
}

export interface ChallengeShown extends ThreeDsSession {
  payment: { amount: bigint; currency: string; cardLast4: string };
  hasExpired: boolean;
}

/** Answers a mock challenge. The same answer again is the same; another one, or one after its time, is a conflict. */
export async function answerChallenge(
  env: Env,
  sessionId: string,
  outcome: 'success' | 'fail',
): Promise<ThreeDsSession> {
  assertIsId(sessionId);
  const { prisma, clock } = env;
  const status = outcome === 'success' ? 'succeeded' : 'failed';
  const where = { id: sessionId, mode: 'test', url: null };
  const asked = await prisma.threeDsSession.findFirst({
    where,
    select: { payment: { select: { testClockId: true } } },
  });
  await atClockTime(env, asked?.payment.testClockId ?? null, () => {
    const now = clock.now();
    return prisma.threeDsSession.updateMany({
      where: { ...where, status: 'pending', expiresAt: { gt: now } },
      data: { status, answeredAt: now },
    });
  });
  const session = await prisma.threeDsSession.findFirst({ where });
  if (!session) throw new NotFound('There is no such challenge.');
  if (session.status === 'pending') throw new Conflict('invalid_state', 'The challenge has expired.');
  if (session.status !== status) throw new Conflict('invalid_state', 'The challenge was answered otherwise already.');
  return session;
}

/** Where a cardholder goes who comes back from a challenge at the processor: to the merchant, or nowhere. */
export async function readReturn(
  { prisma }: Env,
  transactionId: string,
): Promise<{ paymentId: string; returnUrl: string | null }> {
  if (!/^txn_[0-9A-Za-z]{1,64}$/.test(transactionId)) throw new NotFound('There is no such challenge.');
  const session = await prisma.threeDsSession.findFirst({
    where: { transactionId, url: { not: null } },
    orderBy: { createdAt: 'desc' },
    select: { paymentId: true, returnUrl: true },
  });
  if (!session) throw new NotFound('There is no such challenge.');
  return session;
}

/** A path may hold any character, and the database refuses some of them with an error that would be ours. */
function assertIsId(sessionId: string): void {
  if (!/^threeds_[0-9A-Za-z]{1,64}$/.test(sessionId)) throw new NotFound('There is no such challenge.');
}
