import { cutOffStatuses } from '../../auth/standing.ts';
import type { Services } from '../../services.ts';
import { findPayments, requirePayment } from './payment-with-transactions.ts';
import { endChallenge } from './processor-challenge.ts';
import { outcomeDetailsOf } from './resolve-transaction.ts';

const batchMax = 50;

/**
 * Ends payments whose challenge has expired, and those of partners that were suspended or offboarded meanwhile: a
 * challenge that is answered takes money. Challenges on test clocks expire when their clock is advanced.
 */
export function expireChallenges(services: Services): Promise<number> {
  return expireChallengesOf(services, null);
}

/** Ends payments of one test clock whose challenge has expired at its time. */
export async function expireChallengesOf(services: Services, testClockId: string | null): Promise<number> {
  const due = await findPayments(services.prisma, {
    where: {
      testClockId,
      ...(services.config.sandbox && { mode: 'test' }),
      status: 'pending',
      subStatus: 'requires_action',
      OR: [
        { actionExpiresAt: { lte: services.clock.now() } },
        { store: { account: { partner: { status: { in: cutOffStatuses } } } } },
      ],
    },
    orderBy: { actionExpiresAt: 'asc' },
    take: batchMax,
  });
  for (const state of due) {
    // A challenge that could not be closed at its processor stays open, and the next run finds it.
    await endChallenge(services, state, outcomeDetailsOf(services)).catch((error: unknown) =>
      services.log.warn({ err: error, paymentId: state.payment.id }, 'A challenge could not be ended yet.'),
    );
  }
  return due.length;
}

/**
 * Ends a payment whose challenge is no longer to be answered, as if it had expired. An answer that was faster counts.
 */
export async function abandonChallenge(services: Services, paymentId: string): Promise<void> {
  const state = await requirePayment(services.prisma, { id: paymentId });
  if (state.payment.subStatus === 'requires_action') await endChallenge(services, state, outcomeDetailsOf(services));
}
