import { tenantOf } from '../../auth/tenancy.ts';
import { type Event, Prisma } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';

/** The event of a test. An endpoint that receives the events of all accounts belongs to none. */
export type TestEvent = Omit<Event, 'platformAccountId'> & { platformAccountId: string | null };

/** The `webhook/test` event with this identifier, which exists as long as its delivery; null if there is none. */
export async function findTestEvent(
  { caller, services }: Pick<KeyContext, 'caller' | 'services'>,
  eventId: string,
): Promise<TestEvent | null> {
  const delivery = await services.prisma.webhookDelivery.findFirst({
    where: { ...tenantOf(caller), eventId, testBody: { not: Prisma.DbNull } },
  });
  if (!delivery) return null;
  const { partnerId, mode, testClockId } = delivery;
  const body = delivery.testBody as Omit<TestEvent, 'createdAt'> & { createdAt: string }; // as it was sent
  return { ...body, partnerId, mode, testClockId, objectId: eventId, createdAt: new Date(body.createdAt) };
}
