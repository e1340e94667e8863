import type { Funnel } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import { bool, ids, listOf, texts } from '../../lists/list-of.ts';
import { isDone, urlOfMove, urlOfSession } from './checkout/visit.ts';
import {
  type FunnelFigures,
  type Revenue,
  readFunnelFigures,
  type StepFigures,
  type VariantFigures,
} from './figures.ts';
import { storedGraph } from './graph/funnel-rows.ts';
import type {
  edgeConditions,
  FunnelEdge,
  FunnelNode,
  FunnelVariant,
  funnelSessionStatuses,
  funnelStepTypes,
} from './graph/rules.ts';
import type { FunnelMove } from './sessions/move-session.ts';

export const FunnelStepType = builder.enumType('FunnelStepType', {
  description: 'The purpose of a step.',
  values: {
    landing: { description: 'A page that introduces the product. Nothing is paid on it.' },
    checkout: { description: 'A page on which the visitor pays with a card.' },
    offer: { description: 'An offer that is paid with the card that paid before in the session.' },
    upsell: { description: 'An offer of an additional product. Works like `offer`.' },
    downsell: { description: 'An offer of a cheaper product, usually after a declined upsell. Works like `offer`.' },
    thankyou: { description: 'A page that confirms the purchase. Nothing is paid on it.' },
  } satisfies Record<(typeof funnelStepTypes)[number], { description: string }>,
});

const RevenueRef = builder.objectRef<Revenue>('FunnelRevenue').implement({
  description: 'The revenue in one currency.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency', description: 'ISO 4217 currency code.' }),
    amount: t.expose('amount', {
      type: 'Revenue',
      description: 'The amount paid, in minor units. Refunds are not deducted.',
    }),
    refunded: t.expose('refunded', {
      type: 'Revenue',
      description: 'The amount refunded, in minor units.',
    }),
  }),
});

const views = 'The number of sessions that entered it.';
const conversions = 'The number of sessions that left it by an event other than a declined payment or offer.';
const abandoned = 'The number of sessions that were abandoned at it and not resumed.';
const revenue = 'The revenue of the payments made at it, by currency.';

const VariantFiguresRef = builder.objectRef<VariantFigures>('FunnelVariantFigures').implement({
  description: 'The figures of one variant of a step.',
  fields: (t) => ({
    variantId: t.exposeID('variantId', { description: 'The id of the variant.' }),
    views: t.expose('views', { type: 'Count', description: views }),
    conversions: t.expose('conversions', { type: 'Count', description: conversions }),
    abandoned: t.expose('abandoned', { type: 'Count', description: abandoned }),
    revenue: t.field({ type: [RevenueRef], description: revenue, resolve: (figures) => figures.revenue }),
  }),
});

const StepFiguresRef = builder.objectRef<StepFigures>('FunnelStepFigures').implement({
  description: 'The figures of a step over all versions of the funnel.',
  fields: (t) => ({
    stepId: t.exposeID('stepId', { description: 'The id of the step.' }),
    name: t.exposeString('name', { nullable: true, description: 'The name of the step. Null if it has none.' }),
    type: t.field({
      type: FunnelStepType,
      description: 'The purpose of the step.',
      ...storedColumn('type'),
    }),
    views: t.expose('views', { type: 'Count', description: views }),
    conversions: t.expose('conversions', { type: 'Count', description: conversions }),
    abandoned: t.expose('abandoned', { type: 'Count', description: abandoned }),
    revenue: t.field({ type: [RevenueRef], description: revenue, resolve: (figures) => figures.revenue }),
    variants: t.field({
      type: [VariantFiguresRef],
      description: 'The figures of each variant. Empty if the step has no variants.',
      resolve: ({ variants }) => variants,
    }),
  }),
});

export const FunnelFiguresRef = builder.objectRef<FunnelFigures>('FunnelFigures').implement({
  description:
    'The figures of a funnel. They are updated in the transactions of the changes, so reading them does not depend ' +
    'on the number of sessions.',
  fields: (t) => ({
    funnelId: t.exposeID('funnelId', { description: 'The funnel, prefix `funnel_`.' }),
    sessions: t.expose('sessions', { type: 'Count', description: 'The number of sessions that started.' }),
    converted: t.expose('converted', {
      type: 'Count',
      description: 'The number of sessions that reached a step with `isConversion`.',
    }),
    abandoned: t.expose('abandoned', {
      type: 'Count',
      description: 'The number of sessions in which nothing happened for 24 hours and that were not resumed.',
    }),
    revenue: t.field({
      type: [RevenueRef],
      description: 'The revenue of the funnel by currency, including payments at steps that were removed.',
      resolve: (figures) => figures.revenue,
    }),
    steps: t.field({
      type: [StepFiguresRef],
      description: 'The figures of each step of the current version.',
      resolve: ({ steps }) => steps,
    }),
  }),
});

/** Descriptions that an object type and its input type share. */

