import type pg from 'pg';
import type { ApiKeyCaller } from '../../src/auth/caller.ts';
import type { Env } from '../../src/env.ts';
import type { OperatorReach } from '../../src/auth/tenancy.ts';
import type { KeyContext, PartnerKeyContext, SessionContext } from '../../src/graph/context.ts';
import { listAccounts, listAccountsWithin } from '../../src/accounts/operations.ts';
import { listBlockRules } from '../../src/block-rules/operations.ts';
import { listCustomers } from '../../src/customers/operations.ts';
import { listDisputes, listDisputesWithin } from '../../src/disputes/operations.ts';
import { listEvents } from '../../src/events/operations.ts';
import { listFunnels, listFunnelsWithin } from '../../src/funnels/operations.ts';
import { listPaymentInstruments } from '../../src/instruments/operations.ts';
import { listApiKeys, listKeysWithin } from '../../src/keys/operations.ts';
import { listEvents as listOperatorEvents } from '../../src/operators/events.ts';
import { listOrders } from '../../src/orders/operations.ts';
import { listPaymentFlows } from '../../src/payment-flows/operations.ts';
import { listPayments, listPaymentsWithin } from '../../src/payments/operations.ts';
import { listProcessors } from '../../src/processors/operations.ts';
import { listPluginConfigurations, listPluginDeployments, listPluginInstances } from '../../src/plugins/operations.ts';
import { listProducts } from '../../src/products/operations.ts';
import { listStores } from '../../src/stores/operations.ts';
import { listSubscriptions, listSubscriptionsWithin } from '../../src/subscriptions/operations.ts';
import { listDeliveriesWithin, listWebhookDeliveries } from '../../src/webhooks/deliveries.ts';
import { listWebhookEndpoints } from '../../src/webhooks/operations.ts';
import { listTestClocks } from '../../src/test-clocks/operations.ts';
import type { ListArguments } from '../../src/graph/lists.ts';
import type { BigTenant } from './tenants.ts';

/** A list asked in one way, and what PostgreSQL does for it. */
export interface PlannedList {
  name: string;
  /** Whether the caller narrowed it: then rows that are found may be sorted, since they are fewer than the table's. */
  filtered: boolean;
  nodes: PlanNode[];
  executionMs: number;
}

export interface PlanNode {
  type: string;
  relation: string | null;
  index: string | null;
  /** Rows that went through it, those it threw away included. */
  rows: number;
}

interface RawNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: RawNode[];
}

type Asked = ListArguments<Record<string, never>>;

interface List {
  name: string;
  sorts: readonly string[];
  cursor: boolean;
  partnerOnly: boolean;
  /** Narrow by nature (an endpoint's deliveries, at most 20 endpoints an account, at most 200 configurations an instance): what is found is counted one by one. */
  narrow?: boolean;
  filters: Readonly<Record<string, object>>;
  read(context: KeyContext, asked: Asked): Promise<{ nextCursor: string | null }>;
}

