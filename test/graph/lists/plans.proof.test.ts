import { isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { takesKeys, takesPeople } from '../../../src/auth/scopes.ts';
import { openPool } from '../../../src/database/pool.ts';
import { scopesOfField } from '../../../src/graph/builder.ts';
import { schema } from '../../../src/schema.ts';
import { type PlannedList, planLists, planOperatorLists, planUserLists } from '../../bench/list-plans.ts';
import {
  addCustomers,
  addPayments,
  addPlugins,
  addRulesAndProcessors,
  addSmallResources,
  addSubscriptions,
  addUsers,
  addWebhooks,
} from '../../bench/rows.ts';
import { makeTenants } from '../../bench/tenants.ts';
import { usePlatform } from '../../support/platform.ts';

/** Enough rows that PostgreSQL would scan or sort a table whose list has no suitable index. */
const rows = 10_000;
const page = 21;

const platform = await usePlatform();
// Only the owner of a table may collect its statistics.
const pool = openPool({ connectionString: platform.databaseUrl });
const tenant = await makeTenants(pool);
await addCustomers(pool, tenant, rows);
await addPayments(pool);
await addSubscriptions(pool);
await addRulesAndProcessors(pool);
await addPlugins(pool);
const webhookId = await addWebhooks(pool, tenant);
await addSmallResources(pool, tenant, rows);
await addUsers(pool, rows);
await pool.end();
const plans: PlannedList[] = await planLists(platform.services, tenant, webhookId);
const operatorPlans: PlannedList[] = await planOperatorLists(platform.services, tenant);
const userPlans: PlannedList[] = await planUserLists(platform.services);

test('every list that an API key can call has its plan tested', () => {
  const pages = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
    (field) => isObjectType(field.type) && field.type.name.endsWith('Page') && takesKeys(scopesOfField(field)),
  );
  const planned = new Set(plans.map(({ name }) => name.split(',')[0]));
  expect([...planned].sort()).toEqual(pages.map(({ name }) => name).sort());
});

test('every list of people has its plan tested', () => {
  const pages = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
    (field) =>
      isObjectType(field.type) &&
      field.type.name.endsWith('Page') &&
      takesPeople(scopesOfField(field)) &&
      field.args.some(({ name }) => name === 'partnerSlug'),
  );
  const planned = new Set(operatorPlans.map(({ name }) => name.split(',')[0]));
  expect([...planned].sort()).toEqual(pages.map(({ name }) => name).sort());
});

test('no list without a narrow filter scans a table, for any sort, page, cursor and caller', () => {
  const scanning = plans.filter(
    ({ filtered, nodes }) =>
      !filtered && nodes.some(({ type }) => type.includes('Seq Scan') || type.includes('Bitmap')),
  );
  expect(scanning.map(({ name }) => name)).toEqual([]);
});

test('no list sorts more than its page', () => {
  const sorting = plans.filter(({ nodes }) => nodes.some((node) => node.type.includes('Sort') && node.rows > page));
  expect(sorting.map(({ name }) => name)).toEqual([]);
});

/** Filters whose value decides which plan is the best: a rare value has another plan than a frequent one. */
const plannedByValue = [
  /^payments, .* of one (?:rare )?status$/,
  /^webhookDeliveries, .* of one endpoint$/,
  /^(?:payments|paymentInstruments), .* of one fingerprint$/,
  /^payments, .* of one rare card$/,
];

test('every list is planned once a connection, for any sort, page, cursor, caller and most single filters', () => {
  const all = [...plans, ...operatorPlans, ...userPlans];
  const others = all.filter(({ name }) => !plannedByValue.some((pattern) => pattern.test(name)));
  expect(others.filter(({ isGeneric }) => !isGeneric).map(({ name }) => name)).toEqual([]);
});

const countedLists = [
  'customers',
  'payments',
  'paymentInstruments',
  'events',
  'orders',
  'products',
  'subscriptions',
  'blockRules',
  'disputes',
  'funnels',
  'processors',
  'paymentFlows',
  'pluginDeployments',
  'testClocks',
  'stores',
];

test('a first page and a cursor page read a page of rows and the counter only', () => {
  const counted = plans.filter(
    ({ name }) => countedLists.includes(name.split(',')[0] ?? '') && /, .*, (default|cursor|by )/.test(name),
  );
  expect(counted.length).toBeGreaterThan(20);
  for (const { name, nodes } of counted)
    expect(Math.max(...nodes.map((node) => node.rows)), name).toBeLessThanOrEqual(4 * page);
});

/** Indexes in the order of a list of operators: newest first, and the queue of reviews by its age. */
const isInOrder = /_mode_createdAt_id_idx$|_awaiting_review(?:_of_partner)?$/;

test("operators' lists read their page along an index in its order and sort no more than the page", () => {
  expect(operatorPlans.length).toBeGreaterThanOrEqual(40);
  expect(
    operatorPlans
      .filter(({ nodes }) => nodes.some(({ type, rows: read }) => type.includes('Sort') && read > page))
      .map(({ name }) => name),
  ).toEqual([]);
  for (const { name, nodes } of operatorPlans.filter((plan) => /, by /.test(plan.name)))
    expect(
      nodes.some(({ index, rows: read }) => index !== null && read <= 2 * page),
      name,
    ).toBe(true);
  for (const { name, nodes } of operatorPlans.filter((plan) => /, (default|cursor)$/.test(plan.name))) {
    // Totals may be counted with any plan; the page must read only its own rows.
    expect(
      nodes.some(({ index, rows: read }) => isInOrder.test(index ?? '') && read <= 2 * page),
      name,
    ).toBe(true);
  }
});

test('the list of users reads its part along an index in its order', () => {
  for (const { name, nodes } of userPlans.filter(({ filtered }) => !filtered))
    expect(
      nodes.some(({ index, rows: read }) => index === 'iam_users_createdAt_idpUserId_idx' && read <= 100),
      name,
    ).toBe(true);
});

test('the list of users reads its total from the counter, in every scope', () => {
  const kept = userPlans.filter(({ name }) => /default|one partner|internal staff/.test(name));
  expect(kept).toHaveLength(3);
  for (const { name, nodes } of kept) {
    expect(
      nodes.some(({ relation }) => relation === 'user_counts'),
      name,
    ).toBe(true);
    expect(Math.max(...nodes.map((node) => node.rows)), name).toBeLessThanOrEqual(101);
  }
});
