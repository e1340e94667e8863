import { empty, identifier, join, queryRows, raw, sql } from '../../src/database/sql.ts';
import type { Services } from '../../src/services.ts';
import { type Demo, demoNames } from '../../src/settings/demo-credentials.ts';
import type { sharedIds } from '../openapi/operation.ts';
import { type Asset, createAsset, once } from '../pages/frame/assets.ts';

const lookAgainMs = 10_000;

/**
 * The OpenAPI document with the ids of the demo in its examples. It is built for all requests of ten seconds, and again
 * if the demo has changed.
 */
export function demoDocument(
  services: Pick<Services, 'pool' | 'clock'>,
  text: () => Promise<string>,
  exampleIds: ReturnType<typeof sharedIds>,
): (demo: Demo) => Promise<Asset> {
  let looked: { at: number; of: string; asset: () => Promise<Asset> } | undefined;
  return ({ partner, accounts: { test } }) => {
    const [at, of] = [services.clock.now().getTime(), JSON.stringify(test)];
    if (looked?.of !== of || Math.abs(at - looked.at) >= lookAgainMs) {
      const make = async () =>
        withDemoIds(await text(), exampleIds, test, {
          ...(await readDemoRows(services, test.id)),
          par_: [partner.id],
        });
      looked = { at, of, asset: once(async () => createAsset('openapi.json', await make())) };
    }
    return looked.asset();
  };
}

/** The tables of the demo's objects, by the prefix of their ids. */
const tables = {
  cus_: 'customers',
  dep_: 'plugin_deployments',
  dp_: 'disputes',
  evt_: 'events',
  flow_: 'payment_flows',
  fs_: 'funnel_sessions',
  funnel_: 'funnels',
  ord_: 'orders',
  pay_: 'payments',
  pin_: 'plugin_instances',
  price_: 'prices',
  proc_: 'processors',
  prod_: 'products',
  ref_: 'refunds',
  rule_: 'block_rules',
  sub_: 'subscriptions',
  txn_: 'transactions',
  wh_: 'webhook_endpoints',
  whd_: 'webhook_deliveries',
} as const;

/** The condition of the rows that suit most examples. */
const preferred: Readonly<Record<string, string>> = {
  customers: `email = '${demoNames.customer.email}'`,
  payments: "status = 'succeeded'",
  prices: `recurring AND amount = ${demoNames.club.monthlyAmount}`,
  processors: "type = 'test'",
  products: `name = '${demoNames.club.name}'`,
  subscriptions: "status = 'active'",
  webhook_endpoints: 'enabled',
};

const rowsMax = 20;

/** The ids of the demo's newest rows by the prefix of their ids. */
type DemoRows = Readonly<Record<string, readonly string[]>>;

async function readDemoRows({ pool }: Pick<Services, 'pool'>, platformAccountId: string): Promise<DemoRows> {
  const lists = Object.entries(tables).map(([prefix, table]) => {
    const first = preferred[table];
    return sql`
      SELECT ${prefix}::text AS prefix, ARRAY(
        SELECT id
        FROM ${identifier(table)}
        WHERE "platformAccountId" = ${platformAccountId} AND mode = 'test'
        ORDER BY ${first === undefined ? empty : raw(`(${first}) DESC, `)}"createdAt" DESC, id
        LIMIT ${rowsMax}) AS ids`;
  });
  const found = await queryRows<{ prefix: string; ids: string[] }>(pool, join(lists, ' UNION ALL '));
  return Object.fromEntries(found.map(({ prefix, ids }) => [prefix, ids]));
}

/**
 * A text with examples, in which ids are replaced by those of the demo, so that the examples can be sent unchanged:
 * the shared ones by their counterparts, and others by those of the demo's newest objects.
 */
function withDemoIds(
  text: string,
  exampleIds: ReturnType<typeof sharedIds>,
  { id, storeId, paymentInstrumentId }: Demo['accounts']['test'],
  rows: DemoRows,
): string {
  const own = new Map<string | undefined, string | null>([
    [exampleIds.platformAccountId, id],
    [exampleIds.storeId, storeId],
    [exampleIds.paymentInstrumentId, paymentInstrumentId],
  ]);
  const seen: Record<string, number> = {};
  return text.replace(/\b([a-z]+_)[0-9A-Za-z]{22}\b/g, (shown, prefix: string) => {
    const known = own.get(shown);
    if (known != null) return known;
    const ids = rows[prefix] ?? [];
    const at = seen[prefix] ?? 0;
    seen[prefix] = at + 1;
    const chosen = ids[at % ids.length] ?? shown;
    own.set(shown, chosen);
    return chosen;
  });
}
