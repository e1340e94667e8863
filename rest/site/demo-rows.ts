import { empty, identifier, join, queryRows, raw, sql } from '../../src/database/sql.ts';
import type { Services } from '../../src/services.ts';

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
export type DemoRows = Readonly<Record<string, readonly string[]>>;

export async function readDemoRows({ pool }: Pick<Services, 'pool'>, platformAccountId: string): Promise<DemoRows> {
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
 * A text with examples, in which the ids of objects outside of the demo are replaced by those of its newest objects, so
 * that the examples can be sent unchanged.
 */
export function withDemoRows(text: string, rows: DemoRows): string {
  const own = new Map<string, string>();
  const seen: Record<string, number> = {};
  return text.replace(/\b([a-z]+_)[0-9A-Za-z]{22}\b/g, (id, prefix: string) => {
    const ids = rows[prefix] ?? [];
    if (ids.length === 0) return id;
    const known = own.get(id);
    if (known !== undefined) return known;
    const at = seen[prefix] ?? 0;
    seen[prefix] = at + 1;
    const chosen = ids[at % ids.length] ?? id;
    own.set(id, chosen);
    return chosen;
  });
}
