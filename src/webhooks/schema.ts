import { builder, type BuilderTypes } from '../graph/builder.ts';
import { DeleteResult } from '../graph/delete-result.ts';
import { DateFilter } from '../graph/list-inputs.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import {
  type AttemptRow,
  type DeliveryRow,
  listWebhookDeliveries,
  redeliverWebhook,
  redeliverWebhooksSince,
  testWebhookEndpoint,
} from './deliveries.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  type EndpointRow,
  type IssuedEndpointRow,
  listWebhookEndpoints,
  readWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from './operations.ts';

const DisabledReason = builder.enumType('WebhookDisabledReason', {
  description: 'Why an endpoint gets nothing.',
  values: {
    manual: { description: 'You disabled it.' },
    gone: { description: 'The receiver answered 410.' },
    failing: { description: 'Five days without a success.' },
  } as const,
});

export const DeliveryStatus = builder.enumType('WebhookDeliveryStatus', {
  description: 'How far a delivery has come.',
  values: {
    pending: { description: 'Not tried yet, or to be sent again.' },
    delivered: { description: 'The receiver answered 2xx.' },
    failed: { description: 'The last attempt failed; the next is at `nextAttemptAt`.' },
    dead: {
      description: 'Given up: the schedule is over, or the endpoint is disabled. Redeliver it when the receiver works.',
    },
  } as const,
});

const shown = <Row extends EndpointRow>(t: PothosSchemaTypes.ObjectFieldBuilder<BuilderTypes, Row>) => ({
  id: t.string({ description: 'Identifier, prefix `wh_`.', resolve: ({ id }) => id }),
  url: t.field({ type: 'Url', description: 'Where events are sent.', resolve: ({ url }) => url }),
  eventTypes: t.field({
    type: ['EventType'],
    description: 'The types of event it gets.',
    resolve: ({ eventTypes }) => eventTypes,
  }),
  platformAccountId: t.string({
    nullable: true,
    description: 'The account whose events it gets, prefix `tpa_`; null for all accounts of the partner in this mode.',
    resolve: (row) => row.platformAccountId,
  }),
  storeId: t.string({
    nullable: true,
    description: 'The store whose events alone it gets, prefix `store_`; null for all of them.',
    resolve: ({ storeId }) => storeId,
  }),
  description: t.string({ nullable: true, description: 'Your own note.', resolve: ({ description }) => description }),
  ordered: t.boolean({
    description:
      'Whether the events of one object come one after the other, each after the one before it has been delivered or given up.',
    resolve: ({ ordered }) => ordered,
  }),
  enabled: t.boolean({
    description: 'Whether events are sent. While it is false they are listed as dead deliveries.',
    resolve: ({ enabled }) => enabled,
  }),
  disabledReason: t.field({
    type: DisabledReason,
    nullable: true,
    description: 'Why it is disabled; null while it is enabled.',
    resolve: (row) => row.disabledReason as never,
  }), // a CHECK constraint holds the column to the enum, and deleted rows are not shown
  rotationEndsAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'Until when the secret before the last rotation signs, too; null when there was none.',
    resolve: (row) => row.previousSecretUntil,
  }),
  livemode: t.boolean({ description: 'False in test mode.', resolve: ({ mode }) => mode === 'live' }),
  createdAt: t.field({ type: 'DateTime', description: 'When it was created.', resolve: ({ createdAt }) => createdAt }),
  updatedAt: t.field({ type: 'DateTime', description: 'When it last changed.', resolve: ({ updatedAt }) => updatedAt }),
});

const WebhookEndpoint = builder
  .objectRef<EndpointRow>('WebhookEndpoint')
  .implement({
    description: 'An address of yours that events are sent to, signed after Standard Webhooks 1.0.',
    fields: shown,
  });

const IssuedWebhookEndpoint = builder.objectRef<IssuedEndpointRow>('IssuedWebhookEndpoint').implement({
  description: 'An endpoint with a new secret. This is the only time the secret is shown.',
  fields: (t) => ({
    ...shown(t),
    secret: t.exposeString('secret', {
      nullable: true,
      description:
        'What verifies the signatures, prefix `whsec_`. Null when this answer is a repeat under the same Idempotency-Key: rotate to get another.',
    }),
  }),
});

