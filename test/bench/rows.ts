import type pg from 'pg';
import type { BigTenant } from './tenants.ts';

/** The tenant of every row and its time: one row per second, so that ids and times sort alike without being equal. */
export const tenancy = '"partnerId", "platformAccountId", mode';
export const moments = '"createdAt", "updatedAt"';
const momentOf = (row: string) =>
  `timestamptz '2026-01-01 00:00:00Z' + ${row} * interval '1 second', timestamptz '2026-01-01 00:00:00Z' + ` +
  `${row} * interval '1 second'`;
export const idOf = (prefix: string, row: string) => `'${prefix}_' || lpad(${row}::text, 8, '0') || 'bench'`;

const springfield = { line1: '1 Main Street', city: 'Springfield', state: 'IL', postalCode: '62701', country: 'US' };
export const address = `'${JSON.stringify(springfield)}'::jsonb`;

/**
 * Runs an INSERT and collects the statistics of its table at once. Without them the check of a foreign key of the next
 * table reads all rows of the account.
 */
async function fill(pool: pg.Pool, insert: string, values: unknown[] = []): Promise<void> {
  const [, table] = /^INSERT INTO (\S+)/.exec(insert) ?? [];
  await pool.query(insert, values);
  await pool.query(`VACUUM ANALYZE ${table}`);
}

/** The customers of the big account; one in fifty belongs to another partner. */
export async function addCustomers(pool: pg.Pool, tenant: BigTenant, rows: number): Promise<void> {
  await fill(
    pool,
    `INSERT INTO customers (
        id, ${tenancy}, "storeId", email, "emailLower", "firstName", "lastName", phone, tags,
        "billingAddress", metadata, sequence, ${moments}
      )
      SELECT
        ${idOf('cus', 'n')}, s."partnerId", s."platformAccountId", s.mode, s.id,
        'Payer' || n || '@example.com', 'payer' || n || '@example.com', 'First ' || n % 1000,
        'Last ' || n % 7000, '+1555' || n, ARRAY['tier:' || n % 3], ${address},
        jsonb_build_object('row', n), 1, ${momentOf('n')}
      FROM generate_series(1, $1::int) n
      JOIN stores s ON s.id = CASE WHEN n % 50 = 0 THEN 'store_other' ELSE $2 END`,
    [rows, tenant.storeId],
  );
}

/**
 * Users of the identity mirror; one in ten belongs to the partner of this slug, by default the big one. The provider does not know them: they are newer
 * than the repair of the mirror, which would delete them during the measurement.
 */
export async function addUsers(pool: pg.Pool, rows: number, slug = 'bench'): Promise<void> {
  await fill(
    pool,
    `INSERT INTO iam_users (
        "idpUserId", email, "emailLower", "platformRoles", "whitelabelOwnership", "idpUpdatedAt", ${moments}
      )
      SELECT
        ${idOf('user', 'n')}, 'Staff' || n || '@example.com', 'staff' || n || '@example.com',
        CASE WHEN n % 100 = 0 THEN ARRAY['accountmanager'] ELSE '{}' END,
        CASE WHEN n % 10 = 0 THEN $2 END, now() + interval '1 day', ${momentOf('n')}
      FROM generate_series(1, $1::int) n`,
    [rows, slug],
  );
}

