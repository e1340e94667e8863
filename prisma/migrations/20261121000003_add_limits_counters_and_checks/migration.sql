-- What Prisma's schema language cannot say: unlogged tables for limits, counters kept by triggers, rules on values, partial indexes.

-- Rate limits and the latest use of keys. Written at every call, so they are unlogged: after a crash of the database a bucket
-- is full again, and the use of keys is known up to a second before (keys/jobs.ts carries it to the keys themselves).
CREATE SCHEMA limits;

CREATE UNLOGGED TABLE limits.buckets (
  owner text PRIMARY KEY,
  tokens double precision NOT NULL,
  at timestamptz(3) NOT NULL,
  rate double precision NOT NULL,
  burst double precision NOT NULL,
  allowed boolean NOT NULL
) WITH (fillfactor = 50);

CREATE UNLOGGED TABLE limits.key_uses (
  "keyId" text PRIMARY KEY,
  at timestamptz(3) NOT NULL
) WITH (fillfactor = 50);

CREATE UNLOGGED TABLE limits.field_calls (
  identity text PRIMARY KEY,
  minute timestamptz(3) NOT NULL,
  calls integer NOT NULL
) WITH (fillfactor = 50);

-- How many rows an account has in the tables that grow, so that a list's total costs no scan. Kept in the transaction that
-- adds the rows. Several rows a table and account, chosen by connection, keep writers out of each other's way.
CREATE SCHEMA counters;

CREATE TABLE counters.row_counts (
  relation text NOT NULL,
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  "platformAccountId" text NOT NULL,
  shard smallint NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (relation, "platformAccountId", shard)
) WITH (fillfactor = 50);
CREATE INDEX row_counts_of_partner ON counters.row_counts (relation, "partnerId", mode);

CREATE FUNCTION counters.count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO counters.row_counts AS c SELECT TG_TABLE_NAME, "partnerId", mode, "platformAccountId", pg_backend_pid() % 32, count(*)
      FROM changed GROUP BY "partnerId", mode, "platformAccountId"
      ON CONFLICT (relation, "platformAccountId", shard) DO UPDATE SET n = c.n + excluded.n;
  ELSE
    INSERT INTO counters.row_counts AS c SELECT TG_TABLE_NAME, "partnerId", mode, "platformAccountId", pg_backend_pid() % 32, -count(*)
      FROM changed GROUP BY "partnerId", mode, "platformAccountId"
      ON CONFLICT (relation, "platformAccountId", shard) DO UPDATE SET n = c.n + excluded.n;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER customers_added AFTER INSERT ON customers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER customers_removed AFTER DELETE ON customers REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER payments_added AFTER INSERT ON payments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER payments_removed AFTER DELETE ON payments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

-- Records are added, never changed.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME;
END $$;
CREATE TRIGGER audit_rows_stay BEFORE UPDATE OR DELETE ON audit_rows FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_rows_are_not_emptied BEFORE TRUNCATE ON audit_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_stay BEFORE UPDATE OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- The values a column may hold. The graph's enums are the same lists.
ALTER TABLE partners ADD CONSTRAINT partners_values CHECK (status IN ('onboarding', 'active', 'suspended', 'offboarded') AND slug ~ '^[a-z0-9-]{3,40}$');
ALTER TABLE organizations ADD CONSTRAINT organizations_values CHECK (kind IN ('self_serve', 'partner_managed'));
ALTER TABLE processing_accounts ADD CONSTRAINT processing_accounts_values CHECK (
  mode IN ('test', 'live') AND status IN ('pending_operator_assignment', 'active', 'suspended', 'closed')
  AND "kybStatus" IN ('not_started', 'in_progress', 'submitted', 'approved', 'rejected') AND plan IN ('standard', 'premium'));
ALTER TABLE stores ADD CONSTRAINT stores_values CHECK (type IN ('platform', 'shopify', 'woocommerce', 'external') AND cardinality("chargeCurrencies") > 0);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_values CHECK (
  mode IN ('test', 'live') AND status IN ('active', 'revoked') AND ((kind = 'partner' AND "platformAccountId" IS NULL) OR (kind = 'sub' AND "platformAccountId" IS NOT NULL))
  AND (status = 'revoked') = ("revokedAt" IS NOT NULL));
ALTER TABLE payments ADD CONSTRAINT payments_values CHECK (
  status IN ('pending', 'succeeded', 'declined', 'failed', 'partially_refunded', 'refunded')
  AND ("subStatus" IS NULL OR "subStatus" IN ('captured', 'authorized', 'requires_action', 'processing', 'voided', 'expired', 'authentication_expired', 'processing_error'))
  AND ("failureCode" IS NULL OR "failureCode" IN ('card_declined', 'insufficient_funds', 'lost_card', 'expired_card', 'incorrect_cvc', 'processing_error', 'authentication_failed', 'blocked_by_rule', 'no_processor'))
  AND "initiatedBy" IN ('customer', 'merchant') AND "threeDs" IN ('automatic', 'force', 'skip'));
ALTER TABLE payments ADD CONSTRAINT payments_money CHECK (
  amount BETWEEN 1 AND 99999999999 AND "capturedAmount" BETWEEN 0 AND amount AND "refundedAmount" BETWEEN 0 AND "capturedAmount");
ALTER TABLE transactions ADD CONSTRAINT transactions_values CHECK (
  type IN ('purchase', 'authorization', 'capture', 'void', 'refund') AND status IN ('processing', 'requires_action', 'succeeded', 'declined', 'failed') AND amount > 0);
ALTER TABLE threeds_sessions ADD CONSTRAINT threeds_sessions_values CHECK (status IN ('pending', 'succeeded', 'failed'));

-- One default a customer, and only an active one.
CREATE UNIQUE INDEX payment_instruments_one_default ON payment_instruments ("customerId") WHERE "isDefault";
ALTER TABLE payment_instruments ADD CONSTRAINT payment_instruments_default_is_active CHECK ("isActive" OR NOT "isDefault");

-- What jobs look for.
CREATE INDEX transactions_unsettled ON transactions ("askedAt") WHERE status = 'processing';
CREATE INDEX payments_challenged ON payments ("actionExpiresAt") WHERE "subStatus" = 'requires_action';
CREATE INDEX idempotency_records_running ON idempotency_records ("subjectId") WHERE answer IS NULL;
CREATE INDEX key_uses_at ON limits.key_uses (at);

-- An empty list says that there is nothing; null would say it a second way.
ALTER TABLE stores ALTER COLUMN "presentmentCurrencies" SET NOT NULL, ALTER COLUMN "chargeCurrencies" SET NOT NULL;
ALTER TABLE processors ALTER COLUMN "supportedCurrencies" SET NOT NULL;
ALTER TABLE api_keys ALTER COLUMN "allowedIps" SET NOT NULL;
ALTER TABLE customers ALTER COLUMN tags SET NOT NULL;
