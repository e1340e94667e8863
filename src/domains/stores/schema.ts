import { builder } from '../../graph/builder.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../../lists/inputs.ts';
import { createStore, updateStore } from './change-store.ts';
import { CreateStoreInput, listStores, Store, StoreFilters, UpdateStoreInput } from './types.ts';

const StorePage = pageType('StorePage', Store, 'stores');
const StoreSort = sortInput('StoreSort', ['createdAt', 'name']);

builder.queryField('stores', (t) =>
  t.withAuth({ suspendedKey: true }).field({
    type: StorePage,
    description:
      'Returns a page of the stores visible to the API key: those of the account of a sub-key, or of all accounts of ' +
      'the partner in the mode of a partner key. The newest come first by default.',
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: StoreSort, description: 'The sort order. Defaults to `createdAt`, descending.' }),
      filters: t.arg({ type: StoreFilters, description: 'The filters to apply. All stores if left out.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listStores(context, args),
  }),
);

builder.mutationField('createStore', (t) =>
  t.withAuth({ key: true }).field({
    type: Store,
    description:
      'Creates a store in an account. 404 if the account is not visible to the API key. 409 `limit_reached` if the ' +
      'account has 1,000 stores.',
    args: { input: t.arg({ type: CreateStoreInput, required: true, description: 'The store to create.' }) },
    resolve: (_root, { input }, context) => createStore(context, input),
  }),
);

builder.mutationField('updateStore', (t) =>
  t.withAuth({ key: true }).field({
    type: Store,
    description:
      'Updates the given fields of a store and leaves the others unchanged. 404 if the store is not visible to the ' +
      'API key.',
    args: {
      storeId: t.arg.id({ required: true, description: 'The store to update, prefix `store_`.' }),
      input: t.arg({ type: UpdateStoreInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, args, context) => updateStore(context, args.storeId, args.input),
  }),
);
