import { visibilityOf } from '../../auth/visibility.ts';
import { builder } from '../../graph/builder.ts';
import { byCaller, doneByPeople, isOfPerson, reasonOfPeople } from '../../graph/by-caller.ts';
import { DeleteResult } from '../../graph/shared-types.ts';
import { invalid } from '../../lib/errors.ts';
import { objectOfPeople, pageComplexity, rowsOfPeople } from '../../lists/inputs.ts';
import { webhookDeliveries } from './deliveries/list-deliveries.ts';
import { redeliverWebhook, redeliverWebhooksSince, testWebhookEndpoint } from './deliveries/redeliver.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from './endpoints/change-endpoint.ts';
import { webhookEndpoints } from './endpoints/list-endpoints.ts';
import {
  type EndpointRow,
  endpointChange,
  endpointView,
  type IssuedEndpointRow,
  issuedEndpointObject,
  readWebhookEndpoint,
} from './endpoints/rows.ts';
import { CreateWebhookEndpointInput, UpdateWebhookEndpointInput } from './inputs.ts';
import { IssuedWebhookEndpoint, Redelivery, WebhookDelivery, WebhookEndpoint } from './types.ts';

const webhookId = { required: true, description: 'The endpoint, prefix `wh_`.' } as const;

builder.queryFields((t) => ({
  webhookEndpoint: t.withAuth({ $any: { suspendedKey: true, directory: true } }).field({
    type: WebhookEndpoint,
    description: 'Retrieves a webhook endpoint. 404 if it is not visible to the API key.',
    forPeople: objectOfPeople,
    args: { webhookId: t.arg.id(webhookId) },
    resolve: async (_root, args, context) => endpointView(await readWebhookEndpoint(context, args.webhookId)),
  }),
  webhookEndpoints: t
    .withAuth({ $any: { suspendedKey: true, directory: true } })
    .field(
      webhookEndpoints.field(
        'Lists webhook endpoints, newest first by default. A sub-key lists the endpoints of its account. A partner key ' +
          'lists the endpoints of all its accounts in its mode, and those that receive the events of all of them.',
        { sortBy: 'The order of the list.', filters: 'The filters of the list.' },
      ),
    ),
  webhookDeliveries: t.withAuth({ $any: { suspendedKey: true, directory: true } }).field({
    type: webhookDeliveries.Page,
    description:
      'Lists the deliveries of a webhook endpoint, newest first by default. 404 if the endpoint is not visible to ' +
      'the API key.',
    forPeople: `A key must name the endpoint. ${rowsOfPeople}`,
    complexity: pageComplexity,
    args: {
      webhookId: t.arg.id({
        description: 'The endpoint, prefix `wh_`.',
      }),
      ...webhookDeliveries.args({ sortBy: 'The order of the list.', filters: 'The filters of the list.' }),
    },
    resolve: async (_root, { webhookId: id, mode, partnerSlug, filters, ...args }, context) => {
      const visibility = await visibilityOf(context, { mode, partnerSlug });
      if (id != null) await readWebhookEndpoint(context, id);
      else if (!isOfPerson(context))
        throw invalid('webhookId', 'is required: the endpoint whose deliveries are listed');
      return webhookDeliveries.read(context, visibility, {
        ...args,
        filters: { ...filters, ...(id != null && { endpointId: id }) },
      });
    },
  }),
}));