/** A payment instrument, a payment, an event, an order, a dispute and a request for a refund for each customer. */
export async function addPayments(pool: pg.Pool): Promise<void> {
  await fill(
    pool,
    `INSERT INTO payment_instruments (
        id, ${tenancy}, "storeId", "customerId", "cardId", brand, last4, bin, "expMonth", "expYear",
        funding, fingerprint, sequence, ${moments}
      )
      SELECT
        replace(id, 'cus_', 'pi_'), ${tenancy}, "storeId", id, 'card_none', 'visa', '4242',
        '424242', 12, 2030, 'credit', 'none', 1, ${moments}
      FROM customers`,
  );
  await fill(
    pool,
    `INSERT INTO payments (
        id, ${tenancy}, "storeId", "customerId", "paymentInstrumentId", amount, currency,
        "capturedAmount", status, "subStatus", "cardLast4", "customerEmailLower", sequence,
        ${moments}
      )
      SELECT
        replace(i.id, 'pi_', 'pay_'), i."partnerId", i."platformAccountId", i.mode, i."storeId",
        c.id, i.id, 100 + length(c.email) * 97, 'USD',
        CASE WHEN c."firstName" LIKE '%7' THEN 0 ELSE 100 END,
        CASE WHEN c."firstName" LIKE '%7' THEN 'declined' ELSE 'succeeded' END,
        CASE WHEN c."firstName" LIKE '%7' THEN NULL ELSE 'captured' END,
        i.last4, c."emailLower", 2, i."createdAt", i."updatedAt"
      FROM payment_instruments i
      JOIN customers c ON c.id = i."customerId"`,
  );
  await fill(
    pool,
    `INSERT INTO events (id, type, ${tenancy}, "storeId", "objectId", sequence, "requestId", data, "createdAt")
      SELECT
        replace(id, 'pay_', 'evt_'), 'payment/created', ${tenancy}, "storeId", id, 1, 'bench',
        '{"object":{}}', "createdAt"
      FROM payments
      WHERE id NOT IN (SELECT "objectId" FROM events)`,
  );
  await fill(
    pool,
    `INSERT INTO orders (
        id, ${tenancy}, "storeId", "customerId", amount, currency, items, status, sequence,
        ${moments}
      )
      SELECT
        replace(id, 'pay_', 'ord_'), ${tenancy}, "storeId", "customerId", amount, currency, '[]',
        'pending', 1, ${moments}
      FROM payments`,
  );
  await fill(
    pool,
    `INSERT INTO disputes (
        id, ${tenancy}, "storeId", "paymentId", "processorId", "processorReference", amount,
        currency, status, reason, sequence, ${moments}
      )
      SELECT
        replace(id, 'pay_', 'dp_'), ${tenancy}, "storeId", id, 'proc_none', id, amount, currency,
        'needs_response', 'general', 1, ${moments}
      FROM payments`,
  );
  await fill(
    pool,
    `INSERT INTO refund_requests (
        id, ${tenancy}, "paymentId", amount, currency, "cancelSubscription", reason, "requestedBy", "requestedByEmail",
        "expiresAt", ${moments}
      )
      SELECT
        replace(id, 'pay_', 'rreq_'), ${tenancy}, id, amount, currency, false, 'asked', 'user_bench', 'bench@example.com',
        now() + interval '10 years', ${moments}
      FROM payments`,
  );
}

/** As many products as payments, each with a price and a subscription to it. */
export async function addSubscriptions(pool: pg.Pool): Promise<void> {
  await fill(
    pool,
    `INSERT INTO products (id, ${tenancy}, "storeId", name, ${moments})
      SELECT replace(id, 'pay_', 'prod_'), ${tenancy}, "storeId", 'Product ' || id, ${moments}
      FROM payments`,
  );
  await fill(
    pool,
    `INSERT INTO prices (
        id, "productId", ${tenancy}, "storeId", position, currency, amount, recurring, interval,
        "intervalCount", "createdAt"
      )
      SELECT replace(id, 'prod_', 'price_'), id, ${tenancy}, "storeId", 0, 'USD', 1000, true, 'month', 1, "createdAt"
      FROM products
      WHERE id NOT IN (SELECT "productId" FROM prices)`,
  );
  await fill(
    pool,
    `INSERT INTO subscriptions (
        id, ${tenancy}, "storeId", "customerId", "paymentInstrumentId", "priceId", quantity, amount,
        currency, interval, "intervalCount", status, "anchorAt", "currentPeriodStart",
        "currentPeriodEnd", "nextBillingDate", ${moments}
      )
      SELECT
        replace(id, 'pay_', 'sub_'), ${tenancy}, "storeId", "customerId", "paymentInstrumentId",
        replace(id, 'pay_', 'price_'), 1, 1000, 'USD', 'month', 1, 'active', "createdAt",
        "createdAt", "createdAt" + interval '1 month', "createdAt" + interval '1 month', ${moments}
      FROM payments`,
  );
}

