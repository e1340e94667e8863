import { asStored } from '../../graph/as-stored.ts';
import { builder } from '../../graph/builder.ts';
import type { FunnelFigures, Revenue, StepFigures, VariantFigures } from './read-funnel-figures.ts';
import { FunnelStepType } from './step-type.ts';

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
      ...asStored('type'),
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
    'The figures of a funnel. They are counted in the transactions of the changes, so that reading them does not ' +
    'depend on the number of sessions.',
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
