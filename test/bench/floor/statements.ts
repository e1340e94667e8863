/**
 * The SQL of the hand-written server: what the platform sent before its statements were tuned. Frozen, so that ratios
 * can be compared over time; only a migration that renames a column may change it.
 */
const refilled =
  'least(excluded.burst, b.tokens + greatest(0, extract(epoch FROM excluded.at - b.at)) * excluded.rate / 60)';

export const authenticateSql = `WITH found AS (
    SELECT
      k.id, k.kind, k.mode, k.prefix, k."partnerId", k."platformAccountId", k."allowedIps",
      p.status AS "partnerStatus",
      CASE WHEN k.kind = 'partner' THEN 'premium' ELSE a.plan END AS plan,
      coalesce(k."platformAccountId", k."partnerId" || ':' || k.mode) AS owner
    FROM api_keys k
    JOIN partners p ON p.id = k."partnerId"
    LEFT JOIN processing_accounts a ON a.id = k."platformAccountId"
    WHERE k."secretHash" = $1 AND k.status = 'active' AND (k."expiresAt" IS NULL OR k."expiresAt" > $2)
  ),
  bucket AS (
    INSERT INTO limits.buckets AS b (owner, tokens, at, rate, burst, allowed)
    SELECT
      owner, CASE found.plan WHEN 'premium' THEN 750 ELSE 150 END - 1, $2,
      CASE found.plan WHEN 'premium' THEN 500 ELSE 100 END,
      CASE found.plan WHEN 'premium' THEN 750 ELSE 150 END, true
    FROM found
    ON CONFLICT (owner) DO UPDATE SET
      tokens = ${refilled} - CASE WHEN ${refilled} >= 1 THEN 1 ELSE 0 END,
      allowed = ${refilled} >= 1,
      at = greatest(b.at, excluded.at),
      rate = excluded.rate,
      burst = excluded.burst
    RETURNING tokens, allowed
  ),
  used AS (
    INSERT INTO limits.key_uses AS u ("keyId", at)
    SELECT id, $2
    FROM found
    ON CONFLICT ("keyId") DO UPDATE SET at = greatest(u.at, excluded.at)
  )
  SELECT found.*, bucket.tokens, bucket.allowed
  FROM found, bucket`;

export const storesOfAccountSql =
  'SELECT id FROM stores WHERE "platformAccountId" = $1 ORDER BY "createdAt", id LIMIT 100';

export const customersPageSql = `WITH page AS (
    SELECT t.id, t."createdAt"
    FROM customers t
    WHERE t."platformAccountId" = $1
    ORDER BY t."createdAt" DESC, t.id DESC
    LIMIT $4 OFFSET $3
  )
  SELECT t.*, s.name AS "storeName", n.total AS "listTotal"
  FROM (
    SELECT
      (
        SELECT coalesce(sum(t.n), 0)::bigint
        FROM counters.row_counts t
        WHERE t.relation = 'customers' AND t."platformAccountId" = $2
      ) AS total
  ) n
  LEFT JOIN page ON true
  LEFT JOIN customers t ON t.id = page.id
  LEFT JOIN stores s ON s.id = t."storeId"
  ORDER BY page."createdAt" DESC, page.id DESC`;

export const customersAfterSql = `WITH page AS (
    SELECT t.id, t."createdAt"
    FROM customers t
    WHERE t."platformAccountId" = $1 AND (t."createdAt", t.id) < ($2, $3)
    ORDER BY t."createdAt" DESC, t.id DESC
    LIMIT $4
  )
  SELECT t.*, s.name AS "storeName"
  FROM page
  JOIN customers t ON t.id = page.id
  LEFT JOIN stores s ON s.id = t."storeId"
  ORDER BY page."createdAt" DESC, page.id DESC`;

export const paymentsPageSql = `WITH page AS (
    SELECT t.id, t."createdAt"
    FROM payments t
    WHERE t."platformAccountId" = $1
    ORDER BY t."createdAt" DESC, t.id DESC
    LIMIT $4 OFFSET $3
  )
  SELECT t.*, n.total AS "listTotal"
  FROM (
    SELECT
      (
        SELECT coalesce(sum(t.n), 0)::bigint
        FROM counters.row_counts t
        WHERE t.relation = 'payments' AND t."platformAccountId" = $2
      ) AS total
  ) n
  LEFT JOIN page ON true
  LEFT JOIN payments t ON t.id = page.id
  ORDER BY page."createdAt" DESC, page.id DESC`;