/** Every list of the platform, with the arguments a filter of each kind takes. A list that is missing here is missed by the test of the schema. */
function listsOf(tenant: BigTenant, webhookId: string): List[] {
  const stores = { store: { storeId: [tenant.storeId] } };
  return [
    {
      name: 'customers',
      sorts: ['createdAt', 'email', 'firstName', 'lastName'],
      cursor: true,
      partnerOnly: false,
      filters: stores,
      read: listCustomers,
    },
    {
      name: 'payments',
      sorts: ['createdAt', 'amount', 'status'],
      cursor: true,
      partnerOnly: false,
      filters: { ...stores, customer: { customerId: 'cus_00000007bench' } },
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
      filters: { ...stores, object: { objectId: 'pay_00000007bench' } },
      read: listEvents,
    },
    {
      name: 'orders',
      sorts: ['createdAt', 'amount'],
      cursor: true,
      partnerOnly: false,
      filters: { ...stores, customer: { customerId: 'cus_00000007bench' } },
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
      sorts: ['createdAt'],
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
      filters: {},
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
    }, // asked with a partner key only
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

export const plannedLists = [
  'customers',
  'payments',
  'paymentInstruments',
  'events',
  'orders',
  'products',
  'subscriptions',
  'disputes',
  'blockRules',
  'funnels',
  'processors',
  'paymentFlows',
  'webhookEndpoints',
  'webhookDeliveries',
  'pluginDeployments',
  'pluginInstances',
  'pluginConfigurations',
  'testClocks',
  'stores',
  'accounts',
  'apiKeys',
];

/** The plan of every list query: each sort field in both directions, deep pages, cursors and filters, with either kind of key. */
export async function planLists(env: Env, tenant: BigTenant, webhookId: string): Promise<PlannedList[]> {
  const plans: PlannedList[] = [];
  for (const list of listsOf(tenant, webhookId)) {
    for (const caller of callersOf(tenant)) {
      if (list.partnerOnly && caller.kind !== 'partnerKey') continue;
      const ask = async (how: string, asked: Asked, filtered = list.narrow === true): Promise<string | null> => {
        const { explained, answer } = await explaining(env, (spied) => list.read(contextOf(spied, caller), asked));
        plans.push({
          name: `${list.name}, ${caller.kind === 'subKey' ? 'sub-key' : 'partner key'}, ${how}`,
          filtered,
          ...explained,
        });
        return answer.nextCursor;
      };
      const nextCursor = await ask('default', {});
      await ask('page 90', { page: 90 });
      for (const field of list.sorts)
        for (const direction of ['asc', 'desc'] as const)
          await ask(`by ${field} ${direction}`, { sortBy: { field, direction } });
      if (list.cursor) await ask('cursor', { cursor: nextCursor });
      for (const [name, filters] of Object.entries(list.filters))
        await ask(`of one ${name}`, { filters: filters as never }, true); // as the list's own filters, above
    }
  }
  return plans;
}

/** What operators look through, over all partners and over one: the newest first, other sorts offered over all, deep pages and cursors. */
export async function planOperatorLists(env: Env, { partnerId }: BigTenant): Promise<PlannedList[]> {
  const lists: {
    name: string;
    cursor: boolean;
    sorts?: readonly string[];
    read(context: SessionContext, reach: OperatorReach, asked: Asked): Promise<{ nextCursor: string | null }>;
  }[] = [
    { name: 'operatorAccounts', cursor: false, sorts: ['legalName'], read: listAccountsWithin },
    { name: 'operatorPayments', cursor: true, read: listPaymentsWithin },
    { name: 'operatorKeys', cursor: false, read: listKeysWithin },
    { name: 'operatorEvents', cursor: true, read: listOperatorEvents },
    { name: 'operatorDeliveries', cursor: false, read: listDeliveriesWithin },
    { name: 'operatorSubscriptions', cursor: false, read: listSubscriptionsWithin },
    { name: 'operatorDisputes', cursor: false, read: listDisputesWithin },
    { name: 'operatorFunnels', cursor: false, read: listFunnelsWithin },
  ];
  const plans: PlannedList[] = [];
  for (const { name, cursor, sorts = [], read } of lists) {
    for (const [whose, partner] of [
      ['all partners', null],
      ['one partner', partnerId],
    ] as const) {
      const ask = async (how: string, asked: Asked): Promise<string | null> => {
        const context = (spied: Env) => ({ env: spied }) as SessionContext; // lists use nothing else of it
        const { explained, answer } = await explaining(env, (spied) =>
          read(context(spied), { kind: 'operator', mode: 'test', partnerId: partner }, asked),
        );
        plans.push({ name: `${name}, ${whose}, ${how}`, filtered: false, ...explained });
        return answer.nextCursor;
      };
      const nextCursor = await ask('default', {});
      await ask('page 90', { page: 90 });
      for (const field of sorts)
        for (const direction of ['asc', 'desc'] as const)
          await ask(`by ${field} ${direction}`, { sortBy: { field, direction } });
      if (cursor) await ask('cursor', { cursor: nextCursor });
    }
  }
  return plans;
}

function callersOf({ partnerId, accountId }: BigTenant): ApiKeyCaller[] {
  const key = { keyId: 'ak_none', keyPrefix: 'none', mode: 'test', partnerId } as const;
  return [
    { kind: 'subKey', ...key, platformAccountId: accountId },
    { kind: 'partnerKey', ...key },
  ];
}

function contextOf(env: Env, caller: ApiKeyCaller): KeyContext {
  return {
    env,
    caller,
    actor: { kind: caller.kind, id: caller.keyId },
    requestId: 'plans',
    ip: '',
    idempotency: null,
    freeForm: false,
    replayed: false,
    retryAfterS: null,
    timings: new Map(),
  };
}

/** Runs a list with a pool that asks for the plan of the statement first, and then runs it. */
async function explaining<Answer>(
  env: Env,
  read: (env: Env) => Promise<Answer>,
): Promise<{ explained: Pick<PlannedList, 'nodes' | 'executionMs'>; answer: Answer }> {
  let explained: Pick<PlannedList, 'nodes' | 'executionMs'> = { nodes: [], executionMs: 0 };
  const query = async (config: { text: string; values: unknown[] }): Promise<unknown> => {
    const { rows } = await env.pool.query<{ 'QUERY PLAN': [{ Plan: RawNode; 'Execution Time': number }] }>({
      text: `EXPLAIN (ANALYZE, FORMAT JSON) ${config.text}`,
      values: config.values,
    });
    const [plan] = rows[0]?.['QUERY PLAN'] ?? [];
    if (plan) explained = { nodes: flat(plan.Plan), executionMs: plan['Execution Time'] };
    return env.pool.query(config);
  };
  const answer = await read({ ...env, pool: { query } as unknown as pg.Pool }); // lists use nothing else of it
  return { explained, answer };
}

function flat(node: RawNode): PlanNode[] {
  const rows = Math.round((node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']);
  return [
    { type: node['Node Type'], relation: node['Relation Name'] ?? null, index: node['Index Name'] ?? null, rows },
    ...(node.Plans ?? []).flatMap(flat),
  ];
}
