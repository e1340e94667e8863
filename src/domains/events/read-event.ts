import { tenantOf } from '../../auth/tenancy.ts';
import type { KeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import { findTestEvent, type TestEvent } from '../webhooks/public.ts';

/** An event, or that of a webhook test, which no list of events contains. */
export type ShownEvent = TestEvent;

export async function readEvent(context: KeyContext, eventId: string): Promise<ShownEvent> {
  const { caller, services } = context;
  const event =
    (await services.prisma.event.findFirst({ where: { ...tenantOf(caller), id: eventId } })) ??
    (await findTestEvent(context, eventId));
  if (!event) throw new NotFound('There is no such event.');
  return event;
}
