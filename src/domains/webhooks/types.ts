import type { Context } from '../../call/context.ts';
import { type BuilderTypes, builder } from '../../graph/builder.ts';
import { linkedRows } from '../../graph/linked-rows.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import { type Header, requestBodyOf, requestHeadersOf } from './deliveries/request.ts';
import type { AttemptRow, DeliveryRow } from './deliveries/rows.ts';
import { type EndpointHealth, healthCountMax, healthOfEndpoints } from './endpoints/health.ts';
import type { EndpointObject, EndpointView, IssuedEndpointObject } from './endpoints/rows.ts';

/** A body has up to some ten kilobytes, which are read and written for each delivery. */
const bodyComplexity = 80;

const DisabledReason = builder.enumType('WebhookDisabledReason', {
  description: 'The reason a webhook endpoint is disabled.',
  values: {
    manual: { description: 'A caller set `enabled` to false.' },
    gone: { description: 'The receiver answered with status 410.' },
    failing: { description: 'Every attempt failed for five days.' },
  } as const,
});

export const DeliveryStatus = builder.enumType('WebhookDeliveryStatus', {
  description: 'The status of a webhook delivery.',
  values: {
    pending: { description: 'Not sent yet, or queued to be sent again.' },
    delivered: { description: 'The receiver answered with a 2xx status.' },
    failed: { description: 'The last attempt failed. The next attempt is at `nextAttemptAt`.' },
    dead: {
      description:
        'No further attempt is made, because the retry schedule has ended or the endpoint is disabled. It can be ' +
        'redelivered.',
    },
  } as const,
});

/** The fields of an endpoint, for every reader. */
const endpointFields = <Row extends EndpointObject>(t: PothosSchemaTypes.ObjectFieldBuilder<BuilderTypes, Row>) => ({
  id: t.id({ description: 'Unique identifier of the endpoint, prefix `wh_`.', resolve: ({ id }) => id }),
  url: t.field({ type: 'Url', description: 'The URL that events are sent to.', resolve: ({ url }) => url }),
  eventTypes: t.field({
    type: ['EventType'],
    description: 'The types of event that are sent to the endpoint.',
    resolve: ({ eventTypes }) => eventTypes,
  }),
  platformAccountId: t.id({
    nullable: true,
    description:
      'The account whose events are sent, prefix `tpa_`. Null if events of all accounts of the partner in this mode ' +
      'are sent.',
    resolve: (row) => row.platformAccountId,
  }),
  storeId: t.id({
    nullable: true,
    description: 'The store whose events are sent, prefix `store_`. Null if events are not limited to one store.',
    resolve: ({ storeId }) => storeId,
  }),
  description: t.string({
    nullable: true,
    description: 'A description of the endpoint, set by the caller. Null if there is none.',
    resolve: ({ description }) => description,
  }),
  ordered: t.boolean({
    description:
      'Whether the events of one object are sent one after the other. If true, an event is sent only after the ' +
      'previous one was delivered or is dead.',
    resolve: ({ ordered }) => ordered,
  }),
  enabled: t.boolean({
    description: 'Whether events are sent. While it is false, new events are recorded as dead deliveries.',
    resolve: ({ enabled }) => enabled,
  }),
  disabledReason: t.field({
    type: DisabledReason,
    nullable: true,
    description: 'The reason the endpoint is disabled. Null if it is enabled.',
    // a CHECK constraint limits the column to the enum, and deleted rows are not returned
    ...storedColumn('disabledReason'),
  }),
  rotationEndsAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'Time until which the previous secret signs as well. Null if the secret was never rotated.',
    resolve: (row) => row.rotationEndsAt,
  }),
  livemode: t.boolean({
    description: 'True in live mode, false in test mode.',
    resolve: ({ livemode }) => livemode,
  }),
  createdAt: t.field({
    type: 'DateTime',
    description: 'Time at which the endpoint was created.',
    resolve: ({ createdAt }) => createdAt,
  }),
  updatedAt: t.field({
    type: 'DateTime',
    description: 'Time at which the endpoint was last updated.',
    resolve: ({ updatedAt }) => updatedAt,
  }),
});

const healthOf = async ({ id }: EndpointView, context: Context): Promise<EndpointHealth> => {
  const [row] = await linkedRows<{ health: EndpointHealth }>(context, healthOfEndpoints, id);
  return row?.health ?? { open: 0, failed: 0, dead: 0, oldestDueAt: null };
};
const countedUpTo = `, counted up to ${healthCountMax}.`;

