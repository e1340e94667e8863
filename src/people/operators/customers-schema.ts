import { CustomerFilters, CustomerPage, CustomerSort, listCustomersWithin } from '../../domains/customers/public.ts';
import {
  InstrumentFilters,
  InstrumentPage,
  InstrumentSort,
  listPaymentInstrumentsWithin,
} from '../../domains/instruments/public.ts';
import { listOrdersWithin, OrderFilters, OrderPage, OrderSort, orderObject } from '../../domains/orders/public.ts';
import { builder } from '../../graph/builder.ts';
import { mapPage } from '../../graph/lists.ts';
import { cursorArguments, pageArguments, pageComplexity } from '../../graph/pages.ts';
import { rowsVisible, sortByOverAll, visibilityArgs } from './inputs.ts';
import { operatorVisibility } from './visibility.ts';

const filters = 'Filters of the list.';

builder.queryFields((t) => ({
  operatorCustomers: t.withAuth({ directory: true }).field({
    type: CustomerPage,
    description: `Lists customers. ${rowsVisible}`,
    args: {
      ...visibilityArgs,
      ...cursorArguments,
      sortBy: t.arg({ type: CustomerSort, description: sortByOverAll }),
      filters: t.arg({ type: CustomerFilters, description: filters }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listCustomersWithin(context, await operatorVisibility(context, mode, partnerSlug), args),
  }),
  operatorOrders: t.withAuth({ directory: true }).field({
    type: OrderPage,
    description: `Lists orders. ${rowsVisible}`,
    args: {
      ...visibilityArgs,
      ...cursorArguments,
      sortBy: t.arg({ type: OrderSort, description: sortByOverAll }),
      filters: t.arg({ type: OrderFilters, description: filters }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      mapPage(await listOrdersWithin(context, await operatorVisibility(context, mode, partnerSlug), args), orderObject),
  }),
  operatorPaymentInstruments: t.withAuth({ directory: true }).field({
    type: InstrumentPage,
    description: `Lists payment instruments. ${rowsVisible}`,
    args: {
      ...visibilityArgs,
      ...pageArguments,
      sortBy: t.arg({ type: InstrumentSort, description: 'The order of the list.' }),
      filters: t.arg({ type: InstrumentFilters, description: filters }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listPaymentInstrumentsWithin(context, await operatorVisibility(context, mode, partnerSlug), args),
  }),
}));
