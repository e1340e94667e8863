import type pg from 'pg';
import type { ApiKeyCaller } from '../../src/auth/caller.ts';
import type { OperatorVisibility } from '../../src/auth/tenancy.ts';
import { listAccounts, listAccountsWithin } from '../../src/domains/accounts/list-accounts.ts';
import { listBlockRules } from '../../src/domains/block-rules/list-block-rules.ts';
import { listCustomers, listCustomersWithin } from '../../src/domains/customers/list-customers.ts';
import { listDisputes, listDisputesWithin } from '../../src/domains/disputes/list-disputes.ts';
import { listEvents } from '../../src/domains/events/list-events.ts';
import { listFunnels, listFunnelsWithin } from '../../src/domains/funnels/list-funnels.ts';
import { listEnumerationAlarms } from '../../src/domains/instruments/list-enumeration-alarms.ts';
import {
  listPaymentInstruments,
  listPaymentInstrumentsWithin,
} from '../../src/domains/instruments/list-payment-instruments.ts';
import { listApiKeys, listKeysWithin } from '../../src/domains/keys/list-api-keys.ts';
import { listOrders, listOrdersWithin } from '../../src/domains/orders/list-orders.ts';
import { listPaymentFlows } from '../../src/domains/payment-flows/list-payment-flows.ts';
import { listPayments, listPaymentsWithin } from '../../src/domains/payments/list-payments.ts';
import { listPluginConfigurations } from '../../src/domains/plugins/list-plugin-configurations.ts';
import { listPluginDeployments } from '../../src/domains/plugins/list-plugin-deployments.ts';
import { listPluginInstances } from '../../src/domains/plugins/list-plugin-instances.ts';
import { listProcessors } from '../../src/domains/processors/list-processors.ts';
import { listProducts } from '../../src/domains/products/list-products.ts';
import { listStores } from '../../src/domains/stores/list-stores.ts';
import { listSubscriptions, listSubscriptionsWithin } from '../../src/domains/subscriptions/list-subscriptions.ts';
import { listWithheldChargesWithin } from '../../src/domains/subscriptions/list-withheld-charges.ts';
import { listTestClocks } from '../../src/domains/test-clocks/list-test-clocks.ts';
import { listDeliveriesWithin, listWebhookDeliveries } from '../../src/domains/webhooks/list-webhook-deliveries.ts';
import { listEndpointsWithin, listWebhookEndpoints } from '../../src/domains/webhooks/list-webhook-endpoints.ts';
import type { KeyContext, PartnerKeyContext, SessionContext } from '../../src/graph/context.ts';
import type { ListArguments } from '../../src/graph/lists.ts';
import { listUsers, type UserFilters } from '../../src/people/iam/list-users.ts';
import { listEvents as listOperatorEvents } from '../../src/people/operators/list-events.ts';
import type { Services } from '../../src/services.ts';
import type { BigTenant } from './tenants.ts';

/** One query of a list, and PostgreSQL's plan for it. */
export interface PlannedList {
  name: string;
  /** Whether the caller filtered the list. The rows found may then be sorted, since they are fewer than the table's. */
  filtered: boolean;
  /** The plan that the statement has after a few calls on one connection. */
  nodes: PlanNode[];
  executionMs: number;
  /** Whether that plan is kept, or PostgreSQL plans the statement at every call. */
  isKept: boolean;
  /** Of a statement that is planned at every call: the execution by the one plan that would serve every value. */
  keptMs: number | null;
}

type Explained = Pick<PlannedList, 'nodes' | 'executionMs' | 'isKept' | 'keptMs'>;

