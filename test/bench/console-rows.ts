import type pg from 'pg';
import { asLoaded } from './bulk-load.ts';
import { address, idOf, moments, tenancy } from './rows.ts';

/**
 * What the console is measured with: partners of unequal size, one account with a sixth of all payments, and to each
 * payment what a year of trade leaves beside it. Row n of a table is the same in every database of this size.
 */
export interface ConsoleRows {
  payments: number;
  customers: number;
  subscriptions: number;
}

export function consoleRows(payments: number): ConsoleRows {
  return { payments, customers: payments / 4, subscriptions: payments / 40 };
}

const partners = 20;
const accounts = 1000;
const users = 20_000;
const years = `interval '365 days'`;

/** A hash of a row's number, from 0 to 999: what is one in a thousand is so at every size. */
const thousandth = (row: string) => `(${row} * 7919 + ${row} / 1000 * 31) % 1000`;
const atOf = (row: string, rows: number) =>
  `date_trunc('milliseconds', now() - ${years} + ${row} * (${years} / ${rows}.0))`;
const twice = (column: string) => `${column}, ${column}`;
const series = (rows: number) => `generate_series(1, ${rows}::bigint) n`;

/** The customer of a payment: one in five hundred is of the first. */
const customerOf = (row: string, { customers }: ConsoleRows) =>
  `CASE WHEN ${row} % 500 = 0 THEN 1 ELSE 1 + (${row} * 7919) % ${customers} END`;

const ofCustomer = 'c."partnerId", c."platformAccountId", c.mode';
const ofPayment = 'p."partnerId", p."platformAccountId", p.mode';

