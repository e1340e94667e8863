import { asStored } from '../../graph/as-stored.ts';
import { builder } from '../../graph/builder.ts';
import {
  expressionDescription,
  priorityDescription,
  stepConfigDescription,
  variantConfigDescription,
  variantsDescription,
} from './descriptions.ts';
import { FunnelFiguresRef } from './figures-types.ts';
import { storedGraph } from './funnel-rows.ts';
import type { FunnelEdge, FunnelNode, FunnelVariant } from './graph-rules.ts';
import type { edgeConditions } from './lifecycle.ts';
import { readFunnelFigures } from './read-funnel-figures.ts';
import { FunnelStepType } from './step-type.ts';

export const EdgeConditionWhen = builder.enumType('EdgeConditionWhen', {
  description: 'The events for which an edge can be taken.',
  values: {
    default: {
      description: 'Every event but `payment_declined`, so that no visitor continues without having paid.',
    },
    payment_succeeded: { description: 'A payment of the step succeeded.' },
    payment_declined: {
      description:
        'A payment of the step was declined or failed. Without such an edge the visitor stays at the step and can ' +
        'try again.',
    },
    offer_accepted: { description: 'The offer was accepted and, if it has a price, paid.' },
    offer_declined: { description: 'The offer was declined.' },
    expression: { description: 'Every event but `payment_declined` for which `expression` is true.' },
  } satisfies Record<(typeof edgeConditions)[number], { description: string }>,
});

const FunnelVariantRef = builder.objectRef<FunnelVariant>('FunnelVariant').implement({
  description:
    'One of several forms of a step. The variant that a visitor sees is chosen by a hash of the customer, or of the ' +
    'session if the customer is not known, and does not change.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the variant, unique within the step.' }),
    percentage: t.exposeFloat('percentage', {
      description: 'The share of visitors in percent, 0 to 100. The percentages of a step sum to 100.',
    }),
    config: t.field({
      type: 'JSONObject',
      description: variantConfigDescription,
      ...asStored('config'),
    }),
  }),
});

const FunnelNodeRef = builder.objectRef<FunnelNode>('FunnelNode').implement({
  description: 'A step of a funnel.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Identifier of the step, unique within the funnel. A step that keeps its id keeps its figures.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'The name of the step. Null if it has none.' }),
    type: t.field({ type: FunnelStepType, description: 'The purpose of the step.', resolve: ({ type }) => type }),
    isEntry: t.exposeBoolean('isEntry', {
      description: 'Whether sessions start at this step. A funnel has exactly one entry.',
    }),
    isConversion: t.exposeBoolean('isConversion', {
      description:
        'Whether a session that reaches this step has converted. The event `funnel/converted` is sent once per ' +
        'session.',
    }),
    config: t.field({
      type: 'JSONObject',
      description: stepConfigDescription,
      ...asStored('config'),
    }),
    variants: t.field({
      type: [FunnelVariantRef],
      description: variantsDescription,
      resolve: ({ variants }) => [...variants],
    }),
  }),
});

const EdgeConditionRef = builder.objectRef<FunnelEdge['condition']>('FunnelEdgeCondition').implement({
  description: 'The condition of an edge.',
  fields: (t) => ({
    when: t.field({
      type: EdgeConditionWhen,
      description: 'The events for which the edge can be taken.',
      resolve: ({ when }) => when,
    }),
    expression: t.exposeString('expression', {
      nullable: true,
      description: `${expressionDescription} Null if there is none.`,
    }),
  }),
});

const FunnelEdgeRef = builder.objectRef<FunnelEdge>('FunnelEdge').implement({
  description: 'A connection from one step of a funnel to another.',
  fields: (t) => ({
    source: t.exposeString('source', { description: 'The id of the step that the edge leaves.' }),
    target: t.exposeString('target', { description: 'The id of the step that the edge enters.' }),
    condition: t.field({
      type: EdgeConditionRef,
      description: 'The condition under which the edge is taken.',
      resolve: ({ condition }) => condition,
    }),
    priority: t.exposeInt('priority', { description: priorityDescription }),
  }),
});

export const FunnelRef = builder.prismaObject('Funnel', {
  description: 'The steps through which a visitor of a store buys, and the edges between them.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the funnel, prefix `funnel_`.' }),
    storeId: t.exposeID('storeId', { description: 'The store of the funnel, prefix `store_`.' }),
    platformAccountId: t.exposeID('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    name: t.expose('name', { type: 'Label', description: 'The name of the funnel.' }),
    isDefault: t.exposeBoolean('isDefault', {
      description: 'Whether sessions that name no funnel start with this one. A store has at most one default funnel.',
    }),
    version: t.exposeInt('version', {
      description:
        'The number of the current version, from 1. Each change of steps or edges makes a new version. A session ' +
        'keeps the version with which it started.',
    }),
    entryUrl: t.string({
      description:
        'The public URL of the funnel. Opening it starts a session and redirects to its first page. 404 if the entry ' +
        'has no page.',
      resolve: (funnel, _args, { services }) => `${services.config.publicUrl}/checkout/funnels/${funnel.id}`,
    }),
    nodes: t.field({
      type: [FunnelNodeRef],
      description: 'The steps of the funnel.',
      resolve: (funnel) => [...storedGraph(funnel).nodes],
    }),
    edges: t.field({
      type: [FunnelEdgeRef],
      description: 'The edges between the steps.',
      resolve: (funnel) => [...storedGraph(funnel).edges],
    }),
    figures: t.field({
      type: FunnelFiguresRef,
      description: 'The figures of the funnel.',
      complexity: 5,
      resolve: (funnel, _args, context) => readFunnelFigures(context, funnel),
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: (funnel) => funnel.mode === 'live',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the funnel was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time at which the funnel was last updated.' }),
  }),
});
