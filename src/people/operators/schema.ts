import { tenantWhere } from '../../auth/tenancy.ts';
import { objectVisibilityOf, peopleVisibility } from '../../auth/visibility.ts';
import type { SessionContext } from '../../call/context.ts';
import { listKeysWithin } from '../../domains/keys/public.ts';
import type { Event } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { NotFound } from '../../lib/errors.ts';
import { cursorArguments, pageArguments, pageComplexity } from '../../lists/inputs.ts';
import { listEvents, OperatorEventFilters, rowsVisible, visibilityArgs } from './inputs.ts';
import { OperatorKeyFilters, OperatorKeyPage } from './keys/schema.ts';
import { OperatorEvent, OperatorEventPage } from './types.ts';

const filters = 'Filters of the list.';

async function readOperatorEvent(context: SessionContext, eventId: string): Promise<Event> {
  const event = await context.services.prisma.event.findFirst({
    where: { ...tenantWhere(await objectVisibilityOf(context)), id: eventId },
  });
  if (!event) throw new NotFound('There is no such event.');
  return event;
}

builder.queryFields((t) => ({
  operatorEvent: t.withAuth({ platformStaff: true }).field({
    type: OperatorEvent,
    description: 'Returns one event of either mode and of any partner. For internal staff.',
    args: { eventId: t.arg.id({ required: true, description: 'Identifier of the event, prefix `evt_`.' }) },
    resolve: (_root, { eventId }, context) => readOperatorEvent(context, eventId),
  }),
  operatorKeys: t.withAuth({ directory: true }).field({
    type: OperatorKeyPage,
    description: `Lists API keys of both kinds, without their secrets. ${rowsVisible}`,
    args: {
      ...visibilityArgs,
      ...pageArguments,
      filters: t.arg({ type: OperatorKeyFilters, description: filters }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listKeysWithin(context, await peopleVisibility(context, { mode, partnerSlug }), args),
  }),
  operatorEvents: t.withAuth({ platformStaff: true }).field({
    type: OperatorEventPage,
    description: 'Lists the events of all partners, newest first. For internal staff.',
    args: {
      ...visibilityArgs,
      ...cursorArguments,
      filters: t.arg({ type: OperatorEventFilters, description: filters }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listEvents(context, await peopleVisibility(context, { mode, partnerSlug }), args),
  }),
}));
