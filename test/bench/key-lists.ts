import type { Visibility } from '../../src/auth/tenancy.ts';
import type { TenantContext } from '../../src/call/context.ts';
import { accounts } from '../../src/domains/accounts/account-list.ts';
import { blockRules } from '../../src/domains/block-rules/types.ts';
import { customers } from '../../src/domains/customers/customer-list.ts';
import { disputes } from '../../src/domains/disputes/list-disputes.ts';
import { funnels } from '../../src/domains/funnels/types.ts';
import { paymentInstruments } from '../../src/domains/instruments/instrument-list.ts';
import { apiKeys } from '../../src/domains/keys/types.ts';
import { orders } from '../../src/domains/orders/order-list.ts';
import { payments } from '../../src/domains/payments/list-payments.ts';
import { listPluginDeployments } from '../../src/domains/plugins/deployments/inputs.ts';
import { listPluginConfigurations, listPluginInstances } from '../../src/domains/plugins/instances/inputs.ts';
import { listPaymentFlows } from '../../src/domains/processors/flows/types.ts';
import { processors } from '../../src/domains/processors/types.ts';
import { listProducts } from '../../src/domains/products/products.ts';
import { listStores } from '../../src/domains/stores/types.ts';
import { subscriptions } from '../../src/domains/subscriptions/subscription-list.ts';
import { testClocks } from '../../src/domains/test-clocks/types.ts';
import { webhookDeliveries } from '../../src/domains/webhooks/deliveries/list-deliveries.ts';
import { webhookEndpoints } from '../../src/domains/webhooks/endpoints/list-endpoints.ts';
import { events } from '../../src/domains/webhooks/events/schema.ts';
import type { ListArguments } from '../../src/lists/read-list.ts';
import type { BigTenant } from './tenants.ts';

/** Arguments of any list. */
export type AskedList = ListArguments<Record<string, never>>;

/** A list that API keys call, with arguments for each kind of filter. */
export interface KeyList {
  name: string;
  sorts: readonly string[];
  cursor: boolean;
  partnerOnly: boolean;
  /**
   * Lists that are small by nature (an endpoint's deliveries, at most 20 endpoints per account, at most 200
   * configurations per instance): their totals are counted row by row.
   */
  narrow?: boolean;
  filters: Readonly<Record<string, object>>;
  read(context: TenantContext, requested: AskedList): Promise<{ nextCursor: string | null }>;
}

interface Listed {
  read(context: TenantContext, visibility: Visibility, requested: AskedList): Promise<{ nextCursor: string | null }>;
}

const ofKey =
  ({ read }: Listed): KeyList['read'] =>
  (context, requested) =>
    read(context, context.tenant, requested);

