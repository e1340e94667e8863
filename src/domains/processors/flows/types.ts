import type { TenantContext } from '../../../call/context.ts';
import { sql } from '../../../database/sql.ts';
import { builder } from '../../../graph/builder.ts';
import { notNull } from '../../../graph/input/rules.ts';
import { storedColumn } from '../../../graph/shared-types.ts';
import { oneOf } from '../../../lists/filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../../lists/read-list.ts';
import type { FlowRow } from './flow-rows.ts';

const FlowStrategy = builder.enumType('FlowStrategy', {
  description: 'The number of processors that a charge can be sent to.',
  values: {
    simple: { description: 'The charge is sent to the chosen processor only.' },
    cascade: {
      description:
        'The charge continues with the fallbacks, one after the other, if a processor answers with an error or ' +
        'declines the card softly (`insufficient_funds`, `card_declined`). It does not continue after a hard ' +
        'decline, after the cardholder was challenged, or while an outcome is unknown.',
    },
  } as const,
});

const FlowThreeDs = builder.enumType('FlowThreeDs', {
  description: 'Whether cardholders are challenged (3D Secure), unless the charge specifies it.',
  values: {
    automatic: { description: "The card's issuer decides." },
    force: { description: 'Always, except for charges that the merchant initiates.' },
    skip: { description: 'Never. The issuer may decline the charge for this reason.' },
  } as const,
});

const described = {
  processorId: 'Identifier of a processor of the account, prefix `proc_`.',
  weight:
    'The share of charges, relative to the sum of the weights: the weights 1 and 3 result in one quarter and three ' +
    'quarters.',
  order: 'The position of the fallback. The lowest is tried first.',
  processors:
    'The processors from which the first one of a charge is chosen, by weight. Processors that are disabled, not ' +
    'connected or do not support the currency are skipped. If none remains, a cascade starts with its first ' +
    'fallback; otherwise the charge is `failed` with `no_processor`.',
  fallbacks: 'The fallback processors of a cascade, in order. A processor is tried at most once per charge.',
  maxRetries: 'The number of processors that a cascade can try after the first one, 0 to 10.',
  sticky:
    'Whether customers keep their processor. It is the processor of this flow that last approved one of the ' +
    "customer's latest 20 charges; until there is one, the same weighted choice is made for every charge.",
  threeDs: 'Whether cardholders are challenged (3D Secure), unless the charge specifies it.',
} as const;

const FlowProcessor = builder.objectRef<FlowRow['processors'][number]>('FlowProcessor').implement({
  description: 'A processor from which a payment flow chooses.',
  fields: (t) => ({
    processorId: t.exposeID('processorId', { description: described.processorId }),
    weight: t.expose('weight', { type: 'RouteWeight', description: described.weight }),
  }),
});

const FlowFallback = builder.objectRef<FlowRow['fallbacks'][number]>('FlowFallback').implement({
  description: 'A fallback processor of a cascade.',
  fields: (t) => ({
    processorId: t.exposeID('processorId', { description: described.processorId }),
    order: t.expose('order', { type: 'FallbackOrder', description: described.order }),
  }),
});

export const PaymentFlow = builder.objectRef<FlowRow>('PaymentFlow').implement({
  description:
    "The rules by which a charge is sent to processors. A charge's `processorId` takes precedence over its " +
    '`paymentFlowId`, which takes precedence over the flow of its store.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the payment flow, prefix `flow_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'Identifier of the processing account, prefix `tpa_`.',
    }),
    name: t.expose('name', { type: 'Label', description: 'The name of the payment flow.' }),
    strategy: t.field({
      type: FlowStrategy,
      description: 'Whether a charge can continue with fallbacks.',
      ...storedColumn('strategy'),
    }),
    processors: t.field({
      type: [FlowProcessor],
      description: described.processors,
      resolve: ({ processors }) => processors,
    }),
    fallbacks: t.field({
      type: [FlowFallback],
      description: described.fallbacks,
      resolve: ({ fallbacks }) => fallbacks,
    }),
    maxRetries: t.expose('maxRetries', { type: 'RetryCount', description: described.maxRetries }),
    sticky: t.exposeBoolean('sticky', { description: described.sticky }),
    threeDs: t.field({
      type: FlowThreeDs,
      description: described.threeDs,
      ...storedColumn('threeDs'),
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: ({ mode }) => mode === 'live',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the payment flow was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change of the payment flow.' }),
  }),
});

export const PaymentFlowFilters = builder.inputType('PaymentFlowFilters', {
  description: 'Conditions on payment flows.',
  fields: (t) => ({ strategy: t.field({ type: [FlowStrategy], description: 'Flows with any of these strategies.' }) }),
});

