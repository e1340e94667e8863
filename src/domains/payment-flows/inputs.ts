import { builder } from '../../graph/builder.ts';
import { notNull } from '../../graph/input-rules.ts';
import { described, FlowStrategy, FlowThreeDs } from './types.ts';

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
  description: 'A processor with which a cascade can continue.',
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
