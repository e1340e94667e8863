import { builder } from '../graph/builder.ts';
import { DeleteResult } from '../graph/delete-result.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import {
  createPaymentFlow,
  deletePaymentFlow,
  type FlowRow,
  listPaymentFlows,
  updatePaymentFlow,
} from './operations.ts';

const FlowStrategy = builder.enumType('FlowStrategy', {
  description: 'How far a charge goes.',
  values: {
    simple: { description: 'To the one processor that is picked.' },
    cascade: {
      description:
        'On to the fallbacks, one after the other, when a processor answers with an error or the card is declined softly (`insufficient_funds`, `card_declined`). Never after a hard decline, never once the cardholder was challenged, and never while an outcome is unknown.',
    },
  } as const,
});

const FlowThreeDs = builder.enumType('FlowThreeDs', {
  description: 'Whether cardholders are challenged (3DS), where the charge does not say.',
  values: {
    automatic: { description: "The card's bank decides." },
    force: { description: 'In any case, but for charges that the merchant initiates.' },
    skip: { description: 'Never; the bank may decline for it.' },
  } as const,
});

const words = {
  processorId: 'A processor of the account, prefix `proc_`.',
  weight: 'Its share of the charges, against the sum of the weights: 1 and 3 are a quarter and three quarters.',
  order: 'The lowest is tried first.',
  processors:
    'Of these the first processor of a charge is picked, by weight. Those that are disabled, not connected or do not take the currency are passed over; when none is left, a cascade begins with its first fallback, and otherwise the charge is `failed` with `no_processor`.',
  fallbacks: 'Where a cascade goes on, in their order. One that was asked for the charge before is not asked again.',
  maxRetries: 'How many processors a cascade may ask after the first.',
  sticky:
    'Whether customers stay with a processor: with the one of this flow that last approved one of their latest 20 charges; until there is one, always with the same weighted pick.',
  threeDs: 'Whether cardholders are challenged, where the charge does not say.',
} as const;

const FlowProcessor = builder.objectRef<FlowRow['processors'][number]>('FlowProcessor').implement({
  description: 'A processor among which a flow picks.',
  fields: (t) => ({
    processorId: t.exposeString('processorId', { description: words.processorId }),
    weight: t.expose('weight', { type: 'RouteWeight', description: words.weight }),
  }),
});

const FlowFallback = builder.objectRef<FlowRow['fallbacks'][number]>('FlowFallback').implement({
  description: 'A processor a cascade may go on to.',
  fields: (t) => ({
    processorId: t.exposeString('processorId', { description: words.processorId }),
    order: t.expose('order', { type: 'FallbackOrder', description: words.order }),
  }),
});

