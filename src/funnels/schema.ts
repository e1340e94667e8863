import { builder } from '../graph/builder.ts';
import { DeleteResult } from '../graph/delete-result.ts';
import { TextFilter } from '../graph/list-inputs.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { createFunnel, deleteFunnel, figuresOfFunnel, listFunnels, readFunnel, updateFunnel } from './operations.ts';
import './sessions-schema.ts';
import { EdgeConditionWhen, FunnelFiguresRef, FunnelRef, FunnelStepType, texts } from './types.ts';

export const FunnelPage = pageType('FunnelPage', FunnelRef, 'funnels');
export const FunnelSort = sortInput('FunnelSort', ['createdAt', 'name']);

export const FunnelFilters = builder.inputType('FunnelFilters', {
  description: 'Which funnels. All that are given must hold.',
  fields: (t) => ({
    storeId: t.stringList({ description: 'Any of these stores.' }),
    name: t.field({ type: TextFilter, description: 'What it is called.' }),
    isDefault: t.boolean({ description: "Whether it is its store's default." }),
  }),
});

const FunnelVariantInput = builder.inputType('FunnelVariantInput', {
  description: 'One of several forms of a step.',
  fields: (t) => ({
    id: t.field({ type: 'Handle', required: true, description: 'Unique within the step.' }),
    percentage: t.float({
      required: true,
      description: 'Its share of the visitors, 0 to 100 with at most two decimals; those of a step sum to 100.',
    }),
    config: t.field({ type: 'JSONObject', description: texts.variantConfig }),
  }),
});

const FunnelNodeInput = builder.inputType('FunnelNodeInput', {
  description: 'A step of a funnel.',
  fields: (t) => ({
    id: t.field({ type: 'Handle', required: true, description: 'Unique within the funnel.' }),
    name: t.field({ type: 'Label', description: 'What it is called.' }),
    type: t.field({ type: FunnelStepType, required: true, description: 'What it is for.' }),
    isEntry: t.boolean({ description: 'Whether sessions begin here (default false). One step does.' }),
    isConversion: t.boolean({ description: 'Whether a session that reaches it has converted (default false).' }),
    config: t.field({ type: 'JSONObject', description: texts.config }),
    variants: t.field({
      type: [FunnelVariantInput],
      description: 'Up to 10 forms of it, whose percentages sum to 100.',
    }),
  }),
});

const FunnelEdgeConditionInput = builder.inputType('FunnelEdgeConditionInput', {
  description: 'When an edge is taken.',
  fields: (t) => ({
    when: t.field({ type: EdgeConditionWhen, required: true, description: 'Which events it is for.' }),
    expression: t.string({ description: texts.expression }),
  }),
});

const FunnelEdgeInput = builder.inputType('FunnelEdgeInput', {
  description: 'What leads from one step to another.',
  fields: (t) => ({
    source: t.field({ type: 'Handle', required: true, description: 'The step it leaves.' }),
    target: t.field({ type: 'Handle', required: true, description: 'The step it leads to.' }),
    condition: t.field({ type: FunnelEdgeConditionInput, description: 'When it is taken; `default` when left out.' }),
    priority: t.int({ description: `${texts.priority} 0 when left out.` }),
  }),
});

const nodes = 'Its steps, 1 to 50: one entry, all reachable from it.';
const edges = 'What leads from one to another, at most 200; there is no cycle.';
const isDefault =
  "Whether sessions begin with it that name no funnel (default false). It takes the place of the store's former default.";

export const CreateFunnelInput = builder.inputType('CreateFunnelInput', {
  description: 'A funnel to add to a store.',
  fields: (t) => ({
    storeId: t.string({
      description:
        'The store, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores.',
    }),
    name: t.field({ type: 'Label', required: true, description: 'What it is called.' }),
    isDefault: t.boolean({ description: isDefault }),
    nodes: t.field({ type: [FunnelNodeInput], required: true, description: nodes }),
    edges: t.field({ type: [FunnelEdgeInput], required: true, description: edges }),
  }),
});

export const UpdateFunnelInput = builder.inputType('UpdateFunnelInput', {
  description:
    'What to change. What is left out stays. Steps and edges are checked together, as the funnel has them then.',
  fields: (t) => ({
    name: t.field({ type: 'Label', description: 'What it is called.' }),
    isDefault: t.boolean({ description: isDefault }),
    nodes: t.field({ type: [FunnelNodeInput], description: `${nodes} Replaces all of them.` }),
    edges: t.field({ type: [FunnelEdgeInput], description: `${edges} Replaces all of them.` }),
  }),
});

const funnelId = { required: true, description: 'Identifier, prefix `funnel_`.' } as const;

builder.queryFields((t) => ({
  funnel: t.withAuth({ key: true }).field({
    type: FunnelRef,
    description: 'One funnel. 404 when it is not within the reach of the key.',
    args: { funnelId: t.arg.string(funnelId) },
    resolve: (_root, args, context) => readFunnel(context, args.funnelId),
  }),
  funnels: t.withAuth({ key: true }).field({
    type: FunnelPage,
    description:
      "The funnels of the key's account, or of all the partner's accounts of its mode, the newest first unless sorted otherwise.",
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: FunnelSort, description: 'The order.' }),
      filters: t.arg({ type: FunnelFilters, description: 'Which funnels.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listFunnels(context, args),
  }),
  funnelFigures: t.withAuth({ key: true }).field({
    type: FunnelFiguresRef,
    description: 'What a funnel has come to: sessions, and by step and variant views, conversions and revenue.',
    args: { funnelId: t.arg.string(funnelId) },
    resolve: async (_root, args, context) => figuresOfFunnel(context, await readFunnel(context, args.funnelId)),
  }),
}));

builder.mutationFields((t) => ({
  createFunnel: t.withAuth({ key: true }).field({
    type: FunnelRef,
    description:
      'Adds a funnel to a store. 400 names every rule its graph breaks, with the path. 409 `limit_reached` past 200 funnels an account.',
    args: { input: t.arg({ type: CreateFunnelInput, required: true, description: 'The funnel.' }) },
    resolve: (_root, { input }, context) => createFunnel(context, input),
  }),
  updateFunnel: t.withAuth({ key: true }).field({
    type: FunnelRef,
    description:
      'Changes what is named. Changed steps or edges are a new version, with which new sessions begin; sessions under way go on with the version they began with.',
    args: {
      funnelId: t.arg.string(funnelId),
      input: t.arg({ type: UpdateFunnelInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, args, context) => updateFunnel(context, args.funnelId, args.input),
  }),
  deleteFunnel: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description: 'Removes a funnel for good. Sessions under way go on to their end. 404 the second time.',
    args: { funnelId: t.arg.string(funnelId) },
    resolve: (_root, args, context) => deleteFunnel(context, args.funnelId),
  }),
}));