export const stepConfigDescription =
  'The settings of the step as a JSON object of at most 16,384 characters, read by the page of the step. The ' +
  'platform uses these fields: `instanceId`, a plugin instance of the store, prefix `pin_`; `path`, the page of the ' +
  'instance, starting with `/`; `paymentFlowId`, the payment flow of the account for payments at the step, prefix ' +
  '`flow_`; `currency`, one of the charge currencies of the store; `items`, the 1 to 20 items that the step sells, ' +
  'each `{name, quantity, unitAmount}` or `{priceId, quantity}`. A `priceId`, prefix `price_`, names a one-time ' +
  'price of the store; its name and amount are copied when the funnel is saved. A page cannot change what the step ' +
  'charges.';

export const variantConfigDescription =
  'The settings of the variant as a JSON object. Its fields override those of the `config` of the step.';

const variantsDescription =
  'The variants of the step, at most 10. Their percentages sum to 100. Empty if the step has only one form.';

export const expressionDescription =
  'A CEL expression of at most 500 characters. Its variables are `event {id, type, data}`, `payment {id, status, ' +
  'amount, currency, failureCode}`, `order {id, status, amount, currency}`, `customer {id, email, country, tags}` ' +
  'and `session {id, stepId, variantId, moves}`. Beside another `when` it narrows that condition. It is false if it ' +
  'cannot be evaluated. It has comparisons, boolean logic, `in` and `size()`. Calls that iterate (`all`, `exists`, ' +
  '`exists_one`, `map`, `filter`), time zones, and `+` on a value of `event` are 400.';

export const priorityDescription =
  'An integer from -1,000,000 to 1,000,000. Of the edges that match, the one with the lowest priority is followed, ' +
  'and of equal ones the first in the list.';

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
      ...storedColumn('config'),
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
      ...storedColumn('config'),
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
      description: 'The condition under which the edge is followed.',
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

const FunnelSessionStatus = builder.enumType('FunnelSessionStatus', {
  description: 'The status of a funnel session.',
  values: {
    active: { description: 'The session is in progress.' },
    completed: { description: 'The session reached a step without outgoing edges.' },
    abandoned: {
      description: 'Nothing happened in the session for 24 hours. A payment that succeeds later resumes it.',
    },
  } satisfies Record<(typeof funnelSessionStatuses)[number], { description: string }>,
});

const url =
  'The URL of the page of the current step. It contains a secret that opens the session and must be given to this ' +
  'visitor only. Null if the `config` of the step names no plugin instance, or if the instance is not mounted.';

export const FunnelSessionRef = builder.prismaObject('FunnelSession', {
  description: "One visitor's way through a funnel.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the session, prefix `fs_`.' }),
    storeId: t.exposeID('storeId', { description: 'The store, prefix `store_`.' }),
    platformAccountId: t.exposeID('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    funnelId: t.exposeID('funnelId', { description: 'The funnel, prefix `funnel_`.' }),
    funnelVersion: t.exposeInt('version', {
      description: 'The version of the funnel with which the session started. It does not change.',
    }),
    customerId: t.exposeID('customerId', {
      nullable: true,
      description: 'The customer, prefix `cus_`. Null until the customer is known, at the latest by the first payment.',
    }),
    currentStepId: t.exposeID('currentStepId', { description: 'The id of the current step.' }),
    variantId: t.exposeID('variantId', {
      nullable: true,
      description: 'The variant of the current step that the visitor sees. Null if the step has no variants.',
    }),
    status: t.field({
      type: FunnelSessionStatus,
      description: 'The status of the session.',
      ...storedColumn('status'),
    }),
    url: t.string({
      nullable: true,
      description: url,
      resolve: (session, _args, context) => urlOfSession(context.services, session),
    }),
    done: t.boolean({
      description: 'Whether the current step has no outgoing edges.',
      resolve: (session, _args, context) => isDone(context.services, session),
    }),
    convertedAt: t.expose('convertedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the session first reached a step with `isConversion`. Null if it has not.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description:
        'Time at which the session is abandoned and its page no longer opens: 24 hours after the last event.',
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: (session) => session.mode === 'live',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the session started.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last event of the session.' }),
  }),
});

export const FunnelMoveRef = builder.objectRef<FunnelMove>('FunnelMove').implement({
  description: 'The result of an event in a funnel session.',
  fields: (t) => ({
    sessionId: t.exposeID('sessionId', { description: 'The session, prefix `fs_`.' }),
    fromStepId: t.exposeID('fromStepId', { description: 'The id of the step before the event.' }),
    currentStepId: t.exposeID('currentStepId', {
      description: 'The id of the step after the event. Equal to `fromStepId` if no edge was taken.',
    }),
    variantId: t.exposeID('variantId', {
      nullable: true,
      description: 'The variant of the step that the visitor sees. Null if the step has no variants.',
    }),
    url: t.string({
      nullable: true,
      description: url,
      resolve: (move, _args, context) => urlOfMove(context.services, move),
    }),
    done: t.exposeBoolean('done', { description: 'Whether the step has no outgoing edges.' }),
  }),
});

export const funnels = listOf('Funnel', FunnelRef, (row: Funnel) => row, {
  of: 'funnels',
  table: 'funnels',
  sorts: { createdAt: 'createdAt', name: 'name' },
  aboutFilters: 'Filters for a list of funnels. A funnel must match all filters that are given.',
  filters: {
    storeId: ids('Funnels of one of these stores, prefix `store_`.'),
    name: texts('Funnels whose name matches.'),
    isDefault: bool('True for default funnels, false for the others.'),
  },
  counted: true,
  forPeople: true,
});
