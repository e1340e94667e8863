import { empty, identifier, join, queryRows, raw, sql } from '../../src/database/sql.ts';
import type { Services } from '../../src/services.ts';
import type { Demo } from '../../src/settings/demo-credentials.ts';
import type { sharedIds } from '../openapi/operation.ts';
import { type Asset, createAsset, once } from '../pages/frame/assets.ts';

/** How long the newest rows of the demo are cached. */
const lookAgainMs = 10_000;

/**
 * The OpenAPI document with the ids of the demo in its examples. It is built once for all requests, and rebuilt when
 * the demo or its newest rows have changed, at most once in ten seconds.
 */
export function demoDocument(
  services: Pick<Services, 'pool' | 'clock'>,
  text: () => Promise<string>,
  exampleIds: ReturnType<typeof sharedIds>,
): (demo: Demo) => Promise<Asset> {
  let made: { of: string; asset: Asset } | undefined;
  let looked: { at: number; of: string; asset: () => Promise<Asset> } | undefined;

  async function look({ id, storeId, paymentInstrumentId }: Demo['accounts']['test']): Promise<Asset> {
    const rows = await readDemoRows(services, id);
    const own = { accountId: id, storeId, paymentInstrumentId };
    const of = JSON.stringify([own, rows]);
    if (made?.of !== of)
      made = { of, asset: createAsset('openapi.json', withDemoIds(await text(), exampleIds, own, rows)) };
    return made.asset;
  }

  return ({ accounts: { test } }) => {
    const [at, of] = [services.clock.now().getTime(), JSON.stringify(test)];
    if (looked?.of !== of || Math.abs(at - looked.at) >= lookAgainMs)
      looked = { at, of, asset: once(() => look(test)) };
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
  rule_: 'block_rules',
  sub_: 'subscriptions',
  wh_: 'webhook_endpoints',
} as const;

/** The condition of the rows that suit most examples. */
const preferred: Readonly<Record<string, string>> = {
  payments: "status = 'succeeded'",
  processors: "type = 'test'",
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
  demoIds: Record<keyof ReturnType<typeof sharedIds>, string | null>,
  rows: DemoRows,
): string {
  const own = new Map<string | undefined, string | null>([
    [exampleIds.accountId, demoIds.accountId],
    [exampleIds.storeId, demoIds.storeId],
    [exampleIds.paymentInstrumentId, demoIds.paymentInstrumentId],
  ]);
  const seen: Record<string, number> = {};
  return text.replace(/\b([a-z]+_)[0-9A-Za-z]{22}\b/g, (id, prefix: string) => {
    const known = own.get(id);
    if (known != null) return known;
    const ids = rows[prefix] ?? [];
    const at = seen[prefix] ?? 0;
    seen[prefix] = at + 1;
    const chosen = ids[at % ids.length] ?? id;
    own.set(id, chosen);
    return chosen;
  });
}
