import { builder } from '../graph/builder.ts';
import { DateFilter, TextFilter } from '../graph/list-inputs.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { createStore, listStores, updateStore } from './operations.ts';
import { Store, StoreType } from './types.ts';

const StorePage = pageType('StorePage', Store, 'stores');
const StoreSort = sortInput('StoreSort', ['createdAt', 'name']);

export const StoreFilters = builder.inputType('StoreFilters', {
  description: 'Which stores. All that are given must hold.',
  fields: (t) => ({
    name: t.field({ type: TextFilter, description: 'The name.' }),
    type: t.field({ type: [StoreType], description: 'Any of these types.' }),
    baseCurrency: t.field({ type: ['Currency'], description: 'Any of these base currencies.' }),
    createdAt: t.field({ type: DateFilter, description: 'When it was created.' }),
  }),
});

export const CreateStoreInput = builder.inputType('CreateStoreInput', {
  description: 'A store to add to an account.',
  fields: (t) => ({
    name: t.field({ type: 'Name', required: true, description: 'Its name.' }),
    accountId: t.field({
      type: 'String',
      description: 'The processing account, prefix `tpa_`. Required with a partner key; a sub-key has one already.',
    }),
    type: t.field({ type: StoreType, description: '`platform` when left out.' }),
    baseCurrency: t.field({ type: 'Currency', description: "The account's currency when left out." }),
    presentmentCurrencies: t.field({ type: ['Currency'], description: 'Only the base currency when left out.' }),
    chargeCurrencies: t.field({ type: ['Currency'], description: 'Only the base currency when left out.' }),
    paymentFlowId: t.string({
      description:
        'What its charges are routed by unless they say otherwise, prefix `flow_`. 404 when it is not of the account.',
    }),
  }),
});

export const UpdateStoreInput = builder.inputType('UpdateStoreInput', {
  description: 'What to change. What is left out stays.',
  fields: (t) => ({
    name: t.field({ type: 'Name', description: 'Its name.' }),
    paymentFlowId: t.string({
      description:
        'What its charges are routed by from now on, prefix `flow_`; null for none. 404 when it is not of the account.',
    }),
  }),
});

builder.queryField('stores', (t) =>
  t.withAuth({ key: true }).field({
    type: StorePage,
    description: "The stores of the key's account, or of all the partner's accounts of its mode.",
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: StoreSort, description: 'The order.' }),
      filters: t.arg({ type: StoreFilters, description: 'Which stores.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listStores(context, args),
  }),
);

builder.mutationField('createStore', (t) =>
  t.withAuth({ key: true }).field({
    type: Store,
    description: 'Adds a store to an account.',
    args: { input: t.arg({ type: CreateStoreInput, required: true, description: 'The store.' }) },
    resolve: (_root, { input }, context) => createStore(context, input),
  }),
);

builder.mutationField('updateStore', (t) =>
  t.withAuth({ key: true }).field({
    type: Store,
    description: 'Changes what is named and leaves the rest. 404 outside the reach of the key.',
    args: {
      storeId: t.arg.string({ required: true, description: 'Identifier, prefix `store_`.' }),
      input: t.arg({ type: UpdateStoreInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, args, context) => updateStore(context, args.storeId, args.input),
  }),
);