export interface PlanNode {
  type: string;
  relation: string | null;
  index: string | null;
  /** Rows that the plan read, including those it discarded. */
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

interface RawPlan {
  Plan: RawNode;
  'Execution Time': number;
}

type Asked = ListArguments<Record<string, never>>;

interface List {
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
  read(context: KeyContext, asked: Asked): Promise<{ nextCursor: string | null }>;
}

/**
 * Every list of the platform, with arguments for each kind of filter. The test of the schema reports a list that is
 * missing.
 */
function listsOf(tenant: BigTenant, webhookId: string): List[] {
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
      filters: { ...stores, ...day, object: { objectId: 'pay_00000007bench' }, type: { type: ['payment/created'] } },
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

/**
 * The plan of every list query: each sort field in both directions, deep pages, cursors and filters, with both kinds of
 * API key.
 */
export async function planLists(services: Services, tenant: BigTenant, webhookId: string): Promise<PlannedList[]> {
  const plans: PlannedList[] = [];
  for (const list of listsOf(tenant, webhookId)) {
    for (const caller of callersOf(tenant)) {
      if (list.partnerOnly && caller.kind !== 'partnerKey') continue;
      const ask = async (how: string, asked: Asked, filtered = list.narrow === true): Promise<string | null> => {
        const { explained, answer } = await explaining(services, (spied) => list.read(contextOf(spied, caller), asked));
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
        await ask(`of one ${name}`, { filters: filters as never }, true); // the list's own filters, see above
    }
  }
  return plans;
}

/**
 * The lists of operators, over all partners and over one: newest first, the other sort orders offered over all
 * partners, deep pages, cursors and single filters.
 */
export async function planOperatorLists(services: Services, { partnerId }: BigTenant): Promise<PlannedList[]> {
  const day = { day: { createdAt: { condition: 'is-between-date', value: ['2026-01-01', '2026-01-01'] } } };
  const account = { account: { platformAccountId: 'tpa_bench' } };
  const lists: {
    name: string;
    cursor: boolean;
    sorts?: readonly string[];
    filters?: Readonly<Record<string, object>>;
    read(context: SessionContext, visibility: OperatorVisibility, asked: Asked): Promise<{ nextCursor: string | null }>;
  }[] = [
    {
      name: 'operatorAccounts',
      cursor: false,
      sorts: ['legalName'],
      filters: { ...day, status: { status: ['active'] }, KYB: { kybStatus: ['in_review'] } },
      read: listAccountsWithin,
    },
    {
      name: 'operatorPayments',
      cursor: true,
      filters: {
        ...day,
        ...account,
        status: { status: ['declined'] },
        customer: { customerId: 'cus_00000007bench' },
        'failure code': { failureCode: ['lost_card'] },
        reference: { processorReference: 'none' },
        fingerprint: { fingerprint: 'nobody' },
      },
      read: listPaymentsWithin,
    },
    {
      name: 'operatorCustomers',
      cursor: true,
      filters: {
        ...day,
        ...account,
        'e-mail': { email: { condition: 'is', value: 'payer7@example.com' } },
        phone: { phone: '+15557' },
      },
      read: listCustomersWithin,
    },
    {
      name: 'operatorOrders',
      cursor: true,
      filters: { ...day, ...account, customer: { customerId: 'cus_00000007bench' } },
      read: listOrdersWithin,
    },
    {
      name: 'operatorPaymentInstruments',
      cursor: false,
      filters: { ...account, customer: { customerId: 'cus_00000007bench' }, fingerprint: { fingerprint: 'nobody' } },
      read: listPaymentInstrumentsWithin,
    },
    { name: 'operatorKeys', cursor: false, filters: { ...account, kind: { kind: ['sub'] } }, read: listKeysWithin },
    {
      name: 'operatorEvents',
      cursor: true,
      filters: { ...day, ...account, type: { type: ['payment/created'] }, object: { objectId: 'pay_00000007bench' } },
      read: listOperatorEvents,
    },
    {
      name: 'operatorDeliveries',
      cursor: false,
      filters: {
        ...day,
        status: { status: ['dead'] },
        endpoint: { endpointId: 'wh_00000007bench' },
        type: { eventType: ['payment/created'] },
        event: { eventId: 'evt_00000007bench' },
        object: { objectId: 'pay_00000007bench' },
      },
      read: listDeliveriesWithin,
    },
    {
      name: 'operatorWebhookEndpoints',
      cursor: false,
      filters: { ...account, enabled: { enabled: false }, failing: { isFailing: true } },
      read: listEndpointsWithin,
    },
    {
      name: 'operatorSubscriptions',
      cursor: false,
      filters: { status: { status: ['active'] }, customer: { customerId: 'cus_00000007bench' } },
      read: listSubscriptionsWithin,
    },
    {
      name: 'operatorWithheldCharges',
      cursor: false,
      filters: { ...day, ...account, status: { status: ['open'] }, subscription: { subscriptionId: 'sub_7' } },
      read: listWithheldChargesWithin,
    },
    {
      name: 'operatorDisputes',
      cursor: false,
      sorts: ['evidenceDueAt'],
      filters: { ...day, status: { status: ['won'] }, payment: { paymentId: 'pay_00000007bench' } },
      read: listDisputesWithin,
    },
    {
      name: 'operatorFunnels',
      cursor: false,
      filters: { store: { storeId: ['store_bench'] } },
      read: listFunnelsWithin,
    },
    { name: 'operatorEnumerationAlarms', cursor: false, read: listEnumerationAlarms },
  ];
  const plans: PlannedList[] = [];
  for (const { name, cursor, sorts = [], filters = {}, read } of lists) {
    for (const [whose, partner] of [
      ['all partners', null],
      ['one partner', partnerId],
    ] as const) {
      const ask = async (how: string, asked: Asked, filtered = false): Promise<string | null> => {
        const context = (spied: Services) => ({ services: spied }) as SessionContext; // lists use no other property
        const { explained, answer } = await explaining(services, (spied) =>
          read(context(spied), { kind: 'operator', mode: 'test', partnerId: partner, replica: null }, asked),
        );
        plans.push({ name: `${name}, ${whose}, ${how}`, filtered, ...explained });
        return answer.nextCursor;
      };
      const nextCursor = await ask('default', {});
      await ask('page 90', { page: 90 });
      for (const field of sorts)
        for (const direction of ['asc', 'desc'] as const)
          await ask(`by ${field} ${direction}`, { sortBy: { field, direction } });
      if (cursor) await ask('cursor', { cursor: nextCursor });
      for (const [filter, value] of Object.entries(filters))
        await ask(`of one ${filter}`, { filters: value as never }, true); // the list's own filters
    }
  }
  return plans;
}

/** The list of users, as operators read it: its parts, and each filter. */
export async function planUserLists(services: Services): Promise<PlannedList[]> {
  const caller: SessionContext['caller'] = {
    kind: 'session',
    userId: 'user_none',
    email: 'none@example.com',
    platformRoles: ['superadmin'],
    whitelabelOwnership: null,
    sessionId: 'none',
    impersonatorId: null,
  };
  const forms: Record<string, Partial<UserFilters>> = {
    default: {},
    'offset 1780': { offset: 1780 },
    'of one partner': { partnerScope: 'bench' },
    'internal staff': { partnerScope: '__internal__' },
    'of one role': { platformRole: 'accountmanager' },
    'that match a text': { q: 'staff7' },
  };
  const plans: PlannedList[] = [];
  for (const [how, filters] of Object.entries(forms)) {
    const { explained } = await explaining(services, (spied) =>
      // the list uses no other property
      listUsers({ services: spied, caller } as SessionContext, { limit: 100, offset: 0, ...filters }),
    );
    plans.push({ name: `users, ${how}`, filtered: Object.keys(filters).length > 0, ...explained });
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

function contextOf(services: Services, caller: ApiKeyCaller): KeyContext {
  return {
    services,
    caller,
    actor: { kind: caller.kind, id: caller.keyId },
    requestId: 'plans',
    ip: '',
    idempotency: null,
    idempotencyOfUser: null,
    onBehalf: null,
    replica: null,
    freeForm: false,
    language: () => 'en',
    replayed: false,
    retryAfterS: null,
    rateHeaders: {},
    timings: new Map(),
  };
}

/** PostgreSQL decides at the sixth call whether it keeps a plan. */
const callsBeforePlan = 6;

/** Runs a list a few times on one connection, and reads the plan of its statement. */
async function explaining<Answer>(
  services: Services,
  read: (services: Services) => Promise<Answer>,
): Promise<{ explained: Explained; answer: Answer }> {
  const client = await services.pool.connect();
  try {
    const queries: pg.QueryConfig[] = [];
    const query = (config: pg.QueryConfig): Promise<unknown> => {
      // After some hundred texts the lists of this process have no names left.
      queries.push({ ...config, name: 'planned' });
      return client.query({ ...config, name: 'planned' });
    };
    const once = () => read({ ...services, pool: { query } as unknown as pg.Pool }); // lists use no other property
    const answer = await once();
    for (let call = 1; call < callsBeforePlan; call++) await once();
    const explained = await planOf(client, queries.at(-1));
    await client.query('DEALLOCATE ALL');
    return { explained, answer };
  } finally {
    // The driver keeps the names of the statements that were deallocated.
    client.release(true);
  }
}

async function planOf(client: pg.PoolClient, statement: pg.QueryConfig | undefined): Promise<Explained> {
  if (!statement?.name) throw new Error('The statement of a list has a name.');
  const literals = (statement.values ?? []).map(literalOf).join(', ');
  const explain = async (): Promise<RawPlan> => {
    const { rows } = await client.query<{ 'QUERY PLAN': [RawPlan] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE "${statement.name}"${literals && `(${literals})`}`,
    );
    const [plan] = rows[0]?.['QUERY PLAN'] ?? [];
    if (!plan) throw new Error('PostgreSQL explains every statement.');
    return plan;
  };
  const plan = await explain();
  const { rows: kept } = await client.query<{ isKept: boolean }>(
    'SELECT generic_plans > 0 AS "isKept" FROM pg_prepared_statements WHERE name = $1',
    [statement.name],
  );
  const isKept = kept[0]?.isKept === true;
  let keptMs: number | null = null;
  if (!isKept) {
    await client.query('SET plan_cache_mode = force_generic_plan');
    keptMs = (await explain())['Execution Time'];
  }
  return { nodes: flat(plan.Plan), executionMs: plan['Execution Time'], isKept, keptMs };
}

/** A value as EXECUTE takes it, which has no parameters of its own. */
function literalOf(value: unknown): string {
  if (value === null) return 'NULL';
  const text =
    value instanceof Date ? value.toISOString() : Array.isArray(value) ? `{${value.join(',')}}` : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}

function flat(node: RawNode): PlanNode[] {
  const rows = Math.round((node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']);
  return [
    { type: node['Node Type'], relation: node['Relation Name'] ?? null, index: node['Index Name'] ?? null, rows },
    ...(node.Plans ?? []).flatMap(flat),
  ];
}