const PaymentFlow = builder.objectRef<FlowRow>('PaymentFlow').implement({
  description:
    "Which processor a charge goes to. The charge's `processorId` beats its `paymentFlowId`, which beats the flow of its store.",
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `flow_`.' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    name: t.expose('name', { type: 'Label', description: 'What it is called.' }),
    strategy: t.field({
      type: FlowStrategy,
      description: 'How far a charge goes.',
      resolve: (flow) => flow.strategy as 'simple' | 'cascade',
    }), // a CHECK constraint holds the column to the two
    processors: t.field({
      type: [FlowProcessor],
      description: words.processors,
      resolve: ({ processors }) => processors,
    }),
    fallbacks: t.field({ type: [FlowFallback], description: words.fallbacks, resolve: ({ fallbacks }) => fallbacks }),
    maxRetries: t.expose('maxRetries', { type: 'RetryCount', description: words.maxRetries }),
    sticky: t.exposeBoolean('sticky', { description: words.sticky }),
    threeDs: t.field({
      type: FlowThreeDs,
      description: words.threeDs,
      resolve: (flow) => flow.threeDs as 'automatic' | 'force' | 'skip',
    }), // a CHECK constraint holds the column to the three
    livemode: t.boolean({ description: 'False in test mode.', resolve: ({ mode }) => mode === 'live' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

const PaymentFlowPage = pageType('PaymentFlowPage', PaymentFlow, 'payment flows');
const PaymentFlowSort = sortInput('PaymentFlowSort', ['createdAt', 'name']);

export const PaymentFlowFilters = builder.inputType('PaymentFlowFilters', {
  description: 'Which payment flows.',
  fields: (t) => ({ strategy: t.field({ type: [FlowStrategy], description: 'Any of these strategies.' }) }),
});

const FlowProcessorInput = builder.inputType('FlowProcessorInput', {
  description: 'A processor among which a flow picks.',
  fields: (t) => ({
    processorId: t.string({ required: true, description: words.processorId }),
    weight: t.field({
      type: 'RouteWeight',
      required: true,
      defaultValue: 1,
      description: `${words.weight} 1 to 10000.`,
    }),
  }),
});

const FlowFallbackInput = builder.inputType('FlowFallbackInput', {
  description: 'A processor a cascade may go on to.',
  fields: (t) => ({
    processorId: t.string({ required: true, description: words.processorId }),
    order: t.field({ type: 'FallbackOrder', required: true, description: `${words.order} 0 to 100, each once.` }),
  }),
});

export const CreatePaymentFlowInput = builder.inputType('CreatePaymentFlowInput', {
  description: 'A payment flow. An account has at most 100 (409 `limit_reached`).',
  fields: (t) => ({
    name: t.field({ type: 'Label', required: true, description: 'What it is called.' }),
    strategy: t.field({
      type: FlowStrategy,
      required: true,
      defaultValue: 'simple',
      description: 'How far a charge goes.',
    }),
    processors: t.field({
      type: [FlowProcessorInput],
      required: true,
      description: `1 to 20, each once, all of one account. ${words.processors}`,
    }),
    fallbacks: t.field({
      type: [FlowFallbackInput],
      description: `At most 20, each once, and only with the strategy \`cascade\`. ${words.fallbacks} May name processors that stand among \`processors\`, too.`,
    }),
    maxRetries: t.field({
      type: 'RetryCount',
      required: true,
      defaultValue: 3,
      description: `${words.maxRetries} 0 to 10.`,
    }),
    sticky: t.boolean({ required: true, defaultValue: false, description: words.sticky }),
    threeDs: t.field({ type: FlowThreeDs, required: true, defaultValue: 'automatic', description: words.threeDs }),
    storeId: t.string({
      description:
        'A store of the account, prefix `store_`, to make sure which account the flow is for. The flow serves the whole account; left out, it is that of the processors.',
    }),
  }),
});

export const UpdatePaymentFlowInput = builder.inputType('UpdatePaymentFlowInput', {
  description: 'What to change. What is left out stays; a list that is given replaces the whole list.',
  fields: (t) => ({
    name: t.field({ type: 'Label', description: 'What it is called.' }),
    strategy: t.field({
      type: FlowStrategy,
      description: 'How far a charge goes. `simple` only with `fallbacks: []`, where there are some.',
    }),
    processors: t.field({ type: [FlowProcessorInput], description: words.processors }),
    fallbacks: t.field({ type: [FlowFallbackInput], description: `${words.fallbacks} None when null or empty.` }),
    maxRetries: t.field({ type: 'RetryCount', description: `${words.maxRetries} 0 to 10.` }),
    sticky: t.boolean({ description: words.sticky }),
    threeDs: t.field({ type: FlowThreeDs, description: words.threeDs }),
  }),
});

const paymentFlowId = { required: true, description: 'Identifier, prefix `flow_`.' } as const;

builder.queryField('paymentFlows', (t) =>
  t.withAuth({ key: true }).field({
    type: PaymentFlowPage,
    description:
      "The payment flows of the key's account, or of all the partner's accounts of its mode, the newest first unless sorted otherwise.",
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: PaymentFlowSort, description: 'The order.' }),
      filters: t.arg({ type: PaymentFlowFilters, description: 'Which payment flows.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listPaymentFlows(context, args),
  }),
);

builder.mutationFields((t) => ({
  createPaymentFlow: t.withAuth({ key: true }).field({
    type: PaymentFlow,
    description:
      'Adds a payment flow to the account of its processors. A processor of another account, or of none, is 400 like one that does not exist.',
    args: { input: t.arg({ type: CreatePaymentFlowInput, required: true, description: 'The flow.' }) },
    resolve: (_root, { input }, context) => createPaymentFlow(context, input),
  }),
  updatePaymentFlow: t.withAuth({ key: true }).field({
    type: PaymentFlow,
    description:
      'Changes what is named and leaves the rest: from the next charge on. Charges that are under way keep the route they began with.',
    args: {
      paymentFlowId: t.arg.string(paymentFlowId),
      input: t.arg({ type: UpdatePaymentFlowInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, args, context) => updatePaymentFlow(context, args.paymentFlowId, args.input),
  }),
  deletePaymentFlow: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description: 'Removes a flow for good. 409 `invalid_state` while it is the flow of a store; 404 the second time.',
    args: { paymentFlowId: t.arg.string(paymentFlowId) },
    resolve: (_root, args, context) => deletePaymentFlow(context, args.paymentFlowId),
  }),
}));
