import { builder } from '../graph/builder.ts';
import { TextFilter } from '../graph/list-inputs.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { createProduct, listProducts, readProduct } from './operations.ts';
import { IntervalRef, Product } from './types.ts';

const ProductPage = pageType('ProductPage', Product, 'products');
const ProductSort = sortInput('ProductSort', ['createdAt', 'name']);

export const ProductFilters = builder.inputType('ProductFilters', {
  description: 'Which products. All that are given must hold.',
  fields: (t) => ({
    name: t.field({ type: TextFilter, description: 'The name.' }),
    storeId: t.stringList({ description: 'Any of these stores.' }),
  }),
});

export const PriceInput = builder.inputType('PriceInput', {
  description: 'One price of a product.',
  fields: (t) => ({
    currency: t.field({ type: 'Currency', required: true, description: 'ISO 4217 code.' }),
    amount: t.field({
      type: 'Amount',
      required: true,
      description: 'What one costs, in minor units; for a recurring price, what one costs a period.',
    }),
    recurring: t.boolean({
      description: 'Whether it is paid again each period. Left out: it is when there is an `interval`.',
    }),
    interval: t.field({
      type: IntervalRef,
      description: 'The unit of the period. Required for a recurring price, and only for one.',
    }),
    intervalCount: t.int({
      description:
        'How many of that unit a period has: 1 (the default) or more, three years at most (1095 days, 156 weeks, 36 months, 3 years).',
    }),
    trialDays: t.int({
      description:
        'How many days a new subscription to it is free, 0 (the default) to 730. Only for a recurring price.',
    }),
  }),
});

export const CreateProductInput = builder.inputType('CreateProductInput', {
  description: 'A product to add to a store.',
  fields: (t) => ({
    storeId: t.string({
      description:
        'The store, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores.',
    }),
    name: t.field({ type: 'Name', required: true, description: 'What it is called.' }),
    description: t.field({ type: 'ShortText', description: 'What it is.' }),
    prices: t.field({ type: [PriceInput], required: true, description: 'What it costs: 1 to 50 prices.' }),
  }),
});

builder.queryFields((t) => ({
  product: t.withAuth({ key: true }).field({
    type: Product,
    description: 'One product with its prices. 404 when it is not within the reach of the key.',
    args: { productId: t.arg.string({ required: true, description: 'Identifier, prefix `prod_`.' }) },
    resolve: (_root, { productId }, context) => readProduct(context, productId),
  }),
  products: t.withAuth({ key: true }).field({
    type: ProductPage,
    description:
      "The products of the key's account, or of all the partner's accounts of its mode, with their prices, the newest first unless sorted otherwise.",
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: ProductSort, description: 'The order.' }),
      filters: t.arg({ type: ProductFilters, description: 'Which products.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listProducts(context, args),
  }),
}));

builder.mutationField('createProduct', (t) =>
  t.withAuth({ key: true }).field({
    type: Product,
    description: 'Adds a product with its prices to a store.',
    args: { input: t.arg({ type: CreateProductInput, required: true, description: 'The product.' }) },
    resolve: (_root, { input }, context) => createProduct(context, input),
  }),
);
