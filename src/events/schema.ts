import type { Event as EventRow } from '../generated/prisma/client.ts';
import { builder } from '../graph/builder.ts';
import { DateFilter } from '../graph/list-inputs.ts';
import { cursorArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { listEvents, readEvent } from './operations.ts';

const EventData = builder.objectRef<{ object: unknown }>('EventData').implement({
  description: 'What an event is about.',
  fields: (t) => ({
    object: t.expose('object', {
      type: 'JSONObject',
      description: 'The object as it was right after the change, in the shape the API answers with.',
    }),
  }),
});

export const Event = builder.prismaObject('Event', {
  description: 'One change of state, written in the transaction that made it.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `evt_`.' }),
    type: t.exposeString('type', { description: 'What happened, such as `payment/succeeded`.' }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: (event) => event.mode === 'live' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    storeId: t.exposeString('storeId', {
      nullable: true,
      description: 'The store, prefix `store_`; null for what belongs to the account as a whole.',
    }),
    sequence: t.exposeInt('sequence', { description: 'Counts the events of one object from 1, without gaps.' }),
    requestId: t.exposeString('requestId', { description: 'The request that made the change.' }),
    data: t.field({
      type: EventData,
      description: 'What it is about.',
      resolve: (event: EventRow) => event.data as { object: unknown },
    }), // written by the write path only
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it happened.' }),
  }),
});

const EventPage = pageType('EventPage', Event, 'events');
const EventSort = sortInput('EventSort', ['createdAt']);

export const EventFilters = builder.inputType('EventFilters', {
  description: 'Which events. All that are given must hold.',
  fields: (t) => ({
    type: t.field({ type: ['EventType'], description: 'Any of these types.' }),
    objectId: t.string({ description: 'About this object.' }),
    storeId: t.stringList({ description: 'Any of these stores.' }),
    createdAt: t.field({ type: DateFilter, description: 'When it happened.' }),
  }),
});

builder.queryFields((t) => ({
  event: t.withAuth({ key: true }).field({
    type: Event,
    description: 'One event. 404 when it is not within the reach of the key.',
    args: { eventId: t.arg.string({ required: true, description: 'Identifier, prefix `evt_`.' }) },
    resolve: (_root, { eventId }, context) => readEvent(context, eventId),
  }),
  events: t.withAuth({ key: true }).field({
    type: EventPage,
    description:
      "The events of the key's account, or of all the partner's accounts of its mode, the newest first unless sorted otherwise.",
    args: {
      ...cursorArguments,
      sortBy: t.arg({ type: EventSort, description: 'The order.' }),
      filters: t.arg({ type: EventFilters, description: 'Which events.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listEvents(context, args),
  }),
}));
