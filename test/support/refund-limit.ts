import { newId } from '../../src/lib/ids.ts';
import type { Services } from '../../src/services.ts';

/** Makes refunds by people of payments of all partners need a second person from an amount on, in force at once. */
export async function limitRefunds(
  { prisma, clock }: Pick<Services, 'prisma' | 'clock'>,
  amount: number,
  { mode = 'test', currency = 'USD' } = {},
): Promise<void> {
  const [of, now] = [{ mode, currency, partnerId: null }, clock.now()];
  const data = { amount, previousAmount: null, effectiveAt: now, updatedAt: now };
  const { count } = await prisma.refundLimit.updateMany({ where: of, data });
  if (count === 0) await prisma.refundLimit.create({ data: { id: newId('rlim_', now), ...of, ...data } });
}
