import type { Price as PriceRecord, Product as ProductRecord } from '../generated/prisma/client.ts';
import { builder } from '../graph/builder.ts';

/** How often a price is paid. */
export const intervals = ['day', 'week', 'month', 'year'] as const;
export type Interval = (typeof intervals)[number];

export const IntervalRef = builder.enumType('Interval', { description: 'The unit of a period.', values: intervals });

/** Amounts come as numbers from our own statements and as big integers from Prisma. */
export type PriceRow = Omit<PriceRecord, 'amount'> & { amount: number | bigint };
export type ProductRow = ProductRecord & { prices: PriceRow[] };

export const Price = builder.objectRef<PriceRow>('Price').implement({
  description:
    'What one of a product costs, once or again and again. It never changes: for another amount, add a product with another price.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `price_`.' }),
    productId: t.exposeString('productId', { description: 'What is sold, prefix `prod_`.' }),
    currency: t.expose('currency', { type: 'Currency', description: 'ISO 4217 code.' }),
    amount: t.expose('amount', { type: 'Amount', description: 'What one costs, in minor units.' }),
    recurring: t.exposeBoolean('recurring', {
      description: 'Whether it is paid again each period. Only such a price can be subscribed to.',
    }),
    interval: t.field({
      type: IntervalRef,
      nullable: true,
      description: 'The unit of its period; null when it is paid once.',
      resolve: ({ interval }) => interval as Interval | null,
    }), // a CHECK constraint holds the column to the enum
    intervalCount: t.exposeInt('intervalCount', {
      nullable: true,
      description: 'How many of that unit a period has; null when it is paid once.',
    }),
    trialDays: t.exposeInt('trialDays', {
      nullable: true,
      description: 'How many days a new subscription is free; null for none.',
    }),
    // In a list it comes as PostgreSQL writes it.
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was created.',
      resolve: ({ createdAt }) => new Date(createdAt),
    }),
  }),
});

export const Product = builder.objectRef<ProductRow>('Product').implement({
  description: 'What a store sells.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `prod_`.' }),
    storeId: t.exposeString('storeId', { description: 'The store, prefix `store_`.' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    name: t.expose('name', { type: 'Name', description: 'What it is called.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it is.' }),
    prices: t.field({
      type: [Price],
      description: 'What it costs, in the order they were given.',
      resolve: ({ prices }) => prices,
    }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: ({ mode }) => mode === 'live' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});
