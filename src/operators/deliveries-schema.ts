import { builder } from '../graph/builder.ts';
import { DateFilter } from '../graph/list-inputs.ts';
import { pageArguments, pageComplexity, pageType } from '../graph/pages.ts';
import { type DeliveryRow, listDeliveriesWithin } from '../webhooks/operations.ts';
import { DeliveryStatus, WebhookAttempt } from '../webhooks/schema.ts';
import { operatorReach } from './reach.ts';
import { within } from './schema.ts';

const OperatorDelivery = builder.objectRef<DeliveryRow>('OperatorDelivery').implement({
  description: 'An event on its way to an endpoint, as operators see it.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `whd_`.' }),
    partnerId: t.exposeString('partnerId', { description: 'The partner, prefix `par_`.' }),
    platformAccountId: t.exposeString('platformAccountId', {
      nullable: true,
      description: "The endpoint's account, prefix `tpa_`; null for one that hears all the partner's accounts.",
    }),
    endpointId: t.exposeString('endpointId', { description: 'The endpoint, prefix `wh_`.' }),
    eventId: t.exposeString('eventId', { description: 'The event, prefix `evt_`.' }),
    eventType: t.exposeString('eventType', {
      description: 'What happened, such as `payment/succeeded`; `webhook/test` for a test.',
    }),
    status: t.field({
      type: DeliveryStatus,
      description: 'How far it has come.',
      resolve: ({ status }) => status as never,
    }), // a CHECK constraint holds the column to the enum
    attemptCount: t.exposeInt('attemptCount', { description: 'How often it was tried.' }),
    attempts: t.field({
      type: [WebhookAttempt],
      description: 'What was tried, the oldest first; the latest 50.',
      resolve: ({ attempts }) => attempts,
    }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is sent next; null when nothing more is to be done.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the event happened.' }),
  }),
});

const OperatorDeliveryPage = pageType('OperatorDeliveryPage', OperatorDelivery, 'webhook deliveries');

const OperatorDeliveryFilters = builder.inputType('OperatorDeliveryFilters', {
  description: 'Which deliveries. All that are given must hold.',
  fields: (t) => ({
    status: t.field({ type: [DeliveryStatus], description: 'Any of these statuses.' }),
    eventType: t.field({ type: ['EventType'], description: 'Any of these types.' }),
    eventId: t.string({ description: 'Of this event.' }),
    endpointId: t.string({ description: 'To this endpoint.' }),
    createdAt: t.field({ type: DateFilter, description: 'When the event happened.' }),
  }),
});

builder.queryField('operatorDeliveries', (t) =>
  t.withAuth({ platformStaff: true }).field({
    type: OperatorDeliveryPage,
    description: "All partners' webhook deliveries with their attempts, the newest first, for internal staff.",
    args: {
      ...within,
      ...pageArguments,
      filters: t.arg({ type: OperatorDeliveryFilters, description: 'Which deliveries.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listDeliveriesWithin(context, await operatorReach(context, mode, partnerSlug), args),
  }),
);
