import { builder } from '../../graph/builder.ts';
import { notNull } from '../../graph/input-rules.ts';
import { DateFilter, TextFilter } from '../../graph/list-inputs.ts';
import { StoreType } from './types.ts';

export const StoreFilters = builder.inputType('StoreFilters', {
  description: 'Filters for a list of stores. A store is returned only if it matches every filter given.',
  fields: (t) => ({
    name: t.field({ type: TextFilter, description: 'Compares the name of the store.' }),
    type: t.field({ type: [StoreType], description: 'Returns stores of any of these types.' }),
    baseCurrency: t.field({ type: ['Currency'], description: 'Returns stores with any of these base currencies.' }),
    createdAt: t.field({ type: DateFilter, description: 'Compares the time at which the store was created.' }),
  }),
});

export const CreateStoreInput = builder.inputType('CreateStoreInput', {
  description: 'The store to create.',
  fields: (t) => ({
    name: t.field({ type: 'Name', required: true, description: 'The name of the store.' }),
    accountId: t.id({
      description:
        'The processing account to create the store in, prefix `tpa_`. Required with a partner key. With a sub-key ' +
        'it defaults to the account of the key.',
    }),
    type: t.field({ type: StoreType, defaultValue: 'platform', description: 'The system the store runs on.' }),
    baseCurrency: t.field({
      type: 'Currency',
      description:
        'The currency in which the store does its accounting, an ISO 4217 code. Defaults to the currency of the ' +
        'account.',
    }),
    presentmentCurrencies: t.field({
      type: ['Currency'],
      description: 'The currencies in which the store shows prices, at least one. Defaults to the base currency alone.',
    }),
    chargeCurrencies: t.field({
      type: ['Currency'],
      description: 'The currencies in which the store can charge, at least one. Defaults to the base currency alone.',
    }),
    paymentFlowId: t.id({
      description:
        'The payment flow that routes the charges of the store unless a charge names another one, prefix `flow_`. ' +
        '404 if the account has no such payment flow.',
    }),
  }),
});

export const UpdateStoreInput = builder.inputType('UpdateStoreInput', {
  description: 'The fields of the store to change. A field that is left out keeps its value.',
  fields: (t) => ({
    name: t.field({ ...notNull, type: 'Name', description: 'The new name of the store. Must not be null.' }),
    paymentFlowId: t.id({
      description:
        'The payment flow that routes the charges of the store from now on, prefix `flow_`. Null for none. 404 if ' +
        'the account has no such payment flow.',
    }),
  }),
});
