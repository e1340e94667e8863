import { asStored } from '../../graph/as-stored.ts';
import { builder } from '../../graph/builder.ts';
import type { FlowRow } from './flow-rows.ts';

export const FlowStrategy = builder.enumType('FlowStrategy', {
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

export const FlowThreeDs = builder.enumType('FlowThreeDs', {
  description: 'Whether cardholders are challenged (3D Secure), unless the charge specifies it.',
  values: {
    automatic: { description: "The card's issuer decides." },
    force: { description: 'Always, except for charges that the merchant initiates.' },
    skip: { description: 'Never. The issuer may decline the charge for this reason.' },
  } as const,
});

export const described = {
  processorId: 'Identifier of a processor of the account, prefix `proc_`.',
  weight:
    'The share of charges, relative to the sum of the weights: the weights 1 and 3 result in one quarter and three ' +
    'quarters.',
  order: 'The position of the fallback. The lowest is tried first.',
  processors:
    'The processors from which the first one of a charge is chosen, by weight. Processors that are disabled, not ' +
    'connected or do not support the currency are skipped. If none remains, a cascade starts with its first ' +
    'fallback; otherwise the charge is `failed` with `no_processor`.',
  fallbacks:
    'The processors with which a cascade continues, in their order. A processor is tried at most once per charge.',
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
  description: 'A processor with which a cascade can continue.',
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
      ...asStored('strategy'),
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
      ...asStored('threeDs'),
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: ({ mode }) => mode === 'live',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the payment flow was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change of the payment flow.' }),
  }),
});
