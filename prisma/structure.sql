-- The database of DATABASE_URL.

CREATE SCHEMA audit;
CREATE SCHEMA cells;
CREATE SCHEMA counters;
CREATE SCHEMA keys;
CREATE SCHEMA ledger;
CREATE SCHEMA limits;
CREATE SCHEMA operating;
CREATE SCHEMA test_processor;
CREATE SCHEMA vault;

CREATE OR REPLACE FUNCTION audit.chain_row()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  blocks bytea;
BEGIN
  IF NEW."keyId" IS NULL OR NEW.hash IS NULL OR length(NEW.hash) <> 256 OR NEW.hash !~ '^[0-9a-f]+$' THEN
    RAISE EXCEPTION 'an audit row is written with the key of a server' USING ERRCODE = 'check_violation';
  END IF;
  blocks := decode(NEW.hash, 'hex');
  UPDATE audit.head SET sequence = sequence + 1 RETURNING sequence, hash INTO NEW.sequence, NEW."previousHash";
  NEW.hash := audit.hash_of(NEW, blocks);
  UPDATE audit.head SET hash = NEW.hash;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION audit.hash_of(r audit_rows, blocks bytea)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  SELECT encode(sha256(substr(blocks, 65, 64) || sha256(substr(blocks, 1, 64) || convert_to((jsonb_build_array(
    r."previousHash", r.sequence, r.id, to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    r."actorKind", r."actorId", r."actorEmail", r.action, r.target, r.before, r.after, r.outcome, r.reason, r."requestId", r.ip, r."keyId")
    || CASE WHEN r.mode IS NULL THEN '[]'::jsonb ELSE jsonb_build_array(r.mode) END
    || CASE WHEN r."partnerId" IS NULL THEN '[]'::jsonb ELSE jsonb_build_array(jsonb_build_object('partnerId', r."partnerId")) END
    )::text, 'UTF8'))), 'hex')
$function$;