/** As many block rules, processors, payment flows, test clocks and funnels as payments. */
export async function addRulesAndProcessors(pool: pg.Pool): Promise<void> {
  await fill(
    pool,
    `INSERT INTO block_rules (
        id, ${tenancy}, "storeId", name, operator, criteria, keys, "hasPatterns", "isPermanent",
        ${moments}
      )
      SELECT
        replace(id, 'pay_', 'rule_'), ${tenancy}, "storeId", 'Rule ' || id, 'OR',
        jsonb_build_object('customerId', "customerId"), ARRAY['customerId:' || "customerId"], false,
        true, ${moments}
      FROM payments`,
  );
  await fill(
    pool,
    `INSERT INTO processors (id, ${tenancy}, name, type, "supportedCurrencies", ${moments})
      SELECT replace(id, 'pay_', 'proc_'), ${tenancy}, 'Processor ' || id, 'test', '{}', ${moments}
      FROM payments`,
  );
  await fill(
    pool,
    `INSERT INTO funnels (id, ${tenancy}, "storeId", name, "isDefault", version, nodes, edges, ${moments})
      SELECT replace(id, 'pay_', 'funnel_'), ${tenancy}, "storeId", 'Funnel ' || id, false, 1, '[]', '[]', ${moments}
      FROM payments`,
  );
  await fill(
    pool,
    `INSERT INTO test_clocks (id, ${tenancy}, name, now, ${moments})
      SELECT replace(id, 'pay_', 'clock_'), ${tenancy}, 'Clock ' || id, "createdAt", ${moments}
      FROM payments
      WHERE mode = 'test'`,
  );
  await fill(
    pool,
    `INSERT INTO payment_flows (id, ${tenancy}, name, strategy, "maxRetries", sticky, "threeDs", ${moments})
      SELECT replace(id, 'pay_', 'flow_'), ${tenancy}, 'Flow ' || id, 'simple', 0, false, 'automatic', ${moments}
      FROM payments`,
  );
  await fill(
    pool,
    `INSERT INTO payment_flow_routes ("flowId", kind, "processorId", ${tenancy}, "position", weight)
      SELECT replace(id, 'pay_', 'flow_'), 'weighted', replace(id, 'pay_', 'proc_'), ${tenancy}, 0, 1
      FROM payments
      LIMIT 2000`,
  );
}

/** As many deployments, instances and mounts as payments. */
export async function addPlugins(pool: pg.Pool): Promise<void> {
  await fill(
    pool,
    `INSERT INTO plugin_deployments (
        id, ${tenancy}, "storeId", "pluginId", version, name, manifest, "assetCount", "assetBytes",
        ${moments}
      )
      SELECT replace(id, 'pay_', 'dep_'), ${tenancy}, "storeId", id, '1.0.0', 'Plugin ' || id, '{}', 0, 0, ${moments}
      FROM payments`,
  );
  await fill(
    pool,
    `INSERT INTO plugin_instances (
        id, ${tenancy}, "storeId", "deploymentId", "pluginId", name, config, "configVersion",
        ${moments}
      )
      SELECT replace(id, 'dep_', 'pin_'), ${tenancy}, "storeId", id, "pluginId", name, '{}', 1, ${moments}
      FROM plugin_deployments`,
  );
  await fill(
    pool,
    `INSERT INTO plugin_mounts ("storeId", alias, "basePath", ${tenancy}, "deploymentInstanceId", "createdAt")
     SELECT "storeId", 'shop-' || row_number() OVER (), '/', ${tenancy}, id, "createdAt" FROM plugin_instances`,
  );
  await fill(
    pool,
    `INSERT INTO plugin_configurations (
        id, ${tenancy}, "deploymentInstanceId", version, config, reason, "actorKind", "actorId",
        "createdAt"
      )
      SELECT replace(id, 'pin_', 'pcfg_'), ${tenancy}, id, 1, config, 'created', 'subKey', 'ak_bench', "createdAt"
      FROM plugin_instances`,
  );
}

/**
 * As many webhook endpoints as payments, and as many deliveries of the first of them. Returns the id of that endpoint.
 */
