import { builder } from '../../graph/builder.ts';
import { notNull } from '../../graph/input/rules.ts';
import { edgesMax } from './graph/rules.ts';
import {
  EdgeConditionWhen,
  expressionDescription,
  FunnelStepType,
  priorityDescription,
  stepConfigDescription,
  variantConfigDescription,
} from './types.ts';

const FunnelVariantInput = builder.inputType('FunnelVariantInput', {
  description: 'One of several forms of a step.',
  fields: (t) => ({
    id: t.field({ type: 'Handle', required: true, description: 'Identifier of the variant, unique within the step.' }),
    percentage: t.float({
      required: true,
      description:
        'The share of visitors in percent, 0 to 100 with at most two decimals. The percentages of a step sum to 100.',
    }),
    config: t.field({ type: 'JSONObject', description: variantConfigDescription }),
  }),
});

const FunnelNodeInput = builder.inputType('FunnelNodeInput', {
  description: 'A step of a funnel.',
  fields: (t) => ({
    id: t.field({ type: 'Handle', required: true, description: 'Identifier of the step, unique within the funnel.' }),
    name: t.field({ type: 'Label', description: 'The name of the step.' }),
    type: t.field({ type: FunnelStepType, required: true, description: 'The purpose of the step.' }),
    isEntry: t.boolean({
      defaultValue: false,
      description: 'Whether sessions start at this step. Exactly one step must be the entry.',
    }),
    isConversion: t.boolean({
      defaultValue: false,
      description: 'Whether a session that reaches this step has converted.',
    }),
    config: t.field({ type: 'JSONObject', description: stepConfigDescription }),
    variants: t.field({
      type: [FunnelVariantInput],
      description: 'The variants of the step, at most 10. Their percentages must sum to 100.',
    }),
  }),
});

const FunnelEdgeConditionInput = builder.inputType('FunnelEdgeConditionInput', {
  description: 'The condition of an edge.',
  fields: (t) => ({
    when: t.field({
      type: EdgeConditionWhen,
      required: true,
      description: 'The events for which the edge can be taken.',
    }),
    expression: t.string({ description: `${expressionDescription} Required with \`when: expression\`.` }),
  }),
});

const FunnelEdgeInput = builder.inputType('FunnelEdgeInput', {
  extensions: { listMax: edgesMax },
  description: 'A connection from one step of a funnel to another.',
  fields: (t) => ({
    source: t.field({ type: 'Handle', required: true, description: 'The id of the step that the edge leaves.' }),
    target: t.field({ type: 'Handle', required: true, description: 'The id of the step that the edge enters.' }),
    condition: t.field({
      type: FunnelEdgeConditionInput,
      description: 'The condition under which the edge is followed. If left out, its `when` is `default`.',
    }),
    priority: t.int({ defaultValue: 0, description: priorityDescription }),
  }),
});

const nodes = 'The steps of the funnel, 1 to 50. Exactly one is the entry, from which all others can be reached.';
const edges = 'The edges between the steps, at most 200. They must not form a cycle.';
const isDefault =
  'Whether sessions that name no funnel start with this one. It then replaces the current default of the store.';

export const CreateFunnelInput = builder.inputType('CreateFunnelInput', {
  description: 'The funnel to create.',
  fields: (t) => ({
    storeId: t.id({
      description:
        'The store of the funnel, prefix `store_`. Required with a partner key, and with a sub-key if its account ' +
        'has several stores.',
    }),
    name: t.field({ type: 'Label', required: true, description: 'The name of the funnel.' }),
    isDefault: t.boolean({ defaultValue: false, description: isDefault }),
    nodes: t.field({ type: [FunnelNodeInput], required: true, description: nodes }),
    edges: t.field({ type: [FunnelEdgeInput], required: true, description: edges }),
  }),
});

export const UpdateFunnelInput = builder.inputType('UpdateFunnelInput', {
  description:
    'The changes to a funnel. Fields that are left out keep their values. Steps and edges are checked together, as ' +
    'they are after the change.',
  fields: (t) => ({
    name: t.field({ ...notNull, type: 'Label', description: 'The name of the funnel.' }),
    isDefault: t.boolean({ ...notNull, description: isDefault }),
    nodes: t.field({ ...notNull, type: [FunnelNodeInput], description: `${nodes} Replaces all current steps.` }),
    edges: t.field({ ...notNull, type: [FunnelEdgeInput], description: `${edges} Replaces all current edges.` }),
  }),
});

export const CreateFunnelSessionInput = builder.inputType('CreateFunnelSessionInput', {
  description: 'The funnel session to create.',
  fields: (t) => ({
    storeId: t.id({
      description:
        'The store, prefix `store_`. Not required if `funnelId` is given, or with a sub-key whose account has one ' +
        'store.',
    }),
    funnelId: t.id({
      description:
        'The funnel, prefix `funnel_`. Defaults to the default funnel of the store; 404 if the store has none.',
    }),
    customerId: t.id({
      description:
        'The customer, if known, prefix `cus_`. A customer sees the same variants in every session. 404 if it is not ' +
        'a customer of the account.',
    }),
  }),
});

export const FunnelEventInput = builder.inputType('FunnelEventInput', {
  description: 'An event that happened to the visitor of a session.',
  fields: (t) => ({
    id: t.field({
      type: 'Handle',
      description:
        'An identifier set by the caller. A repeated id in the same session moves nothing and returns the first ' +
        'result.',
    }),
    type: t.field({
      type: 'Label',
      required: true,
      description:
        'The type of the event: `payment_succeeded` or `payment_declined`, which require `data.paymentId`; ' +
        '`offer_accepted` or `offer_declined`; or a name set by the caller.',
    }),
    data: t.field({
      type: 'JSONObject',
      description:
        'Data for expressions, at most 4,096 characters as JSON. `paymentId` is the payment that the event reports, ' +
        'prefix `pay_`. It must belong to the same store and can move one session, once.',
    }),
  }),
});
