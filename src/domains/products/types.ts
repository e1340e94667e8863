import type { Price as PriceRecord, Product as ProductRecord } from '../../generated/prisma/client.ts';
import { asStored } from '../../graph/as-stored.ts';
import { builder } from '../../graph/builder.ts';

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

const Price = builder.objectRef<PriceRow>('Price').implement({
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
      ...asStored('interval'),
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
