import { isApiKey } from '../../../auth/caller.ts';
import { tenantWhere } from '../../../auth/tenancy.ts';
import { objectVisibilityOf } from '../../../auth/visibility.ts';
import type { ViewerContext } from '../../../call/context.ts';
import { builder } from '../../../graph/builder.ts';
import { storedColumn } from '../../../graph/shared-types.ts';
import { NotFound } from '../../../lib/errors.ts';
import { ofEventTypes } from '../../../lists/filters.ts';
import { objectOfPeople } from '../../../lists/inputs.ts';
import { anyOf, dates, id, ids, listOf } from '../../../lists/list-of.ts';
import { withLinkUrls } from '../../subscriptions/public.ts';
import { findTestEvent, type TestEvent } from '../deliveries/rows.ts';

/** An event, or that of a webhook test, which is in no list of events. */
export type ShownEvent = TestEvent;

async function readEvent(context: ViewerContext, eventId: string): Promise<ShownEvent> {
  const tenant = tenantWhere(await objectVisibilityOf(context));
  const event =
    (await context.services.prisma.event.findFirst({ where: { ...tenant, id: eventId } })) ??
    (await findTestEvent(context, tenant, eventId));
  if (!event) throw new NotFound('Event not found.');
  return event;
}

const EventData = builder.objectRef<{ object: unknown }>('EventData').implement({
  description: 'The data of an event.',
  fields: (t) => ({
    object: t.field({
      type: 'JSONObject',
      description:
        'The object as GET returned it directly after the change. The events of plugins and funnels leave out large ' +
        'and secret fields. For people, `actionRequired.url` of a subscription is null.',
      resolve: (data, _args, { caller, services }) =>
        withLinkUrls(services.config, data, { withLinks: isApiKey(caller) }).object,
    }),
  }),
});

export const Event = builder.objectRef<ShownEvent>('Event').implement({
  description:
    'A record of one state change of one object, written in the database transaction of the change. It never changes.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the event, prefix `evt_`.' }),
    type: t.expose('type', {
      type: 'SentEventType',
      description: 'The type of the event, such as `payment/succeeded`.',
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: (event) => event.mode === 'live',
    }),
    platformAccountId: t.exposeID('platformAccountId', {
      nullable: true,
      description:
        'The processing account that the object belongs to, prefix `tpa_`. Null only in the `webhook/test` event of ' +
        'an endpoint that receives the events of all accounts.',
    }),
    storeId: t.exposeID('storeId', {
      nullable: true,
      description:
        'The store that the object belongs to, prefix `store_`. Null if the object belongs to the account as a whole.',
    }),
    partnerId: t.exposeID('partnerId', { description: 'The partner, prefix `par_`.' }),
    objectId: t.exposeID('objectId', { description: 'The object that changed. For a test, the event itself.' }),
    sequence: t.exposeInt('sequence', {
      description: 'The number of the event among the events of its object, counted from 1 without gaps.',
    }),
    requestId: t.exposeID('requestId', {
      description: 'The identifier of the request that made the change.',
    }),
    data: t.field({
      type: EventData,
      description: 'The data of the event: the object that changed.',
      ...storedColumn('data'),
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: "Time at which the change was made. It is never earlier than that of the object's previous event.",
    }),
  }),
});

export const events = listOf('Event', Event, (row: ShownEvent) => row, {
  of: 'events',
  table: 'events',
  sorts: { createdAt: 'createdAt' },
  aboutFilters: 'Filters for a list of events. An event is returned only if it matches every filter given.',
  filters: {
    type: anyOf('EventType', 'Returns events of any of these types.', { where: ofEventTypes('type') }),
    objectId: id('Returns events of the object with this identifier.'),
    storeId: ids('Returns events of any of these stores, prefix `store_`.'),
    createdAt: dates('Compares the time at which the change was made.'),
    platformAccountId: id('Returns events of this processing account, prefix `tpa_`.', { forPeople: true }),
  },
  filtersWithinPartner: ['storeId'],
  counted: true,
  cursor: true,
  forPeople: true,
});

builder.queryFields((t) => ({
  event: t.withAuth({ $any: { suspendedKey: true, directory: true } }).field({
    type: Event,
    description:
      'Returns an event, also that of `webhook/test`, as long as its delivery is kept. 404 if the event is not ' +
      'visible to the API key.',
    forPeople: objectOfPeople,
    args: { eventId: t.arg.id({ required: true, description: 'The event to return, prefix `evt_`.' }) },
    resolve: (_root, { eventId }, context) => readEvent(context, eventId),
  }),
  events: t.withAuth({ $any: { suspendedKey: true, directory: true } }).field(
    events.field(
      'Returns a page of the events visible to the API key: those of the account of a sub-key, or of all accounts of ' +
        'the partner in the mode of a partner key. The newest come first by default. The events of one object are in ' +
        'the order of `sequence`. `webhook/test` is not listed.',
      {
        sortBy: 'The sort order. Defaults to `createdAt`, descending.',
        filters: 'The filters to apply. All events if left out.',
      },
    ),
  ),
}));
