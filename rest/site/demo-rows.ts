import { empty, identifier, queryRows, raw, sql } from '../../src/database/sql.ts';
import type { Services } from '../../src/services.ts';

/** The tables of the objects that the demo has, by the prefix of their ids. */
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

/** Which of them most examples are for. */
const preferred: Readonly<Record<string, string>> = {
  payments: "status = 'succeeded'",
  processors: "type = 'test'",
  subscriptions: "status = 'active'",
  webhook_endpoints: 'enabled',
};

const rowsMax = 20;

/**
 * A text with examples, in which ids of other objects than the demo's are replaced by those of the demo's newest ones,
 * so that the examples can be sent as they stand.
 */
export async function withDemoRows(
  { pool }: Pick<Services, 'pool'>,
  platformAccountId: string,
  text: string,
): Promise<string> {
  let changed = text;
  for (const [prefix, table] of Object.entries(tables)) {
    const shown = [...new Set(changed.match(new RegExp(`\\b${prefix}[0-9A-Za-z]{22}\\b`, 'g')))];
    const first = preferred[table];
    const rows = await queryRows<{ id: string }>(
      pool,
      sql`
        SELECT id
        FROM ${identifier(table)}
        WHERE "platformAccountId" = ${platformAccountId} AND mode = 'test'
        ORDER BY ${first === undefined ? empty : raw(`(${first}) DESC, `)}"createdAt" DESC, id
        LIMIT ${rowsMax}`,
    );
    const own = new Map(shown.map((id, index) => [id, rows[index % rows.length]?.id ?? id]));
    if (rows.length > 0)
      changed = changed.replace(new RegExp(`\\b${prefix}[0-9A-Za-z]{22}\\b`, 'g'), (id) => own.get(id) ?? id);
  }
  return changed;
}
