import { peopleVisibility } from '../../../auth/visibility.ts';
import {
  type EndpointObject,
  type EndpointWithHealth,
  endpointFields,
  endpointObject,
  healthCountMax,
  listEndpointsWithin,
} from '../../../domains/webhooks/public.ts';
import { builder } from '../../../graph/builder.ts';
import { pageArguments, pageComplexity, pageType } from '../../../lists/inputs.ts';
import { mapPage } from '../../../lists/read-list.ts';
import { countedTotal, visibilityArgs } from '../inputs.ts';
import { readOperatorEndpoint } from '../on-behalf.ts';

type EndpointView = EndpointObject &
  Pick<EndpointWithHealth, 'partnerId' | 'failingSince' | 'lastDeliveredAt' | 'health'>;

export function endpointView(endpoint: EndpointWithHealth): EndpointView {
  const { partnerId, failingSince, lastDeliveredAt, health } = endpoint;
  return { ...endpointObject(endpoint), partnerId, failingSince, lastDeliveredAt, health };
}

const countedUpTo = `, counted up to ${healthCountMax}.`;

/** The argument for the id of an endpoint. */
export const endpointId = {
  required: true,
  description: 'Identifier of the endpoint of either mode, prefix `wh_`.',
} as const;

export const OperatorWebhookEndpoint = builder.objectRef<EndpointView>('OperatorWebhookEndpoint').implement({
  description: 'A webhook endpoint with its tenant and its health, as operators see it.',
  fields: (t) => ({
    ...endpointFields(t),
    partnerId: t.exposeID('partnerId', { description: 'Identifier of the partner, prefix `par_`.' }),
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
      resolve: ({ health }) => health.open,
    }),
    failedCount: t.int({
      description: 'Number of those whose last attempt failed.',
      resolve: ({ health }) => health.failed,
    }),
    deadCount: t.int({
      description: `Number of dead deliveries${countedUpTo}`,
      resolve: ({ health }) => health.dead,
    }),
    oldestDueAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'Time at which the first of the open deliveries is due. A time in the past is how far the sending is behind. ' +
        'Null if there is none.',
      resolve: ({ health }) => (health.oldestDueAt === null ? null : new Date(health.oldestDueAt)),
    }),
  }),
});

const OperatorWebhookEndpointPage = pageType(
  'OperatorWebhookEndpointPage',
  OperatorWebhookEndpoint,
  'webhook endpoints',
);

const OperatorWebhookEndpointFilters = builder.inputType('OperatorWebhookEndpointFilters', {
  description: 'Filters of a list of webhook endpoints. An endpoint must match every given filter.',
  fields: (t) => ({
    enabled: t.boolean({ description: 'True for enabled endpoints, false for disabled ones.' }),
    isFailing: t.boolean({ description: 'True for endpoints whose last attempt failed, false for the others.' }),
    platformAccountId: t.id({ description: 'Only endpoints of this account.' }),
  }),
});

builder.queryFields((t) => ({
  operatorWebhookEndpoint: t.withAuth({ platformStaff: true }).field({
    type: OperatorWebhookEndpoint,
    description:
      'Returns one webhook endpoint of either mode with its health. For internal staff. 404 if there is none.',
    args: { endpointId: t.arg.id(endpointId) },
    resolve: async (_root, args, context) => endpointView(await readOperatorEndpoint(context, args.endpointId)),
  }),
  operatorWebhookEndpoints: t.withAuth({ platformStaff: true }).field({
    type: OperatorWebhookEndpointPage,
    description: `Lists webhook endpoints with their health, newest first. For internal staff. ${countedTotal}`,
    args: {
      ...visibilityArgs,
      ...pageArguments,
      filters: t.arg({ type: OperatorWebhookEndpointFilters, description: 'Filters of the list.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      mapPage(
        await listEndpointsWithin(context, await peopleVisibility(context, { mode, partnerSlug }), args),
        endpointView,
      ),
  }),
}));
