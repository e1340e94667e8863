import { type GraphQLField, getNamedType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { takesKeys } from '../../src/auth/scopes.ts';
import { openPool } from '../../src/database/pool.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { addCustomers, addPayments, addRulesAndProcessors, addSubscriptions, addWebhooks } from '../bench/rows.ts';
import { type BigTenant, makeTenants } from '../bench/tenants.ts';
import { signedIn } from '../iam/people.ts';
import { type Client, clientOf } from '../support/client.ts';
import { rootFields, scopedFields } from '../support/operations.ts';
import { usePlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';

// A clock of its own: that of a server asks the database now and then, which would be counted.
const platform = await usePlatform({ clock: manualClock(new Date()) });
const pool = openPool({ connectionString: platform.databaseUrl });
const tenant: BigTenant = await makeTenants(pool);
await addCustomers(pool, tenant, 110);
// two of them of another partner
await addPayments(pool);
await addSubscriptions(pool);
const webhookId = await addWebhooks(pool, tenant);
await addRulesAndProcessors(pool);
await pool.query(
  `UPDATE payments SET "orderId" = replace(id, 'pay_', 'ord_'), "processorId" = replace(id, 'pay_', 'proc_')`,
);
await pool.end();
await disableRateLimits(platform);
const sub = clientOf(platform, tenant.subKey);
const partner = clientOf(platform, tenant.partnerKey);
const hub: Pick<Client, 'graphql'> = await signedIn(platform, { platformRoles: ['hubadmin'] });

/** A list of the objects of a type, and how many it has of the 100 that are asked for. */
const lists: Readonly<Record<string, { items: () => string; of?: 'partner' | 'hub'; fewer?: true }>> = {
  Payment: { items: () => 'payments(pageSize: 100) { items { FIELDS } }' },
  Order: { items: () => 'orders(pageSize: 100) { items { FIELDS } }' },
  Dispute: { items: () => 'disputes(pageSize: 100) { items { FIELDS } }' },
  Customer: { items: () => 'customers(pageSize: 100) { items { FIELDS } }' },
  CustomerSubscription: { items: () => 'subscriptions(pageSize: 100) { items { FIELDS } }' },
  PaymentInstrument: { items: () => 'paymentInstruments(pageSize: 100) { items { FIELDS } }' },
  Event: { items: () => 'events(pageSize: 100) { items { FIELDS } }' },
  WebhookEndpoint: { items: () => 'webhookEndpoints(pageSize: 100) { items { FIELDS } }' },
  WebhookDelivery: { items: () => `webhookDeliveries(webhookId: "${webhookId}", pageSize: 100) { items { FIELDS } }` },
  Account: { items: () => 'accounts(pageSize: 100) { items { FIELDS } }', of: 'partner', fewer: true },
  Store: { items: () => 'stores(pageSize: 100) { items { FIELDS } }', of: 'partner', fewer: true },
  ApiKey: {
    items: () => `apiKeys(platformAccountId: "${tenant.accountId}", pageSize: 100) { items { FIELDS } }`,
    of: 'partner',
    fewer: true,
  },
  Refund: { items: () => 'payments(pageSize: 100) { items { refunds { FIELDS } } }', fewer: true },
  RefundRequest: {
    items: () => 'refundRequests(mode: test, pageSize: 100) { items { FIELDS } }',
    of: 'hub',
    fewer: true,
  },
  PartnerKeyRequest: {
    items: () => 'partnerKeyRequests(mode: test, pageSize: 100) { items { FIELDS } }',
    of: 'hub',
    fewer: true,
  },
  Price: { items: () => 'products(pageSize: 100) { items { prices { FIELDS } } }', fewer: true },
  Processor: { items: () => 'processors(pageSize: 100) { items { FIELDS } }', fewer: true },
  Funnel: { items: () => 'funnels(pageSize: 100) { items { FIELDS } }' },
  DeferredCharge: {
    items: () => 'deferredCharges(mode: test, pageSize: 100) { items { FIELDS } }',
    of: 'hub',
    fewer: true,
  },
  CardTestingAlert: {
    items: () => 'cardTestingAlerts(mode: test, pageSize: 100) { items { FIELDS } }',
    of: 'hub',
    fewer: true,
  },
  UnappliedEvent: {
    items: () => 'unappliedProcessorEvents(mode: test, pageSize: 100) { items { FIELDS } }',
    of: 'hub',
    fewer: true,
  },
  SearchHit: { items: () => 'search(text: "merchant") { FIELDS }', of: 'hub', fewer: true },
  BlockRule: { items: () => 'blockRules(pageSize: 100) { items { FIELDS } }' },
  TestClock: { items: () => 'testClocks(pageSize: 100) { items { FIELDS } }', fewer: true },
};

const links = scopedFields
  .filter(({ field }) => isObjectType(getNamedType(field.type)))
  // An upcoming charge is computed for one subscription, and counts accordingly in the cost of an operation. The caller
  // is one, and its sessions are the provider's. The audit log has one head.
  .filter(({ type, field }) => field.name !== 'upcomingCharge' && !['Me', 'AuditPage'].includes(type.name))
  .map(({ type, field, scopes }) => [`${type.name}.${field.name}`, type.name, field, takesKeys(scopes)] as const);

/** The root fields that read one object by its identifier. */
const singleReads = rootFields
  .filter(({ kind, scopes, field: { args } }) => kind === 'query' && takesKeys(scopes) && args.length === 1)
  .flatMap(({ field: { name, args } }) => (`${args[0]?.type}` === 'ID!' ? [[name, args[0]?.name ?? ''] as const] : []));
const withOtherTables: Readonly<Record<string, number>> = { product: 2, pluginInstance: 3 };

function selection(field: GraphQLField<unknown, unknown>): string {
  return `${field.name}${field.args.length > 0 ? '(first: 1)' : ''} { __typename }`;
}

/** How many statements an operation sends, and what it answers. */
async function counted(
  client: Pick<Client, 'graphql'>,
  query: string,
): Promise<{ statements: number; data: Items; errors: unknown }> {
  const { pool } = platform.services;
  let statements = 0;
  const count = (): void => void statements++;
  pool.on('acquire', count);
  const { data, errors } = await client.graphql(query);
  pool.off('acquire', count);
  return { statements, data, errors };
}
type Items = Record<string, { items: Record<string, unknown>[] }>;

const listOf = (type: string, fields: string, forKeys = true): { client: Pick<Client, 'graphql'>; query: string } => {
  const list = lists[type];
  if (!list) throw new Error(`This test names no list of ${type}.`);
  const items = list.items().replace('FIELDS', fields);
  if (list.of === 'hub') return { client: hub, query: `{ ${items} }` };
  if (!forKeys) return { client: hub, query: `{ ${items.replace('(', '(mode: test, ')} }` };
  return { client: list.of ? partner : sub, query: `{ ${items} }` };
};

describe('links between objects', () => {
  test.each(
    links,
  )('%s takes one statement more, two as a relation of Prisma, for the objects of a page together', async (_name, type, field, forKeys) => {
    const without = listOf(type, '__typename', forKeys);
    await without.client.graphql(without.query); // caches of the platform are then warm
    const before = await counted(without.client, without.query);
    const after = await counted(without.client, listOf(type, `__typename ${selection(field)}`, forKeys).query);
    expect(before.statements).toBeGreaterThan(0);
    expect(after.errors).toBeUndefined();
    // Prisma reads the rows that the list has read by SQL once more, by their identifiers.
    const isRelation = 'pothosPrismaRelationField' in field.extensions;
    expect(after.statements - before.statements).toBeLessThanOrEqual(isRelation ? 2 : 1);
    if (!lists[type]?.fewer) expect(Object.values(after.data)[0]?.items).toHaveLength(100);
  });

  test.each([
    ['account', 'accounts', 'platformAccountId', 'partner { id }', hub],
    ['customer', 'customers', 'customerId', 'store { id }', partner],
    ['payment', 'payments', 'paymentId', 'customer { id }', partner],
    ['paymentInstrument', 'paymentInstruments', 'paymentInstrumentId', 'customer { id }', partner],
    ['subscription', 'subscriptions', 'subscriptionId', 'customer { id }', partner],
  ])('%s reads its relation of Prisma with one statement more: the row is read once', async (field, list, argument, relation, client) => {
    const { data } = await partner.graphql(`{ ${list}(pageSize: 1) { items { id } } }`);
    const query = (fields: string) => `{ ${field}(${argument}: "${data[list].items[0].id}") { id ${fields} } }`;
    await client.graphql(query('')); // caches of the platform are then warm
    const before = await counted(client, query(''));
    const after = await counted(client, query(relation));
    expect(after.errors).toBeUndefined();
    expect(after.statements - before.statements).toBe(1);
  });

  test.each(
    singleReads,
  )('%s(%s) sends one statement, and one for each other table of which the object has rows', async (field, argument) => {
    const list = rootFields.some(({ field: { name } }) => name === `${field}s`) ? `${field}s` : null;
    const items = list && (await partner.graphql(`{ ${list}(pageSize: 1) { items { id } } }`)).data[list].items;
    const { statements: before } = await counted(partner, '{ __typename }');
    const query = `{ ${field}(${argument}: "${items?.[0]?.id ?? 'none'}") { __typename } }`;
    const { statements, errors } = await counted(partner, query);
    if (items?.length > 0) expect(errors).toBeUndefined();
    else expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    expect(statements - before).toBe(withOtherTables[field] ?? 1);
  });

  test('lead both ways: payment and order, dispute, subscription, delivery and event', async () => {
    const { data } = await sub.graphql(`{
      payments(pageSize: 1) { items { id order { id payments { id } } disputes { id payment { id } } customer { id payments { id } } deliveries { id eventId } } }
      webhookDeliveries(webhookId: "${webhookId}", pageSize: 1) { items { id eventId event { id deliveries { id } } endpoint { id deliveries(first: 1) { id } } } }
    }`);
    const [payment] = data.payments.items;
    const own = [{ id: payment.id }];
    expect(payment).toMatchObject({
      order: { payments: own },
      disputes: [{ payment: { id: payment.id } }],
      customer: { payments: own },
    });
    const [delivery] = data.webhookDeliveries.items;
    expect(delivery).toMatchObject({
      event: { id: delivery.eventId, deliveries: [{ id: delivery.id }] },
      endpoint: { id: webhookId },
    });
    expect(payment.deliveries).toEqual([{ id: delivery.id, eventId: delivery.eventId }]);
  });

  test('Account.apiKeys shows a partner key the sub-keys of each account, and a sub-key nothing', async () => {
    const query = '{ account(platformAccountId: "ID") { id apiKeys(first: 100) { id prefix platformAccountId } } }';
    const { data } = await partner.graphql(query.replace('ID', tenant.accountId));
    expect(data.account.apiKeys.length).toBeGreaterThan(0);
    for (const key of data.account.apiKeys) expect(key.platformAccountId).toBe(tenant.accountId);
    const refused = await sub.graphql(query.replace('ID', tenant.accountId));
    expect([refused.data.account.apiKeys, refused.errors[0].extensions.code]).toEqual([null, 'FORBIDDEN']);
  });

  test('of lists take 1 to 100 objects, and count in the cost of an operation', async () => {
    const query = (first: number) => `{ payments(pageSize: 1) { items { events(first: ${first}) { id } } } }`;
    expect((await sub.graphql(query(100))).errors).toBeUndefined();
    expect((await sub.graphql(query(101))).errors[0].message).toContain('from 1 to 100');
    const deep = '{ payments(pageSize: 100) { items { events(first: 100) { id type createdAt } } } }';
    expect((await sub.graphql(deep)).errors[0].message).toContain('exceeds the query limits');
  });

  test('show nothing that the caller could not read by a root field', async () => {
    const { data, errors } = await partner.graphql('{ accounts(pageSize: 1) { items { id partner { id } } } }');
    expect(data.accounts.items).toMatchObject([{ partner: null }]);
    expect(errors[0].extensions.code).toBe('NOT_AUTHORIZED');

    const manager = await signedIn(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: 'bench' });
    const seen = await manager.graphql(
      '{ payments(mode: test, pageSize: 1) { items { account { id } disputes { id } blockedBy { name } order { id } } } }',
    );
    expect(seen.data.payments.items).toMatchObject([
      { account: { id: tenant.accountId }, disputes: [{}], blockedBy: null, order: { id: expect.any(String) } },
    ]);
    expect(seen.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual([
      'FORBIDDEN',
    ]);
  });

  test('lead to types that a list of this test has, so that each is counted', () => {
    expect(links.length).toBeGreaterThan(40);
    expect(links.map(([, type]) => type).filter((type) => !lists[type])).toEqual([]);
    expect(links.every(([, , { type }]) => isObjectType(getNamedType(type)))).toBe(true);
  });
});

test('a root field that fails leaves the others of its operation', async () => {
  const { data, errors } = await sub.graphql('{ a: payment(paymentId: "pay_none") { id } b: payments { total } }');
  expect(data).toEqual({ a: null, b: { total: expect.any(Number) } });
  expect(errors).toMatchObject([{ path: ['a'], extensions: { code: 'PAYMENT_NOT_FOUND' } }]);
});
