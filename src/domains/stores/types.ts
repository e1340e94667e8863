import type { TenantContext } from '../../call/context.ts';
import type { Store as StoreRecord } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { notNull } from '../../graph/input/rules.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import { date, oneOf, text } from '../../lists/filters.ts';
import { DateFilter, TextFilter } from '../../lists/inputs.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';

const StoreType = builder.enumType('StoreType', {
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
      ...storedColumn('type'),
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
    platformAccountId: t.id({
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

type Filters = typeof StoreFilters.$inferInput;

const storeList: ListDefinition<Filters> = {
  table: 'stores',
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: {
    name: text('name'),
    type: oneOf('type'),
    baseCurrency: oneOf('baseCurrency'),
    createdAt: date('createdAt'),
  },
  counted: true,
};

export function listStores(context: TenantContext, args: ListArguments<Filters>): Promise<Page<StoreRecord>> {
  return readList(context.services.pool, context.tenant, storeList, args);
}
