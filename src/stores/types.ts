import { builder } from '../graph/builder.ts';

export const storeTypes = ['platform', 'shopify', 'woocommerce', 'external'] as const;
export const StoreType = builder.enumType('StoreType', { description: 'Where the store runs.', values: storeTypes });

export const Store = builder.prismaObject('Store', {
  description: 'A place where an account sells. Customers, instruments and payments belong to one.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `store_`.' }),
    platformAccountId: t.exposeString('platformAccountId', {
      description: 'The processing account it belongs to, prefix `tpa_`.',
    }),
    name: t.exposeString('name', { description: 'Its name.' }),
    type: t.field({ type: StoreType, description: 'Where it runs.', resolve: (store) => store.type as never }), // a CHECK constraint holds the column to the enum
    baseCurrency: t.expose('baseCurrency', { type: 'Currency', description: 'The currency it keeps its books in.' }),
    presentmentCurrencies: t.expose('presentmentCurrencies', {
      type: ['Currency'],
      description: 'The currencies it shows prices in.',
    }),
    chargeCurrencies: t.expose('chargeCurrencies', {
      type: ['Currency'],
      description: 'The currencies it can charge in; a payment must be in one of them.',
    }),
    paymentFlowId: t.exposeString('paymentFlowId', {
      nullable: true,
      description: 'What its charges are routed by unless they say otherwise, prefix `flow_`.',
    }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: (store) => store.mode === 'live' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
  }),
});
