import { tenantOf } from '../../auth/tenancy.ts';
import type { Event } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';

export async function readEvent(context: KeyContext, eventId: string): Promise<Event> {
  const event = await context.services.prisma.event.findFirst({ where: { ...tenantOf(context.caller), id: eventId } });
  if (!event) throw new NotFound('There is no such event.');
  return event;
}