CREATE OR REPLACE FUNCTION counters.count_funnel_refund()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO counters.funnel_figures AS f ("funnelId", "stepId", "variantId", measure, shard, n)
  SELECT p."funnelId", p."stepId", p."variantId", 'refunded/' || NEW.currency, pg_backend_pid() % 8, NEW."refundedAmount" - OLD."refundedAmount" FROM counters.funnel_payments p WHERE p."paymentId" = NEW.id
  ON CONFLICT ("funnelId", "stepId", "variantId", measure, shard) DO UPDATE SET n = f.n + excluded.n;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION counters.count_rows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO counters.row_counts AS c
    SELECT TG_TABLE_NAME, "partnerId", mode, "platformAccountId", pg_backend_pid() % 32, count(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
    FROM changed
    GROUP BY "partnerId", mode, "platformAccountId"
    ORDER BY "platformAccountId"
    ON CONFLICT (relation, "platformAccountId", shard) DO UPDATE SET n = c.n + excluded.n;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION counters.count_users()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO counters.user_counts AS c
    SELECT k.kind, k.slug, pg_backend_pid() % 32, count(*)
      FROM added u, counters.counts_of_user(u."platformRoles", u."whitelabelOwnership", u."deletedAt") k
      GROUP BY k.kind, k.slug
      ORDER BY k.kind, k.slug
    ON CONFLICT (kind, slug, shard) DO UPDATE SET n = c.n + excluded.n;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO counters.user_counts AS c
    SELECT k.kind, k.slug, pg_backend_pid() % 32, -count(*)
      FROM removed u, counters.counts_of_user(u."platformRoles", u."whitelabelOwnership", u."deletedAt") k
      GROUP BY k.kind, k.slug
      ORDER BY k.kind, k.slug
    ON CONFLICT (kind, slug, shard) DO UPDATE SET n = c.n + excluded.n;
  ELSE
    INSERT INTO counters.user_counts AS c
    SELECT k.kind, k.slug, pg_backend_pid() % 32, sum(u.n)
      FROM (
        SELECT "platformRoles", "whitelabelOwnership", "deletedAt", 1 AS n FROM added
        UNION ALL
        SELECT "platformRoles", "whitelabelOwnership", "deletedAt", -1 FROM removed
      ) u, counters.counts_of_user(u."platformRoles", u."whitelabelOwnership", u."deletedAt") k
      GROUP BY k.kind, k.slug
      HAVING sum(u.n) <> 0
      ORDER BY k.kind, k.slug
    ON CONFLICT (kind, slug, shard) DO UPDATE SET n = c.n + excluded.n;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION counters.counts_of_user(roles text[], ownership text, "deletedAt" timestamp with time zone)
 RETURNS TABLE(kind text, slug text)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT c.kind, c.slug
  FROM (VALUES
    ('all', '', true),
    ('internal', '', ownership IS NULL AND roles <> '{}'),
    ('partner', ownership, ownership IS NOT NULL)
  ) c (kind, slug, counts)
  WHERE c.counts AND "deletedAt" IS NULL
$function$;

CREATE OR REPLACE FUNCTION counters.mark_figures()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO counters.figures_changed VALUES (NEW."platformAccountId", (NEW."createdAt" AT TIME ZONE 'UTC')::date);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION ledger.check_and_sum()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  uneven text;
BEGIN
  SELECT "journalEntryId" INTO uneven FROM added
    GROUP BY "journalEntryId", "platformAccountId", mode, currency HAVING sum(amount) <> 0 LIMIT 1;
  IF uneven IS NOT NULL THEN
    RAISE EXCEPTION 'the postings of % do not sum to zero', uneven USING ERRCODE = 'check_violation';
  END IF;
  -- In the order of the key, so that two writers never wait for each other.
  INSERT INTO ledger.balances AS b ("platformAccountId", currency, account, shard, "partnerId", mode, balance)
    SELECT "platformAccountId", currency, account, pg_backend_pid() % 32, "partnerId", mode, sum(amount) FROM added
    GROUP BY "platformAccountId", currency, account, "partnerId", mode ORDER BY "platformAccountId", currency, account
    ON CONFLICT ("platformAccountId", currency, account, shard) DO UPDATE SET balance = b.balance + excluded.balance;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.add_webhook_deliveries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO webhook_deliveries (id, "partnerId", "platformAccountId", mode, "endpointId", "eventId", "eventType", "objectId", sequence, status, "nextAttemptAt", "createdAt", "testClockId")
  SELECT 'whd_' || substr(e.id, 5, 14) || substr(replace(gen_random_uuid()::text, '-', ''), 1, 26), w."partnerId", w."platformAccountId", w.mode, w.id, e.id, e.type, e."objectId", e.sequence,
    CASE WHEN w.enabled THEN 'pending' ELSE 'dead' END, CASE WHEN w.enabled THEN e."createdAt" END, e."createdAt", e."testClockId"
  FROM added e JOIN webhook_endpoints w ON w."partnerId" = e."partnerId" AND w.mode = e.mode AND w."deletedAt" IS NULL
    AND (w."platformAccountId" IS NULL OR w."platformAccountId" = e."platformAccountId") AND (w."storeId" IS NULL OR w."storeId" = e."storeId") AND e.type = ANY (w."eventTypes");
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.erase_customer_events(customer_id text, erased jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM public.customers c WHERE c.id = customer_id AND c."deletedAt" IS NOT NULL) THEN
    RAISE EXCEPTION 'the customer % is not deleted', customer_id;
  END IF;
  PERFORM set_config('platform.erases', customer_id, true);
  UPDATE public.events e SET data = jsonb_set(e.data, '{object}', (e.data -> 'object') || erased)
  WHERE e."objectId" = customer_id;
  PERFORM set_config('platform.erases', '', true);
END $function$;

CREATE OR REPLACE FUNCTION public.lowered(text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN lower(($1 COLLATE "und-x-icu"));

CREATE OR REPLACE FUNCTION public.order_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before record;
BEGIN
  SELECT e."createdAt", e.id, e."testClockId" INTO before FROM public.events e WHERE e."objectId" = NEW."objectId" AND e.sequence = NEW.sequence - 1;
  IF NOT FOUND OR (NEW."createdAt", NEW.id) > (before."createdAt", before.id) THEN
    RETURN NEW;
  END IF;
  NEW."createdAt" := before."createdAt";
  -- A time of a test clock stays in the time of that clock, or its delivery would wait for the real one.
  NEW."testClockId" := coalesce(NEW."testClockId", before."testClockId");
  NEW.id := left(before.id, 12) || substr(NEW.id, 13);
  -- A number of more than six digits does not fit.
  IF NEW.id <= before.id THEN
    NEW."createdAt" := before."createdAt" + interval '1 millisecond';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME;
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_change_but_erasure()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'UPDATE' AND current_setting('platform.erases', true) = NEW."objectId"
    AND to_jsonb(NEW) - 'data' = to_jsonb(OLD) - 'data' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME;
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_to_charge_again()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'period % of subscription % is paid', OLD.index, OLD."subscriptionId";
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_to_reopen()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'payment % is % and never changes again', OLD.id, OLD.status;
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_to_reopen_dispute()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'dispute % is % and never changes again', OLD.id, OLD.status;
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_to_revive()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'subscription % is canceled and never comes back', OLD.id;
END $function$;

CREATE OR REPLACE FUNCTION vault.refuse_cards()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'The cards are in a database of their own; VAULT_DATABASE_URL leads to it.' USING ERRCODE = '57P03';
END
$function$;

CREATE TABLE audit.head (
  one boolean NOT NULL DEFAULT true,
  sequence bigint NOT NULL,
  hash text NOT NULL
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
ALTER TABLE audit.head ADD CONSTRAINT head_one_check CHECK (one);
ALTER TABLE audit.head ADD CONSTRAINT head_pkey PRIMARY KEY (one);

CREATE TABLE cells.own (
  "isOwn" boolean NOT NULL DEFAULT true,
  tag text NOT NULL
);
ALTER TABLE cells.own ADD CONSTRAINT "own_isOwn_check" CHECK ("isOwn");
ALTER TABLE cells.own ADD CONSTRAINT own_pkey PRIMARY KEY ("isOwn");
ALTER TABLE cells.own ADD CONSTRAINT own_tag_check CHECK ((tag ~ '^[0-9a-z]{0,2}$'::text));
CREATE TRIGGER own_cell_stays BEFORE DELETE OR UPDATE ON cells.own FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE counters.daily_figures (
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  "platformAccountId" text NOT NULL,
  day date NOT NULL,
  currency text NOT NULL,
  "processorId" text NOT NULL,
  "declineCode" text NOT NULL,
  payments bigint NOT NULL,
  approved bigint NOT NULL,
  refused bigint NOT NULL,
  volume bigint NOT NULL,
  refunds bigint NOT NULL,
  "refundedVolume" bigint NOT NULL,
  disputes bigint NOT NULL,
  "disputedVolume" bigint NOT NULL,
  "capturedVolume" bigint,
  "authorizedVolume" bigint
);
CREATE INDEX figures_incomplete ON counters.daily_figures USING btree (day) WHERE ("capturedVolume" IS NULL);
CREATE INDEX figures_of_account ON counters.daily_figures USING btree ("platformAccountId", day);
CREATE INDEX figures_of_mode ON counters.daily_figures USING btree (mode, day);
CREATE INDEX figures_of_partner ON counters.daily_figures USING btree ("partnerId", mode, day);

CREATE VIEW counters.figures AS
 SELECT "partnerId",
    mode,
    "platformAccountId",
    day,
    currency,
    "processorId",
    "declineCode",
    payments,
    approved,
    refused,
    volume,
    refunds,
    "refundedVolume",
    disputes,
    "disputedVolume"
   FROM counters.daily_figures;

CREATE TABLE counters.figures_changed (
  "platformAccountId" text NOT NULL,
  day date NOT NULL
);

CREATE TABLE counters.figures_until (
  "isOnly" boolean NOT NULL DEFAULT true,
  day date NOT NULL
);
ALTER TABLE counters.figures_until ADD CONSTRAINT "figures_until_isOnly_check" CHECK ("isOnly");
ALTER TABLE counters.figures_until ADD CONSTRAINT figures_until_pkey PRIMARY KEY ("isOnly");

CREATE TABLE counters.funnel_figures (
  "funnelId" text NOT NULL,
  "stepId" text NOT NULL,
  "variantId" text NOT NULL,
  measure text NOT NULL,
  shard smallint NOT NULL,
  n bigint NOT NULL
) WITH (fillfactor=50);
ALTER TABLE counters.funnel_figures ADD CONSTRAINT funnel_figures_pkey PRIMARY KEY ("funnelId", "stepId", "variantId", measure, shard);

CREATE TABLE counters.funnel_payments (
  "paymentId" text NOT NULL,
  "funnelId" text NOT NULL,
  "stepId" text NOT NULL,
  "variantId" text NOT NULL
);
ALTER TABLE counters.funnel_payments ADD CONSTRAINT funnel_payments_pkey PRIMARY KEY ("paymentId");
ALTER TABLE counters.funnel_payments ADD CONSTRAINT "funnel_payments_paymentId_fkey" FOREIGN KEY ("paymentId") REFERENCES payments(id);

CREATE TABLE counters.row_counts (
  relation text NOT NULL,
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  "platformAccountId" text NOT NULL,
  shard smallint NOT NULL,
  n bigint NOT NULL
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
ALTER TABLE counters.row_counts ADD CONSTRAINT row_counts_pkey PRIMARY KEY (relation, "platformAccountId", shard);
CREATE INDEX row_counts_of_partner ON counters.row_counts USING btree (relation, "partnerId", mode);

CREATE TABLE counters.user_counts (
  kind text NOT NULL,
  slug text NOT NULL,
  shard smallint NOT NULL,
  n bigint NOT NULL
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
ALTER TABLE counters.user_counts ADD CONSTRAINT user_counts_kind_check CHECK ((kind = ANY (ARRAY['all'::text, 'internal'::text, 'partner'::text])));
ALTER TABLE counters.user_counts ADD CONSTRAINT user_counts_pkey PRIMARY KEY (kind, slug, shard);

CREATE TABLE keys.checks (
  setting text NOT NULL,
  "keyId" text NOT NULL,
  "check" text NOT NULL,
  state text NOT NULL,
  "changedAt" timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE keys.checks ADD CONSTRAINT checks_pkey PRIMARY KEY (setting, "keyId");
ALTER TABLE keys.checks ADD CONSTRAINT checks_state_check CHECK ((state = ANY (ARRAY['known'::text, 'used'::text, 'replaced'::text, 'retired'::text])));

CREATE TABLE ledger.balances (
  "platformAccountId" text NOT NULL,
  currency text NOT NULL,
  account text NOT NULL,
  shard smallint NOT NULL,
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  balance bigint NOT NULL
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
ALTER TABLE ledger.balances ADD CONSTRAINT balances_pkey PRIMARY KEY ("platformAccountId", currency, account, shard);

CREATE TABLE ledger.checks (
  mode text NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  "differenceCount" integer NOT NULL,
  differences jsonb NOT NULL
);
ALTER TABLE ledger.checks ADD CONSTRAINT "checks_differenceCount_check" CHECK (("differenceCount" >= 0));
ALTER TABLE ledger.checks ADD CONSTRAINT checks_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text, 'both'::text])));
ALTER TABLE ledger.checks ADD CONSTRAINT checks_pkey PRIMARY KEY (mode);

CREATE TABLE ledger.postings (
  "journalEntryId" text NOT NULL,
  account text NOT NULL,
  "paymentId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE ledger.postings ADD CONSTRAINT postings_amount CHECK (((amount >= '-9000000000000000'::bigint) AND (amount <= '9000000000000000'::bigint)));
ALTER TABLE ledger.postings ADD CONSTRAINT postings_pkey PRIMARY KEY ("journalEntryId", account);
ALTER TABLE ledger.postings ADD CONSTRAINT postings_values CHECK (((account = ANY (ARRAY['processor_receivable'::text, 'merchant_balance'::text, 'refunds'::text, 'fees'::text, 'disputes'::text, 'dispute_losses'::text])) AND (amount <> 0)));
CREATE INDEX postings_of_payment ON ledger.postings USING btree ("paymentId");
ALTER TABLE ledger.postings ADD CONSTRAINT postings_of_a_payment FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments(id, "platformAccountId", "partnerId", mode);
CREATE TRIGGER postings_are_not_emptied BEFORE TRUNCATE ON ledger.postings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER postings_balance AFTER INSERT ON ledger.postings REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger.check_and_sum();
CREATE TRIGGER postings_stay BEFORE DELETE OR UPDATE ON ledger.postings FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE UNLOGGED TABLE limits.buckets (
  owner text NOT NULL,
  tokens double precision NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  rate double precision NOT NULL,
  burst double precision NOT NULL,
  allowed boolean NOT NULL,
  granted integer NOT NULL DEFAULT 0
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
ALTER TABLE limits.buckets ADD CONSTRAINT buckets_pkey PRIMARY KEY (owner);

CREATE TABLE limits.card_attempts (
  id text NOT NULL,
  "sessionId" text NOT NULL,
  "storeId" text NOT NULL,
  network text NOT NULL,
  state text NOT NULL,
  at timestamp(3) with time zone NOT NULL
);
ALTER TABLE limits.card_attempts ADD CONSTRAINT card_attempts_pkey PRIMARY KEY (id);
ALTER TABLE limits.card_attempts ADD CONSTRAINT card_attempts_state_check CHECK ((state = ANY (ARRAY['running'::text, 'declined'::text, 'ended'::text])));
CREATE INDEX card_attempts_at ON limits.card_attempts USING btree (at);
CREATE INDEX card_attempts_of_network ON limits.card_attempts USING btree (network, at) WHERE (state <> 'ended'::text);
CREATE INDEX card_attempts_of_session ON limits.card_attempts USING btree ("sessionId", at);
CREATE INDEX card_attempts_of_store ON limits.card_attempts USING btree ("storeId", at) WHERE (state <> 'ended'::text);

CREATE UNLOGGED TABLE limits.field_calls (
  subject text NOT NULL,
  calls timestamp(3) with time zone[] NOT NULL
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
ALTER TABLE limits.field_calls ADD CONSTRAINT field_calls_pkey PRIMARY KEY (subject);

CREATE UNLOGGED TABLE limits.job_backoff (
  job text NOT NULL,
  id text NOT NULL,
  attempts integer NOT NULL,
  until timestamp(3) with time zone NOT NULL
);
ALTER TABLE limits.job_backoff ADD CONSTRAINT job_backoff_pkey PRIMARY KEY (job, id);

CREATE UNLOGGED TABLE limits.key_uses (
  "keyId" text NOT NULL,
  at timestamp(3) with time zone NOT NULL
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
ALTER TABLE limits.key_uses ADD CONSTRAINT key_uses_pkey PRIMARY KEY ("keyId");

CREATE TABLE limits.presented_numbers (
  "platformAccountId" text NOT NULL,
  day date NOT NULL,
  bin text NOT NULL,
  last4 text NOT NULL,
  hashes text[] NOT NULL
);
ALTER TABLE limits.presented_numbers ADD CONSTRAINT presented_numbers_pkey PRIMARY KEY ("platformAccountId", day, bin, last4);
CREATE INDEX presented_numbers_day ON limits.presented_numbers USING btree (day);

CREATE UNLOGGED TABLE limits.windows (
  subject text NOT NULL,
  start timestamp(3) with time zone NOT NULL,
  calls integer NOT NULL
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
ALTER TABLE limits.windows ADD CONSTRAINT windows_pkey PRIMARY KEY (subject);

CREATE TABLE operating.last_backup (
  "onlyRow" boolean NOT NULL DEFAULT true,
  "takenAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE operating.last_backup ADD CONSTRAINT last_backup_only_row_check CHECK ("onlyRow");
ALTER TABLE operating.last_backup ADD CONSTRAINT last_backup_pkey PRIMARY KEY ("onlyRow");

CREATE TABLE public.api_keys (
  id text NOT NULL,
  kind text NOT NULL,
  mode text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text,
  prefix text NOT NULL,
  "secretHash" text NOT NULL,
  label text NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  "allowedIps" text[] NOT NULL DEFAULT ARRAY[]::text[],
  "expiresAt" timestamp(3) with time zone,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "lastUsedAt" timestamp(3) with time zone,
  "revokedAt" timestamp(3) with time zone
);
ALTER TABLE public.api_keys ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE public.api_keys ADD CONSTRAINT api_keys_values CHECK (((mode = ANY (ARRAY['test'::text, 'live'::text])) AND (status = ANY (ARRAY['active'::text, 'revoked'::text])) AND (((kind = 'partner'::text) AND ("platformAccountId" IS NULL)) OR ((kind = 'sub'::text) AND ("platformAccountId" IS NOT NULL))) AND ((status = 'revoked'::text) = ("revokedAt" IS NOT NULL))));
CREATE INDEX "api_keys_mode_createdAt_id_idx" ON public.api_keys USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "api_keys_partnerId_mode_createdAt_id_idx" ON public.api_keys USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "api_keys_partnerId_mode_kind_createdAt_id_idx" ON public.api_keys USING btree ("partnerId", mode, kind, "createdAt" DESC, id DESC);
CREATE INDEX "api_keys_platformAccountId_createdAt_id_idx" ON public.api_keys USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "api_keys_secretHash_key" ON public.api_keys USING btree ("secretHash");
CREATE UNIQUE INDEX api_keys_prefix_key ON public.api_keys USING btree (prefix);
ALTER TABLE public.api_keys ADD CONSTRAINT "api_keys_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.api_keys ADD CONSTRAINT "api_keys_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.audit_rows (
  id text NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  "actorKind" text NOT NULL,
  "actorId" text NOT NULL,
  "actorEmail" text,
  action text NOT NULL,
  target text,
  before jsonb,
  after jsonb,
  outcome text NOT NULL,
  reason text,
  "requestId" text NOT NULL,
  ip text,
  sequence bigint NOT NULL,
  "previousHash" text NOT NULL,
  hash text NOT NULL,
  "keyId" text NOT NULL,
  mode text,
  "partnerId" text
);
ALTER TABLE public.audit_rows ADD CONSTRAINT audit_rows_mode CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])));
ALTER TABLE public.audit_rows ADD CONSTRAINT audit_rows_pkey PRIMARY KEY (id);
ALTER TABLE public.audit_rows ADD CONSTRAINT audit_rows_values CHECK ((outcome = ANY (ARRAY['allowed'::text, 'denied'::text, 'failed'::text])));
CREATE INDEX "audit_rows_actorId_at_idx" ON public.audit_rows USING btree ("actorId", at DESC);
CREATE INDEX "audit_rows_partnerId_sequence_idx" ON public.audit_rows USING btree ("partnerId", sequence DESC) WHERE ("partnerId" IS NOT NULL);
CREATE INDEX "audit_rows_requestId_idx" ON public.audit_rows USING btree ("requestId");
CREATE INDEX audit_rows_at_id_idx ON public.audit_rows USING btree (at DESC, id DESC);
CREATE UNIQUE INDEX audit_rows_sequence_key ON public.audit_rows USING btree (sequence);
CREATE INDEX audit_rows_target_at_idx ON public.audit_rows USING btree (target, at DESC);
CREATE TRIGGER audit_rows_are_chained BEFORE INSERT ON public.audit_rows FOR EACH ROW EXECUTE FUNCTION audit.chain_row();
CREATE TRIGGER audit_rows_are_not_emptied BEFORE TRUNCATE ON public.audit_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_rows_stay BEFORE DELETE OR UPDATE ON public.audit_rows FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE public.audit_verifications (
  id text NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  by text NOT NULL,
  ok boolean NOT NULL,
  rows bigint NOT NULL,
  anchors integer NOT NULL,
  problem text
);
ALTER TABLE public.audit_verifications ADD CONSTRAINT audit_verifications_pkey PRIMARY KEY (id);
ALTER TABLE public.audit_verifications ADD CONSTRAINT audit_verifications_problem CHECK ((ok = (problem IS NULL)));
CREATE INDEX audit_verifications_at_id_idx ON public.audit_verifications USING btree (at DESC, id DESC);
CREATE TRIGGER audit_verifications_are_not_emptied BEFORE TRUNCATE ON public.audit_verifications FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_verifications_stay BEFORE DELETE OR UPDATE ON public.audit_verifications FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE public.block_rules (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text,
  name text NOT NULL,
  operator text NOT NULL,
  criteria jsonb NOT NULL,
  keys text[] NOT NULL DEFAULT ARRAY[]::text[],
  "hasPatterns" boolean NOT NULL,
  "isPermanent" boolean NOT NULL,
  "ttlHours" integer,
  "expiresAt" timestamp(3) with time zone,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.block_rules ADD CONSTRAINT block_rules_pkey PRIMARY KEY (id);
ALTER TABLE public.block_rules ADD CONSTRAINT block_rules_values CHECK (((operator = ANY (ARRAY['OR'::text, 'AND'::text])) AND (criteria <> '{}'::jsonb) AND ((cardinality(keys) > 0) OR "hasPatterns") AND ("isPermanent" = ("expiresAt" IS NULL))));
CREATE UNIQUE INDEX "block_rules_id_platformAccountId_partnerId_mode_key" ON public.block_rules USING btree (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "block_rules_mode_createdAt_id_idx" ON public.block_rules USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "block_rules_partnerId_mode_createdAt_id_idx" ON public.block_rules USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "block_rules_partnerId_mode_name_id_idx" ON public.block_rules USING btree ("partnerId", mode, name, id);
CREATE INDEX "block_rules_platformAccountId_createdAt_id_idx" ON public.block_rules USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "block_rules_platformAccountId_name_id_idx" ON public.block_rules USING btree ("platformAccountId", name, id);
CREATE INDEX block_rules_keys_idx ON public.block_rules USING gin (keys);
CREATE INDEX block_rules_with_patterns ON public.block_rules USING btree ("platformAccountId") WHERE "hasPatterns";
ALTER TABLE public.block_rules ADD CONSTRAINT "block_rules_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER block_rules_added AFTER INSERT ON public.block_rules REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER block_rules_removed AFTER DELETE ON public.block_rules REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

CREATE TABLE public.blocked_charges (
  "paymentId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "blockRuleId" text NOT NULL,
  "ruleName" text NOT NULL,
  criteria text[],
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.blocked_charges ADD CONSTRAINT blocked_charges_pkey PRIMARY KEY ("paymentId");
CREATE UNIQUE INDEX "blocked_charges_paymentId_platformAccountId_partnerId_mode_key" ON public.blocked_charges USING btree ("paymentId", "platformAccountId", "partnerId", mode);
ALTER TABLE public.blocked_charges ADD CONSTRAINT "blocked_charges_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER blocked_charges_stay BEFORE DELETE OR UPDATE ON public.blocked_charges FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE public.card_testing_alerts (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  day date NOT NULL,
  bin text NOT NULL,
  last4 text NOT NULL,
  refusals integer NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.card_testing_alerts ADD CONSTRAINT card_testing_alerts_pkey PRIMARY KEY (id);
ALTER TABLE public.card_testing_alerts ADD CONSTRAINT card_testing_alerts_values CHECK (((mode = ANY (ARRAY['test'::text, 'live'::text])) AND (refusals > 0)));
CREATE INDEX "card_testing_alerts_mode_createdAt_id_idx" ON public.card_testing_alerts USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "card_testing_alerts_partnerId_mode_createdAt_id_idx" ON public.card_testing_alerts USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "card_testing_alerts_platformAccountId_day_bin_last4_key" ON public.card_testing_alerts USING btree ("platformAccountId", day, bin, last4);
CREATE INDEX card_testing_alerts_day_idx ON public.card_testing_alerts USING btree (day);
ALTER TABLE public.card_testing_alerts ADD CONSTRAINT "card_testing_alerts_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.client_sessions (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  "customerId" text,
  amount bigint,
  currency text,
  origins text[],
  "secretHash" text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  token text,
  "cardId" text,
  "completedAt" timestamp(3) with time zone,
  "expiresAt" timestamp(3) with time zone NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.client_sessions ADD CONSTRAINT client_sessions_pkey PRIMARY KEY (id);
ALTER TABLE public.client_sessions ADD CONSTRAINT client_sessions_values CHECK (((mode = ANY (ARRAY['test'::text, 'live'::text])) AND ((amount IS NULL) = (currency IS NULL)) AND (amount > 0) AND ((cardinality(origins) >= 1) AND (cardinality(origins) <= 10)) AND ((attempts >= 0) AND (attempts <= 10)) AND ((token IS NULL) = ("completedAt" IS NULL)) AND ((token IS NULL) = ("cardId" IS NULL))));
CREATE INDEX "client_sessions_cardId_idx" ON public.client_sessions USING btree ("cardId");
CREATE INDEX "client_sessions_expiresAt_idx" ON public.client_sessions USING btree ("expiresAt");
ALTER TABLE public.client_sessions ADD CONSTRAINT "client_sessions_customerId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", mode) REFERENCES customers(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE public.client_sessions ADD CONSTRAINT "client_sessions_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.connect_attempts (
  id text NOT NULL,
  "stateHash" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "processorId" text NOT NULL,
  verifier text NOT NULL,
  "returnUrl" text,
  "isFromOnboarding" boolean NOT NULL,
  "actorKind" text NOT NULL,
  "actorId" text NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "expiresAt" timestamp(3) with time zone NOT NULL,
  "usedAt" timestamp(3) with time zone
);
ALTER TABLE public.connect_attempts ADD CONSTRAINT connect_attempts_pkey PRIMARY KEY (id);
CREATE INDEX "connect_attempts_createdAt_idx" ON public.connect_attempts USING btree ("createdAt");
CREATE UNIQUE INDEX "connect_attempts_stateHash_key" ON public.connect_attempts USING btree ("stateHash");
ALTER TABLE public.connect_attempts ADD CONSTRAINT "connect_attempts_processorId_platformAccountId_partnerId_m_fkey" FOREIGN KEY ("processorId", "platformAccountId", "partnerId", mode) REFERENCES processors(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.customers (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  email text NOT NULL,
  "emailLower" text NOT NULL,
  "firstName" text,
  "lastName" text,
  phone text,
  tags text[] NOT NULL DEFAULT ARRAY[]::text[],
  "billingAddress" jsonb,
  "shippingAddress" jsonb,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  "lastOrderId" text,
  "paymentInstrumentCardLast4" text,
  sequence integer NOT NULL DEFAULT 0,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  "testClockId" text,
  "guestSessionId" text,
  "deletedAt" timestamp(3) with time zone
);
ALTER TABLE public.customers ADD CONSTRAINT customers_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX "customers_id_platformAccountId_partnerId_mode_key" ON public.customers USING btree (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "customers_mode_createdAt_id_idx" ON public.customers USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "customers_partnerId_mode_createdAt_id_idx" ON public.customers USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "customers_partnerId_mode_emailLower_id_idx" ON public.customers USING btree ("partnerId", mode, "emailLower", id);
CREATE INDEX "customers_partnerId_mode_firstName_id_idx" ON public.customers USING btree ("partnerId", mode, "firstName", id);
CREATE INDEX "customers_partnerId_mode_lastName_id_idx" ON public.customers USING btree ("partnerId", mode, "lastName", id);
CREATE INDEX "customers_platformAccountId_createdAt_id_idx" ON public.customers USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "customers_platformAccountId_emailLower_id_idx" ON public.customers USING btree ("platformAccountId", "emailLower", id);
CREATE INDEX "customers_platformAccountId_firstName_id_idx" ON public.customers USING btree ("platformAccountId", "firstName", id);
CREATE INDEX "customers_platformAccountId_lastName_id_idx" ON public.customers USING btree ("platformAccountId", "lastName", id);
CREATE INDEX "customers_storeId_createdAt_id_idx" ON public.customers USING btree ("storeId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX customers_of_merchant ON public.customers USING btree ("storeId", "emailLower") WHERE ("guestSessionId" IS NULL);
CREATE UNIQUE INDEX customers_of_session ON public.customers USING btree ("guestSessionId", "emailLower") WHERE ("guestSessionId" IS NOT NULL);
CREATE INDEX customers_phone ON public.customers USING btree ("partnerId", mode, phone) WHERE (phone IS NOT NULL);
ALTER TABLE public.customers ADD CONSTRAINT "customers_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.customers ADD CONSTRAINT "customers_testClockId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("testClockId", "platformAccountId", "partnerId", mode) REFERENCES test_clocks(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
CREATE TRIGGER customers_added AFTER INSERT ON public.customers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER customers_removed AFTER DELETE ON public.customers REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

CREATE TABLE public.deferred_charges (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "subscriptionId" text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  "dueAt" timestamp(3) with time zone NOT NULL,
  reason text NOT NULL,
  status text NOT NULL DEFAULT 'deferred'::text,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.deferred_charges ADD CONSTRAINT deferred_charges_pkey PRIMARY KEY (id);
ALTER TABLE public.deferred_charges ADD CONSTRAINT deferred_charges_values CHECK (((amount >= 0) AND (reason = ANY (ARRAY['partner_suspended'::text, 'partner_offboarded'::text, 'account_suspended'::text, 'account_closed'::text, 'account_not_approved'::text])) AND (status = ANY (ARRAY['deferred'::text, 'charged'::text, 'skipped'::text, 'canceled'::text]))));
CREATE INDEX "deferred_charges_mode_createdAt_id_idx" ON public.deferred_charges USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "deferred_charges_partnerId_mode_createdAt_id_idx" ON public.deferred_charges USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "deferred_charges_platformAccountId_createdAt_id_idx" ON public.deferred_charges USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "deferred_charges_subscriptionId_dueAt_key" ON public.deferred_charges USING btree ("subscriptionId", "dueAt");
ALTER TABLE public.deferred_charges ADD CONSTRAINT "deferred_charges_subscriptionId_platformAccountId_partnerI_fkey" FOREIGN KEY ("subscriptionId", "platformAccountId", "partnerId", mode) REFERENCES subscriptions(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;

CREATE TABLE public.disputes (
  id text NOT NULL,
  "paymentId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  "processorId" text NOT NULL,
  "processorReference" text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  reason text NOT NULL,
  "evidenceDueAt" timestamp(3) with time zone,
  "closedAt" timestamp(3) with time zone,
  sequence integer NOT NULL DEFAULT 0,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  "reportedAt" timestamp(3) with time zone
);
ALTER TABLE public.disputes ADD CONSTRAINT disputes_amount CHECK ((amount <= '9000000000000000'::bigint));
ALTER TABLE public.disputes ADD CONSTRAINT disputes_pkey PRIMARY KEY (id);
ALTER TABLE public.disputes ADD CONSTRAINT disputes_values CHECK (((status = ANY (ARRAY['needs_response'::text, 'under_review'::text, 'won'::text, 'lost'::text])) AND (amount > 0) AND ((status = ANY (ARRAY['won'::text, 'lost'::text])) = ("closedAt" IS NOT NULL))));
CREATE INDEX "disputes_mode_createdAt_id_idx" ON public.disputes USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "disputes_mode_evidenceDueAt_id_idx" ON public.disputes USING btree (mode, "evidenceDueAt", id);
CREATE INDEX "disputes_partnerId_mode_createdAt_id_idx" ON public.disputes USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "disputes_partnerId_mode_evidenceDueAt_id_idx" ON public.disputes USING btree ("partnerId", mode, "evidenceDueAt", id);
CREATE INDEX "disputes_paymentId_createdAt_id_idx" ON public.disputes USING btree ("paymentId", "createdAt", id);
CREATE INDEX "disputes_platformAccountId_createdAt_id_idx" ON public.disputes USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "disputes_platformAccountId_evidenceDueAt_id_idx" ON public.disputes USING btree ("platformAccountId", "evidenceDueAt", id);
CREATE UNIQUE INDEX "disputes_processorReference_processorId_key" ON public.disputes USING btree ("processorReference", "processorId");
CREATE INDEX "disputes_storeId_createdAt_id_idx" ON public.disputes USING btree ("storeId", "createdAt" DESC, id DESC);
ALTER TABLE public.disputes ADD CONSTRAINT "disputes_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER disputes_added AFTER INSERT ON public.disputes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER disputes_are_of_their_money BEFORE UPDATE OF amount, currency, "paymentId" ON public.disputes FOR EACH ROW WHEN (((new."paymentId" IS DISTINCT FROM old."paymentId") OR (((new.amount IS DISTINCT FROM old.amount) OR (new.currency IS DISTINCT FROM old.currency)) AND (new.sequence <= old.sequence)))) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER disputes_changed_late AFTER UPDATE ON public.disputes FOR EACH ROW WHEN (((new."createdAt" < (now() - '00:30:00'::interval)) AND ((new.amount IS DISTINCT FROM old.amount) OR (new.currency IS DISTINCT FROM old.currency)))) EXECUTE FUNCTION counters.mark_figures();
CREATE TRIGGER disputes_late AFTER INSERT ON public.disputes FOR EACH ROW WHEN ((new."createdAt" < (now() - '00:30:00'::interval))) EXECUTE FUNCTION counters.mark_figures();
CREATE TRIGGER disputes_removed AFTER DELETE ON public.disputes REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER disputes_stay_decided BEFORE UPDATE OF status ON public.disputes FOR EACH ROW WHEN (((old.status = ANY (ARRAY['won'::text, 'lost'::text])) AND (new.status IS DISTINCT FROM old.status) AND (new.sequence <= old.sequence))) EXECUTE FUNCTION refuse_to_reopen_dispute();

CREATE TABLE public.ended_sessions (
  "sessionId" text NOT NULL,
  "userId" text NOT NULL,
  at timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.ended_sessions ADD CONSTRAINT ended_sessions_pkey PRIMARY KEY ("sessionId");
CREATE INDEX ended_sessions_at_idx ON public.ended_sessions USING btree (at);

CREATE TABLE public.events (
  id text NOT NULL,
  type text NOT NULL,
  mode text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  "storeId" text,
  "objectId" text NOT NULL,
  sequence integer NOT NULL,
  "requestId" text NOT NULL,
  data jsonb NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "testClockId" text
);
ALTER TABLE public.events ADD CONSTRAINT events_pkey PRIMARY KEY (id);
CREATE INDEX "events_mode_createdAt_id_idx" ON public.events USING btree (mode, "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "events_objectId_sequence_key" ON public.events USING btree ("objectId", sequence);
CREATE INDEX "events_partnerId_mode_createdAt_id_idx" ON public.events USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "events_platformAccountId_createdAt_id_idx" ON public.events USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX events_by_type ON public.events USING btree (mode, type, "createdAt" DESC, id DESC) WHERE (type <> ALL (ARRAY['payment/created'::text, 'payment/succeeded'::text]));
CREATE TRIGGER events_added AFTER INSERT ON public.events REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER events_are_in_order BEFORE INSERT ON public.events FOR EACH ROW WHEN ((new.sequence > 1)) EXECUTE FUNCTION order_event();
CREATE TRIGGER events_are_not_emptied BEFORE TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_removed AFTER DELETE ON public.events REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER events_stay BEFORE DELETE OR UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION refuse_change_but_erasure();
CREATE TRIGGER events_to_webhooks AFTER INSERT ON public.events REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_webhook_deliveries();

CREATE TABLE public.funnel_events (
  "sessionId" text NOT NULL,
  "eventId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  type text NOT NULL,
  "fromStepId" text NOT NULL,
  "toStepId" text NOT NULL,
  "variantId" text,
  "paymentId" text,
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.funnel_events ADD CONSTRAINT funnel_events_pkey PRIMARY KEY ("sessionId", "eventId");
CREATE UNIQUE INDEX "funnel_events_paymentId_key" ON public.funnel_events USING btree ("paymentId");
ALTER TABLE public.funnel_events ADD CONSTRAINT "funnel_events_sessionId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("sessionId", "platformAccountId", "partnerId", mode) REFERENCES funnel_sessions(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER funnel_events_are_not_emptied BEFORE TRUNCATE ON public.funnel_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER funnel_events_stay BEFORE DELETE OR UPDATE ON public.funnel_events FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE public.funnel_orders (
  "orderId" text NOT NULL,
  "sessionId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "stepId" text NOT NULL,
  "variantId" text,
  kind text NOT NULL,
  open boolean NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.funnel_orders ADD CONSTRAINT funnel_orders_pkey PRIMARY KEY ("orderId");
ALTER TABLE public.funnel_orders ADD CONSTRAINT funnel_orders_values CHECK ((kind = ANY (ARRAY['checkout'::text, 'offer'::text])));
CREATE UNIQUE INDEX "funnel_orders_orderId_platformAccountId_partnerId_mode_key" ON public.funnel_orders USING btree ("orderId", "platformAccountId", "partnerId", mode);
CREATE UNIQUE INDEX "funnel_orders_sessionId_stepId_key" ON public.funnel_orders USING btree ("sessionId", "stepId");
CREATE INDEX funnel_orders_open ON public.funnel_orders USING btree ("createdAt") WHERE open;
ALTER TABLE public.funnel_orders ADD CONSTRAINT "funnel_orders_orderId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("orderId", "platformAccountId", "partnerId", mode) REFERENCES orders(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.funnel_orders ADD CONSTRAINT "funnel_orders_sessionId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("sessionId", "platformAccountId", "partnerId", mode) REFERENCES funnel_sessions(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.funnel_sessions (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  "funnelId" text NOT NULL,
  version integer NOT NULL,
  "customerId" text,
  "paymentInstrumentId" text,
  "variantKey" text NOT NULL,
  "tokenHash" text NOT NULL,
  "currentStepId" text NOT NULL,
  "variantId" text,
  status text NOT NULL,
  moves integer NOT NULL DEFAULT 0,
  "convertedAt" timestamp(3) with time zone,
  "expiresAt" timestamp(3) with time zone NOT NULL,
  sequence integer NOT NULL DEFAULT 0,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.funnel_sessions ADD CONSTRAINT funnel_sessions_pkey PRIMARY KEY (id);
ALTER TABLE public.funnel_sessions ADD CONSTRAINT funnel_sessions_values CHECK (((status = ANY (ARRAY['active'::text, 'completed'::text, 'abandoned'::text])) AND (moves >= 0) AND (sequence >= 0)));
CREATE UNIQUE INDEX "funnel_sessions_id_platformAccountId_partnerId_mode_key" ON public.funnel_sessions USING btree (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "funnel_sessions_status_expiresAt_idx" ON public.funnel_sessions USING btree (status, "expiresAt");
CREATE UNIQUE INDEX "funnel_sessions_tokenHash_key" ON public.funnel_sessions USING btree ("tokenHash");
ALTER TABLE public.funnel_sessions ADD CONSTRAINT "funnel_sessions_customerId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", mode) REFERENCES customers(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE public.funnel_sessions ADD CONSTRAINT "funnel_sessions_funnelId_version_platformAccountId_partner_fkey" FOREIGN KEY ("funnelId", version, "platformAccountId", "partnerId", mode) REFERENCES funnel_versions("funnelId", version, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.funnel_sessions ADD CONSTRAINT "funnel_sessions_paymentInstrumentId_platformAccountId_part_fkey" FOREIGN KEY ("paymentInstrumentId", "platformAccountId", "partnerId", mode) REFERENCES payment_instruments(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE public.funnel_sessions ADD CONSTRAINT "funnel_sessions_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.funnel_versions (
  "funnelId" text NOT NULL,
  version integer NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  nodes jsonb NOT NULL,
  edges jsonb NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.funnel_versions ADD CONSTRAINT funnel_versions_pkey PRIMARY KEY ("funnelId", version);
CREATE UNIQUE INDEX "funnel_versions_funnelId_version_platformAccountId_partnerI_key" ON public.funnel_versions USING btree ("funnelId", version, "platformAccountId", "partnerId", mode);
ALTER TABLE public.funnel_versions ADD CONSTRAINT "funnel_versions_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER funnel_versions_are_not_emptied BEFORE TRUNCATE ON public.funnel_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER funnel_versions_stay BEFORE UPDATE ON public.funnel_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE public.funnels (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  name text NOT NULL,
  "isDefault" boolean NOT NULL,
  version integer NOT NULL,
  nodes jsonb NOT NULL,
  edges jsonb NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.funnels ADD CONSTRAINT funnels_pkey PRIMARY KEY (id);
ALTER TABLE public.funnels ADD CONSTRAINT funnels_values CHECK (((version >= 1) AND (jsonb_typeof(nodes) = 'array'::text) AND (jsonb_typeof(edges) = 'array'::text)));
CREATE UNIQUE INDEX "funnels_id_platformAccountId_partnerId_mode_key" ON public.funnels USING btree (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "funnels_mode_createdAt_id_idx" ON public.funnels USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "funnels_partnerId_mode_createdAt_id_idx" ON public.funnels USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "funnels_partnerId_mode_name_id_idx" ON public.funnels USING btree ("partnerId", mode, name, id);
CREATE INDEX "funnels_platformAccountId_createdAt_id_idx" ON public.funnels USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "funnels_platformAccountId_name_id_idx" ON public.funnels USING btree ("platformAccountId", name, id);
CREATE INDEX "funnels_storeId_createdAt_id_idx" ON public.funnels USING btree ("storeId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX funnels_default_of_store ON public.funnels USING btree ("storeId") WHERE "isDefault";
ALTER TABLE public.funnels ADD CONSTRAINT "funnels_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER funnels_added AFTER INSERT ON public.funnels REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER funnels_removed AFTER DELETE ON public.funnels REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

CREATE TABLE public.iam_org_members (
  "organizationId" text NOT NULL,
  "userId" text NOT NULL,
  role text NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.iam_org_members ADD CONSTRAINT iam_org_members_pkey PRIMARY KEY ("organizationId", "userId");
CREATE INDEX "iam_org_members_userId_idx" ON public.iam_org_members USING btree ("userId");

CREATE TABLE public.iam_users (
  "idpUserId" text NOT NULL,
  email text NOT NULL,
  "emailLower" text NOT NULL,
  "emailVerified" boolean NOT NULL DEFAULT false,
  "platformRoles" text[] NOT NULL DEFAULT ARRAY[]::text[],
  "whitelabelOwnership" text,
  banned boolean NOT NULL DEFAULT false,
  "deletedAt" timestamp(3) with time zone,
  "idpUpdatedAt" timestamp(3) with time zone NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.iam_users ADD CONSTRAINT iam_users_pkey PRIMARY KEY ("idpUserId");
ALTER TABLE public.iam_users ADD CONSTRAINT iam_users_values CHECK (("emailLower" = lower(email)));
CREATE INDEX "iam_users_createdAt_idpUserId_idx" ON public.iam_users USING btree ("createdAt" DESC, "idpUserId" DESC);
CREATE INDEX "iam_users_emailLower_idx" ON public.iam_users USING btree ("emailLower");
CREATE INDEX "iam_users_whitelabelOwnership_createdAt_idpUserId_idx" ON public.iam_users USING btree ("whitelabelOwnership", "createdAt" DESC, "idpUserId" DESC);
CREATE INDEX iam_users_internal ON public.iam_users USING btree ("createdAt" DESC, "idpUserId" DESC) WHERE (("deletedAt" IS NULL) AND ("whitelabelOwnership" IS NULL) AND ("platformRoles" <> '{}'::text[]));
CREATE TRIGGER users_added AFTER INSERT ON public.iam_users REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION counters.count_users();
CREATE TRIGGER users_changed AFTER UPDATE ON public.iam_users REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION counters.count_users();
CREATE TRIGGER users_removed AFTER DELETE ON public.iam_users REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_users();

CREATE TABLE public.idempotency_records (
  owner text NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  "requestHash" text NOT NULL,
  "subjectId" text,
  answer json,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "runsUntil" timestamp(3) with time zone
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000);
ALTER TABLE public.idempotency_records ADD CONSTRAINT idempotency_records_pkey PRIMARY KEY (owner, operation, key);
CREATE INDEX "idempotency_records_createdAt_idx" ON public.idempotency_records USING btree ("createdAt");
CREATE INDEX idempotency_records_running ON public.idempotency_records USING btree ("subjectId") WHERE (answer IS NULL);

CREATE TABLE public.idp_processed_events (
  id text NOT NULL,
  type text NOT NULL,
  at timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.idp_processed_events ADD CONSTRAINT idp_processed_events_pkey PRIMARY KEY (id);
CREATE INDEX idp_processed_events_at_idx ON public.idp_processed_events USING btree (at);

CREATE TABLE public.idp_versions (
  subject text NOT NULL,
  at timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.idp_versions ADD CONSTRAINT idp_versions_pkey PRIMARY KEY (subject);

CREATE TABLE public.kyb_requirements (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  code text NOT NULL,
  status text NOT NULL DEFAULT 'missing'::text,
  value text,
  "rejectionReason" text,
  "submittedAt" timestamp(3) with time zone,
  "reviewedAt" timestamp(3) with time zone
);
ALTER TABLE public.kyb_requirements ADD CONSTRAINT kyb_requirements_pkey PRIMARY KEY (id);
ALTER TABLE public.kyb_requirements ADD CONSTRAINT kyb_requirements_values CHECK (((status = ANY (ARRAY['missing'::text, 'submitted'::text, 'approved'::text, 'rejected'::text])) AND (code = ANY (ARRAY['business.legal_name'::text, 'business.registration_number'::text, 'business.tax_id'::text, 'business.address'::text, 'business.website'::text, 'business.mcc'::text, 'representative.identity'::text, 'representative.address'::text, 'banking.account'::text, 'documents.registration_extract'::text])) AND ((status = 'missing'::text) = (value IS NULL)) AND ((status = 'missing'::text) = ("submittedAt" IS NULL)) AND ((status = ANY (ARRAY['approved'::text, 'rejected'::text])) = ("reviewedAt" IS NOT NULL)) AND ((status = 'rejected'::text) = ("rejectionReason" IS NOT NULL))));
CREATE UNIQUE INDEX "kyb_requirements_platformAccountId_code_key" ON public.kyb_requirements USING btree ("platformAccountId", code);
CREATE INDEX kyb_requirements_by_key ON public.kyb_requirements USING btree (split_part(value, '.'::text, 2)) WHERE (value IS NOT NULL);
ALTER TABLE public.kyb_requirements ADD CONSTRAINT "kyb_requirements_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.orders (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  "customerId" text,
  amount bigint NOT NULL,
  currency text NOT NULL,
  items jsonb NOT NULL,
  status text NOT NULL,
  "paymentId" text,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  sequence integer NOT NULL DEFAULT 0,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.orders ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
ALTER TABLE public.orders ADD CONSTRAINT orders_values CHECK (((status = ANY (ARRAY['pending'::text, 'paid'::text, 'partially_refunded'::text, 'refunded'::text, 'failed'::text, 'canceled'::text])) AND ((amount >= 1) AND (amount <= '99999999999'::bigint)) AND ((status <> ALL (ARRAY['paid'::text, 'partially_refunded'::text, 'refunded'::text])) OR ("paymentId" IS NOT NULL))));
CREATE INDEX "orders_customerId_createdAt_id_idx" ON public.orders USING btree ("customerId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "orders_id_platformAccountId_partnerId_mode_key" ON public.orders USING btree (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "orders_mode_createdAt_id_idx" ON public.orders USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "orders_partnerId_mode_amount_id_idx" ON public.orders USING btree ("partnerId", mode, amount, id);
CREATE INDEX "orders_partnerId_mode_createdAt_id_idx" ON public.orders USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "orders_platformAccountId_amount_id_idx" ON public.orders USING btree ("platformAccountId", amount, id);
CREATE INDEX "orders_platformAccountId_createdAt_id_idx" ON public.orders USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "orders_storeId_createdAt_id_idx" ON public.orders USING btree ("storeId", "createdAt" DESC, id DESC);
ALTER TABLE public.orders ADD CONSTRAINT "orders_customerId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", mode) REFERENCES customers(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE public.orders ADD CONSTRAINT "orders_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER orders_added AFTER INSERT ON public.orders REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER orders_removed AFTER DELETE ON public.orders REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

CREATE TABLE public.organizations (
  "accountId" text NOT NULL,
  "organizationId" text,
  name text NOT NULL,
  slug text,
  kind text NOT NULL,
  "partnerId" text,
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.organizations ADD CONSTRAINT organizations_pkey PRIMARY KEY ("accountId");
ALTER TABLE public.organizations ADD CONSTRAINT organizations_values CHECK ((kind = ANY (ARRAY['self_serve'::text, 'partner_managed'::text])));
CREATE UNIQUE INDEX "organizations_organizationId_key" ON public.organizations USING btree ("organizationId");
CREATE INDEX "organizations_partnerId_createdAt_accountId_idx" ON public.organizations USING btree ("partnerId", "createdAt" DESC, "accountId" DESC);
CREATE UNIQUE INDEX organizations_slug_key ON public.organizations USING btree (slug);
ALTER TABLE public.organizations ADD CONSTRAINT "organizations_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE CASCADE ON DELETE SET NULL;

CREATE TABLE public.partner_key_requests (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  label text NOT NULL,
  "keyExpiresAt" timestamp(3) with time zone,
  "allowedIps" text[] NOT NULL,
  reason text NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  "requestedBy" text NOT NULL,
  "requestedByEmail" text NOT NULL,
  "decidedBy" text,
  "decidedByEmail" text,
  "decisionReason" text,
  "decidedAt" timestamp(3) with time zone,
  "keyId" text,
  "expiresAt" timestamp(3) with time zone NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.partner_key_requests ADD CONSTRAINT partner_key_requests_pkey PRIMARY KEY (id);
ALTER TABLE public.partner_key_requests ADD CONSTRAINT partner_key_requests_values CHECK (((mode = ANY (ARRAY['test'::text, 'live'::text])) AND (status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text, 'issued'::text])) AND ((status = 'pending'::text) = ("decidedAt" IS NULL)) AND ((status = 'issued'::text) = ("keyId" IS NOT NULL))));
CREATE INDEX "partner_key_requests_mode_createdAt_id_idx" ON public.partner_key_requests USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "partner_key_requests_partnerId_mode_createdAt_id_idx" ON public.partner_key_requests USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
ALTER TABLE public.partner_key_requests ADD CONSTRAINT "partner_key_requests_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

CREATE TABLE public.partner_logos (
  "partnerId" text NOT NULL,
  file text NOT NULL,
  content bytea NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.partner_logos ADD CONSTRAINT partner_logos_pkey PRIMARY KEY ("partnerId");
ALTER TABLE public.partner_logos ADD CONSTRAINT partner_logos_values CHECK (((file ~ '^[0-9a-f]{64}-[0-9]{2,4}x[0-9]{2,4}\.(png|jpg|webp)$'::text) AND ((octet_length(content) >= 1) AND (octet_length(content) <= 32768))));
CREATE INDEX partner_logos_file_idx ON public.partner_logos USING btree (file);
ALTER TABLE public.partner_logos ADD CONSTRAINT "partner_logos_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.partner_memberships (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "userId" text,
  email text NOT NULL,
  "emailLower" text NOT NULL,
  roles text[] NOT NULL DEFAULT ARRAY[]::text[],
  status text NOT NULL,
  "invitationId" text,
  "invitedAt" timestamp(3) with time zone NOT NULL,
  "joinedAt" timestamp(3) with time zone,
  "revokedAt" timestamp(3) with time zone,
  "invitedBy" text
);
ALTER TABLE public.partner_memberships ADD CONSTRAINT partner_memberships_pkey PRIMARY KEY (id);
ALTER TABLE public.partner_memberships ADD CONSTRAINT partner_memberships_values CHECK (((status = ANY (ARRAY['pending'::text, 'active'::text, 'revoked'::text])) AND ("emailLower" = lower(email)) AND ((status = 'active'::text) <= (("userId" IS NOT NULL) AND ("joinedAt" IS NOT NULL))) AND ((status = 'revoked'::text) = ("revokedAt" IS NOT NULL)) AND (("invitationId" IS NULL) OR (status = 'pending'::text))));
CREATE INDEX "partner_memberships_emailLower_idx" ON public.partner_memberships USING btree ("emailLower");
CREATE UNIQUE INDEX "partner_memberships_partnerId_emailLower_key" ON public.partner_memberships USING btree ("partnerId", "emailLower");
CREATE INDEX "partner_memberships_partnerId_invitedAt_id_idx" ON public.partner_memberships USING btree ("partnerId", "invitedAt" DESC, id DESC);
CREATE INDEX "partner_memberships_userId_idx" ON public.partner_memberships USING btree ("userId");
ALTER TABLE public.partner_memberships ADD CONSTRAINT "partner_memberships_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.partners (
  id text NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  branding jsonb NOT NULL DEFAULT '{}'::jsonb,
  preferences jsonb NOT NULL DEFAULT '{}'::jsonb,
  "commercialTerms" jsonb NOT NULL DEFAULT '{}'::jsonb,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.partners ADD CONSTRAINT partners_pkey PRIMARY KEY (id);
ALTER TABLE public.partners ADD CONSTRAINT partners_values CHECK (((status = ANY (ARRAY['onboarding'::text, 'active'::text, 'suspended'::text, 'offboarded'::text])) AND (slug ~ '^[a-z0-9-]{3,40}$'::text)));
CREATE UNIQUE INDEX partners_slug_key ON public.partners USING btree (slug);

CREATE TABLE public.payment_flow_routes (
  "flowId" text NOT NULL,
  kind text NOT NULL,
  "processorId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "position" integer NOT NULL,
  weight integer
);
ALTER TABLE public.payment_flow_routes ADD CONSTRAINT payment_flow_routes_pkey PRIMARY KEY ("flowId", kind, "processorId");
ALTER TABLE public.payment_flow_routes ADD CONSTRAINT payment_flow_routes_values CHECK ((((kind = 'weighted'::text) AND ((weight >= 1) AND (weight <= 10000))) OR ((kind = 'fallback'::text) AND (weight IS NULL) AND (("position" >= 0) AND ("position" <= 100)))));
CREATE INDEX "payment_flow_routes_processorId_idx" ON public.payment_flow_routes USING btree ("processorId");
CREATE UNIQUE INDEX payment_flow_routes_fallback_order ON public.payment_flow_routes USING btree ("flowId", "position") WHERE (kind = 'fallback'::text);
ALTER TABLE public.payment_flow_routes ADD CONSTRAINT "payment_flow_routes_flowId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("flowId", "platformAccountId", "partnerId", mode) REFERENCES payment_flows(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE public.payment_flow_routes ADD CONSTRAINT "payment_flow_routes_processorId_platformAccountId_partnerI_fkey" FOREIGN KEY ("processorId", "platformAccountId", "partnerId", mode) REFERENCES processors(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.payment_flows (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  name text NOT NULL,
  strategy text NOT NULL,
  "maxRetries" integer NOT NULL,
  sticky boolean NOT NULL,
  "threeDs" text NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.payment_flows ADD CONSTRAINT payment_flows_pkey PRIMARY KEY (id);
ALTER TABLE public.payment_flows ADD CONSTRAINT payment_flows_values CHECK (((strategy = ANY (ARRAY['simple'::text, 'cascade'::text])) AND (("maxRetries" >= 0) AND ("maxRetries" <= 10)) AND ("threeDs" = ANY (ARRAY['automatic'::text, 'force'::text, 'skip'::text])) AND (mode = ANY (ARRAY['test'::text, 'live'::text]))));
CREATE UNIQUE INDEX "payment_flows_id_platformAccountId_partnerId_mode_key" ON public.payment_flows USING btree (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "payment_flows_partnerId_mode_createdAt_id_idx" ON public.payment_flows USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "payment_flows_partnerId_mode_name_id_idx" ON public.payment_flows USING btree ("partnerId", mode, name, id);
CREATE INDEX "payment_flows_platformAccountId_createdAt_id_idx" ON public.payment_flows USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "payment_flows_platformAccountId_name_id_idx" ON public.payment_flows USING btree ("platformAccountId", name, id);
ALTER TABLE public.payment_flows ADD CONSTRAINT "payment_flows_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER payment_flows_added AFTER INSERT ON public.payment_flows REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER payment_flows_removed AFTER DELETE ON public.payment_flows REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

CREATE TABLE public.payment_instruments (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  "customerId" text NOT NULL,
  type text NOT NULL DEFAULT 'card'::text,
  "cardId" text NOT NULL,
  brand text NOT NULL,
  last4 text NOT NULL,
  bin text NOT NULL,
  "expMonth" integer NOT NULL,
  "expYear" integer NOT NULL,
  funding text NOT NULL,
  fingerprint text NOT NULL,
  "isActive" boolean NOT NULL DEFAULT true,
  "isDefault" boolean NOT NULL DEFAULT false,
  sequence integer NOT NULL DEFAULT 0,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  "eraseNumberAt" timestamp(3) with time zone
);
ALTER TABLE public.payment_instruments ADD CONSTRAINT payment_instruments_default_is_active CHECK (("isActive" OR (NOT "isDefault")));
ALTER TABLE public.payment_instruments ADD CONSTRAINT payment_instruments_erased CHECK ((("eraseNumberAt" IS NULL) OR (NOT "isActive")));
ALTER TABLE public.payment_instruments ADD CONSTRAINT payment_instruments_pkey PRIMARY KEY (id);
CREATE INDEX "payment_instruments_cardId_idx" ON public.payment_instruments USING btree ("cardId");
CREATE INDEX "payment_instruments_customerId_createdAt_id_idx" ON public.payment_instruments USING btree ("customerId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "payment_instruments_id_platformAccountId_partnerId_mode_key" ON public.payment_instruments USING btree (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "payment_instruments_mode_createdAt_id_idx" ON public.payment_instruments USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "payment_instruments_partnerId_mode_createdAt_id_idx" ON public.payment_instruments USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "payment_instruments_partnerId_mode_last4_createdAt_id_idx" ON public.payment_instruments USING btree ("partnerId", mode, last4, "createdAt" DESC, id DESC);
CREATE INDEX "payment_instruments_platformAccountId_createdAt_id_idx" ON public.payment_instruments USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX payment_instruments_fingerprint_idx ON public.payment_instruments USING btree (fingerprint);
CREATE UNIQUE INDEX payment_instruments_one_default ON public.payment_instruments USING btree ("customerId") WHERE "isDefault";
CREATE INDEX payment_instruments_to_erase ON public.payment_instruments USING btree ("eraseNumberAt") WHERE ("eraseNumberAt" IS NOT NULL);
ALTER TABLE public.payment_instruments ADD CONSTRAINT "payment_instruments_customerId_platformAccountId_partnerId_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", mode) REFERENCES customers(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.payment_instruments ADD CONSTRAINT "payment_instruments_storeId_platformAccountId_partnerId_mo_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER payment_instruments_added AFTER INSERT ON public.payment_instruments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER payment_instruments_removed AFTER DELETE ON public.payment_instruments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

CREATE TABLE public.payments (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  "customerId" text NOT NULL,
  "paymentInstrumentId" text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  "capturedAmount" bigint NOT NULL DEFAULT 0,
  "refundedAmount" bigint NOT NULL DEFAULT 0,
  status text NOT NULL,
  "subStatus" text,
  "failureCode" text,
  "failureMessage" text,
  "requireAction" text,
  "requireActionData" jsonb,
  "actionExpiresAt" timestamp(3) with time zone,
  "processorId" text,
  "initiatedBy" text NOT NULL DEFAULT 'customer'::text,
  "reasonType" text,
  "threeDs" text NOT NULL DEFAULT 'automatic'::text,
  "returnUrl" text,
  "billingAddress" jsonb,
  "shippingAddress" jsonb,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  "cardLast4" text NOT NULL,
  "customerEmailLower" text NOT NULL,
  sequence integer NOT NULL DEFAULT 0,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  "authorizationExpiresAt" timestamp(3) with time zone,
  "reservedAmount" bigint NOT NULL DEFAULT 0,
  "voidedAt" timestamp(3) with time zone,
  "orderId" text,
  cascade jsonb,
  "paymentFlowId" text,
  "disputedAmount" bigint NOT NULL DEFAULT 0,
  "testClockId" text,
  "subscriptionId" text,
  "subscriptionPeriod" integer,
  "foreignDisputes" integer NOT NULL DEFAULT 0
) WITH (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000);
ALTER TABLE public.payments ADD CONSTRAINT payments_amounts_fit_status CHECK (
CASE status
    WHEN 'succeeded'::text THEN (("capturedAmount" > 0) AND ("refundedAmount" = 0))
    WHEN 'partially_refunded'::text THEN (("refundedAmount" > 0) AND ("refundedAmount" < "capturedAmount"))
    WHEN 'refunded'::text THEN (("refundedAmount" > 0) AND ("refundedAmount" = "capturedAmount"))
    ELSE ("capturedAmount" = 0)
END);
ALTER TABLE public.payments ADD CONSTRAINT payments_cascade CHECK (((cascade IS NULL) OR ((jsonb_typeof(cascade) = 'array'::text) AND ("subStatus" = 'processing'::text) AND ("processorId" IS NOT NULL))));
ALTER TABLE public.payments ADD CONSTRAINT payments_disputed_amount CHECK (("disputedAmount" <= '9000000000000000'::bigint));
ALTER TABLE public.payments ADD CONSTRAINT payments_money CHECK (((amount >= 1) AND (amount <= '99999999999'::bigint) AND (("capturedAmount" >= 0) AND ("capturedAmount" <= amount)) AND ("refundedAmount" >= 0) AND ("reservedAmount" >= 0) AND ("disputedAmount" >= 0) AND ("foreignDisputes" >= 0) AND (("refundedAmount" + "reservedAmount") <= "capturedAmount")));
ALTER TABLE public.payments ADD CONSTRAINT payments_period_of_subscription CHECK ((("subscriptionPeriod" IS NULL) OR ("subscriptionId" IS NOT NULL)));
ALTER TABLE public.payments ADD CONSTRAINT payments_pkey PRIMARY KEY (id);
ALTER TABLE public.payments ADD CONSTRAINT payments_values CHECK (((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'declined'::text, 'failed'::text, 'partially_refunded'::text, 'refunded'::text])) AND (("subStatus" IS NULL) OR ("subStatus" = ANY (ARRAY['captured'::text, 'authorized'::text, 'requires_action'::text, 'processing'::text, 'voided'::text, 'expired'::text, 'authentication_expired'::text, 'processing_error'::text]))) AND (("failureCode" IS NULL) OR ("failureCode" = ANY (ARRAY['card_declined'::text, 'insufficient_funds'::text, 'lost_card'::text, 'expired_card'::text, 'incorrect_cvc'::text, 'processing_error'::text, 'authentication_failed'::text, 'blocked_by_rule'::text, 'no_processor'::text]))) AND ("initiatedBy" = ANY (ARRAY['customer'::text, 'merchant'::text])) AND ("threeDs" = ANY (ARRAY['automatic'::text, 'force'::text, 'skip'::text]))));
CREATE INDEX "payments_customerId_createdAt_id_idx" ON public.payments USING btree ("customerId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "payments_id_platformAccountId_partnerId_mode_key" ON public.payments USING btree (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "payments_mode_createdAt_id_idx" ON public.payments USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "payments_partnerId_mode_amount_id_idx" ON public.payments USING btree ("partnerId", mode, amount, id);
CREATE INDEX "payments_partnerId_mode_createdAt_id_idx" ON public.payments USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "payments_partnerId_mode_status_id_idx" ON public.payments USING btree ("partnerId", mode, status, id);
CREATE INDEX "payments_platformAccountId_amount_id_idx" ON public.payments USING btree ("platformAccountId", amount, id);
CREATE INDEX "payments_platformAccountId_createdAt_id_idx" ON public.payments USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "payments_platformAccountId_status_id_idx" ON public.payments USING btree ("platformAccountId", status, id);
CREATE INDEX "payments_storeId_createdAt_id_idx" ON public.payments USING btree ("storeId", "createdAt" DESC, id DESC);
CREATE INDEX payments_authorized ON public.payments USING btree ("authorizationExpiresAt") WHERE ("subStatus" = 'authorized'::text);
CREATE INDEX payments_challenged ON public.payments USING btree ("actionExpiresAt") WHERE ("subStatus" = 'requires_action'::text);
CREATE INDEX payments_of_order ON public.payments USING btree ("orderId") WHERE ("orderId" IS NOT NULL);
CREATE INDEX payments_of_subscription ON public.payments USING btree ("subscriptionId", "createdAt" DESC, id DESC) WHERE ("subscriptionId" IS NOT NULL);
CREATE INDEX payments_on_test_clocks ON public.payments USING btree ("testClockId") WHERE ("testClockId" IS NOT NULL);
CREATE UNIQUE INDEX payments_one_a_period ON public.payments USING btree ("subscriptionId", "subscriptionPeriod") WHERE (("subscriptionPeriod" IS NOT NULL) AND (status <> ALL (ARRAY['declined'::text, 'failed'::text])));
CREATE INDEX payments_refused ON public.payments USING btree (mode, "failureCode", "createdAt" DESC, id DESC) WHERE ("failureCode" IS NOT NULL);
ALTER TABLE public.payments ADD CONSTRAINT "payments_customerId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", mode) REFERENCES customers(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.payments ADD CONSTRAINT "payments_orderId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("orderId", "platformAccountId", "partnerId", mode) REFERENCES orders(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE public.payments ADD CONSTRAINT "payments_paymentInstrumentId_platformAccountId_partnerId_m_fkey" FOREIGN KEY ("paymentInstrumentId", "platformAccountId", "partnerId", mode) REFERENCES payment_instruments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.payments ADD CONSTRAINT "payments_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.payments ADD CONSTRAINT "payments_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.payments ADD CONSTRAINT "payments_subscriptionId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("subscriptionId", "platformAccountId", "partnerId", mode) REFERENCES subscriptions(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE public.payments ADD CONSTRAINT "payments_testClockId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("testClockId", "platformAccountId", "partnerId", mode) REFERENCES test_clocks(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
CREATE TRIGGER payments_added AFTER INSERT ON public.payments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER payments_changed_late AFTER UPDATE ON public.payments FOR EACH ROW WHEN (((new."createdAt" < (now() - '00:30:00'::interval)) AND ((new."processorId" IS DISTINCT FROM old."processorId") OR (new."failureCode" IS DISTINCT FROM old."failureCode") OR (((new.status IS DISTINCT FROM old.status) OR (new."subStatus" IS DISTINCT FROM old."subStatus")) AND (NOT ((new.status = ANY (ARRAY['succeeded'::text, 'partially_refunded'::text, 'refunded'::text])) AND (old.status = ANY (ARRAY['succeeded'::text, 'partially_refunded'::text, 'refunded'::text])))))))) EXECUTE FUNCTION counters.mark_figures();
CREATE TRIGGER payments_late AFTER INSERT ON public.payments FOR EACH ROW WHEN ((new."createdAt" < (now() - '00:30:00'::interval))) EXECUTE FUNCTION counters.mark_figures();
CREATE TRIGGER payments_refunded_of_funnels AFTER UPDATE OF "refundedAmount" ON public.payments FOR EACH ROW WHEN ((new."refundedAmount" <> old."refundedAmount")) EXECUTE FUNCTION counters.count_funnel_refund();
CREATE TRIGGER payments_removed AFTER DELETE ON public.payments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER payments_stay_final BEFORE UPDATE OF status, "subStatus", "capturedAmount", "refundedAmount" ON public.payments FOR EACH ROW WHEN (((old.status = ANY (ARRAY['declined'::text, 'failed'::text, 'refunded'::text])) AND ((new.status IS DISTINCT FROM old.status) OR (new."subStatus" IS DISTINCT FROM old."subStatus") OR (new."capturedAmount" IS DISTINCT FROM old."capturedAmount") OR (new."refundedAmount" IS DISTINCT FROM old."refundedAmount")) AND (NOT ((old.status = 'refunded'::text) AND (new.status = ANY (ARRAY['succeeded'::text, 'partially_refunded'::text])) AND (new."capturedAmount" = old."capturedAmount") AND (new."refundedAmount" < old."refundedAmount"))))) EXECUTE FUNCTION refuse_to_reopen();

CREATE TABLE public.pending_compensations (
  "organizationId" text NOT NULL,
  "partnerSlug" text,
  attempts integer NOT NULL DEFAULT 0,
  "lastError" text,
  "dueAt" timestamp(3) with time zone NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "revertingUntil" timestamp(3) with time zone
);
ALTER TABLE public.pending_compensations ADD CONSTRAINT pending_compensations_pkey PRIMARY KEY ("organizationId");
CREATE INDEX "pending_compensations_dueAt_idx" ON public.pending_compensations USING btree ("dueAt");

CREATE TABLE public.plugin_assets (
  "deploymentId" text NOT NULL,
  path text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "contentType" text NOT NULL,
  size integer NOT NULL,
  sha256 text NOT NULL
);
ALTER TABLE public.plugin_assets ADD CONSTRAINT plugin_assets_pkey PRIMARY KEY ("deploymentId", path);
ALTER TABLE public.plugin_assets ADD CONSTRAINT plugin_assets_values CHECK (((size >= 0) AND (sha256 ~ '^[0-9a-f]{64}$'::text) AND (path ~ '^[A-Za-z0-9._~@+-]+(/[A-Za-z0-9._~@+-]+)*$'::text) AND (path !~ '(^|/)\.\.?(/|$)'::text)));
CREATE INDEX "plugin_assets_platformAccountId_sha256_idx" ON public.plugin_assets USING btree ("platformAccountId", sha256);
ALTER TABLE public.plugin_assets ADD CONSTRAINT "plugin_assets_deploymentId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("deploymentId", "platformAccountId", "partnerId", mode) REFERENCES plugin_deployments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE public.plugin_assets ADD CONSTRAINT "plugin_assets_platformAccountId_sha256_fkey" FOREIGN KEY ("platformAccountId", sha256) REFERENCES plugin_blobs("platformAccountId", sha256) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.plugin_blobs (
  "platformAccountId" text NOT NULL,
  sha256 text NOT NULL,
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  content bytea NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.plugin_blobs ADD CONSTRAINT plugin_blobs_pkey PRIMARY KEY ("platformAccountId", sha256);
ALTER TABLE public.plugin_blobs ADD CONSTRAINT plugin_blobs_values CHECK ((sha256 = encode(sha256(content), 'hex'::text)));
ALTER TABLE public.plugin_blobs ADD CONSTRAINT "plugin_blobs_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.plugin_configurations (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "deploymentInstanceId" text NOT NULL,
  version integer NOT NULL,
  config json NOT NULL,
  reason text NOT NULL,
  "rolledBackTo" integer,
  "actorKind" text NOT NULL,
  "actorId" text NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.plugin_configurations ADD CONSTRAINT plugin_configurations_pkey PRIMARY KEY (id);
ALTER TABLE public.plugin_configurations ADD CONSTRAINT plugin_configurations_values CHECK (((version >= 1) AND (json_typeof(config) = 'object'::text) AND (reason = ANY (ARRAY['created'::text, 'updated'::text, 'rolledBack'::text])) AND ((reason = 'rolledBack'::text) = ("rolledBackTo" IS NOT NULL))));
CREATE UNIQUE INDEX "plugin_configurations_deploymentInstanceId_version_key" ON public.plugin_configurations USING btree ("deploymentInstanceId", version);
ALTER TABLE public.plugin_configurations ADD CONSTRAINT "plugin_configurations_deploymentInstanceId_platformAccount_fkey" FOREIGN KEY ("deploymentInstanceId", "platformAccountId", "partnerId", mode) REFERENCES plugin_instances(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE CASCADE;

CREATE TABLE public.plugin_deployments (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  "pluginId" text NOT NULL,
  version text NOT NULL,
  name text NOT NULL,
  manifest json NOT NULL,
  presets json NOT NULL DEFAULT '{}'::json,
  schema json,
  "uiSchema" json,
  "assetCount" integer NOT NULL,
  "assetBytes" integer NOT NULL,
  sequence integer NOT NULL DEFAULT 0,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.plugin_deployments ADD CONSTRAINT plugin_deployments_pkey PRIMARY KEY (id);
ALTER TABLE public.plugin_deployments ADD CONSTRAINT plugin_deployments_values CHECK (((length("pluginId") >= 1) AND (length("pluginId") <= 100) AND ((length(version) >= 5) AND (length(version) <= 100)) AND (("assetCount" >= 0) AND ("assetCount" <= 300)) AND ("assetBytes" >= 0) AND (sequence >= 0) AND (json_typeof(manifest) = 'object'::text) AND (json_typeof(presets) = 'object'::text) AND (COALESCE(json_typeof(schema), 'object'::text) = 'object'::text) AND (COALESCE(json_typeof("uiSchema"), 'object'::text) = 'object'::text)));
CREATE UNIQUE INDEX "plugin_deployments_id_platformAccountId_partnerId_mode_key" ON public.plugin_deployments USING btree (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "plugin_deployments_partnerId_mode_createdAt_id_idx" ON public.plugin_deployments USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "plugin_deployments_partnerId_mode_name_id_idx" ON public.plugin_deployments USING btree ("partnerId", mode, name, id);
CREATE INDEX "plugin_deployments_platformAccountId_createdAt_id_idx" ON public.plugin_deployments USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "plugin_deployments_platformAccountId_name_id_idx" ON public.plugin_deployments USING btree ("platformAccountId", name, id);
CREATE UNIQUE INDEX "plugin_deployments_platformAccountId_pluginId_version_key" ON public.plugin_deployments USING btree ("platformAccountId", "pluginId", version);
CREATE INDEX "plugin_deployments_storeId_createdAt_id_idx" ON public.plugin_deployments USING btree ("storeId", "createdAt" DESC, id DESC);
ALTER TABLE public.plugin_deployments ADD CONSTRAINT "plugin_deployments_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.plugin_deployments ADD CONSTRAINT "plugin_deployments_storeId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER plugin_deployments_added AFTER INSERT ON public.plugin_deployments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER plugin_deployments_removed AFTER DELETE ON public.plugin_deployments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

CREATE TABLE public.plugin_instances (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  "deploymentId" text NOT NULL,
  "pluginId" text NOT NULL,
  name text NOT NULL,
  config json NOT NULL,
  "configVersion" integer NOT NULL,
  sequence integer NOT NULL DEFAULT 0,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.plugin_instances ADD CONSTRAINT plugin_instances_pkey PRIMARY KEY (id);
ALTER TABLE public.plugin_instances ADD CONSTRAINT plugin_instances_values CHECK ((("configVersion" >= 1) AND (sequence >= 0) AND (json_typeof(config) = 'object'::text)));
CREATE INDEX "plugin_instances_deploymentId_createdAt_id_idx" ON public.plugin_instances USING btree ("deploymentId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "plugin_instances_id_platformAccountId_partnerId_mode_key" ON public.plugin_instances USING btree (id, "platformAccountId", "partnerId", mode);
CREATE UNIQUE INDEX "plugin_instances_id_storeId_platformAccountId_partnerId_mod_key" ON public.plugin_instances USING btree (id, "storeId", "platformAccountId", "partnerId", mode);
CREATE INDEX "plugin_instances_partnerId_mode_createdAt_id_idx" ON public.plugin_instances USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "plugin_instances_partnerId_mode_name_id_idx" ON public.plugin_instances USING btree ("partnerId", mode, name, id);
CREATE INDEX "plugin_instances_platformAccountId_createdAt_id_idx" ON public.plugin_instances USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "plugin_instances_platformAccountId_name_id_idx" ON public.plugin_instances USING btree ("platformAccountId", name, id);
CREATE INDEX "plugin_instances_storeId_createdAt_id_idx" ON public.plugin_instances USING btree ("storeId", "createdAt" DESC, id DESC);
ALTER TABLE public.plugin_instances ADD CONSTRAINT "plugin_instances_deploymentId_platformAccountId_partnerId__fkey" FOREIGN KEY ("deploymentId", "platformAccountId", "partnerId", mode) REFERENCES plugin_deployments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.plugin_instances ADD CONSTRAINT "plugin_instances_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER plugin_instances_added AFTER INSERT ON public.plugin_instances REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER plugin_instances_removed AFTER DELETE ON public.plugin_instances REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

CREATE TABLE public.plugin_mounts (
  "storeId" text NOT NULL,
  alias text NOT NULL,
  "basePath" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "deploymentInstanceId" text NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.plugin_mounts ADD CONSTRAINT plugin_mounts_pkey PRIMARY KEY ("storeId", alias, "basePath");
ALTER TABLE public.plugin_mounts ADD CONSTRAINT plugin_mounts_values CHECK (((alias ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text) AND ("basePath" ~ '^/([A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*)?$'::text) AND (length("basePath") <= 200)));
CREATE INDEX "plugin_mounts_deploymentInstanceId_idx" ON public.plugin_mounts USING btree ("deploymentInstanceId");
ALTER TABLE public.plugin_mounts ADD CONSTRAINT "plugin_mounts_deploymentInstanceId_storeId_platformAccount_fkey" FOREIGN KEY ("deploymentInstanceId", "storeId", "platformAccountId", "partnerId", mode) REFERENCES plugin_instances(id, "storeId", "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE CASCADE;

CREATE TABLE public.prices (
  id text NOT NULL,
  "productId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  "position" integer NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  recurring boolean NOT NULL,
  "interval" text,
  "intervalCount" integer,
  "trialDays" integer,
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.prices ADD CONSTRAINT prices_pkey PRIMARY KEY (id);
ALTER TABLE public.prices ADD CONSTRAINT prices_values CHECK (((amount >= 1) AND (amount <= '99999999999'::bigint) AND (recurring = ("interval" IS NOT NULL)) AND (recurring = ("intervalCount" IS NOT NULL)) AND (("interval" IS NULL) OR ("interval" = ANY (ARRAY['day'::text, 'week'::text, 'month'::text, 'year'::text]))) AND (("intervalCount" IS NULL) OR (("intervalCount" >= 1) AND ("intervalCount" <= 1095))) AND (("trialDays" IS NULL) OR (recurring AND (("trialDays" >= 1) AND ("trialDays" <= 730))))));
CREATE UNIQUE INDEX "prices_id_storeId_platformAccountId_partnerId_mode_key" ON public.prices USING btree (id, "storeId", "platformAccountId", "partnerId", mode);
CREATE UNIQUE INDEX "prices_productId_position_key" ON public.prices USING btree ("productId", "position");
ALTER TABLE public.prices ADD CONSTRAINT "prices_productId_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("productId", "storeId", "platformAccountId", "partnerId", mode) REFERENCES products(id, "storeId", "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;

CREATE TABLE public.processing_accounts (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  "accountId" text NOT NULL,
  "legalName" text NOT NULL,
  country text,
  currency text NOT NULL,
  "externalRef" text,
  status text NOT NULL,
  "kybStatus" text NOT NULL,
  plan text NOT NULL DEFAULT 'standard'::text,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  sequence integer NOT NULL DEFAULT 0,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  "kybSubmittedAt" timestamp(3) with time zone
);
ALTER TABLE public.processing_accounts ADD CONSTRAINT processing_accounts_kyb CHECK ((("kybStatus" = 'submitted'::text) = ("kybSubmittedAt" IS NOT NULL)));
ALTER TABLE public.processing_accounts ADD CONSTRAINT processing_accounts_pkey PRIMARY KEY (id);
ALTER TABLE public.processing_accounts ADD CONSTRAINT processing_accounts_values CHECK (((mode = ANY (ARRAY['test'::text, 'live'::text])) AND (status = ANY (ARRAY['pending_operator_assignment'::text, 'active'::text, 'suspended'::text, 'closed'::text])) AND ("kybStatus" = ANY (ARRAY['not_started'::text, 'in_progress'::text, 'submitted'::text, 'approved'::text, 'rejected'::text])) AND (plan = ANY (ARRAY['standard'::text, 'premium'::text]))));
CREATE INDEX "processing_accounts_accountId_idx" ON public.processing_accounts USING btree ("accountId");
CREATE UNIQUE INDEX "processing_accounts_id_partnerId_mode_key" ON public.processing_accounts USING btree (id, "partnerId", mode);
CREATE INDEX "processing_accounts_mode_createdAt_id_idx" ON public.processing_accounts USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "processing_accounts_mode_legalName_id_idx" ON public.processing_accounts USING btree (mode, "legalName", id);
CREATE INDEX "processing_accounts_partnerId_mode_createdAt_id_idx" ON public.processing_accounts USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "processing_accounts_partnerId_mode_externalRef_key" ON public.processing_accounts USING btree ("partnerId", mode, "externalRef");
CREATE INDEX "processing_accounts_partnerId_mode_legalName_id_idx" ON public.processing_accounts USING btree ("partnerId", mode, "legalName", id);
CREATE INDEX processing_accounts_awaiting_review ON public.processing_accounts USING btree (mode, "kybSubmittedAt", id) WHERE (("kybStatus" = 'submitted'::text) AND (status <> 'closed'::text));
CREATE INDEX processing_accounts_awaiting_review_of_partner ON public.processing_accounts USING btree ("partnerId", mode, "kybSubmittedAt", id) WHERE (("kybStatus" = 'submitted'::text) AND (status <> 'closed'::text));
ALTER TABLE public.processing_accounts ADD CONSTRAINT "processing_accounts_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES organizations("accountId") ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.processing_accounts ADD CONSTRAINT "processing_accounts_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.processor_events (
  "processorId" text NOT NULL,
  "eventId" text NOT NULL,
  "receivedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.processor_events ADD CONSTRAINT processor_events_pkey PRIMARY KEY ("processorId", "eventId");
CREATE INDEX "processor_events_receivedAt_idx" ON public.processor_events USING btree ("receivedAt");

CREATE TABLE public.processors (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  "supportedCurrencies" text[] NOT NULL DEFAULT ARRAY[]::text[],
  options jsonb NOT NULL DEFAULT '{}'::jsonb,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  connected boolean NOT NULL DEFAULT true,
  secrets jsonb NOT NULL DEFAULT '{}'::jsonb
);
ALTER TABLE public.processors ADD CONSTRAINT processors_connected CHECK (((jsonb_typeof(options) = 'object'::text) AND (jsonb_typeof(secrets) = 'object'::text) AND ((NOT connected) OR (type = 'test'::text) OR (secrets <> '{}'::jsonb))));
ALTER TABLE public.processors ADD CONSTRAINT processors_pkey PRIMARY KEY (id);
ALTER TABLE public.processors ADD CONSTRAINT processors_values CHECK (((type = ANY (ARRAY['test'::text, 'stripe'::text])) AND (mode = ANY (ARRAY['test'::text, 'live'::text])) AND ((type <> 'test'::text) OR (mode = 'test'::text))));
CREATE UNIQUE INDEX "processors_id_platformAccountId_partnerId_mode_key" ON public.processors USING btree (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "processors_mode_createdAt_id_idx" ON public.processors USING btree (mode, "createdAt", id);
CREATE INDEX "processors_partnerId_mode_createdAt_id_idx" ON public.processors USING btree ("partnerId", mode, "createdAt", id);
CREATE INDEX "processors_partnerId_mode_name_id_idx" ON public.processors USING btree ("partnerId", mode, name, id);
CREATE INDEX "processors_platformAccountId_createdAt_id_idx" ON public.processors USING btree ("platformAccountId", "createdAt", id);
CREATE INDEX "processors_platformAccountId_name_id_idx" ON public.processors USING btree ("platformAccountId", name, id);
ALTER TABLE public.processors ADD CONSTRAINT "processors_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER processors_added AFTER INSERT ON public.processors REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER processors_removed AFTER DELETE ON public.processors REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

CREATE TABLE public.products (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  name text NOT NULL,
  description text,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.products ADD CONSTRAINT products_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX "products_id_storeId_platformAccountId_partnerId_mode_key" ON public.products USING btree (id, "storeId", "platformAccountId", "partnerId", mode);
CREATE INDEX "products_partnerId_mode_createdAt_id_idx" ON public.products USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "products_partnerId_mode_name_id_idx" ON public.products USING btree ("partnerId", mode, name, id);
CREATE INDEX "products_platformAccountId_createdAt_id_idx" ON public.products USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "products_platformAccountId_name_id_idx" ON public.products USING btree ("platformAccountId", name, id);
CREATE INDEX "products_storeId_createdAt_id_idx" ON public.products USING btree ("storeId", "createdAt" DESC, id DESC);
ALTER TABLE public.products ADD CONSTRAINT "products_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
CREATE TRIGGER products_added AFTER INSERT ON public.products REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER products_removed AFTER DELETE ON public.products REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

CREATE TABLE public.refund_limits (
  mode text NOT NULL,
  currency text NOT NULL,
  amount bigint,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  id text NOT NULL,
  "partnerId" text,
  "previousAmount" bigint,
  "effectiveAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.refund_limits ADD CONSTRAINT refund_limits_pkey PRIMARY KEY (id);
ALTER TABLE public.refund_limits ADD CONSTRAINT refund_limits_values CHECK (((amount > 0) AND ("previousAmount" > 0) AND (mode = ANY (ARRAY['test'::text, 'live'::text]))));
CREATE UNIQUE INDEX "refund_limits_mode_currency_partnerId_key" ON public.refund_limits USING btree (mode, currency, "partnerId") NULLS NOT DISTINCT;
ALTER TABLE public.refund_limits ADD CONSTRAINT "refund_limits_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

CREATE TABLE public.refund_requests (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "paymentId" text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  "cancelSubscription" boolean NOT NULL,
  reason text NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  "requestedBy" text NOT NULL,
  "requestedByEmail" text NOT NULL,
  "decidedBy" text,
  "decidedByEmail" text,
  "decisionReason" text,
  "decidedAt" timestamp(3) with time zone,
  "refundId" text,
  "expiresAt" timestamp(3) with time zone NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  "requestedByPartner" boolean NOT NULL DEFAULT false
);
ALTER TABLE public.refund_requests ADD CONSTRAINT refund_requests_pkey PRIMARY KEY (id);
ALTER TABLE public.refund_requests ADD CONSTRAINT refund_requests_values CHECK (((amount > 0) AND (status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text, 'expired'::text])) AND ((status = ANY (ARRAY['approved'::text, 'rejected'::text, 'withdrawn'::text])) = ("decidedBy" IS NOT NULL)) AND ((status = 'approved'::text) = ("refundId" IS NOT NULL)) AND ((status <> ALL (ARRAY['approved'::text, 'rejected'::text])) OR ("decidedBy" <> "requestedBy")) AND ((status <> 'withdrawn'::text) OR ("decidedBy" = "requestedBy"))));
CREATE INDEX "refund_requests_mode_createdAt_id_idx" ON public.refund_requests USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "refund_requests_partnerId_mode_createdAt_id_idx" ON public.refund_requests USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "refund_requests_paymentId_createdAt_id_idx" ON public.refund_requests USING btree ("paymentId", "createdAt" DESC, id DESC);
CREATE INDEX refund_requests_by_expiry ON public.refund_requests USING btree ("expiresAt") WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX refund_requests_pending ON public.refund_requests USING btree ("paymentId") WHERE (status = 'pending'::text);
ALTER TABLE public.refund_requests ADD CONSTRAINT "refund_requests_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;

CREATE TABLE public.refunds (
  id text NOT NULL,
  "paymentId" text NOT NULL,
  "transactionId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  reason text,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  "requestedBy" text
);
ALTER TABLE public.refunds ADD CONSTRAINT refunds_pkey PRIMARY KEY (id);
ALTER TABLE public.refunds ADD CONSTRAINT refunds_values CHECK (((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])) AND (amount > 0)));
CREATE INDEX "refunds_mode_createdAt_id_idx" ON public.refunds USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "refunds_partnerId_mode_createdAt_id_idx" ON public.refunds USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "refunds_paymentId_createdAt_id_idx" ON public.refunds USING btree ("paymentId", "createdAt", id);
CREATE INDEX "refunds_platformAccountId_createdAt_id_idx" ON public.refunds USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "refunds_transactionId_key" ON public.refunds USING btree ("transactionId");
ALTER TABLE public.refunds ADD CONSTRAINT "refunds_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER refunds_changed_late AFTER UPDATE ON public.refunds FOR EACH ROW WHEN (((new."createdAt" < (now() - '00:30:00'::interval)) AND (new.status <> old.status))) EXECUTE FUNCTION counters.mark_figures();
CREATE TRIGGER refunds_late AFTER INSERT ON public.refunds FOR EACH ROW WHEN ((new."createdAt" < (now() - '00:30:00'::interval))) EXECUTE FUNCTION counters.mark_figures();

CREATE TABLE public.saved_views (
  id text NOT NULL,
  "ownerId" text NOT NULL,
  "partnerId" text,
  list text NOT NULL,
  name text NOT NULL,
  query text NOT NULL,
  "isShared" boolean NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.saved_views ADD CONSTRAINT saved_views_pkey PRIMARY KEY (id);
CREATE INDEX "saved_views_list_partnerId_name_id_idx" ON public.saved_views USING btree (list, "partnerId", name, id);
CREATE UNIQUE INDEX "saved_views_ownerId_list_name_key" ON public.saved_views USING btree ("ownerId", list, name);
ALTER TABLE public.saved_views ADD CONSTRAINT "saved_views_ownerId_fkey" FOREIGN KEY ("ownerId") REFERENCES iam_users("idpUserId") ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.saved_views ADD CONSTRAINT "saved_views_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE RESTRICT ON DELETE RESTRICT;

CREATE TABLE public.stores (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  name text NOT NULL,
  type text NOT NULL DEFAULT 'platform'::text,
  "baseCurrency" text NOT NULL,
  "presentmentCurrencies" text[] NOT NULL DEFAULT ARRAY[]::text[],
  "chargeCurrencies" text[] NOT NULL DEFAULT ARRAY[]::text[],
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  "paymentFlowId" text
);
ALTER TABLE public.stores ADD CONSTRAINT stores_pkey PRIMARY KEY (id);
ALTER TABLE public.stores ADD CONSTRAINT stores_values CHECK (((type = ANY (ARRAY['platform'::text, 'shopify'::text, 'woocommerce'::text, 'external'::text])) AND (cardinality("chargeCurrencies") > 0)));
CREATE UNIQUE INDEX "stores_id_platformAccountId_partnerId_mode_key" ON public.stores USING btree (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "stores_partnerId_mode_createdAt_id_idx" ON public.stores USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "stores_partnerId_mode_name_id_idx" ON public.stores USING btree ("partnerId", mode, name, id);
CREATE INDEX "stores_paymentFlowId_idx" ON public.stores USING btree ("paymentFlowId");
CREATE INDEX "stores_platformAccountId_createdAt_id_idx" ON public.stores USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "stores_platformAccountId_name_id_idx" ON public.stores USING btree ("platformAccountId", name, id);
ALTER TABLE public.stores ADD CONSTRAINT "stores_paymentFlowId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentFlowId", "platformAccountId", "partnerId", mode) REFERENCES payment_flows(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE public.stores ADD CONSTRAINT "stores_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER stores_added AFTER INSERT ON public.stores REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER stores_removed AFTER DELETE ON public.stores REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

CREATE TABLE public.subscription_periods (
  "subscriptionId" text NOT NULL,
  index integer NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "startsAt" timestamp(3) with time zone NOT NULL,
  "endsAt" timestamp(3) with time zone NOT NULL,
  "anchorAt" timestamp(3) with time zone NOT NULL,
  cycle integer NOT NULL,
  "planAmount" bigint NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  attempts integer NOT NULL,
  "paymentId" text,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  "returnedAmount" bigint NOT NULL DEFAULT 0
);
ALTER TABLE public.subscription_periods ADD CONSTRAINT subscription_periods_pkey PRIMARY KEY ("subscriptionId", index);
ALTER TABLE public.subscription_periods ADD CONSTRAINT subscription_periods_values CHECK (((index >= 1) AND (attempts >= 0) AND (cycle >= 0) AND ("endsAt" > "startsAt") AND (("planAmount" >= 1) AND ("planAmount" <= '99999999999'::bigint)) AND ((amount >= 0) AND (amount <= '99999999999'::bigint)) AND (status = ANY (ARRAY['charging'::text, 'paid'::text, 'failed'::text]))));
CREATE UNIQUE INDEX "subscription_periods_paymentId_key" ON public.subscription_periods USING btree ("paymentId");
ALTER TABLE public.subscription_periods ADD CONSTRAINT "subscription_periods_subscriptionId_platformAccountId_part_fkey" FOREIGN KEY ("subscriptionId", "platformAccountId", "partnerId", mode) REFERENCES subscriptions(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
CREATE TRIGGER subscription_periods_stay_paid BEFORE UPDATE OF status, "paymentId" ON public.subscription_periods FOR EACH ROW WHEN (((old.status = 'paid'::text) AND ((new.status IS DISTINCT FROM old.status) OR (new."paymentId" IS DISTINCT FROM old."paymentId")))) EXECUTE FUNCTION refuse_to_charge_again();

CREATE TABLE public.subscriptions (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  "customerId" text NOT NULL,
  "paymentInstrumentId" text NOT NULL,
  "priceId" text NOT NULL,
  quantity integer NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  "interval" text NOT NULL,
  "intervalCount" integer NOT NULL,
  status text NOT NULL,
  "trialEndsAt" timestamp(3) with time zone,
  "anchorAt" timestamp(3) with time zone NOT NULL,
  cycle integer NOT NULL DEFAULT 0,
  "periodIndex" integer NOT NULL DEFAULT 0,
  "currentPeriodStart" timestamp(3) with time zone NOT NULL,
  "currentPeriodEnd" timestamp(3) with time zone NOT NULL,
  "nextBillingDate" timestamp(3) with time zone,
  balance bigint NOT NULL DEFAULT 0,
  "cancelAtPeriodEnd" boolean NOT NULL DEFAULT false,
  "canceledAt" timestamp(3) with time zone,
  "cancellationReason" text,
  "pausedAt" timestamp(3) with time zone,
  "resumeAt" timestamp(3) with time zone,
  "firstFailedAt" timestamp(3) with time zone,
  "nextRetryAt" timestamp(3) with time zone,
  "latestPaymentId" text,
  "noticedFor" timestamp(3) with time zone,
  "chargingSince" timestamp(3) with time zone,
  "cancelRequestedAt" timestamp(3) with time zone,
  "dueAt" timestamp(3) with time zone,
  "testClockId" text,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  sequence integer NOT NULL DEFAULT 0,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  "returnUrl" text,
  "pendingExpiresAt" timestamp(3) with time zone,
  "pendingInstrumentId" text,
  "pendingPaymentId" text,
  "pendingPriceId" text,
  "pendingQuantity" integer,
  "deferredSince" timestamp(3) with time zone,
  "actionReason" text,
  "payingInstrumentId" text
);
ALTER TABLE public.subscriptions ADD CONSTRAINT subscriptions_action_reason CHECK (("actionReason" = ANY (ARRAY['authentication'::text, 'card_expired'::text])));
ALTER TABLE public.subscriptions ADD CONSTRAINT subscriptions_balance CHECK (((balance >= '-9000000000000000'::bigint) AND (balance <= '9000000000000000'::bigint)));
ALTER TABLE public.subscriptions ADD CONSTRAINT subscriptions_fit_status CHECK ((((status = 'canceled'::text) = ("canceledAt" IS NOT NULL)) AND ((status = 'canceled'::text) = ("cancellationReason" IS NOT NULL)) AND ((status = 'paused'::text) = ("pausedAt" IS NOT NULL)) AND ((status = 'paused'::text) OR ("resumeAt" IS NULL)) AND ((status = 'past_due'::text) OR ("nextRetryAt" IS NULL)) AND ((status <> 'trialing'::text) OR ("trialEndsAt" IS NOT NULL)) AND ((status <> ALL (ARRAY['canceled'::text, 'paused'::text, 'incomplete'::text])) OR ("nextBillingDate" IS NULL))));
ALTER TABLE public.subscriptions ADD CONSTRAINT subscriptions_pending_update CHECK (((("pendingPriceId" IS NULL) = ("pendingQuantity" IS NULL)) AND (("pendingPaymentId" IS NULL) = ("pendingExpiresAt" IS NULL)) AND (("pendingPriceId" IS NOT NULL) OR (("pendingPaymentId" IS NULL) AND ("pendingInstrumentId" IS NULL))) AND (("pendingPriceId" IS NULL) OR (status = ANY (ARRAY['active'::text, 'past_due'::text, 'paused'::text]))) AND (("pendingPaymentId" IS NULL) OR ((status = 'active'::text) AND ("chargingSince" IS NOT NULL))) AND (("pendingQuantity" IS NULL) OR (("pendingQuantity" >= 1) AND ("pendingQuantity" <= 1000000)))));
ALTER TABLE public.subscriptions ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (id);
ALTER TABLE public.subscriptions ADD CONSTRAINT subscriptions_values CHECK (((status = ANY (ARRAY['incomplete'::text, 'trialing'::text, 'active'::text, 'past_due'::text, 'paused'::text, 'canceled'::text])) AND ("interval" = ANY (ARRAY['day'::text, 'week'::text, 'month'::text, 'year'::text])) AND (("intervalCount" >= 1) AND ("intervalCount" <= 1095)) AND ((quantity >= 1) AND (quantity <= 1000000)) AND ((amount >= 1) AND (amount <= '99999999999'::bigint)) AND ("currentPeriodEnd" > "currentPeriodStart") AND ("periodIndex" >= 0) AND (cycle >= 0)));
CREATE INDEX "subscriptions_customerId_createdAt_id_idx" ON public.subscriptions USING btree ("customerId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "subscriptions_id_platformAccountId_partnerId_mode_key" ON public.subscriptions USING btree (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "subscriptions_mode_createdAt_id_idx" ON public.subscriptions USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "subscriptions_partnerId_mode_createdAt_id_idx" ON public.subscriptions USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "subscriptions_partnerId_mode_nextBillingDate_id_idx" ON public.subscriptions USING btree ("partnerId", mode, "nextBillingDate", id);
CREATE INDEX "subscriptions_partnerId_mode_status_id_idx" ON public.subscriptions USING btree ("partnerId", mode, status, id);
CREATE INDEX "subscriptions_platformAccountId_createdAt_id_idx" ON public.subscriptions USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "subscriptions_platformAccountId_nextBillingDate_id_idx" ON public.subscriptions USING btree ("platformAccountId", "nextBillingDate", id);
CREATE INDEX "subscriptions_platformAccountId_status_id_idx" ON public.subscriptions USING btree ("platformAccountId", status, id);
CREATE INDEX "subscriptions_priceId_createdAt_id_idx" ON public.subscriptions USING btree ("priceId", "createdAt" DESC, id DESC);
CREATE INDEX subscriptions_charging_by_test_clock ON public.subscriptions USING btree ("testClockId") WHERE (("testClockId" IS NOT NULL) AND ("chargingSince" IS NOT NULL));
CREATE INDEX subscriptions_deferred ON public.subscriptions USING btree ("partnerId", "platformAccountId") WHERE ("deferredSince" IS NOT NULL);
CREATE INDEX subscriptions_due ON public.subscriptions USING btree ("dueAt") WHERE (("testClockId" IS NULL) AND ("dueAt" IS NOT NULL));
CREATE INDEX subscriptions_due_by_test_clock ON public.subscriptions USING btree ("testClockId", "dueAt") WHERE (("testClockId" IS NOT NULL) AND ("dueAt" IS NOT NULL));
CREATE INDEX subscriptions_live_by_instrument ON public.subscriptions USING btree ("paymentInstrumentId") WHERE (status <> 'canceled'::text);
CREATE INDEX subscriptions_of_test_clocks ON public.subscriptions USING btree ("testClockId", "createdAt" DESC, id DESC) WHERE ("testClockId" IS NOT NULL);
CREATE INDEX subscriptions_paying_by_instrument ON public.subscriptions USING btree ("payingInstrumentId") WHERE ("payingInstrumentId" IS NOT NULL);
CREATE INDEX subscriptions_pending_by_instrument ON public.subscriptions USING btree ("pendingInstrumentId") WHERE ("pendingInstrumentId" IS NOT NULL);
ALTER TABLE public.subscriptions ADD CONSTRAINT "subscriptions_customerId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", mode) REFERENCES customers(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE public.subscriptions ADD CONSTRAINT "subscriptions_payingInstrumentId_platformAccountId_partner_fkey" FOREIGN KEY ("payingInstrumentId", "platformAccountId", "partnerId", mode) REFERENCES payment_instruments(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE public.subscriptions ADD CONSTRAINT "subscriptions_paymentInstrumentId_platformAccountId_partne_fkey" FOREIGN KEY ("paymentInstrumentId", "platformAccountId", "partnerId", mode) REFERENCES payment_instruments(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE public.subscriptions ADD CONSTRAINT "subscriptions_pendingInstrumentId_platformAccountId_partne_fkey" FOREIGN KEY ("pendingInstrumentId", "platformAccountId", "partnerId", mode) REFERENCES payment_instruments(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE public.subscriptions ADD CONSTRAINT "subscriptions_pendingPriceId_storeId_platformAccountId_par_fkey" FOREIGN KEY ("pendingPriceId", "storeId", "platformAccountId", "partnerId", mode) REFERENCES prices(id, "storeId", "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE public.subscriptions ADD CONSTRAINT "subscriptions_priceId_storeId_platformAccountId_partnerId__fkey" FOREIGN KEY ("priceId", "storeId", "platformAccountId", "partnerId", mode) REFERENCES prices(id, "storeId", "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE public.subscriptions ADD CONSTRAINT "subscriptions_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE public.subscriptions ADD CONSTRAINT "subscriptions_testClockId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("testClockId", "platformAccountId", "partnerId", mode) REFERENCES test_clocks(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
CREATE TRIGGER subscriptions_added AFTER INSERT ON public.subscriptions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER subscriptions_removed AFTER DELETE ON public.subscriptions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER subscriptions_stay_canceled BEFORE UPDATE OF status ON public.subscriptions FOR EACH ROW WHEN (((old.status = 'canceled'::text) AND (new.status <> 'canceled'::text))) EXECUTE FUNCTION refuse_to_revive();

CREATE TABLE public.test_clocks (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  name text NOT NULL,
  now timestamp(3) with time zone NOT NULL,
  status text NOT NULL DEFAULT 'ready'::text,
  target timestamp(3) with time zone,
  "stepsDone" integer NOT NULL DEFAULT 0,
  "failureReason" text,
  "drivenBy" text,
  "leasedUntil" timestamp(3) with time zone,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.test_clocks ADD CONSTRAINT test_clocks_pkey PRIMARY KEY (id);
ALTER TABLE public.test_clocks ADD CONSTRAINT test_clocks_values CHECK (((mode = 'test'::text) AND (status = ANY (ARRAY['ready'::text, 'advancing'::text, 'internal_failure'::text])) AND ((status = 'ready'::text) = (target IS NULL)) AND ((target IS NULL) OR (target >= now)) AND ((status = 'internal_failure'::text) = ("failureReason" IS NOT NULL)) AND (("drivenBy" IS NULL) = ("leasedUntil" IS NULL)) AND (("drivenBy" IS NULL) OR (status = 'advancing'::text)) AND ((now >= '2000-01-01 00:00:00+00'::timestamp with time zone) AND (now <= '2100-01-01 00:00:00+00'::timestamp with time zone))));
CREATE UNIQUE INDEX "test_clocks_id_platformAccountId_partnerId_mode_key" ON public.test_clocks USING btree (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "test_clocks_mode_createdAt_id_idx" ON public.test_clocks USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "test_clocks_partnerId_mode_createdAt_id_idx" ON public.test_clocks USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "test_clocks_platformAccountId_createdAt_id_idx" ON public.test_clocks USING btree ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX test_clocks_advancing ON public.test_clocks USING btree ("updatedAt") WHERE (status = 'advancing'::text);
ALTER TABLE public.test_clocks ADD CONSTRAINT "test_clocks_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
CREATE TRIGGER test_clocks_added AFTER INSERT ON public.test_clocks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER test_clocks_removed AFTER DELETE ON public.test_clocks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

CREATE TABLE public.threeds_sessions (
  id text NOT NULL,
  "paymentId" text NOT NULL,
  "transactionId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  "returnUrl" text,
  "expiresAt" timestamp(3) with time zone NOT NULL,
  "answeredAt" timestamp(3) with time zone,
  "createdAt" timestamp(3) with time zone NOT NULL,
  url text
);
ALTER TABLE public.threeds_sessions ADD CONSTRAINT threeds_sessions_pkey PRIMARY KEY (id);
ALTER TABLE public.threeds_sessions ADD CONSTRAINT threeds_sessions_values CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])));
CREATE INDEX "threeds_sessions_paymentId_idx" ON public.threeds_sessions USING btree ("paymentId");
CREATE INDEX threeds_sessions_of_transaction ON public.threeds_sessions USING btree ("transactionId");
ALTER TABLE public.threeds_sessions ADD CONSTRAINT "threeds_sessions_paymentId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.tokens (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "cardId" text NOT NULL,
  card jsonb NOT NULL,
  "expiresAt" timestamp(3) with time zone NOT NULL,
  "usedAt" timestamp(3) with time zone,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "customerId" text
);
ALTER TABLE public.tokens ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);
CREATE INDEX "tokens_cardId_idx" ON public.tokens USING btree ("cardId");
CREATE INDEX "tokens_expiresAt_idx" ON public.tokens USING btree ("expiresAt");

CREATE TABLE public.transactions (
  id text NOT NULL,
  "paymentId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  "processorId" text,
  "processorType" text,
  "processorReference" text,
  "failureCode" text,
  "askedAt" timestamp(3) with time zone NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
) WITH (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000);
ALTER TABLE public.transactions ADD CONSTRAINT transactions_pkey PRIMARY KEY (id);
ALTER TABLE public.transactions ADD CONSTRAINT transactions_values CHECK (((type = ANY (ARRAY['purchase'::text, 'authorization'::text, 'capture'::text, 'void'::text, 'refund'::text])) AND (status = ANY (ARRAY['processing'::text, 'requires_action'::text, 'succeeded'::text, 'declined'::text, 'failed'::text])) AND (amount > 0)));
CREATE INDEX "transactions_paymentId_createdAt_id_idx" ON public.transactions USING btree ("paymentId", "createdAt", id);
CREATE UNIQUE INDEX "transactions_processorReference_processorId_key" ON public.transactions USING btree ("processorReference", "processorId");
CREATE INDEX transactions_unsettled ON public.transactions USING btree ("askedAt") WHERE (status = 'processing'::text);
ALTER TABLE public.transactions ADD CONSTRAINT "transactions_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.unapplied_events (
  "processorId" text NOT NULL,
  "eventId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  reason text NOT NULL,
  notices jsonb,
  attempts integer NOT NULL DEFAULT 0,
  "retryAt" timestamp(3) with time zone,
  "receivedAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  id text NOT NULL
);
ALTER TABLE public.unapplied_events ADD CONSTRAINT unapplied_events_pkey PRIMARY KEY ("processorId", "eventId");
ALTER TABLE public.unapplied_events ADD CONSTRAINT unapplied_events_values CHECK (((status = ANY (ARRAY['waiting'::text, 'rejected'::text, 'applied'::text])) AND ((status = 'waiting'::text) = (notices IS NOT NULL))));
CREATE INDEX "unapplied_events_receivedAt_id_idx" ON public.unapplied_events USING btree ("receivedAt" DESC, id DESC);
CREATE UNIQUE INDEX unapplied_events_id_key ON public.unapplied_events USING btree (id);
CREATE INDEX unapplied_events_waiting ON public.unapplied_events USING btree ("retryAt") WHERE (status = 'waiting'::text);
ALTER TABLE public.unapplied_events ADD CONSTRAINT "unapplied_events_processorId_platformAccountId_partnerId_m_fkey" FOREIGN KEY ("processorId", "platformAccountId", "partnerId", mode) REFERENCES processors(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.webhook_attempts (
  "deliveryId" text NOT NULL,
  number integer NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  status integer,
  "durationMs" integer NOT NULL,
  "responseBody" text,
  error text,
  "responseHeaders" jsonb
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000);
ALTER TABLE public.webhook_attempts ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY ("deliveryId", number);
ALTER TABLE public.webhook_attempts ADD CONSTRAINT "webhook_attempts_deliveryId_fkey" FOREIGN KEY ("deliveryId") REFERENCES webhook_deliveries(id) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.webhook_deliveries (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text,
  mode text NOT NULL,
  "endpointId" text NOT NULL,
  "eventId" text NOT NULL,
  "eventType" text NOT NULL,
  "objectId" text NOT NULL,
  sequence integer NOT NULL,
  "testBody" jsonb,
  status text NOT NULL DEFAULT 'pending'::text,
  "nextAttemptAt" timestamp(3) with time zone,
  "leasedUntil" timestamp(3) with time zone,
  "attemptCount" integer NOT NULL DEFAULT 0,
  "failureCount" integer NOT NULL DEFAULT 0,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "testClockId" text
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000);
ALTER TABLE public.webhook_deliveries ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);
ALTER TABLE public.webhook_deliveries ADD CONSTRAINT webhook_deliveries_values CHECK (((mode = ANY (ARRAY['test'::text, 'live'::text])) AND (status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'dead'::text])) AND (("nextAttemptAt" IS NOT NULL) = (status = ANY (ARRAY['pending'::text, 'failed'::text]))) AND (("leasedUntil" IS NULL) OR ("nextAttemptAt" IS NOT NULL))));
CREATE INDEX "webhook_deliveries_endpointId_createdAt_id_idx" ON public.webhook_deliveries USING btree ("endpointId", "createdAt" DESC, id DESC);
CREATE INDEX "webhook_deliveries_eventId_idx" ON public.webhook_deliveries USING btree ("eventId");
CREATE INDEX "webhook_deliveries_mode_createdAt_id_idx" ON public.webhook_deliveries USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "webhook_deliveries_partnerId_mode_createdAt_id_idx" ON public.webhook_deliveries USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX webhook_deliveries_by_type ON public.webhook_deliveries USING btree (mode, "eventType", "createdAt" DESC, id DESC) WHERE ("eventType" <> ALL (ARRAY['payment/created'::text, 'payment/succeeded'::text]));
CREATE INDEX webhook_deliveries_dead ON public.webhook_deliveries USING btree ("endpointId", "createdAt" DESC, id DESC) WHERE (status = 'dead'::text);
CREATE INDEX webhook_deliveries_on_test_clocks ON public.webhook_deliveries USING btree ("testClockId", "nextAttemptAt") WHERE (("nextAttemptAt" IS NOT NULL) AND ("testClockId" IS NOT NULL));
CREATE INDEX webhook_deliveries_open ON public.webhook_deliveries USING btree ("endpointId", "nextAttemptAt", id) WHERE ("nextAttemptAt" IS NOT NULL);
CREATE INDEX webhook_deliveries_order ON public.webhook_deliveries USING btree ("endpointId", "objectId", sequence) WHERE ("nextAttemptAt" IS NOT NULL);
CREATE INDEX webhook_deliveries_over ON public.webhook_deliveries USING btree ("createdAt") WHERE (("nextAttemptAt" IS NULL) AND ("testClockId" IS NULL));
ALTER TABLE public.webhook_deliveries ADD CONSTRAINT "webhook_deliveries_endpointId_partnerId_mode_fkey" FOREIGN KEY ("endpointId", "partnerId", mode) REFERENCES webhook_endpoints(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE public.webhook_endpoints (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text,
  mode text NOT NULL,
  "storeId" text,
  url text NOT NULL,
  "eventTypes" text[] NOT NULL,
  description text,
  ordered boolean NOT NULL DEFAULT false,
  enabled boolean NOT NULL DEFAULT true,
  "disabledReason" text,
  secret text NOT NULL,
  "previousSecret" text,
  "previousSecretUntil" timestamp(3) with time zone,
  "failingSince" timestamp(3) with time zone,
  "deletedAt" timestamp(3) with time zone,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  "failingClockId" text,
  "leftUnanswered" boolean NOT NULL DEFAULT false,
  "lastDeliveredAt" timestamp(3) with time zone
);
ALTER TABLE public.webhook_endpoints ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id);
ALTER TABLE public.webhook_endpoints ADD CONSTRAINT webhook_endpoints_values CHECK (((mode = ANY (ARRAY['test'::text, 'live'::text])) AND (cardinality("eventTypes") > 0) AND (("disabledReason" IS NULL) OR ("disabledReason" = ANY (ARRAY['manual'::text, 'gone'::text, 'failing'::text, 'deleted'::text]))) AND (enabled = ("disabledReason" IS NULL)) AND (("deletedAt" IS NULL) OR (NOT enabled)) AND (("storeId" IS NULL) OR ("platformAccountId" IS NOT NULL)) AND (("previousSecret" IS NULL) = ("previousSecretUntil" IS NULL))));
CREATE UNIQUE INDEX "webhook_endpoints_id_partnerId_mode_key" ON public.webhook_endpoints USING btree (id, "partnerId", mode);
CREATE INDEX "webhook_endpoints_mode_createdAt_id_idx" ON public.webhook_endpoints USING btree (mode, "createdAt" DESC, id DESC);
CREATE INDEX "webhook_endpoints_partnerId_mode_createdAt_id_idx" ON public.webhook_endpoints USING btree ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "webhook_endpoints_platformAccountId_createdAt_id_idx" ON public.webhook_endpoints USING btree ("platformAccountId", "createdAt" DESC, id DESC);
ALTER TABLE public.webhook_endpoints ADD CONSTRAINT "webhook_endpoints_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.webhook_endpoints ADD CONSTRAINT "webhook_endpoints_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE public.webhook_endpoints ADD CONSTRAINT "webhook_endpoints_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;

CREATE TABLE test_processor.charges (
  reference text NOT NULL,
  "processorReference" text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  capture boolean NOT NULL,
  "cardLast4" text NOT NULL,
  verdict text NOT NULL,
  "failureCode" text,
  challenge text NOT NULL,
  "answerLost" boolean NOT NULL,
  "capturedAmount" bigint NOT NULL,
  "refundedAmount" bigint NOT NULL DEFAULT 0,
  "voidedAt" timestamp(3) with time zone,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL,
  status text NOT NULL DEFAULT 
CASE
    WHEN (challenge = 'pending'::text) THEN 'challenged'::text
    WHEN (challenge = 'failed'::text) THEN 'declined'::text
    WHEN (verdict <> 'approved'::text) THEN verdict
    WHEN ("voidedAt" IS NOT NULL) THEN 'voided'::text
    WHEN ("capturedAmount" > 0) THEN 'captured'::text
    ELSE 'authorized'::text
END,
  "isDisputedLater" boolean NOT NULL DEFAULT false,
  "testClockId" text,
  "refundsFail" boolean NOT NULL DEFAULT false
) WITH (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000);
ALTER TABLE test_processor.charges ADD CONSTRAINT charges_amount_check CHECK ((amount > 0));
ALTER TABLE test_processor.charges ADD CONSTRAINT charges_captured_check CHECK ((("capturedAmount" >= 0) AND ("capturedAmount" <= amount)));
ALTER TABLE test_processor.charges ADD CONSTRAINT charges_challenge_check CHECK ((challenge = ANY (ARRAY['none'::text, 'pending'::text, 'succeeded'::text, 'failed'::text])));
ALTER TABLE test_processor.charges ADD CONSTRAINT charges_failure_check CHECK (((verdict = 'declined'::text) = ("failureCode" IS NOT NULL)));
ALTER TABLE test_processor.charges ADD CONSTRAINT charges_money_check CHECK ((("capturedAmount" = 0) OR ((verdict = 'approved'::text) AND (challenge = ANY (ARRAY['none'::text, 'succeeded'::text])) AND ("voidedAt" IS NULL))));
ALTER TABLE test_processor.charges ADD CONSTRAINT charges_pkey PRIMARY KEY (reference);
ALTER TABLE test_processor.charges ADD CONSTRAINT charges_refunded_check CHECK ((("refundedAmount" >= 0) AND ("refundedAmount" <= "capturedAmount")));
ALTER TABLE test_processor.charges ADD CONSTRAINT charges_verdict_check CHECK ((verdict = ANY (ARRAY['approved'::text, 'declined'::text, 'error'::text])));
CREATE UNIQUE INDEX "charges_processorReference_key" ON test_processor.charges USING btree ("processorReference");
CREATE INDEX charges_to_dispute ON test_processor.charges USING btree (reference) WHERE "isDisputedLater";

CREATE TABLE test_processor.connect_codes (
  "codeHash" text NOT NULL,
  "codeChallenge" text NOT NULL,
  "redirectUri" text NOT NULL,
  "expiresAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE test_processor.connect_codes ADD CONSTRAINT connect_codes_pkey PRIMARY KEY ("codeHash");
CREATE INDEX connect_codes_expiry ON test_processor.connect_codes USING btree ("expiresAt");

CREATE TABLE test_processor.disputes (
  reference text NOT NULL,
  "processorReference" text NOT NULL,
  "chargeReference" text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  reason text NOT NULL,
  status text NOT NULL,
  "reportedStatus" text,
  "evidenceDueAt" timestamp(3) with time zone NOT NULL,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "updatedAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE test_processor.disputes ADD CONSTRAINT disputes_pkey PRIMARY KEY (reference);
ALTER TABLE test_processor.disputes ADD CONSTRAINT disputes_values_check CHECK (((amount > 0) AND (status = ANY (ARRAY['needs_response'::text, 'under_review'::text, 'won'::text, 'lost'::text]))));
CREATE INDEX "disputes_chargeReference_idx" ON test_processor.disputes USING btree ("chargeReference");
CREATE UNIQUE INDEX "disputes_processorReference_key" ON test_processor.disputes USING btree ("processorReference");
CREATE INDEX disputes_unreported ON test_processor.disputes USING btree ("createdAt") WHERE ("reportedStatus" IS DISTINCT FROM status);
ALTER TABLE test_processor.disputes ADD CONSTRAINT disputes_charge_fkey FOREIGN KEY ("chargeReference") REFERENCES test_processor.charges(reference);

CREATE TABLE test_processor.modifications (
  reference text NOT NULL,
  "processorReference" text NOT NULL,
  "chargeReference" text NOT NULL,
  type text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  refusal text,
  "createdAt" timestamp(3) with time zone NOT NULL,
  "failsAt" timestamp(3) with time zone,
  "failedAt" timestamp(3) with time zone,
  "reportedAt" timestamp(3) with time zone
);
ALTER TABLE test_processor.modifications ADD CONSTRAINT modifications_pkey PRIMARY KEY (reference);
ALTER TABLE test_processor.modifications ADD CONSTRAINT modifications_type_check CHECK ((type = ANY (ARRAY['capture'::text, 'void'::text, 'refund'::text])));
CREATE INDEX "modifications_chargeReference_idx" ON test_processor.modifications USING btree ("chargeReference");
CREATE INDEX modifications_to_fail ON test_processor.modifications USING btree ("failsAt") WHERE (("failsAt" IS NOT NULL) AND ("failedAt" IS NULL));
CREATE INDEX modifications_unreported ON test_processor.modifications USING btree ("chargeReference") WHERE (("failedAt" IS NOT NULL) AND ("reportedAt" IS NULL));
ALTER TABLE test_processor.modifications ADD CONSTRAINT modifications_charge_fkey FOREIGN KEY ("chargeReference") REFERENCES test_processor.charges(reference);

CREATE TABLE vault.cards (
  id text NOT NULL,
  mode text NOT NULL,
  "platformAccountId" text NOT NULL,
  "keyId" text NOT NULL,
  "wrappedKey" bytea NOT NULL,
  "sealedCard" bytea NOT NULL,
  "sealedCvc" bytea,
  "cvcExpiresAt" timestamp(3) with time zone,
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE vault.cards ADD CONSTRAINT cards_cvc_expires_check CHECK ((("sealedCvc" IS NULL) = ("cvcExpiresAt" IS NULL)));
ALTER TABLE vault.cards ADD CONSTRAINT cards_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])));
ALTER TABLE vault.cards ADD CONSTRAINT cards_pkey PRIMARY KEY (id);
CREATE INDEX "cards_cvcExpiresAt_idx" ON vault.cards USING btree ("cvcExpiresAt") WHERE ("cvcExpiresAt" IS NOT NULL);
CREATE INDEX "cards_keyId_idx" ON vault.cards USING btree ("keyId");
CREATE INDEX cards_by_age ON vault.cards USING btree (id COLLATE "C");

CREATE TABLE vault.place (
  "onlyRow" boolean NOT NULL DEFAULT true,
  "installationId" text NOT NULL DEFAULT (gen_random_uuid())::text,
  "isApart" boolean NOT NULL DEFAULT false
);
ALTER TABLE vault.place ADD CONSTRAINT place_only_row_check CHECK ("onlyRow");
ALTER TABLE vault.place ADD CONSTRAINT place_pkey PRIMARY KEY ("onlyRow");

-- The database of VAULT_DATABASE_URL.

CREATE SCHEMA keys;
CREATE SCHEMA vault;

CREATE TABLE keys.checks (
  setting text NOT NULL,
  "keyId" text NOT NULL,
  "check" text NOT NULL,
  state text NOT NULL,
  "changedAt" timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE keys.checks ADD CONSTRAINT checks_pkey PRIMARY KEY (setting, "keyId");
ALTER TABLE keys.checks ADD CONSTRAINT checks_state_check CHECK ((state = ANY (ARRAY['known'::text, 'used'::text, 'replaced'::text, 'retired'::text])));

CREATE TABLE vault.cards (
  id text NOT NULL,
  mode text NOT NULL,
  "platformAccountId" text NOT NULL,
  "keyId" text NOT NULL,
  "wrappedKey" bytea NOT NULL,
  "sealedCard" bytea NOT NULL,
  "sealedCvc" bytea,
  "cvcExpiresAt" timestamp(3) with time zone,
  "createdAt" timestamp(3) with time zone NOT NULL
);
ALTER TABLE vault.cards ADD CONSTRAINT cards_cvc_expires_check CHECK ((("sealedCvc" IS NULL) = ("cvcExpiresAt" IS NULL)));
ALTER TABLE vault.cards ADD CONSTRAINT cards_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])));
ALTER TABLE vault.cards ADD CONSTRAINT cards_pkey PRIMARY KEY (id);
CREATE INDEX "cards_cvcExpiresAt_idx" ON vault.cards USING btree ("cvcExpiresAt") WHERE ("cvcExpiresAt" IS NOT NULL);
CREATE INDEX "cards_keyId_idx" ON vault.cards USING btree ("keyId");
CREATE INDEX cards_by_age ON vault.cards USING btree (id COLLATE "C");

CREATE TABLE vault.installation (
  "onlyRow" boolean NOT NULL DEFAULT true,
  id text
);
ALTER TABLE vault.installation ADD CONSTRAINT installation_only_row_check CHECK ("onlyRow");
ALTER TABLE vault.installation ADD CONSTRAINT installation_pkey PRIMARY KEY ("onlyRow");

