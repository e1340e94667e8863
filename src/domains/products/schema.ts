import type { Price as PriceRecord, Product as ProductRecord } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import { pageArguments, pageComplexity, pageType, sortInput, TextFilter } from '../../lists/inputs.ts';
import { createProduct, listProducts, readProduct } from './products.ts';

export type Interval = 'day' | 'week' | 'month' | 'year';

export const IntervalRef = builder.enumType('Interval', {
  description: 'The unit of a billing interval.',
  values: {
    day: { description: 'The interval is counted in days.' },
    week: { description: 'The interval is counted in weeks.' },
    month: { description: 'The interval is counted in calendar months.' },
    year: { description: 'The interval is counted in calendar years.' },
  } as const,
});

/** Amounts are numbers in rows of the SQL statements and big integers in rows of Prisma. */
export type PriceRow = Omit<PriceRecord, 'amount'> & { amount: number | bigint };
export type ProductRow = ProductRecord & { prices: PriceRow[] };

export const Price = builder.objectRef<PriceRow>('Price').implement({
  description:
    'The price of one unit of a product, charged once or once per period. A price never changes: for another amount, ' +
    'create a product with another price.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the price, prefix `price_`.' }),
    productId: t.exposeID('productId', { description: 'The product that the price belongs to, prefix `prod_`.' }),
    currency: t.expose('currency', { type: 'Currency', description: 'The currency of the price, an ISO 4217 code.' }),
    amount: t.expose('amount', {
      type: 'Amount',
      description:
        'The amount of one unit in minor units of the currency, for a recurring price the amount per period.',
    }),
    recurring: t.exposeBoolean('recurring', {
      description:
        'Whether the price is charged again for each period. Only a recurring price can be used in a subscription.',
    }),
    interval: t.field({
      type: IntervalRef,
      nullable: true,
      description: 'The unit of the billing interval. Null if the price is not recurring.',
      // a CHECK constraint holds the column to the enum
      ...storedColumn('interval'),
    }),
    intervalCount: t.exposeInt('intervalCount', {
      nullable: true,
      description: 'The number of units in the billing interval. Null if the price is not recurring.',
    }),
    trialDays: t.exposeInt('trialDays', {
      nullable: true,
      description: 'The number of free days with which a new subscription to the price starts. Null for none.',
    }),
    // The list reads prices as JSON of PostgreSQL, in which a time is a string.
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time at which the price was created.',
      resolve: ({ createdAt }) => new Date(createdAt),
    }),
  }),
});

export const Product = builder.objectRef<ProductRow>('Product').implement({
  description: 'Goods or a service that a store sells, with its prices.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the product, prefix `prod_`.' }),
    storeId: t.exposeID('storeId', { description: 'The store that sells the product, prefix `store_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'The processing account that the product belongs to, prefix `tpa_`.',
    }),
    name: t.expose('name', { type: 'Name', description: 'The name of the product.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'A description of the product. Null if not set.',
    }),
    prices: t.field({
      type: [Price],
      description: 'The prices of the product, in the order in which they were given.',
      resolve: ({ prices }) => prices,
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: ({ mode }) => mode === 'live',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the product was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time at which the product last changed.' }),
  }),
});

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

const ProductPage = pageType('ProductPage', Product, 'products');
const ProductSort = sortInput('ProductSort', ['createdAt', 'name']);

builder.queryFields((t) => ({
  product: t.withAuth({ suspendedKey: true }).field({
    type: Product,
    description: 'Returns a product with its prices. 404 if the product is not visible to the API key.',
    args: { productId: t.arg.id({ required: true, description: 'The product to return, prefix `prod_`.' }) },
    resolve: (_root, { productId }, context) => readProduct(context, productId),
  }),
  products: t.withAuth({ suspendedKey: true }).field({
    type: ProductPage,
    description:
      'Returns a page of the products visible to the API key, with their prices: those of the account of a sub-key, ' +
      'or of all accounts of the partner in the mode of a partner key. The newest come first by default.',
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: ProductSort, description: 'The sort order. Defaults to `createdAt`, descending.' }),
      filters: t.arg({ type: ProductFilters, description: 'The filters to apply. All products if left out.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listProducts(context, args),
  }),
}));

builder.mutationField('createProduct', (t) =>
  t.withAuth({ key: true }).field({
    type: Product,
    description: 'Creates a product with its prices in a store.',
    args: { input: t.arg({ type: CreateProductInput, required: true, description: 'The product to create.' }) },
    resolve: (_root, { input }, context) => createProduct(context, input),
  }),
);