const FlowProcessorInput = builder.inputType('FlowProcessorInput', {
  description: 'A processor from which a payment flow chooses.',
  fields: (t) => ({
    processorId: t.id({ required: true, description: described.processorId }),
    weight: t.field({
      type: 'RouteWeight',
      required: true,
      defaultValue: 1,
      description: `${described.weight} 1 to 10000.`,
    }),
  }),
});

const FlowFallbackInput = builder.inputType('FlowFallbackInput', {
  description: 'A fallback processor of a cascade.',
  fields: (t) => ({
    processorId: t.id({ required: true, description: described.processorId }),
    order: t.field({
      type: 'FallbackOrder',
      required: true,
      description: `${described.order} 0 to 100, unique within the flow.`,
    }),
  }),
});

export const CreatePaymentFlowInput = builder.inputType('CreatePaymentFlowInput', {
  description:
    'The payment flow to create. An account has at most 100; further ones are refused with 409 `limit_reached`.',
  fields: (t) => ({
    name: t.field({ type: 'Label', required: true, description: 'The name of the payment flow.' }),
    strategy: t.field({
      type: FlowStrategy,
      required: true,
      defaultValue: 'simple',
      description: 'Whether a charge can continue with fallbacks.',
    }),
    processors: t.field({
      type: [FlowProcessorInput],
      required: true,
      description: `1 to 20 processors of one account, each at most once. ${described.processors}`,
    }),
    fallbacks: t.field({
      type: [FlowFallbackInput],
      description:
        `At most 20 processors, each at most once, and only with the strategy \`cascade\`. ${described.fallbacks} ` +
        'Processors of `processors` can be fallbacks as well.',
    }),
    maxRetries: t.field({
      type: 'RetryCount',
      required: true,
      defaultValue: 3,
      description: described.maxRetries,
    }),
    sticky: t.boolean({ required: true, defaultValue: false, description: described.sticky }),
    threeDs: t.field({ type: FlowThreeDs, required: true, defaultValue: 'automatic', description: described.threeDs }),
    storeId: t.id({
      description:
        'A store of the account, prefix `store_`. If it is given, processors of other accounts are refused with 400. ' +
        'The flow is available to the whole account. Defaults to the account of the processors.',
    }),
  }),
});

export const UpdatePaymentFlowInput = builder.inputType('UpdatePaymentFlowInput', {
  description:
    'The fields to change. Fields that are left out keep their values. A given list replaces the whole list.',
  fields: (t) => ({
    name: t.field({ ...notNull, type: 'Label', description: 'The name of the payment flow.' }),
    strategy: t.field({
      ...notNull,
      type: FlowStrategy,
      description:
        'Whether a charge can continue with fallbacks. `simple` is refused with 400 while the flow has fallbacks; ' +
        'send `fallbacks: []` with it.',
    }),
    processors: t.field({ ...notNull, type: [FlowProcessorInput], description: described.processors }),
    fallbacks: t.field({
      type: [FlowFallbackInput],
      description: `${described.fallbacks} Null or an empty list removes all fallbacks.`,
    }),
    maxRetries: t.field({ ...notNull, type: 'RetryCount', description: described.maxRetries }),
    sticky: t.boolean({ ...notNull, description: described.sticky }),
    threeDs: t.field({ ...notNull, type: FlowThreeDs, description: described.threeDs }),
  }),
});

const routeColumns = sql`coalesce(r.processors, '[]') AS processors, coalesce(r.fallbacks, '[]') AS fallbacks`;

const routeJoins = sql`
  LEFT JOIN LATERAL (
    SELECT
      jsonb_agg(
        jsonb_build_object('processorId', r."processorId", 'weight', r.weight) ORDER BY r.position, r."processorId"
      ) FILTER (WHERE r.kind = 'weighted') AS processors,
      jsonb_agg(
        jsonb_build_object('processorId', r."processorId", 'order', r.position) ORDER BY r.position, r."processorId"
      ) FILTER (WHERE r.kind = 'fallback') AS fallbacks
    FROM payment_flow_routes r
    WHERE r."flowId" = t.id
  ) r ON true`;

const flowList: ListDefinition<typeof PaymentFlowFilters.$inferInput> = {
  table: 'payment_flows',
  extra: { columns: routeColumns, joins: routeJoins },
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: { strategy: oneOf('strategy') },
  counted: true,
};

export function listPaymentFlows(
  context: TenantContext,
  args: ListArguments<typeof PaymentFlowFilters.$inferInput>,
): Promise<Page<FlowRow>> {
  return readList(context.services.pool, context.tenant, flowList, args);
}