/** The tables in the order of their rows, each with the statement that fills it. */
function statementsOf(rows: ConsoleRows): [table: string, statement: string][] {
  return [
    [
      'partners',
      `(id, slug, name, ${moments})
        SELECT 'par_bench' || n, 'bench-' || n, 'Partner ' || n, now(), now()
        FROM generate_series(0, ${partners - 1}) n`,
    ],
    [
      'organizations',
      `("accountId", name, kind, "partnerId", "createdAt")
        SELECT 'acc_bench' || n, 'Organization ' || n, 'partner_managed', 'par_bench' || n % ${partners}, ${atOf('n', accounts)}
        FROM ${series(accounts)}`,
    ],
    [
      'partner_memberships',
      `(id, "partnerId", "userId", email, "emailLower", roles, status, "invitedAt", "joinedAt")
        SELECT 'mem_' || n, 'par_bench' || n % ${partners}, ${idOf('user', 'n')}, 'staff' || n || '@example.com',
          'staff' || n || '@example.com', '{partnerstaff}', 'active', now(), now()
        FROM ${series(users / 10)}`,
    ],
    [
      'processing_accounts',
      `(id, "partnerId", mode, "accountId", "legalName", country, currency, "externalRef", status, "kybStatus",
        "kybSubmittedAt", ${moments})
        SELECT ${idOf('tpa', 'n')},
          'par_bench' || CASE WHEN n % 2 = 0 THEN 0 WHEN n % 4 = 1 THEN 1 WHEN n % 8 = 3 THEN 2 ELSE 3 + n / 8 % 17 END,
          CASE WHEN n % 10 = 9 THEN 'live' ELSE 'test' END, 'acc_bench' || n + 1, 'Merchant ' || n, 'US', 'USD',
          'ref-' || n, CASE WHEN n % 100 = 99 THEN 'suspended' ELSE 'active' END,
          CASE WHEN n % 20 = 3 THEN 'submitted' WHEN n % 20 = 4 THEN 'in_progress' ELSE 'approved' END,
          CASE WHEN n % 20 = 3 THEN now() - n * interval '1 hour' END, ${twice(atOf('n', accounts))}
        FROM generate_series(0, ${accounts - 1}::bigint) n`,
    ],
    [
      'kyb_requirements',
      `(id, ${tenancy}, code, status, value, "submittedAt")
        SELECT 'kyb_' || a.id || r.code, a."partnerId", a.id, a.mode, r.code, 'submitted', 'none', now()
        FROM processing_accounts a, (VALUES ('business.legal_name'), ('business.tax_id')) r (code)
        WHERE a."kybStatus" = 'submitted'`,
    ],
    [
      'stores',
      `(id, ${tenancy}, name, "baseCurrency", "presentmentCurrencies", "chargeCurrencies", ${moments})
        SELECT replace(id, 'tpa_', 'store_'), "partnerId", id, mode, 'Store of ' || "legalName", 'USD', '{USD}', '{USD}',
          ${moments}
        FROM processing_accounts`,
    ],
    [
      'funnels',
      `(id, ${tenancy}, "storeId", name, "isDefault", version, nodes, edges, ${moments})
        SELECT replace(s.id, 'store_', 'funnel_') || n, s."partnerId", s."platformAccountId", s.mode, s.id,
          'Funnel ' || row_number() OVER (ORDER BY s.id, n), n = 1, 1, '[]', '[]', ${twice('s."createdAt"')}
        FROM stores s, generate_series(1, 5) n`,
    ],
    [
      'processors',
      `(id, ${tenancy}, name, type, connected, ${moments})
        SELECT replace(id, 'tpa_', 'proc_'), "partnerId", id, mode, 'Processor',
          CASE mode WHEN 'test' THEN 'test' ELSE 'stripe' END, mode = 'test', ${moments}
        FROM processing_accounts`,
    ],
    [
      'api_keys',
      `(id, kind, ${tenancy}, prefix, "secretHash", label, status, "revokedAt", "createdAt")
        SELECT replace(a.id, 'tpa_', 'ak_') || n, 'sub', a."partnerId", a.id, a.mode, 'tp_sk_' || a.id || n, a.id || n,
          'Key ' || n, CASE n WHEN 1 THEN 'active' ELSE 'revoked' END, CASE n WHEN 1 THEN NULL ELSE now() END, a."createdAt"
        FROM processing_accounts a, generate_series(1, 5) n`,
    ],
    [
      'test_clocks',
      `(id, ${tenancy}, name, now, ${moments})
        SELECT replace(a.id, 'tpa_', 'clock_') || n, a."partnerId", a.id, a.mode, 'Clock ' || n, now(), a."createdAt", now()
        FROM processing_accounts a, generate_series(1, 3) n
        WHERE a.mode = 'test'`,
    ],
    [
      'customers',
      `(id, ${tenancy}, "storeId", email, "emailLower", "firstName", "lastName", phone, tags, "billingAddress",
        "paymentInstrumentCardLast4", sequence, ${moments})
        SELECT ${idOf('cus', 'n')}, s."partnerId", s."platformAccountId", s.mode, s.id, 'Payer' || n || '@example.com',
          'payer' || n || '@example.com', 'First ' || n % 1000, 'Last ' || n % 7000, '+1555' || n,
          ARRAY['tier:' || n % 3], ${address}, lpad((n * 7 % 9973)::text, 4, '0'), 1, ${twice(atOf('n', rows.customers))}
        FROM ${series(rows.customers)}
        -- Account k has a share that falls with k: the first has a sixth.
        JOIN stores s ON s.id = ${idOf('store', `floor(${accounts} * power(((n - 1) * 48271 % 65537) / 65537.0, 4))::int`)}`,
    ],
    [
      'payment_instruments',
      `(id, ${tenancy}, "storeId", "customerId", "cardId", brand, last4, bin, "expMonth", "expYear", funding, fingerprint,
        sequence, ${moments})
        SELECT replace(id, 'cus_', 'pi_'), ${tenancy}, "storeId", id, 'card_none', 'visa', "paymentInstrumentCardLast4",
          '424242', 12, 2040, 'credit', 'fingerprint' || id, 1, ${moments}
        FROM customers`,
    ],
    [
      'payments',
      `(id, ${tenancy}, "storeId", "customerId", "paymentInstrumentId", amount, currency, "capturedAmount",
        "refundedAmount", status, "subStatus", "failureCode", "failureMessage", "actionExpiresAt",
        "authorizationExpiresAt", "processorId", "cardLast4", "customerEmailLower", "orderId", "subscriptionId",
        sequence, ${moments})
        SELECT ${idOf('pay', 'n')}, ${ofCustomer}, c."storeId", c.id, replace(c.id, 'cus_', 'pi_'), f.amount,
          CASE WHEN n % 50 = 0 THEN 'EUR' ELSE 'USD' END,
          CASE WHEN f.status IN ('succeeded', 'partially_refunded', 'refunded') THEN f.amount ELSE 0 END,
          CASE f.status WHEN 'partially_refunded' THEN f.amount / 2 WHEN 'refunded' THEN f.amount ELSE 0 END,
          f.status, f.detail,
          CASE WHEN f.status <> 'declined' THEN NULL WHEN n % 100 < 60 THEN 'card_declined'
            WHEN n % 10000 = 99 THEN 'lost_card' ELSE 'insufficient_funds' END,
          CASE WHEN f.status = 'declined' THEN 'The card was declined.' END,
          CASE WHEN f.detail = 'requires_action' THEN now() + interval '10 years' END,
          CASE WHEN f.detail = 'authorized' THEN now() + interval '10 years' END,
          replace(c."platformAccountId", 'tpa_', 'proc_'), c."paymentInstrumentCardLast4", c."emailLower",
          CASE WHEN n % 2 = 0 THEN ${idOf('ord', 'n')} END, CASE WHEN n % 40 = 0 THEN ${idOf('sub', '(n / 40)')} END,
          2, ${twice(atOf('n', rows.payments))}
        FROM ${series(rows.payments)}
        CROSS JOIN LATERAL (SELECT ${thousandth('n')} AS share) r
        CROSS JOIN LATERAL (SELECT 100 + n * 37 % 20000 AS amount,
          CASE WHEN r.share < 880 THEN 'succeeded' WHEN r.share < 970 THEN 'declined'
            WHEN r.share < 982 THEN 'partially_refunded' WHEN r.share < 990 THEN 'refunded'
            WHEN r.share < 996 THEN 'pending' ELSE 'failed' END AS status,
          CASE WHEN r.share < 880 OR r.share BETWEEN 970 AND 989 THEN 'captured' WHEN r.share < 970 THEN NULL
            WHEN r.share < 993 THEN 'authorized' WHEN r.share < 996 THEN 'requires_action'
            WHEN n % 10 = 0 THEN 'expired' ELSE 'voided' END AS detail) f
        JOIN customers c ON c.id = ${idOf('cus', `(${customerOf('n', rows)})`)}`,
    ],
    [
      'transactions',
      `(id, "paymentId", ${tenancy}, type, status, amount, currency, "processorId", "processorType",
        "processorReference", "failureCode", "askedAt", ${moments})
        SELECT replace(p.id, 'pay_', 'txn_'), p.id, ${ofPayment},
          CASE WHEN p."subStatus" IN ('authorized', 'voided', 'expired') THEN 'authorization' ELSE 'purchase' END,
          CASE WHEN p.status = 'declined' THEN 'declined' WHEN p."subStatus" = 'requires_action' THEN 'requires_action'
            ELSE 'succeeded' END,
          p.amount, p.currency, p."processorId", 'test', replace(p.id, 'pay_', 'tp_ch_'), p."failureCode",
          p."createdAt", p."createdAt", p."updatedAt"
        FROM payments p
        UNION ALL
        SELECT replace(p.id, 'pay_', 'txn_r'), p.id, ${ofPayment}, 'refund', 'succeeded', p."refundedAmount", p.currency,
          p."processorId", 'test', replace(p.id, 'pay_', 'tp_re_'), NULL, p."createdAt", p."createdAt", p."updatedAt"
        FROM payments p
        WHERE p."refundedAmount" > 0`,
    ],
    [
      'refunds',
      `(id, "paymentId", "transactionId", ${tenancy}, amount, currency, status, reason, ${moments})
        SELECT replace(id, 'txn_r', 'ref_'), "paymentId", id, ${tenancy}, amount, currency, status, 'asked', ${moments}
        FROM transactions
        WHERE type = 'refund'`,
    ],
    [
      'ledger.postings',
      `("journalEntryId", account, "paymentId", ${tenancy}, currency, amount, "createdAt")
        SELECT t.id, s.account, t."paymentId", t."partnerId", t."platformAccountId", t.mode, t.currency,
          s.sign * t.amount, t."createdAt"
        FROM transactions t
        JOIN (VALUES
          ('purchase', 'processor_receivable', 1), ('purchase', 'merchant_balance', -1),
          ('refund', 'refunds', 1), ('refund', 'processor_receivable', -1)
        ) s (type, account, sign) ON s.type = t.type
        WHERE t.status = 'succeeded'`,
    ],
    [
      'ledger.balances',
      `("platformAccountId", currency, account, shard, "partnerId", mode, balance)
        SELECT "platformAccountId", currency, account, 0, "partnerId", mode, sum(amount)
        FROM ledger.postings
        GROUP BY 1, 2, 3, 5, 6`,
    ],
    [
      'disputes',
      `(id, "paymentId", ${tenancy}, "storeId", "processorId", "processorReference", amount, currency, status, reason,
        "evidenceDueAt", "closedAt", sequence, ${moments})
        SELECT replace(p.id, 'pay_', 'dp_'), p.id, ${ofPayment}, p."storeId", p."processorId",
          replace(p.id, 'pay_', 'du_'), p.amount, p.currency, d.status, 'fraudulent', p."createdAt" + interval '20 days',
          CASE WHEN d.status IN ('won', 'lost') THEN p."createdAt" END, 1, p."createdAt", p."updatedAt"
        FROM (SELECT *, row_number() OVER (ORDER BY id DESC) AS nth FROM payments WHERE id LIKE '%07bench') p
        CROSS JOIN LATERAL (
          SELECT CASE WHEN p.nth <= 50 THEN 'needs_response' WHEN p.nth % 3 = 0 THEN 'won' ELSE 'lost' END AS status
        ) d
        WHERE p.status = 'succeeded'`,
    ],
    [
      'orders',
      `(id, ${tenancy}, "storeId", "customerId", amount, currency, items, status, "paymentId", sequence, ${moments})
        SELECT p."orderId", ${ofPayment}, p."storeId", p."customerId", p.amount, p.currency,
          '[{"id": "item_1", "name": "Shirt", "quantity": 1, "unitAmount": 1000}]',
          CASE p.status WHEN 'succeeded' THEN 'paid' WHEN 'declined' THEN 'failed' WHEN 'failed' THEN 'canceled'
            ELSE p.status END,
          p.id, 2, p."createdAt", p."updatedAt"
        FROM payments p
        WHERE p."orderId" IS NOT NULL`,
    ],
    [
      'products',
      `(id, ${tenancy}, "storeId", name, ${moments})
        SELECT replace(id, 'store_', 'prod_'), ${tenancy}, id, 'Product', ${moments}
        FROM stores`,
    ],
    [
      'prices',
      `(id, "productId", ${tenancy}, "storeId", position, currency, amount, recurring, interval, "intervalCount",
        "createdAt")
        SELECT replace(id, 'prod_', 'price_'), id, ${tenancy}, "storeId", 0, 'USD', 1000, true, 'month', 1, "createdAt"
        FROM products`,
    ],
    [
      'subscriptions',
      `(id, ${tenancy}, "storeId", "customerId", "paymentInstrumentId", "priceId", quantity, amount, currency, interval,
        "intervalCount", status, "anchorAt", "currentPeriodStart", "currentPeriodEnd", "nextBillingDate", "canceledAt",
        "cancellationReason", "pausedAt", "latestPaymentId", "periodIndex", ${moments})
        SELECT p."subscriptionId", ${ofPayment}, p."storeId", p."customerId", p."paymentInstrumentId",
          replace(p."platformAccountId", 'tpa_', 'price_'), 1, p.amount, p.currency, 'month', 1, s.status,
          p."createdAt", p."createdAt", p."createdAt" + interval '1 month',
          CASE WHEN s.status = 'active' THEN p."createdAt" + interval '1 month' END,
          CASE WHEN s.status = 'canceled' THEN p."createdAt" END,
          CASE WHEN s.status = 'canceled' THEN 'requested' END,
          CASE WHEN s.status = 'paused' THEN p."createdAt" END, p.id, 1, p."createdAt", p."updatedAt"
        FROM payments p
        CROSS JOIN LATERAL (SELECT CASE right(p."subscriptionId", 7) WHEN '00bench' THEN 'paused'
          WHEN '01bench' THEN 'past_due' WHEN '02bench' THEN 'canceled' ELSE 'active' END AS status) s
        WHERE p."subscriptionId" IS NOT NULL`,
    ],
    [
      'subscription_periods',
      `("subscriptionId", index, ${tenancy}, "startsAt", "endsAt", "anchorAt", cycle, "planAmount", amount, currency,
        status, attempts, "paymentId", ${moments})
        SELECT id, 1, ${tenancy}, "currentPeriodStart", "currentPeriodEnd", "anchorAt", 0, amount, amount, currency,
          'paid', 1, "latestPaymentId", ${moments}
        FROM subscriptions`,
    ],
    ...recordsOf(rows),
  ];
}

