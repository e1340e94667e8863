import { isPartnerBlocked } from '../../../auth/charging-status.ts';
import { rowsOf } from '../../../database/recordset.ts';
import { type Sql, sql } from '../../../database/sql.ts';
import type { ThreeDsSession } from '../../../generated/prisma/client.ts';
import { Conflict, Forbidden, NotFound } from '../../../lib/errors.ts';
import type { Services } from '../../../services.ts';
import { type Brand, brandOf } from '../../../theme/brand.ts';
import { atClockTime } from '../../test-clocks/public.ts';

/** A challenge of test mode, for the page that shows it. Live challenges are answered at the card's issuer. */
export async function readChallenge(services: Services, sessionId: string): Promise<ChallengeView> {
  assertIsId(sessionId);
  const session = await services.prisma.threeDsSession.findFirst({
    where: { id: sessionId, mode: 'test', url: null },
    include: { payment: { select: { amount: true, currency: true, cardLast4: true, testClockId: true, ...partner } } },
  });
  if (!session) throw new NotFound('Challenge not found.');
  return atClockTime(services, session.payment.testClockId, async () => ({
    ...session,
    brand: brandOf(session.payment.store.account.partner),
    isOver: session.expiresAt <= services.clock.earliest() || isPartnerBlocked(partnerStatusOf(session)),
  }));
}

/** Selects the status of the partner of a payment. */
const partner = {
  store: { select: { account: { select: { partner: { select: { status: true, name: true, branding: true } } } } } },
} as const;

function partnerStatusOf({
  payment: {
    store: { account },
  },
}: {
  payment: { store: { account: { partner: { status: string } } } };
}): string {
  return account.partner.status;
}

export interface ChallengeView extends ThreeDsSession {
  /** The partner's. */
  brand: Brand;
  payment: { amount: bigint; currency: string; cardLast4: string };
  /** Whether it can no longer be answered. */
  isOver: boolean;
}

/**
 * Answers a challenge of test mode. Repeating the answer changes nothing. A different answer, or one after the
 * challenge has expired, is a conflict; 403 if its partner is suspended or offboarded.
 */
export async function answerChallenge(
  services: Services,
  sessionId: string,
  outcome: 'success' | 'fail',
): Promise<ThreeDsSession> {
  assertIsId(sessionId);
  const { prisma, clock } = services;
  const status = outcome === 'success' ? 'succeeded' : 'failed';
  const where = { id: sessionId, mode: 'test', url: null };
  const requested = await prisma.threeDsSession.findFirst({
    where,
    select: { payment: { select: { testClockId: true, ...partner } } },
  });
  if (requested && isPartnerBlocked(partnerStatusOf(requested)))
    throw new Forbidden('partner_not_active', 'This payment is currently closed.');
  await atClockTime(services, requested?.payment.testClockId ?? null, () => {
    const now = clock.now();
    return prisma.threeDsSession.updateMany({
      where: { ...where, status: 'pending', expiresAt: { gt: clock.earliest() } },
      data: { status, answeredAt: now },
    });
  });
  const session = await prisma.threeDsSession.findFirst({ where });
  if (!session) throw new NotFound('Challenge not found.');
  if (session.status === 'pending') throw new Conflict('invalid_state', 'The challenge has expired.');
  if (session.status !== status) throw new Conflict('invalid_state', 'The challenge already has another result.');
  return session;
}

/** Where a cardholder who returns from a challenge at the processor is redirected: to the merchant, or nowhere. */
export async function readReturn(
  { prisma }: Services,
  transactionId: string,
): Promise<{ paymentId: string; returnUrl: string | null; brand: Brand }> {
  if (!/^txn_[0-9A-Za-z]{1,64}$/.test(transactionId)) throw new NotFound('Challenge not found.');
  const session = await prisma.threeDsSession.findFirst({
    where: { transactionId, url: { not: null } },
    orderBy: { createdAt: 'desc' },
    select: { paymentId: true, returnUrl: true, payment: { select: partner } },
  });
  if (!session) throw new NotFound('Challenge not found.');
  const { payment, ...back } = session;
  return { ...back, brand: brandOf(payment.store.account.partner) };
}

/** A path may contain any character. The database rejects some of them, which would be an internal error. */
function assertIsId(sessionId: string): void {
  if (!/^threeds_[0-9A-Za-z]{1,64}$/.test(sessionId)) throw new NotFound('Challenge not found.');
}

/** The CTE that adds challenges of the payments in the CTE `resolved`. */
export function challengesPart(challenges: readonly ThreeDsSession[]): Sql {
  return sql`challenged AS (
      INSERT INTO threeds_sessions
      SELECT r.*
      FROM resolved
      JOIN ${rowsOf('r', 'threeds_sessions', challenges)} ON r."paymentId" = resolved.id
    )`;
}