/** Every list that API keys call. The test of the schema reports a list that is missing. */
export function keyLists(tenant: BigTenant, webhookId: string): KeyList[] {
  const stores = { store: { storeId: [tenant.storeId] } };
  const day = { day: { createdAt: { condition: 'is-between-date', value: ['2026-01-01', '2026-01-01'] } } };
  const is = (value: string) => ({ condition: 'is', value });
  return [
    {
      name: 'customers',
      sorts: ['createdAt', 'email', 'firstName', 'lastName'],
      cursor: true,
      partnerOnly: false,
      filters: {
        ...stores,
        ...day,
        email: { email: is('payer7@example.com') },
        name: { firstName: is('First 7') },
        tag: { tags: ['tier:1'] },
        'rare tag': { tags: ['none'] },
        phone: { phone: '+15557' },
      },
      read: ofKey(customers),
    },
    {
      name: 'payments',
      sorts: ['createdAt', 'amount', 'status'],
      cursor: true,
      partnerOnly: false,
      filters: {
        ...stores,
        ...day,
        customer: { customerId: 'cus_00000007bench' },
        status: { status: ['declined'] },
        'rare status': { status: ['expired'] },
        currency: { currency: ['USD'] },
        order: { orderId: 'ord_00000007bench' },
        subscription: { subscriptionId: 'sub_00000007bench' },
        processor: { processorId: ['proc_bench'] },
        email: { customerEmail: is('payer7@example.com') },
        card: { cardLast4: is('4242') },
        'rare card': { cardLast4: is('0000') },
        amount: { amount: { min: 100, max: 2000 } },
        'failure code': { failureCode: ['lost_card'] },
        reference: { processorReference: 'none' },
        fingerprint: { fingerprint: 'unknown' },
      },
      read: ofKey(payments),
    },
    {
      name: 'paymentInstruments',
      sorts: ['createdAt'],
      cursor: false,
      partnerOnly: false,
      filters: { ...stores, customer: { customerId: 'cus_00000007bench' } },
      read: ofKey(paymentInstruments),
    },
    {
      name: 'events',
      sorts: ['createdAt'],
      cursor: true,
      partnerOnly: false,
      filters: {
        ...stores,
        ...day,
        object: { objectId: 'pay_00000007bench' },
        type: { type: ['payment/created'] },
        'rare type': { type: ['payment/refunded'] },
      },
      read: ofKey(events),
    },
    {
      name: 'orders',
      sorts: ['createdAt', 'amount'],
      cursor: true,
      partnerOnly: false,
      filters: {
        ...stores,
        ...day,
        customer: { customerId: 'cus_00000007bench' },
        status: { status: ['pending'] },
        currency: { currency: ['USD'] },
      },
      read: ofKey(orders),
    },
    {
      name: 'products',
      sorts: ['createdAt', 'name'],
      cursor: false,
      partnerOnly: false,
      filters: stores,
      read: listProducts,
    },
    {
      name: 'subscriptions',
      sorts: ['createdAt', 'nextBillingDate', 'status'],
      cursor: false,
      partnerOnly: false,
      filters: { customer: { customerId: 'cus_00000007bench' }, price: { priceId: 'price_00000007bench' } },
      read: ofKey(subscriptions),
    },
    {
      name: 'disputes',
      sorts: ['createdAt', 'evidenceDueAt'],
      cursor: false,
      partnerOnly: false,
      filters: { ...stores, payment: { paymentId: 'pay_00000007bench' } },
      read: ofKey(disputes),
    },
    {
      name: 'blockRules',
      sorts: ['createdAt', 'name'],
      cursor: false,
      partnerOnly: false,
      filters: stores,
      read: ofKey(blockRules),
    },
    {
      name: 'funnels',
      sorts: ['createdAt', 'name'],
      cursor: false,
      partnerOnly: false,
      filters: stores,
      read: ofKey(funnels),
    },
    {
      name: 'processors',
      sorts: ['createdAt', 'name'],
      cursor: false,
      partnerOnly: false,
      filters: {},
      read: ofKey(processors),
    },
    {
      name: 'paymentFlows',
      sorts: ['createdAt', 'name'],
      cursor: false,
      partnerOnly: false,
      filters: {},
      read: listPaymentFlows,
    },
    {
      name: 'webhookEndpoints',
      sorts: ['createdAt'],
      cursor: false,
      partnerOnly: false,
      narrow: true,
      filters: {},
      read: ofKey(webhookEndpoints),
    },
    {
      name: 'webhookDeliveries',
      sorts: ['createdAt'],
      cursor: false,
      partnerOnly: false,
      narrow: true,
      filters: {
        ...day,
        status: { status: ['dead'] },
        type: { eventType: ['payment/created'] },
        event: { eventId: 'evt_00000007bench' },
      },
      read: (context, requested) =>
        webhookDeliveries.read(context, context.tenant, {
          ...requested,
          filters: { ...requested.filters, endpointId: webhookId },
        }),
    },
    {
      name: 'testClocks',
      sorts: ['createdAt'],
      cursor: false,
      partnerOnly: false,
      filters: {},
      read: ofKey(testClocks),
    },
    {
      name: 'pluginDeployments',
      sorts: ['createdAt', 'name'],
      cursor: false,
      partnerOnly: false,
      filters: stores,
      read: listPluginDeployments,
    },
    {
      name: 'pluginInstances',
      sorts: ['createdAt', 'name'],
      cursor: false,
      partnerOnly: false,
      filters: { ...stores, deployment: { deploymentId: 'dep_00000007bench' } },
      read: listPluginInstances,
    },
    {
      name: 'pluginConfigurations',
      sorts: ['createdAt'],
      cursor: false,
      partnerOnly: false,
      narrow: true,
      filters: {},
      read: (context, requested) => listPluginConfigurations(context, 'pin_00000007bench', requested),
    },
    { name: 'stores', sorts: ['createdAt', 'name'], cursor: false, partnerOnly: false, filters: {}, read: listStores },
    {
      name: 'accounts',
      sorts: ['createdAt', 'legalName'],
      cursor: false,
      partnerOnly: true,
      filters: {},
      read: ofKey(accounts),
    }, // called with a partner key only
    {
      name: 'apiKeys',
      sorts: ['createdAt'],
      cursor: false,
      partnerOnly: true,
      filters: {},
      read: (context, requested) =>
        apiKeys.read(context, context.tenant, {
          ...requested,
          filters: { ...requested.filters, platformAccountId: tenant.accountId },
        }),
    }, // as above
  ];
}