export const WebhookAttempt = builder.objectRef<AttemptRow>('WebhookAttempt').implement({
  description: 'One request to the receiver.',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When it was sent.', resolve: ({ at }) => new Date(at) }),
    status: t.exposeInt('status', {
      nullable: true,
      description: 'The status the receiver answered with; null when there was no answer.',
    }),
    durationMs: t.exposeInt('durationMs', { description: 'How long it took, in milliseconds.' }),
    responseBody: t.exposeString('responseBody', { nullable: true, description: 'The first KiB of the answer.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why it counts as failed; null when it succeeded.' }),
  }),
});

const WebhookDelivery = builder.objectRef<DeliveryRow>('WebhookDelivery').implement({
  description:
    'One event on its way to one endpoint. It arrives at least once: the receiver tells repeats by the header `webhook-id`, which is the id of the event.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `whd_`.' }),
    eventId: t.exposeString('eventId', { description: 'The event, prefix `evt_`.' }),
    eventType: t.exposeString('eventType', {
      description: 'What happened, such as `payment/succeeded`; `webhook/test` for a test.',
    }),
    status: t.field({
      type: DeliveryStatus,
      description: 'How far it has come.',
      resolve: ({ status }) => status as never,
    }), // a CHECK constraint holds the column to the enum
    attempts: t.field({
      type: [WebhookAttempt],
      description: 'What was tried, the oldest first; the latest 50.',
      resolve: (delivery) => delivery.attempts,
    }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When it is sent next; null when nothing more is to be done. What happened on a test clock is sent at once, and again at this time of that clock, when it is advanced.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the event happened.' }),
  }),
});

const WebhookEndpointPage = pageType('WebhookEndpointPage', WebhookEndpoint, 'webhook endpoints');
const WebhookEndpointSort = sortInput('WebhookEndpointSort', ['createdAt']);
const WebhookDeliveryPage = pageType('WebhookDeliveryPage', WebhookDelivery, 'webhook deliveries');
const WebhookDeliverySort = sortInput('WebhookDeliverySort', ['createdAt']);
const Redelivery = builder
  .objectRef<{ redelivered: number }>('WebhookRedelivery')
  .implement({
    description: 'The answer to a redelivery of many.',
    fields: (t) => ({
      redelivered: t.exposeInt('redelivered', { description: 'How many events will be sent again.' }),
    }),
  });

export const WebhookEndpointFilters = builder.inputType('WebhookEndpointFilters', {
  description: 'Which endpoints. All that are given must hold.',
  fields: (t) => ({
    storeId: t.stringList({ description: 'For any of these stores alone.' }),
    enabled: t.boolean({ description: 'Enabled ones, or disabled ones.' }),
  }),
});

export const WebhookDeliveryFilters = builder.inputType('WebhookDeliveryFilters', {
  description: 'Which deliveries. All that are given must hold.',
  fields: (t) => ({
    status: t.field({ type: [DeliveryStatus], description: 'Any of these statuses.' }),
    eventType: t.field({ type: ['EventType'], description: 'Any of these types.' }),
    eventId: t.string({ description: 'Of this event.' }),
    createdAt: t.field({ type: DateFilter, description: 'When the event happened.' }),
  }),
});

export const CreateWebhookEndpointInput = builder.inputType('CreateWebhookEndpointInput', {
  description: 'An endpoint to add. At most 20 an account, and 20 for all accounts of a partner and mode.',
  fields: (t) => ({
    url: t.field({
      type: 'Url',
      required: true,
      description: 'Where to send events: https in live mode, and never an address of a private network.',
    }),
    eventTypes: t.field({
      type: ['EventType'],
      required: true,
      description: 'The types of event it is to get; at least one.',
    }),
    storeId: t.string({
      description:
        "The store whose events alone it is to get, prefix `store_`. Left out: the sub-key's whole account, or with a partner key all the partner's accounts of its mode.",
    }),
    description: t.field({ type: 'ShortText', description: 'Your own note.' }),
    ordered: t.boolean({
      description: 'Whether the events of one object must come in order. One that fails then holds up those after it.',
    }),
  }),
});

export const UpdateWebhookEndpointInput = builder.inputType('UpdateWebhookEndpointInput', {
  description: 'What to change. What is left out stays.',
  fields: (t) => ({
    url: t.field({ type: 'Url', description: 'Where to send events, from the next attempt on.' }),
    eventTypes: t.field({ type: ['EventType'], description: 'The types of event it is to get; replaces all of them.' }),
    description: t.field({ type: 'ShortText', description: 'Your own note; null removes it.' }),
    ordered: t.boolean({ description: 'Whether the events of one object must come in order.' }),
    enabled: t.boolean({
      description: 'False: what is open is dead at once. True: what comes is sent; redeliver what came meanwhile.',
    }),
  }),
});

