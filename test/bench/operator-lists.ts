import type { PeopleVisibility } from '../../src/auth/tenancy.ts';
import type { SessionContext } from '../../src/call/context.ts';
import { accounts, accountsAwaitingReview } from '../../src/domains/accounts/account-list.ts';
import { blockRules } from '../../src/domains/block-rules/types.ts';
import { customers } from '../../src/domains/customers/customer-list.ts';
import { disputes } from '../../src/domains/disputes/list-disputes.ts';
import { funnels } from '../../src/domains/funnels/types.ts';
import { listCardTestingAlerts, paymentInstruments } from '../../src/domains/instruments/instrument-list.ts';
import { apiKeys } from '../../src/domains/keys/types.ts';
import { orders } from '../../src/domains/orders/order-list.ts';
import { payments } from '../../src/domains/payments/list-payments.ts';
import { processors } from '../../src/domains/processors/types.ts';
import { listDeferredChargesWithin, subscriptions } from '../../src/domains/subscriptions/subscription-list.ts';
import { testClocks } from '../../src/domains/test-clocks/types.ts';
import { webhookDeliveries } from '../../src/domains/webhooks/deliveries/list-deliveries.ts';
import { webhookEndpoints } from '../../src/domains/webhooks/endpoints/list-endpoints.ts';
import { events } from '../../src/domains/webhooks/events/schema.ts';
import { listKeyRequestsWithin } from '../../src/operators/keys/key-requests.ts';
import { listRefundRequestsWithin } from '../../src/operators/refund-requests/refund-request-rows.ts';
import type { AskedList } from './key-lists.ts';

/** A list of operators: over all partners, or over one of them. */
export interface OperatorList {
  name: string;
  cursor: boolean;
  sorts?: readonly string[];
  filters?: Readonly<Record<string, object>>;
  read(
    context: SessionContext,
    visibility: PeopleVisibility,
    requested: AskedList,
  ): Promise<{ nextCursor: string | null }>;
}

const day = { day: { createdAt: { condition: 'is-between-date', value: ['2026-01-01', '2026-01-01'] } } };
const account = { account: { platformAccountId: 'tpa_bench' } };

export const operatorLists: readonly OperatorList[] = [
  {
    name: 'accounts',
    cursor: false,
    sorts: ['legalName'],
    filters: { ...day, status: { status: ['active'] }, KYB: { kybStatus: ['in_review'] } },
    read: accounts.read,
  },
  {
    name: 'payments',
    cursor: true,
    filters: {
      ...day,
      ...account,
      status: { status: ['declined'] },
      customer: { customerId: 'cus_00000007bench' },
      'failure code': { failureCode: ['lost_card'] },
      card: { cardLast4: { condition: 'is', value: '4242' } },
      'rare card': { cardLast4: { condition: 'is', value: '0000' } },
      processor: { processorId: ['proc_00000007bench'] },
      reference: { processorReference: 'none' },
      fingerprint: { fingerprint: 'unknown' },
      'open outcome': { isProcessing: true },
      'known outcome': { isProcessing: false },
      'test clock': { onTestClock: true },
      'real time': { onTestClock: false },
    },
    read: payments.read,
  },
  {
    name: 'customers',
    cursor: true,
    filters: {
      ...day,
      ...account,
      email: { email: { condition: 'is', value: 'payer7@example.com' } },
      phone: { phone: '+15557' },
    },
    read: customers.read,
  },
  {
    name: 'orders',
    cursor: true,
    filters: { ...day, ...account, customer: { customerId: 'cus_00000007bench' } },
    read: orders.read,
  },
  {
    name: 'paymentInstruments',
    cursor: false,
    filters: { ...account, customer: { customerId: 'cus_00000007bench' }, fingerprint: { fingerprint: 'unknown' } },
    read: paymentInstruments.read,
  },
  { name: 'apiKeys', cursor: false, filters: { ...account, kind: { kind: ['sub'] } }, read: apiKeys.read },
  {
    name: 'events',
    cursor: true,
    filters: {
      ...day,
      ...account,
      type: { type: ['payment/created'] },
      'rare type': { type: ['payment/refunded'] },
      object: { objectId: 'pay_00000007bench' },
    },
    read: events.read,
  },
  {
    name: 'webhookDeliveries',
    cursor: false,
    filters: {
      ...day,
      status: { status: ['dead'] },
      endpoint: { endpointId: 'wh_00000007bench' },
      type: { eventType: ['payment/created'] },
      'rare type': { eventType: ['payment/refunded'] },
      event: { eventId: 'evt_00000007bench' },
      object: { objectId: 'pay_00000007bench' },
    },
    read: webhookDeliveries.read,
  },
  {
    name: 'webhookEndpoints',
    cursor: false,
    filters: { ...account, enabled: { enabled: false }, failing: { isFailing: true } },
    read: webhookEndpoints.read,
  },
  {
    name: 'blockRules',
    cursor: false,
    filters: account,
    read: blockRules.read,
  },
  {
    name: 'subscriptions',
    cursor: false,
    filters: {
      ...day,
      ...account,
      status: { status: ['active'] },
      customer: { customerId: 'cus_00000007bench' },
      'test clock': { onTestClock: true },
      'real time': { onTestClock: false },
    },
    read: subscriptions.read,
  },
  {
    name: 'deferredCharges',
    cursor: false,
    filters: { ...day, ...account, status: { status: ['open'] }, subscription: { subscriptionId: 'sub_7' } },
    read: listDeferredChargesWithin,
  },
  {
    name: 'disputes',
    cursor: false,
    sorts: ['evidenceDueAt'],
    filters: { ...day, ...account, status: { status: ['won'] }, payment: { paymentId: 'pay_00000007bench' } },
    read: disputes.read,
  },
  {
    name: 'funnels',
    cursor: false,
    filters: { store: { storeId: ['store_bench'] } },
    read: funnels.read,
  },
  { name: 'cardTestingAlerts', cursor: false, read: listCardTestingAlerts },
  { name: 'kybQueue', cursor: false, read: accountsAwaitingReview },
  {
    name: 'refundRequests',
    cursor: false,
    filters: {
      ...day,
      ...account,
      status: { status: ['pending'] },
      'rare status': { status: ['rejected'] },
      payment: { paymentId: 'pay_00000007bench' },
    },
    read: listRefundRequestsWithin,
  },
  {
    name: 'partnerKeyRequests',
    cursor: false,
    filters: { status: { status: ['pending'] } },
    read: listKeyRequestsWithin,
  },
  {
    name: 'testClocks',
    cursor: false,
    filters: { ...account, status: { status: ['ready'] }, 'rare status': { status: ['internal_failure'] } },
    read: testClocks.read,
  },
  {
    name: 'processors',
    cursor: false,
    filters: {
      ...account,
      type: { type: ['test'] },
      enabled: { enabled: true },
      'rare state': { enabled: false },
      processor: { id: 'proc_00000007bench' },
    },
    read: processors.read,
  },
];
