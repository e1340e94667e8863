import { builder } from '../graph/builder.ts';
import type { FunnelFigures, Revenue } from './figures.ts';
import type { FunnelEdge, FunnelNode, FunnelVariant } from './graph-rules.ts';
import { edgeConditions, funnelStepTypes } from './lifecycle.ts';
import { keptGraph } from './funnel-records.ts';
import { figuresOfFunnel } from './operations.ts';

export const FunnelStepType = builder.enumType('FunnelStepType', {
  description: 'What a step is for.',
  values: funnelStepTypes,
});
export const EdgeConditionWhen = builder.enumType('EdgeConditionWhen', {
  description: 'Which events an edge is for.',
  values: {
    default: { description: 'Every event but `payment_declined`: nobody passes who has not paid.' },
    payment_succeeded: { description: 'A payment of the step went through.' },
    payment_declined: {
      description:
        'A payment of the step was declined or failed. Without such an edge the visitor stays and may try again.',
    },
    offer_accepted: { description: 'The offer was taken, and paid where it has a price.' },
    offer_declined: { description: 'The offer was left.' },
    expression: { description: 'Every event but `payment_declined`, for which `expression` is true.' },
  } satisfies Record<(typeof edgeConditions)[number], { description: string }>,
});

const configText =
  'Free-form: the page of the step reads it. The platform knows `instanceId` (a plugin instance of the store, prefix `pin_`), `path` (the page of the instance, beginning with `/`), `paymentFlowId` (a payment flow of the account, prefix `flow_`, that routes what is paid at the step), `currency` and `items` (1 to 20 of `{name, quantity, unitAmount}` or `{priceId, quantity}`: what the step sells, at a price that is decided here and never by the browser; a `priceId`, prefix `price_`, is of the store and paid once, and its name and amount are written out when the funnel is kept). At most 16,384 characters as JSON.';
export const texts = {
  config: configText,
  variantConfig: "What is different for those who see it: its fields override those of the step's `config`.",
  expression:
    'CEL, at most 500 characters, over `event {id, type, data}`, `payment {id, status, amount, currency, failureCode}`, `order {id, status, amount, currency}`, `customer {id, email, country, tags}` and `session {id, stepId, variantId, moves}`. What cannot be worked out does not hold, nor does one that walks (`all`, `exists`, `exists_one`, `map`, `filter`) where a list or map of `event.data` has over 100 entries; a funnel has at most 20 of those. Beside another `when` it narrows it.',
  priority:
    'Of the edges that hold the smallest is taken, and of equals the first in the list. Whole, -1,000,000 to 1,000,000.',
} as const;

const FunnelVariantRef = builder.objectRef<FunnelVariant>('FunnelVariant').implement({
  description:
    'One of several forms of a step. Who sees which is drawn by a hash of the customer, or else of the session, and stays so.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Unique within its step.' }),
    percentage: t.exposeFloat('percentage', { description: 'Its share of the visitors; those of a step sum to 100.' }),
    config: t.field({ type: 'JSONObject', description: texts.variantConfig, resolve: ({ config }) => config as never }), // a JSON object, as it was kept
  }),
});

const FunnelNodeRef = builder.objectRef<FunnelNode>('FunnelNode').implement({
  description: 'A step of a funnel.',
  fields: (t) => ({
    id: t.exposeString('id', {
      description:
        'Unique within the funnel, and what figures are kept by: a step that keeps its id keeps its figures.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'What it is called.' }),
    type: t.field({ type: FunnelStepType, description: 'What it is for.', resolve: ({ type }) => type }),
    isEntry: t.exposeBoolean('isEntry', { description: 'Whether sessions begin here. One step does.' }),
    isConversion: t.exposeBoolean('isConversion', {
      description: 'Whether a session that reaches it has converted: `funnel/converted`, once a session.',
    }),
    config: t.field({ type: 'JSONObject', description: texts.config, resolve: ({ config }) => config as never }), // as above
    variants: t.field({
      type: [FunnelVariantRef],
      description: 'Its forms; empty when it has one.',
      resolve: ({ variants }) => [...variants],
    }),
  }),
});

const EdgeConditionRef = builder.objectRef<FunnelEdge['condition']>('FunnelEdgeCondition').implement({
  description: 'When an edge is taken.',
  fields: (t) => ({
    when: t.field({ type: EdgeConditionWhen, description: 'Which events it is for.', resolve: ({ when }) => when }),
    expression: t.exposeString('expression', { nullable: true, description: texts.expression }),
  }),
});

const FunnelEdgeRef = builder.objectRef<FunnelEdge>('FunnelEdge').implement({
  description: 'What leads from one step to another.',
  fields: (t) => ({
    source: t.exposeString('source', { description: 'The step it leaves.' }),
    target: t.exposeString('target', { description: 'The step it leads to.' }),
    condition: t.field({
      type: EdgeConditionRef,
      description: 'When it is taken.',
      resolve: ({ condition }) => condition,
    }),
    priority: t.exposeInt('priority', { description: texts.priority }),
  }),
});

const RevenueRef = builder.objectRef<Revenue>('FunnelRevenue').implement({
  description: 'What was taken in one currency, and what of it was given back.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency', description: 'ISO 4217 code.' }),
    amount: t.expose('amount', {
      type: 'AmountOrZero',
      description: 'What was taken, in minor units. Refunds are not taken off.',
    }),
    refunded: t.expose('refunded', {
      type: 'AmountOrZero',
      description: 'What of it was refunded since, in minor units.',
    }),
  }),
});