const webhookId = { required: true, description: 'The endpoint, prefix `wh_`.' } as const;

builder.queryFields((t) => ({
  webhookEndpoint: t.withAuth({ key: true }).field({
    type: WebhookEndpoint,
    description: 'One endpoint. 404 when it is not within the reach of the key.',
    args: { webhookId: t.arg.string(webhookId) },
    resolve: (_root, args, context) => readWebhookEndpoint(context, args.webhookId),
  }),
  webhookEndpoints: t.withAuth({ key: true }).field({
    type: WebhookEndpointPage,
    description:
      "The endpoints of the key's account; with a partner key those of all its accounts of its mode, and those for all of them together.",
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: WebhookEndpointSort, description: 'The order.' }),
      filters: t.arg({ type: WebhookEndpointFilters, description: 'Which endpoints.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listWebhookEndpoints(context, args),
  }),
  webhookDeliveries: t.withAuth({ key: true }).field({
    type: WebhookDeliveryPage,
    description: 'The deliveries to one endpoint, the newest first unless sorted otherwise.',
    args: {
      webhookId: t.arg.string(webhookId),
      ...pageArguments,
      sortBy: t.arg({ type: WebhookDeliverySort, description: 'The order.' }),
      filters: t.arg({ type: WebhookDeliveryFilters, description: 'Which deliveries.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, { webhookId: id, ...args }, context) => listWebhookDeliveries(context, id, args),
  }),
}));

builder.mutationFields((t) => ({
  createWebhookEndpoint: t.withAuth({ key: true }).field({
    type: IssuedWebhookEndpoint,
    description:
      'Adds an endpoint. Its secret is in this answer and nowhere else. 409 `limit_reached` when there are 20 already.',
    args: { input: t.arg({ type: CreateWebhookEndpointInput, required: true, description: 'The endpoint.' }) },
    resolve: (_root, { input }, context) => createWebhookEndpoint(context, input),
  }),
  updateWebhookEndpoint: t.withAuth({ key: true }).field({
    type: WebhookEndpoint,
    description: 'Changes what is named and leaves the rest.',
    args: {
      webhookId: t.arg.string(webhookId),
      input: t.arg({ type: UpdateWebhookEndpointInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, args, context) => updateWebhookEndpoint(context, args.webhookId, args.input),
  }),
  deleteWebhookEndpoint: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description: 'Deletes an endpoint. What is still on its way to it is not sent any more.',
    args: { webhookId: t.arg.string(webhookId) },
    resolve: (_root, args, context) => deleteWebhookEndpoint(context, args.webhookId),
  }),
  rotateWebhookSecret: t.withAuth({ key: true }).field({
    type: IssuedWebhookEndpoint,
    description:
      'Gives the endpoint a new secret, shown in this answer only. For 24 hours the one before it signs, too, so that no event is lost while the receiver changes over.',
    args: { webhookId: t.arg.string(webhookId) },
    resolve: (_root, args, context) => rotateWebhookSecret(context, args.webhookId),
  }),
  testWebhookEndpoint: t.withAuth({ key: true }).field({
    type: WebhookDelivery,
    description:
      'Sends `webhook/test` to the endpoint, whatever types it gets otherwise. 409 `invalid_state` when it is disabled.',
    args: { webhookId: t.arg.string(webhookId) },
    resolve: (_root, args, context) => testWebhookEndpoint(context, args.webhookId),
  }),
  redeliverWebhook: t.withAuth({ key: true }).field({
    type: WebhookDelivery,
    description:
      'Sends one event to its endpoint again, with the schedule from its beginning. 409 `invalid_state` when the endpoint is disabled.',
    args: { deliveryId: t.arg.string({ required: true, description: 'The delivery, prefix `whd_`.' }) },
    resolve: (_root, { deliveryId }, context) => redeliverWebhook(context, deliveryId),
  }),
  redeliverWebhooksSince: t.withAuth({ key: true }).field({
    type: Redelivery,
    description:
      'Sends all events of the endpoint since a moment again, delivered ones, too; at most 50,000 a call. 409 `invalid_state` when the endpoint is disabled.',
    args: {
      webhookId: t.arg.string(webhookId),
      since: t.arg({
        type: 'DateTime',
        required: true,
        description: 'The moment from which on events are sent again.',
      }),
    },
    resolve: (_root, args, context) => redeliverWebhooksSince(context, args.webhookId, args.since),
  }),
}));