/** People switch an endpoint; the rest of it is its owner's. */
function assertSwitch(input: typeof UpdateWebhookEndpointInput.$inferInput): void {
  const [other] = Object.keys(input).filter((name) => name !== 'enabled');
  if (other !== undefined) throw invalid(`input.${other}`, 'is for API keys: people set enabled alone');
  if (input.enabled == null) throw invalid('input.enabled', 'is required for people');
}

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
  updateWebhookEndpoint: t.withAuth({ $any: { key: true, admin: true } }).field({
    type: WebhookEndpoint,
    description: 'Updates the given fields of a webhook endpoint. 404 if it is not visible to the API key.',
    forPeople: doneByPeople,
    args: {
      webhookId: t.arg.id(webhookId),
      input: t.arg({ type: UpdateWebhookEndpointInput, required: true, description: 'The changes to make.' }),
      reason: t.arg(reasonOfPeople),
    },
    storedAnswer: { answerOf: (stored) => endpointView(stored as EndpointRow) },
    resolve: async (_root, { webhookId: id, input, reason }, context) => {
      if (isOfPerson(context)) assertSwitch(input);
      const change = endpointChange('updateWebhookEndpoint', id, reason);
      return endpointView(await byCaller(context, change, (own) => updateWebhookEndpoint(own, id, input)));
    },
  }),
  deleteWebhookEndpoint: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description:
      'Deletes a webhook endpoint. Its open deliveries are not sent. 404 if it is not visible to the API key.',
    args: { webhookId: t.arg.id(webhookId) },
    resolve: (_root, args, context) => deleteWebhookEndpoint(context, args.webhookId),
  }),
  rotateWebhookSecret: t.withAuth({ $any: { key: true, hub: true } }).field({
    type: IssuedWebhookEndpoint,
    description:
      'Replaces the signing secret of a webhook endpoint. Only this answer contains the new secret. For 24 hours ' +
      'requests are signed with the previous secret as well, so that the receiver can change over.',
    forPeople: doneByPeople,
    args: { webhookId: t.arg.id(webhookId), reason: t.arg(reasonOfPeople) },
    storedAnswer: { answerOf: (stored) => issuedEndpointObject(stored as IssuedEndpointRow) },
    resolve: async (_root, { webhookId: id, reason }, context) => {
      const change = endpointChange('rotateWebhookSecret', id, reason);
      return issuedEndpointObject(await byCaller(context, change, (own) => rotateWebhookSecret(own, id)));
    },
  }),
  testWebhookEndpoint: t.withAuth({ $any: { key: true, admin: true } }).field({
    type: WebhookDelivery,
    description:
      'Sends the event `webhook/test` to a webhook endpoint, regardless of its `eventTypes`. 409 `invalid_state` if ' +
      'the endpoint is disabled.',
    forPeople: doneByPeople,
    args: { webhookId: t.arg.id(webhookId), reason: t.arg(reasonOfPeople) },
    resolve: (_root, { webhookId: id, reason }, context) => {
      const change = endpointChange('testWebhookEndpoint', id, reason);
      return byCaller(context, change, (own) => testWebhookEndpoint(own, id));
    },
  }),
  redeliverWebhook: t.withAuth({ $any: { key: true, admin: true } }).field({
    type: WebhookDelivery,
    description:
      'Sends an event to its endpoint again and restarts the retry schedule. 409 `invalid_state` if the endpoint is ' +
      'disabled.',
    forPeople: doneByPeople,
    args: {
      deliveryId: t.arg.id({ required: true, description: 'The delivery, prefix `whd_`.' }),
      reason: t.arg(reasonOfPeople),
    },
    resolve: (_root, { deliveryId: id, reason }, context) =>
      byCaller(context, { field: 'redeliverWebhook', kind: 'webhookDelivery', target: id, reason }, (own) =>
        redeliverWebhook(own, id),
      ),
  }),
  redeliverWebhooksSince: t.withAuth({ $any: { key: true, admin: true } }).field({
    type: Redelivery,
    description:
      'Sends all events of a webhook endpoint since a given time again, including delivered ones. 400 if there are ' +
      'more than 50,000. 409 `invalid_state` if the endpoint is disabled.',
    forPeople: doneByPeople,
    args: {
      webhookId: t.arg.id(webhookId),
      since: t.arg({ type: 'DateTime', required: true, description: 'The time from which events are sent again.' }),
      reason: t.arg(reasonOfPeople),
    },
    resolve: (_root, { webhookId: id, since, reason }, context) => {
      const change = endpointChange('redeliverWebhooksSince', id, reason);
      return byCaller(context, change, (own) => redeliverWebhooksSince(own, id, since));
    },
  }),
}));