type StepFigures = FunnelFigures['steps'][number];
const counted = {
  views: 'How many sessions entered it.',
  conversions: 'How many sessions went on from it otherwise than by a declined payment or offer.',
  abandoned: 'How many sessions stood at it when nothing had happened for a day, and did not come back.',
  revenue: 'What the payments made at it came to.',
} as const;

const VariantFiguresRef = builder.objectRef<StepFigures['variants'][number]>('FunnelVariantFigures').implement({
  description: 'What one form of a step has come to.',
  fields: (t) => ({
    variantId: t.exposeString('variantId', { description: 'The variant.' }),
    views: t.exposeInt('views', { description: counted.views }),
    conversions: t.exposeInt('conversions', { description: counted.conversions }),
    abandoned: t.exposeInt('abandoned', { description: counted.abandoned }),
    revenue: t.field({ type: [RevenueRef], description: counted.revenue, resolve: ({ revenue }) => revenue }),
  }),
});

const StepFiguresRef = builder.objectRef<StepFigures>('FunnelStepFigures').implement({
  description: 'What a step has come to, over every version of the funnel.',
  fields: (t) => ({
    stepId: t.exposeString('stepId', { description: 'The step.' }),
    name: t.exposeString('name', { nullable: true, description: 'What it is called.' }),
    type: t.field({ type: FunnelStepType, description: 'What it is for.', resolve: ({ type }) => type as never }), // one of the enum, as it was kept
    views: t.exposeInt('views', { description: counted.views }),
    conversions: t.exposeInt('conversions', { description: counted.conversions }),
    abandoned: t.exposeInt('abandoned', { description: counted.abandoned }),
    revenue: t.field({ type: [RevenueRef], description: counted.revenue, resolve: ({ revenue }) => revenue }),
    variants: t.field({
      type: [VariantFiguresRef],
      description: 'The same by variant.',
      resolve: ({ variants }) => variants,
    }),
  }),
});

export const FunnelFiguresRef = builder.objectRef<FunnelFigures>('FunnelFigures').implement({
  description:
    'What a funnel has come to. Counted in the transactions that make it so, and never by going through the sessions.',
  fields: (t) => ({
    funnelId: t.exposeString('funnelId', { description: 'The funnel, prefix `funnel_`.' }),
    sessions: t.exposeInt('sessions', { description: 'How many sessions began.' }),
    converted: t.exposeInt('converted', { description: 'How many of them reached a step with `isConversion`.' }),
    abandoned: t.exposeInt('abandoned', {
      description: 'How many sessions ended because nothing had happened for a day.',
    }),
    revenue: t.field({
      type: [RevenueRef],
      description: 'What their payments came to, those at steps that are gone included.',
      resolve: ({ revenue }) => revenue,
    }),
    steps: t.field({
      type: [StepFiguresRef],
      description: 'Step by step, as the funnel has them now.',
      resolve: ({ steps }) => steps,
    }),
  }),
});

export const FunnelRef = builder.prismaObject('Funnel', {
  description: 'A way through the pages of a store: steps, and what leads from one to the next.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `funnel_`.' }),
    storeId: t.exposeString('storeId', { description: 'The store, prefix `store_`.' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    name: t.expose('name', { type: 'Label', description: 'What it is called.' }),
    isDefault: t.exposeBoolean('isDefault', {
      description: 'Whether sessions begin with it that name no funnel. At most one a store.',
    }),
    version: t.exposeInt('version', {
      description: 'Counts the changes of its steps and edges, from 1. A session keeps the version it began with.',
    }),
    entryUrl: t.string({
      description:
        'The link to give to everybody: whoever opens it begins a session and goes to its first page. 404 while the entry has no page.',
      resolve: (funnel, _args, { env }) => `${env.config.publicUrl}/checkout/funnels/${funnel.id}`,
    }),
    nodes: t.field({
      type: [FunnelNodeRef],
      description: 'Its steps.',
      resolve: (funnel) => [...keptGraph(funnel).nodes],
    }),
    edges: t.field({
      type: [FunnelEdgeRef],
      description: 'What leads from one to another.',
      resolve: (funnel) => [...keptGraph(funnel).edges],
    }),
    figures: t.field({
      type: FunnelFiguresRef,
      description: 'What it has come to.',
      complexity: 5,
      resolve: (funnel, _args, context) => figuresOfFunnel(context, funnel),
    }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: (funnel) => funnel.mode === 'live' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});