/** What is recorded of the rows: events, deliveries, audit rows, and what waits for an operator. */
function recordsOf(rows: ConsoleRows): [table: string, statement: string][] {
  return [
    [
      'events',
      `(id, type, ${tenancy}, "storeId", "objectId", sequence, "requestId", data, "createdAt")
        SELECT replace(p.id, 'pay_', 'evt_') || s.sequence,
          'payment/' || CASE WHEN s.sequence = 1 THEN 'created' ELSE p.status END, ${ofPayment}, p."storeId", p.id,
          s.sequence, 'req_' || p.id, jsonb_build_object('object', jsonb_build_object('id', p.id, 'amount', p.amount,
            'currency', p.currency, 'status', p.status, 'customerId', p."customerId")), p."createdAt"
        FROM payments p, generate_series(1, 2) s (sequence)
        UNION ALL
        SELECT replace(id, 'ord_', 'evt_o'), 'order/created', ${tenancy}, "storeId", id, 1, 'req_' || id, '{"object": {}}',
          "createdAt"
        FROM orders
        UNION ALL
        SELECT replace(id, 'cus_', 'evt_c'), 'customer/created', ${tenancy}, "storeId", id, 1, 'req_' || id,
          '{"object": {}}', "createdAt"
        FROM customers`,
    ],
    [
      'webhook_endpoints',
      `(id, ${tenancy}, url, "eventTypes", secret, ${moments})
        SELECT replace(id, 'tpa_', 'wh_'), "partnerId", id, mode, 'https://shop.example/hooks', '{payment/succeeded}',
          'none', ${moments}
        FROM processing_accounts
        WHERE right("legalName", 1) <> '3'`,
    ],
    [
      // Every account has its endpoint, but for one in ten. What waits is due in ten years: nothing is sent.
      'webhook_deliveries',
      `(id, ${tenancy}, "endpointId", "eventId", "eventType", "objectId", sequence, status, "nextAttemptAt",
        "attemptCount", "createdAt")
        SELECT replace(e.id, 'evt_', 'whd_'), e."partnerId", e."platformAccountId", e.mode, w.id, e.id, e.type,
          e."objectId", e.sequence, d.status,
          CASE WHEN d.status IN ('pending', 'failed') THEN now() + interval '10 years' END, 1, e."createdAt"
        FROM events e
        JOIN webhook_endpoints w ON w.id = replace(e."platformAccountId", 'tpa_', 'wh_')
        CROSS JOIN LATERAL (SELECT CASE substr(e.id, 11, 2) WHEN '03' THEN 'dead' WHEN '04' THEN 'failed'
          WHEN '05' THEN 'pending' ELSE 'delivered' END AS status) d
        WHERE e.sequence = 2`,
    ],
    [
      'webhook_attempts',
      `("deliveryId", number, at, status, "durationMs", "responseBody", "responseHeaders")
        SELECT id, 1, "createdAt", CASE status WHEN 'delivered' THEN 200 ELSE 500 END, 40, 'ok',
          '[{"name": "content-type", "value": "text/plain"}]'
        FROM webhook_deliveries`,
    ],
    [
      // Every fourth payment was looked at or changed by a person.
      'audit_rows',
      `(id, at, "actorKind", "actorId", "actorEmail", action, target, after, outcome, reason, "requestId", ip, sequence,
        "previousHash", hash, "keyId", mode)
        SELECT ${idOf('aud', 'n')}, ${atOf('n', rows.payments / 4)}, 'user', ${idOf('user', `(1 + n % 50)`)},
          'staff' || 1 + n % 50 || '@example.com',
          CASE WHEN n % 10 = 0 THEN 'refundPayment' WHEN n % 10007 = 1 THEN 'closeAccount' ELSE 'createExport' END,
          ${idOf('pay', '(n * 4)')}, '{"reason": "asked"}',
          CASE WHEN n % 100 = 1 THEN 'denied' WHEN n % 100003 = 2 THEN 'failed' ELSE 'allowed' END, 'asked',
          'req_' || n, '127.0.0.1', n, 'none', 'none', 'none', CASE WHEN n % 10 = 0 THEN 'live' ELSE 'test' END
        FROM ${series(rows.payments / 4)}`,
    ],
    [
      'refund_requests',
      `(id, ${tenancy}, "paymentId", amount, currency, "cancelSubscription", reason, status, "requestedBy",
        "requestedByEmail", "decidedBy", "decidedByEmail", "decidedAt", "refundId", "expiresAt", ${moments})
        SELECT replace(r.id, 'ref_', 'rreq_'), r."partnerId", r."platformAccountId", r.mode, r."paymentId", r.amount,
          r.currency, false, 'asked', s.status, ${idOf('user', '1')}, 'staff1@example.com',
          CASE WHEN s.status = 'approved' THEN ${idOf('user', '2')} END,
          CASE WHEN s.status = 'approved' THEN 'staff2@example.com' END,
          CASE WHEN s.status = 'approved' THEN r."createdAt" END, CASE WHEN s.status = 'approved' THEN r.id END,
          now() + interval '10 years', r."createdAt", r."updatedAt"
        FROM refunds r
        CROSS JOIN LATERAL (SELECT CASE WHEN right(r.id, 7) LIKE '_1bench' THEN 'pending' ELSE 'approved' END AS status) s
        WHERE right(r.id, 6) IN ('1bench', '2bench')`,
    ],
    [
      'card_testing_alerts',
      `(id, ${tenancy}, day, bin, last4, refusals, ${moments})
        SELECT replace(id, 'tpa_', 'alert_'), "partnerId", id, mode, current_date, '424242', '4242', 40, ${moments}
        FROM processing_accounts`,
    ],
    [
      'deferred_charges',
      `(id, ${tenancy}, "subscriptionId", amount, currency, "dueAt", reason, ${moments})
        SELECT replace(id, 'sub_', 'whc_'), ${tenancy}, id, amount, currency, "createdAt", 'account_suspended', ${moments}
        FROM subscriptions
        WHERE status = 'past_due'`,
    ],
    [
      'unapplied_events',
      `(id, "processorId", "eventId", ${tenancy}, type, status, reason, "receivedAt", "updatedAt")
        SELECT replace(id, 'proc_', 'uev_'), id, 'evt_of_processor', ${tenancy}, 'charge.refunded',
          CASE WHEN mode = 'live' THEN 'rejected' ELSE 'applied' END, 'unknown_payment', ${moments}
        FROM processors`,
    ],
  ];
}

/** How a stored secret of a row is made from the row's identifier. */
type Encrypt = (id: string) => string;

/** Fills a database that has no rows yet. A start refuses secrets that none of its keys has encrypted. */
export async function addConsoleRows(
  pool: pg.Pool,
  rows: ConsoleRows,
  { signingSecret, kybValue }: { signingSecret: Encrypt; kybValue: Encrypt },
): Promise<void> {
  await asLoaded(pool, statementsOf(rows));
  await pool.query('UPDATE audit.head SET sequence = (SELECT max(sequence) FROM audit_rows)');
  await encryptColumn(pool, 'webhook_endpoints', 'secret', signingSecret);
  await encryptColumn(pool, 'kyb_requirements', 'value', kybValue);
}

async function encryptColumn(pool: pg.Pool, table: string, column: string, encrypt: Encrypt): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(`SELECT id FROM ${table}`);
  const ids = rows.map(({ id }) => id);
  await pool.query(
    `UPDATE ${table} t SET ${column} = s.text FROM unnest($1::text[], $2::text[]) s (id, text) WHERE s.id = t.id`,
    [ids, ids.map(encrypt)],
  );
}
