import { builder } from '../../graph/builder.ts';
import { DeleteResult } from '../../graph/shared-types.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../../lists/inputs.ts';
import { mapPage } from '../../lists/read-list.ts';
import { listWebhookDeliveries } from './deliveries/list-deliveries.ts';
import { redeliverWebhook, redeliverWebhooksSince, testWebhookEndpoint } from './deliveries/redeliver.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from './endpoints/change-endpoint.ts';
import { listWebhookEndpoints } from './endpoints/list-endpoints.ts';
import {
  type EndpointRow,
  endpointObject,
  type IssuedEndpointRow,
  issuedEndpointObject,
  readWebhookEndpoint,
} from './endpoints/rows.ts';
import {
  CreateWebhookEndpointInput,
  UpdateWebhookEndpointInput,
  WebhookDeliveryFilters,
  WebhookEndpointFilters,
} from './inputs.ts';
import { IssuedWebhookEndpoint, Redelivery, WebhookDelivery, WebhookEndpoint } from './types.ts';

const WebhookEndpointPage = pageType('WebhookEndpointPage', WebhookEndpoint, 'webhook endpoints');
const WebhookEndpointSort = sortInput('WebhookEndpointSort', ['createdAt']);
const WebhookDeliveryPage = pageType('WebhookDeliveryPage', WebhookDelivery, 'webhook deliveries');
const WebhookDeliverySort = sortInput('WebhookDeliverySort', ['createdAt']);

const webhookId = { required: true, description: 'The endpoint, prefix `wh_`.' } as const;

builder.queryFields((t) => ({
  webhookEndpoint: t.withAuth({ key: true }).field({
    type: WebhookEndpoint,
    description: 'Retrieves a webhook endpoint. 404 if it is not visible to the API key.',
    args: { webhookId: t.arg.id(webhookId) },
    resolve: async (_root, args, context) => endpointObject(await readWebhookEndpoint(context, args.webhookId)),
  }),
  webhookEndpoints: t.withAuth({ key: true }).field({
    type: WebhookEndpointPage,
    description:
      'Lists webhook endpoints, newest first by default. A sub-key lists the endpoints of its account. A partner key ' +
      'lists the endpoints of all its accounts in its mode, and those that receive the events of all of them.',
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: WebhookEndpointSort, description: 'The order of the list.' }),
      filters: t.arg({ type: WebhookEndpointFilters, description: 'The filters of the list.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, args, context) => mapPage(await listWebhookEndpoints(context, args), endpointObject),
  }),
  webhookDeliveries: t.withAuth({ key: true }).field({
    type: WebhookDeliveryPage,
    description:
      'Lists the deliveries of a webhook endpoint, newest first by default. 404 if the endpoint is not visible to ' +
      'the API key.',
    args: {
      webhookId: t.arg.id(webhookId),
      ...pageArguments,
      sortBy: t.arg({ type: WebhookDeliverySort, description: 'The order of the list.' }),
      filters: t.arg({ type: WebhookDeliveryFilters, description: 'The filters of the list.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, { webhookId: id, ...args }, context) => listWebhookDeliveries(context, id, args),
  }),
}));

builder.mutationFields((t) => ({
  createWebhookEndpoint: t.withAuth({ key: true }).field({
    type: IssuedWebhookEndpoint,
    description:
      'Creates a webhook endpoint. Only this answer contains its secret. 409 `limit_reached` if there are 20 ' +
      'endpoints already.',
    args: {
      input: t.arg({ type: CreateWebhookEndpointInput, required: true, description: 'The endpoint to create.' }),
    },
    storedAnswer: { answerOf: (stored) => issuedEndpointObject(stored as IssuedEndpointRow) },
    resolve: async (_root, { input }, context) => issuedEndpointObject(await createWebhookEndpoint(context, input)),
  }),
  updateWebhookEndpoint: t.withAuth({ key: true }).field({
    type: WebhookEndpoint,
    description: 'Updates the given fields of a webhook endpoint. 404 if it is not visible to the API key.',
    args: {
      webhookId: t.arg.id(webhookId),
      input: t.arg({ type: UpdateWebhookEndpointInput, required: true, description: 'The changes to make.' }),
    },
    storedAnswer: { answerOf: (stored) => endpointObject(stored as EndpointRow) },
    resolve: async (_root, args, context) =>
      endpointObject(await updateWebhookEndpoint(context, args.webhookId, args.input)),
  }),
  deleteWebhookEndpoint: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description:
      'Deletes a webhook endpoint. Its open deliveries are not sent. 404 if it is not visible to the API key.',
    args: { webhookId: t.arg.id(webhookId) },
    resolve: (_root, args, context) => deleteWebhookEndpoint(context, args.webhookId),
  }),
  rotateWebhookSecret: t.withAuth({ key: true }).field({
    type: IssuedWebhookEndpoint,
    description:
      'Replaces the signing secret of a webhook endpoint. Only this answer contains the new secret. For 24 hours ' +
      'requests are signed with the previous secret as well, so that the receiver can change over.',
    args: { webhookId: t.arg.id(webhookId) },
    storedAnswer: { answerOf: (stored) => issuedEndpointObject(stored as IssuedEndpointRow) },
    resolve: async (_root, args, context) => issuedEndpointObject(await rotateWebhookSecret(context, args.webhookId)),
  }),
  testWebhookEndpoint: t.withAuth({ key: true }).field({
    type: WebhookDelivery,
    description:
      'Sends the event `webhook/test` to a webhook endpoint, regardless of its `eventTypes`. 409 `invalid_state` if ' +
      'the endpoint is disabled.',
    args: { webhookId: t.arg.id(webhookId) },
    resolve: (_root, args, context) => testWebhookEndpoint(context, args.webhookId),
  }),
  redeliverWebhook: t.withAuth({ key: true }).field({
    type: WebhookDelivery,
    description:
      'Sends an event to its endpoint again and restarts the retry schedule. 409 `invalid_state` if the endpoint is ' +
      'disabled.',
    args: { deliveryId: t.arg.id({ required: true, description: 'The delivery, prefix `whd_`.' }) },
    resolve: (_root, { deliveryId }, context) => redeliverWebhook(context, deliveryId),
  }),
  redeliverWebhooksSince: t.withAuth({ key: true }).field({
    type: Redelivery,
    description:
      'Sends all events of a webhook endpoint since a given time again, including delivered ones. 400 if there are ' +
      'more than 50,000. 409 `invalid_state` if the endpoint is disabled.',
    args: {
      webhookId: t.arg.id(webhookId),
      since: t.arg({ type: 'DateTime', required: true, description: 'The time from which events are sent again.' }),
    },
    resolve: (_root, args, context) => redeliverWebhooksSince(context, args.webhookId, args.since),
  }),
}));
