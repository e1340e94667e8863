import { asStored } from '../../graph/as-stored.ts';
import { builder } from '../../graph/builder.ts';

export const StoreType = builder.enumType('StoreType', {
  description: 'The system a store runs on.',
  values: {
    platform: { description: 'The store runs on this platform.' },
    shopify: { description: 'The store runs on Shopify.' },
    woocommerce: { description: 'The store runs on WooCommerce.' },
    external: { description: 'The store runs on another system.' },
  } as const,
});

export const Store = builder.prismaObject('Store', {
  description: 'A place where an account sells. Each customer, payment instrument and payment belongs to one store.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the store, prefix `store_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'The processing account that the store belongs to, prefix `tpa_`.',
    }),
    name: t.exposeString('name', { description: 'The name of the store.' }),
    // a CHECK constraint holds the column to the enum
    type: t.field({
      type: StoreType,
      description: 'The system the store runs on.',
      ...asStored('type'),
    }),
    baseCurrency: t.expose('baseCurrency', {
      type: 'Currency',
      description: 'The currency in which the store does its accounting, an ISO 4217 code.',
    }),
    presentmentCurrencies: t.expose('presentmentCurrencies', {
      type: ['Currency'],
      description: 'The currencies in which the store shows prices, as ISO 4217 codes.',
    }),
    chargeCurrencies: t.expose('chargeCurrencies', {
      type: ['Currency'],
      description:
        'The currencies in which the store can charge, as ISO 4217 codes. A payment must be in one of these.',
    }),
    paymentFlowId: t.exposeID('paymentFlowId', {
      nullable: true,
      description:
        'The payment flow that routes the charges of the store unless a charge names another one, prefix `flow_`. ' +
        'Null if the store has none.',
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: (store) => store.mode === 'live',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the store was created.' }),
  }),
});