export const WebhookEndpoint = builder.objectRef<EndpointView>('WebhookEndpoint').implement({
  description: 'A URL that events are sent to. Requests are signed according to Standard Webhooks 1.0.',
  fields: (t) => ({
    ...endpointFields(t),
    partnerId: t.exposeID('partnerId', { description: 'The partner, prefix `par_`.' }),
    lastDeliveredAt: t.expose('lastDeliveredAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time of the last success, to the minute. Events on test clocks do not count. Null if there was none since ' +
        'the platform records it.',
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the first failure since the last success. Null if the last attempt succeeded.',
    }),
    openCount: t.int({
      description: `Number of deliveries that are still to be sent or retried${countedUpTo}`,
      resolve: async (endpoint, _args, context) => (await healthOf(endpoint, context)).open,
    }),
    failedCount: t.int({
      description: 'Number of pending deliveries whose last attempt failed.',
      resolve: async (endpoint, _args, context) => (await healthOf(endpoint, context)).failed,
    }),
    deadCount: t.int({
      description: `Number of dead deliveries${countedUpTo}`,
      resolve: async (endpoint, _args, context) => (await healthOf(endpoint, context)).dead,
    }),
    oldestDueAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'Time at which the first of the open deliveries is due. A time in the past is how far the sending is behind. ' +
        'Null if there is none.',
      resolve: async (endpoint, _args, context) => {
        const { oldestDueAt } = await healthOf(endpoint, context);
        return oldestDueAt === null ? null : new Date(oldestDueAt);
      },
    }),
  }),
});

export const IssuedWebhookEndpoint = builder.objectRef<IssuedEndpointObject>('IssuedWebhookEndpoint').implement({
  description: 'A webhook endpoint with its new signing secret. The secret is returned only once.',
  fields: (t) => ({
    ...endpointFields(t),
    secret: t.exposeString('secret', {
      nullable: true,
      description:
        'The secret with which the receiver verifies signatures, prefix `whsec_`. Null if this is the replay of an ' +
        'earlier request with the same Idempotency-Key; rotate the secret to get a new one.',
    }),
  }),
});

const WebhookHeader = builder.objectRef<Header>('WebhookHeader').implement({
  description: 'A header of a request to a receiver, or of its answer.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the header.' }),
    value: t.exposeString('value', { description: 'The value of the header; `[redacted]` for a secret.' }),
  }),
});

const WebhookAttempt = builder.objectRef<AttemptRow>('WebhookAttempt').implement({
  description: 'One request to the receiver of a delivery.',
  fields: (t) => ({
    at: t.field({
      type: 'DateTime',
      description: 'Time at which the request was sent.',
      resolve: ({ at }) => new Date(at),
    }),
    status: t.exposeInt('status', {
      nullable: true,
      description: 'The HTTP status of the answer. Null if there was no answer.',
    }),
    durationMs: t.exposeInt('durationMs', { description: 'The duration of the request in milliseconds.' }),
    requestHeaders: t.field({
      type: [WebhookHeader],
      description:
        'The headers that were sent, without `traceparent`. The signature is not shown, and `User-Agent` is that of ' +
        'the present version. An attempt on a test clock has no `webhook-timestamp`, which is in real time.',
      resolve: requestHeadersOf,
    }),
    responseHeaders: t.field({
      type: [WebhookHeader],
      nullable: true,
      description:
        'The first headers of the answer, at most 2 KiB, without the values of cookies. Null if there was no ' +
        'answer, and for an attempt made before this field existed.',
      resolve: ({ responseHeaders }) => responseHeaders,
    }),
    responseBody: t.exposeString('responseBody', {
      nullable: true,
      description: 'The first KiB of the answer. Null if no body was received.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'The reason the attempt failed. Null if it succeeded.',
    }),
  }),
});

export const WebhookDelivery = builder.objectRef<DeliveryRow>('WebhookDelivery').implement({
  description:
    'One event to be sent to one webhook endpoint. An event is delivered at least once. The receiver detects repeats ' +
    'by the header `webhook-id`, which contains the id of the event.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the delivery, prefix `whd_`.' }),
    eventId: t.exposeID('eventId', { description: 'The event that is sent, prefix `evt_`.' }),
    eventType: t.expose('eventType', {
      type: 'SentEventType',
      description: 'The type of the event, such as `payment/succeeded`; `webhook/test` for a test.',
    }),
    partnerId: t.exposeID('partnerId', { description: 'The partner, prefix `par_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      nullable: true,
      description:
        "The endpoint's account, prefix `tpa_`. Null for an endpoint that receives the events of all accounts of the " +
        'partner.',
    }),
    endpointId: t.exposeID('endpointId', { description: 'The endpoint, prefix `wh_`.' }),
    objectId: t.exposeID('objectId', { description: 'The object of the event. For a test, the event itself.' }),
    attemptCount: t.exposeInt('attemptCount', { description: 'Number of attempts.' }),
    status: t.field({
      type: DeliveryStatus,
      description: 'The status of the delivery.',
      ...storedColumn('status'),
    }),
    requestBody: t.string({
      description: 'The body that is sent, the same bytes at every attempt.',
      complexity: bodyComplexity,
      resolve: (delivery, _args, context) => requestBodyOf(context, delivery),
    }),
    attempts: t.field({
      type: [WebhookAttempt],
      description: 'The attempts of the delivery, oldest first. Contains at most the latest 50.',
      resolve: (delivery) => delivery.attempts,
    }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time of the next attempt. Null if no attempt is scheduled. An event on a test clock is sent immediately; its ' +
        'retries are scheduled in the time of that clock and sent when the clock is advanced.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the event occurred.' }),
  }),
});

export const Redelivery = builder.objectRef<{ redelivered: number }>('WebhookRedelivery').implement({
  description: 'The result of redelivering the events of an endpoint.',
  fields: (t) => ({
    redelivered: t.exposeInt('redelivered', { description: 'The number of events that are sent again.' }),
  }),
});
