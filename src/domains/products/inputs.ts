import { builder } from '../../graph/builder.ts';
import { TextFilter } from '../../graph/list-inputs.ts';
import { IntervalRef } from './types.ts';

export const ProductFilters = builder.inputType('ProductFilters', {
  description: 'Filters for a list of products. A product is returned only if it matches every filter given.',
  fields: (t) => ({
    name: t.field({ type: TextFilter, description: 'Compares the name of the product.' }),
    storeId: t.idList({ description: 'Returns products of any of these stores, prefix `store_`.' }),
  }),
});

export const PriceInput = builder.inputType('PriceInput', {
  description: 'A price of the product to create.',
  fields: (t) => ({
    currency: t.field({
      type: 'Currency',
      required: true,
      description: 'The currency of the price, an ISO 4217 code.',
    }),
    amount: t.field({
      type: 'Amount',
      required: true,
      description:
        'The amount of one unit in minor units of the currency, for a recurring price the amount per period.',
    }),
    recurring: t.boolean({
      description: 'Whether the price is charged again for each period. Defaults to true if `interval` is given.',
    }),
    interval: t.field({
      type: IntervalRef,
      description: 'The unit of the billing interval. Required for a recurring price, 400 for any other price.',
    }),
    intervalCount: t.int({
      description:
        'The number of units in the billing interval, at least 1. Defaults to 1. A period lasts at most three years: ' +
        '1095 days, 156 weeks, 36 months or 3 years. Only for a recurring price.',
    }),
    trialDays: t.int({
      description:
        'The number of free days with which a new subscription to the price starts, 0 to 730. Defaults to 0. Only ' +
        'for a recurring price.',
    }),
  }),
});

export const CreateProductInput = builder.inputType('CreateProductInput', {
  description: 'The product to create.',
  fields: (t) => ({
    storeId: t.id({
      description:
        'The store to create the product in, prefix `store_`. Required with a partner key, and with a sub-key whose ' +
        'account has several stores. Defaults to the only store of the account.',
    }),
    name: t.field({ type: 'Name', required: true, description: 'The name of the product.' }),
    description: t.field({ type: 'ShortText', description: 'A description of the product.' }),
    prices: t.field({ type: [PriceInput], required: true, description: 'The prices of the product, 1 to 50.' }),
  }),
});
