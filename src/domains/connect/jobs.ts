import type { Services } from '../../services.ts';
import { purgeTestCodes } from './test-authorization.ts';

/** Rows outlive their state, so that a replay has its answer and a late browser gets the reason. */
const rowLivesMs = 48 * 3_600_000;

/** Deletes attempts and test codes whose retention is over. */
export async function purgeConnectAttempts(services: Pick<Services, 'prisma' | 'pool' | 'clock'>): Promise<number> {
  const { count } = await services.prisma.connectAttempt.deleteMany({
    where: { createdAt: { lte: new Date(services.clock.passed().getTime() - rowLivesMs) } },
  });
  return count + (await purgeTestCodes(services));
}
