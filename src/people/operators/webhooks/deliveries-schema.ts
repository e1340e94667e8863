import { peopleVisibility } from '../../../auth/visibility.ts';
import {
  bodyComplexity,
  type DeliveryRow,
  DeliveryStatus,
  listDeliveriesWithin,
  requestBodyOf,
  WebhookAttempt,
} from '../../../domains/webhooks/public.ts';
import { builder } from '../../../graph/builder.ts';
import { storedColumn } from '../../../graph/shared-types.ts';
import { DateFilter, pageArguments, pageComplexity, pageType } from '../../../lists/inputs.ts';
import { countedTotal, visibilityArgs } from '../inputs.ts';

export const OperatorDelivery = builder.objectRef<DeliveryRow>('OperatorDelivery').implement({
  description: 'A delivery of an event to a webhook endpoint with its tenant, as operators see it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the delivery, prefix `whd_`.' }),
    partnerId: t.exposeID('partnerId', { description: 'Identifier of the partner, prefix `par_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      nullable: true,
      description:
        "Identifier of the endpoint's account, prefix `tpa_`. Null for an endpoint that receives the events of all " +
        'accounts of the partner.',
    }),
    endpointId: t.exposeID('endpointId', { description: 'Identifier of the endpoint, prefix `wh_`.' }),
    eventId: t.exposeID('eventId', { description: 'Identifier of the event, prefix `evt_`.' }),
    eventType: t.exposeString('eventType', {
      description: 'Type of the event, for example `payment/succeeded`; `webhook/test` for a test.',
    }),
    objectId: t.exposeID('objectId', {
      description: 'Identifier of the object of the event. For a test, that of the event.',
    }),
    status: t.field({
      type: DeliveryStatus,
      description: 'The status of the delivery.',
      // a CHECK constraint limits the column to the values of the enum
      ...storedColumn('status'),
    }),
    requestBody: t.string({
      description: 'The body that is sent, the same bytes at every attempt.',
      complexity: bodyComplexity,
      resolve: (delivery, _args, context) => requestBodyOf(context, delivery),
    }),
    attemptCount: t.exposeInt('attemptCount', { description: 'Number of attempts.' }),
    attempts: t.field({
      type: [WebhookAttempt],
      description: 'The latest 50 attempts, oldest first.',
      resolve: ({ attempts }) => attempts,
    }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the next attempt. Null if no further attempt is planned.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the event.' }),
  }),
});

const OperatorDeliveryPage = pageType('OperatorDeliveryPage', OperatorDelivery, 'webhook deliveries');

export const OperatorDeliveryFilters = builder.inputType('OperatorDeliveryFilters', {
  description: 'Filters of a list of deliveries. A delivery must match every given filter.',
  fields: (t) => ({
    status: t.field({ type: [DeliveryStatus], description: 'Only deliveries with one of these statuses.' }),
    eventType: t.field({ type: ['EventType'], description: 'Only deliveries of one of these event types.' }),
    eventId: t.id({ description: 'Only deliveries of this event.' }),
    objectId: t.id({ description: 'Only deliveries of the events of this object, such as a payment.' }),
    endpointId: t.id({ description: 'Only deliveries to this endpoint.' }),
    createdAt: t.field({ type: DateFilter, description: 'Only deliveries of events of this time.' }),
  }),
});

builder.queryField('operatorDeliveries', (t) =>
  t.withAuth({ platformStaff: true }).field({
    type: OperatorDeliveryPage,
    description: `Lists webhook deliveries with their attempts, newest first. For internal staff. ${countedTotal}`,
    args: {
      ...visibilityArgs,
      ...pageArguments,
      filters: t.arg({ type: OperatorDeliveryFilters, description: 'Filters of the list.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listDeliveriesWithin(context, await peopleVisibility(context, { mode, partnerSlug }), args),
  }),
);