export const chargeFactsSql = `SELECT
    s.id AS "storeId", s."platformAccountId", s."partnerId", s.mode, s."chargeCurrencies",
    a.status AS "accountStatus", i.id AS "paymentInstrumentId", i."customerId", i."cardId",
    i.last4 AS "cardLast4", i."isActive", c."emailLower" AS "customerEmailLower",
    p.id AS "processorId", p.type AS "processorType"
  FROM (
    SELECT
      coalesce(
        $1,
        (SELECT CASE WHEN count(*) = 1 THEN min(o.id) END FROM stores o WHERE o."platformAccountId" = $4)
      ) AS id
  ) asked
  LEFT JOIN stores s ON s.id = asked.id AND s."platformAccountId" = $4
  LEFT JOIN processing_accounts a ON a.id = s."platformAccountId"
  LEFT JOIN payment_instruments i ON i.id = $2 AND i."platformAccountId" = s."platformAccountId"
  LEFT JOIN customers c ON c.id = i."customerId"
  LEFT JOIN LATERAL (
    SELECT id, type
    FROM processors p
    WHERE p."platformAccountId" = s."platformAccountId"
      AND p.enabled
      AND (cardinality(p."supportedCurrencies") = 0 OR $3 = ANY(p."supportedCurrencies"))
    ORDER BY p."createdAt", p.id
    LIMIT 1
  ) p ON true`;

const eventColumns =
  'id, type, mode, "partnerId", "platformAccountId", "storeId", "objectId", sequence, "requestId", data, "createdAt"';
const eventsWritten = (json: string, guard: string) => `events_written AS (
    INSERT INTO events (${eventColumns})
    SELECT ${eventColumns}
    FROM jsonb_to_recordset(${json}::jsonb) AS e(
      id text, type text, mode text, "partnerId" text, "platformAccountId" text, "storeId" text,
      "objectId" text, sequence int, "requestId" text, data jsonb, "createdAt" timestamptz
    )
    WHERE EXISTS (SELECT 1 FROM ${guard})
  )`;

export const intentSql = `WITH claimed AS (
    INSERT INTO idempotency_records (owner, operation, key, "requestHash", "subjectId", "createdAt")
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT DO NOTHING
    RETURNING 1 AS claimed
  ),
  intended AS (
    INSERT INTO payments
    SELECT r.*
    FROM claimed, jsonb_populate_record(null::payments, $7::jsonb) r
    RETURNING id
  ),
  attempted AS (
    INSERT INTO transactions
    SELECT r.*
    FROM intended, jsonb_populate_record(null::transactions, $8::jsonb) r
  ),
  ${eventsWritten('$9', 'intended')}
  SELECT 1
  FROM intended`;

const assign = (columns: readonly string[]) => columns.map((column) => `"${column}" = r."${column}"`).join(', ');
const resolved = [
  'status',
  'subStatus',
  'failureCode',
  'failureMessage',
  'capturedAmount',
  'requireAction',
  'requireActionData',
  'actionExpiresAt',
  'processorId',
  'sequence',
  'updatedAt',
];
const closed = ['status', 'processorReference', 'failureCode', 'updatedAt'];

const postingColumns =
  '"journalEntryId", account, "paymentId", "platformAccountId", "partnerId", mode, currency, amount';

export const outcomeSql = `WITH resolved AS (
    UPDATE payments t
    SET ${assign(resolved)}
    FROM jsonb_populate_record(null::payments, $1::jsonb) r
    WHERE t.id = r.id AND t.status = 'pending' AND t."subStatus" = $2 AND t.sequence = r.sequence - 1
    RETURNING t.id
  ),
  closed AS (
    UPDATE transactions t
    SET ${assign(closed)}
    FROM resolved, jsonb_populate_record(null::transactions, $3::jsonb) r
    WHERE t.id = r.id
  ),
  posted AS (
    INSERT INTO ledger.postings (${postingColumns}, "createdAt")
    SELECT ${postingColumns}, $7::timestamptz
    FROM jsonb_to_recordset($8::jsonb) AS l(
      "journalEntryId" text, account text, "paymentId" text, "platformAccountId" text, "partnerId" text,
      mode text, currency text, amount bigint
    )
    WHERE EXISTS (SELECT 1 FROM resolved)
  ),
  ${eventsWritten('$4', 'resolved')},
  answered AS (
    UPDATE idempotency_records
    SET answer = $5::json
    WHERE "subjectId" = $6 AND answer IS NULL AND EXISTS (SELECT 1 FROM resolved)
  )
  SELECT 1
  FROM resolved`;
