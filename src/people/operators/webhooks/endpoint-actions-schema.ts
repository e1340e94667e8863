import {
  type EndpointWithHealth,
  type IssuedEndpointRow,
  IssuedWebhookEndpoint,
  issuedEndpointObject,
  Redelivery,
} from '../../../domains/webhooks/public.ts';
import { builder } from '../../../graph/builder.ts';
import {
  operatorRedeliver,
  operatorRedeliverSince,
  operatorRotateSecret,
  operatorSwitchEndpoint,
  operatorTestEndpoint,
  reason,
} from '../on-behalf.ts';
import { OperatorDelivery } from './deliveries-schema.ts';
import { endpointId, endpointView, OperatorWebhookEndpoint } from './endpoints-schema.ts';

const recorded =
  'For hubadmin and above. The change is recorded in the audit log. An `Idempotency-Key` belongs to the user.';
const always = `404 if there is no such endpoint. ${recorded}`;

builder.mutationFields((t) => ({
  operatorSwitchWebhookEndpoint: t.withAuth({ hub: true }).field({
    type: OperatorWebhookEndpoint,
    description:
      'Enables or disables a webhook endpoint, like `updateWebhookEndpoint`: disabled, its open deliveries are dead; ' +
      `enabled, it gets what happens from then on. ${always}`,
    args: {
      endpointId: t.arg.id(endpointId),
      enabled: t.arg.boolean({ required: true, description: 'Whether events are sent.' }),
      reason: t.arg(reason),
    },
    storedAnswer: { answerOf: (stored) => endpointView(stored as EndpointWithHealth) },
    resolve: async (_root, args, context) => endpointView(await operatorSwitchEndpoint(context, args)),
  }),
  operatorTestWebhookEndpoint: t.withAuth({ hub: true }).field({
    type: OperatorDelivery,
    description:
      'Sends the event `webhook/test` to a webhook endpoint, like `testWebhookEndpoint`: 409 `invalid_state` if it is ' +
      `disabled. ${always}`,
    args: { endpointId: t.arg.id(endpointId), reason: t.arg(reason) },
    storedAnswer: { operation: 'testWebhookEndpoint' },
    resolve: (_root, args, context) => operatorTestEndpoint(context, args),
  }),
  operatorRotateWebhookSecret: t.withAuth({ hub: true }).field({
    type: IssuedWebhookEndpoint,
    description:
      'Replaces the signing secret of a webhook endpoint, like `rotateWebhookSecret`: only this answer contains the ' +
      `new secret, and the previous one signs as well for 24 hours. ${always}`,
    args: { endpointId: t.arg.id(endpointId), reason: t.arg(reason) },
    storedAnswer: {
      operation: 'rotateWebhookSecret',
      answerOf: (stored) => issuedEndpointObject(stored as IssuedEndpointRow),
    },
    resolve: async (_root, args, context) => issuedEndpointObject(await operatorRotateSecret(context, args)),
  }),
  operatorRedeliverWebhook: t.withAuth({ hub: true }).field({
    type: OperatorDelivery,
    description:
      'Sends an event to its endpoint again, like `redeliverWebhook`: 404 if there is no such delivery or its endpoint ' +
      `was deleted, 409 \`invalid_state\` if the endpoint is disabled. ${recorded}`,
    args: {
      deliveryId: t.arg.id({
        required: true,
        description: 'Identifier of the delivery of either mode, prefix `whd_`.',
      }),
      reason: t.arg(reason),
    },
    storedAnswer: { operation: 'redeliverWebhook' },
    resolve: (_root, args, context) => operatorRedeliver(context, args),
  }),
  operatorRedeliverWebhooksSince: t.withAuth({ hub: true }).field({
    type: Redelivery,
    description:
      'Sends all events of a webhook endpoint since a given time again, delivered ones too, like ' +
      '`redeliverWebhooksSince`: 400 if there are more than 50,000, 409 `invalid_state` if it is disabled. ' +
      always,
    args: {
      endpointId: t.arg.id(endpointId),
      since: t.arg({ type: 'DateTime', required: true, description: 'The time from which events are sent again.' }),
      reason: t.arg(reason),
    },
    storedAnswer: { operation: 'redeliverWebhooksSince' },
    resolve: (_root, args, context) => operatorRedeliverSince(context, args),
  }),
}));
