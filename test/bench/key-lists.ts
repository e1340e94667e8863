import type { KeyContext, PartnerKeyContext } from '../../src/call/context.ts';
import { listAccounts } from '../../src/domains/accounts/inputs.ts';
import { listBlockRules } from '../../src/domains/block-rules/inputs.ts';
import { listCustomers } from '../../src/domains/customers/inputs.ts';
import { listDisputes } from '../../src/domains/disputes/list-disputes.ts';
import { listFunnels } from '../../src/domains/funnels/inputs.ts';
import { listPaymentInstruments } from '../../src/domains/instruments/inputs.ts';
import { listApiKeys } from '../../src/domains/keys/inputs.ts';
import { listOrders } from '../../src/domains/orders/inputs.ts';
import { listPayments } from '../../src/domains/payments/list-payments.ts';
import { listPluginDeployments } from '../../src/domains/plugins/deployments/inputs.ts';
import { listPluginConfigurations, listPluginInstances } from '../../src/domains/plugins/instances/inputs.ts';
import { listPaymentFlows } from '../../src/domains/processors/flows/types.ts';
import { listProcessors } from '../../src/domains/processors/types.ts';
import { listProducts } from '../../src/domains/products/products.ts';
import { listStores } from '../../src/domains/stores/types.ts';
import { listSubscriptions } from '../../src/domains/subscriptions/inputs.ts';
import { listTestClocks } from '../../src/domains/test-clocks/types.ts';
import { listWebhookDeliveries } from '../../src/domains/webhooks/deliveries/list-deliveries.ts';
import { listWebhookEndpoints } from '../../src/domains/webhooks/endpoints/list-endpoints.ts';
import { listEvents } from '../../src/domains/webhooks/events/schema.ts';
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
  read(context: KeyContext, asked: AskedList): Promise<{ nextCursor: string | null }>;
}

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
        'e-mail': { email: is('payer7@example.com') },
        name: { firstName: is('First 7') },
        tag: { tags: ['tier:1'] },
        'rare tag': { tags: ['none'] },
        phone: { phone: '+15557' },
      },
      read: listCustomers,
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
        'e-mail': { customerEmail: is('payer7@example.com') },
        card: { cardLast4: is('4242') },
        'rare card': { cardLast4: is('0000') },
        amount: { amount: { min: 100, max: 2000 } },
        'failure code': { failureCode: ['lost_card'] },
        reference: { processorReference: 'none' },
        fingerprint: { fingerprint: 'nobody' },
      },
      read: listPayments,
    },
    {
      name: 'paymentInstruments',
      sorts: ['createdAt'],
      cursor: false,
      partnerOnly: false,
      filters: { ...stores, customer: { customerId: 'cus_00000007bench' } },
      read: listPaymentInstruments,
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
      read: listEvents,
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
      read: listOrders,
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
      read: listSubscriptions,
    },
    {
      name: 'disputes',
      sorts: ['createdAt', 'evidenceDueAt'],
      cursor: false,
      partnerOnly: false,
      filters: { ...stores, payment: { paymentId: 'pay_00000007bench' } },
      read: listDisputes,
    },
    {
      name: 'blockRules',
      sorts: ['createdAt', 'name'],
      cursor: false,
      partnerOnly: false,
      filters: stores,
      read: listBlockRules,
    },
    {
      name: 'funnels',
      sorts: ['createdAt', 'name'],
      cursor: false,
      partnerOnly: false,
      filters: stores,
      read: listFunnels,
    },
    {
      name: 'processors',
      sorts: ['createdAt', 'name'],
      cursor: false,
      partnerOnly: false,
      filters: {},
      read: listProcessors,
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
      read: listWebhookEndpoints,
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
      read: (context, asked) => listWebhookDeliveries(context, webhookId, asked),
    },
    { name: 'testClocks', sorts: ['createdAt'], cursor: false, partnerOnly: false, filters: {}, read: listTestClocks },
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
      read: (context, asked) => listPluginConfigurations(context, 'pin_00000007bench', asked),
    },
    { name: 'stores', sorts: ['createdAt', 'name'], cursor: false, partnerOnly: false, filters: {}, read: listStores },
    {
      name: 'accounts',
      sorts: ['createdAt', 'legalName'],
      cursor: false,
      partnerOnly: true,
      filters: {},
      read: (context, asked) => listAccounts(context as PartnerKeyContext, asked),
    }, // called with a partner key only
    {
      name: 'apiKeys',
      sorts: ['createdAt'],
      cursor: false,
      partnerOnly: true,
      filters: {},
      read: (context, asked) => listApiKeys(context as PartnerKeyContext, tenant.accountId, asked),
    }, // as above
  ];
}