export async function addWebhooks(pool: pg.Pool, tenant: BigTenant): Promise<string> {
  await fill(
    pool,
    `INSERT INTO webhook_endpoints (id, ${tenancy}, url, "eventTypes", enabled, "disabledReason", secret, ${moments})
      SELECT
        replace(id, 'pay_', 'wh_'), ${tenancy}, 'https://example.com/', '{payment/created}', false,
        'manual', 'none', ${moments}
      FROM payments`,
  );
  const { rows } = await pool.query<{ id: string }>(
    'SELECT min(id) AS id FROM webhook_endpoints WHERE "platformAccountId" = $1',
    [tenant.accountId],
  );
  const endpointId = rows[0]?.id ?? '';
  await fill(
    pool,
    `INSERT INTO webhook_deliveries (
        id, ${tenancy}, "endpointId", "eventId", "eventType", "objectId", sequence, status,
        "createdAt"
      )
      SELECT
        replace(e.id, 'evt_', 'whd_'),
        ${tenancy
          .split(', ')
          .map((column) => `w.${column}`)
          .join(', ')},
        w.id, e.id, e.type, e."objectId", e.sequence, 'dead', e."createdAt"
      FROM events e
      JOIN webhook_endpoints w ON w.id = $1`,
    [endpointId],
  );
  return endpointId;
}

/**
 * Accounts of the big partner, of which one in ten awaits its review, stores of the big account, and keys: one in fifty of the big account, one for each other
 * account. More than a real tenant has, so that a scan would be visible.
 */
export async function addSmallResources(pool: pg.Pool, tenant: BigTenant, rows: number): Promise<void> {
  await fill(
    pool,
    `INSERT INTO processing_accounts (
        id, "partnerId", mode, "accountId", "legalName", currency, status, "kybStatus", "kybSubmittedAt", ${moments}
      )
      SELECT
        ${idOf('tpa', 'n')}, p.id, 'test', 'acc_' || p.id, 'Merchant ' || n, 'USD', 'active',
        CASE WHEN n % 10 = 1 THEN 'submitted' ELSE 'not_started' END, CASE WHEN n % 10 = 1 THEN now() END,
        ${momentOf('n')}
      FROM generate_series(1, $1::int) n
      JOIN partners p ON p.id = CASE WHEN n % 50 = 0 THEN 'par_other' ELSE 'par_bench' END`,
    [rows],
  );
  await fill(
    pool,
    `INSERT INTO stores (
        id, ${tenancy}, name, "baseCurrency", "presentmentCurrencies", "chargeCurrencies",
        ${moments}
      )
      SELECT
        ${idOf('store', 'n')}, a."partnerId", a.id, a.mode, 'Store ' || n, 'USD', '{USD}', '{USD}',
        ${momentOf('n')}
      FROM generate_series(1, $1::int) n
      JOIN processing_accounts a ON a.id = CASE WHEN n % 50 = 0 THEN 'tpa_other' ELSE $2 END`,
    [rows, tenant.accountId],
  );
  await fill(
    pool,
    `INSERT INTO api_keys (id, kind, ${tenancy}, prefix, "secretHash", label, "createdAt")
      SELECT
        ${idOf('ak', 'n')}, 'sub', a."partnerId", a.id, a.mode, 'prefix' || n, 'hash' || n, 'bench',
        timestamptz '2026-01-01 00:00:00Z' + n * interval '1 second'
      FROM generate_series(1, $1::int) n
      JOIN processing_accounts a ON a.id = CASE WHEN n % 50 = 0 THEN $2 ELSE ${idOf('tpa', 'n')} END`,
    [rows, tenant.accountId],
  );
  // The counters of other partners: a table of a few rows is rightly scanned.
  await fill(
    pool,
    `INSERT INTO counters.row_counts (relation, "partnerId", mode, "platformAccountId", shard, n)
      SELECT c.relation, 'par_elsewhere' || n % 200, 'test', 'tpa_elsewhere' || n, 0, 1
      FROM (SELECT DISTINCT relation FROM counters.row_counts) c, generate_series(1, 1000) n`,
  );
}
