import { withLinkUrls } from '../../domains/subscriptions/public.ts';
import type { Event } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { pageType } from '../../lists/inputs.ts';

export const OperatorEvent = builder.objectRef<Event>('OperatorEvent').implement({
  description: 'An event with its tenant, as operators see it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the event, prefix `evt_`.' }),
    type: t.exposeString('type', { description: 'Type of the event, for example `payment/succeeded`.' }),
    partnerId: t.exposeID('partnerId', { description: 'Identifier of the partner, prefix `par_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'Identifier of the account, prefix `tpa_`.',
    }),
    storeId: t.exposeID('storeId', {
      nullable: true,
      description: 'Identifier of the store. Null for an object that belongs to no store.',
    }),
    objectId: t.exposeID('objectId', { description: 'Identifier of the object that changed.' }),
    sequence: t.exposeInt('sequence', { description: 'Number of the event among the events of its object, from 1.' }),
    requestId: t.exposeID('requestId', { description: 'The `Request-Id` of the request.' }),
    data: t.field({
      type: 'JSONObject',
      description: 'The object at the time of the event. Links that open a page for its visitor are null.',
      // an event's data has its object
      resolve: ({ data }, _args, { services }) =>
        withLinkUrls(services.config, data as { object: unknown }, { withLinks: false }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the event.' }),
  }),
});

export const OperatorEventPage = pageType('OperatorEventPage', OperatorEvent, 'events');
