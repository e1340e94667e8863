CREATE SCHEMA audit;
CREATE SCHEMA cells;
CREATE SCHEMA counters;
CREATE SCHEMA keys;
CREATE SCHEMA ledger;
CREATE SCHEMA limits;
CREATE SCHEMA test_processor;
CREATE SCHEMA vault;

-- The functions refer to tables that are created below.
SET LOCAL check_function_bodies = false;

CREATE FUNCTION audit.chain_row() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
END $_$;

-- In the transaction of the refund, whichever path it takes. Payments of no funnel cost one look at a key, and other changes of payments nothing.
CREATE FUNCTION counters.count_funnel_refund() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO counters.funnel_figures AS f ("funnelId", "stepId", "variantId", measure, shard, n)
  SELECT p."funnelId", p."stepId", p."variantId", 'refunded/' || NEW.currency, pg_backend_pid() % 8, NEW."refundedAmount" - OLD."refundedAmount" FROM counters.funnel_payments p WHERE p."paymentId" = NEW.id
  ON CONFLICT ("funnelId", "stepId", "variantId", measure, shard) DO UPDATE SET n = f.n + excluded.n;
  RETURN NULL;
END $$;

-- A statement may add rows of several accounts. The counters are locked in the order of their key, so that two writers never wait
-- for each other.
CREATE FUNCTION counters.count_rows() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO counters.row_counts AS c
    SELECT TG_TABLE_NAME, "partnerId", mode, "platformAccountId", pg_backend_pid() % 32, count(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
    FROM changed
    GROUP BY "partnerId", mode, "platformAccountId"
    ORDER BY "platformAccountId"
    ON CONFLICT (relation, "platformAccountId", shard) DO UPDATE SET n = c.n + excluded.n;
  RETURN NULL;
END $$;

-- Always in one order, so that two transactions that change several counts wait for each other and do not deadlock.
CREATE FUNCTION counters.count_users() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
END $$;

-- The counts that a person is part of: none once deleted.
CREATE FUNCTION counters.counts_of_user(roles text[], ownership text, "deletedAt" timestamp with time zone) RETURNS TABLE(kind text, slug text)
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT c.kind, c.slug
  FROM (VALUES
    ('all', '', true),
    ('internal', '', ownership IS NULL AND roles <> '{}'),
    ('partner', ownership, ownership IS NOT NULL)
  ) c (kind, slug, counts)
  WHERE c.counts AND "deletedAt" IS NULL
$$;

CREATE FUNCTION counters.mark_figures() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO counters.figures_changed VALUES (NEW."platformAccountId", (NEW."createdAt" AT TIME ZONE 'UTC')::date);
  RETURN NULL;
END $$;

CREATE FUNCTION ledger.check_and_sum() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
END $$;

-- Delivery ids contain the same number, so that deliveries list in this order, too.
CREATE FUNCTION add_webhook_deliveries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO webhook_deliveries (id, "partnerId", "platformAccountId", mode, "endpointId", "eventId", "eventType", "objectId", sequence, status, "nextAttemptAt", "createdAt", "testClockId")
  SELECT 'whd_' || substr(e.id, 5, 14) || substr(replace(gen_random_uuid()::text, '-', ''), 1, 26), w."partnerId", w."platformAccountId", w.mode, w.id, e.id, e.type, e."objectId", e.sequence,
    CASE WHEN w.enabled THEN 'pending' ELSE 'dead' END, CASE WHEN w.enabled THEN e."createdAt" END, e."createdAt", e."testClockId"
  FROM added e JOIN webhook_endpoints w ON w."partnerId" = e."partnerId" AND w.mode = e.mode AND w."deletedAt" IS NULL
    AND (w."platformAccountId" IS NULL OR w."platformAccountId" = e."platformAccountId") AND (w."storeId" IS NULL OR w."storeId" = e."storeId") AND e.type = ANY (w."eventTypes");
  RETURN NULL;
END $$;

CREATE FUNCTION lowered(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lower(($1 COLLATE "und-x-icu"));

-- A list of events is ordered by time and id. Within one object that order is the order of `sequence`: an event is never earlier
-- than the one before it, whatever the clocks of the processes say, and the ids of one millisecond sort by the number in them.
-- The event before it is committed, or was written by this transaction: the object is locked by whoever writes its next event.
CREATE FUNCTION order_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
END $$;

-- Records are added, never changed.
CREATE FUNCTION refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME;
END $$;

-- An order that is paid stays paid, by the same payment.
CREATE FUNCTION refuse_to_charge_again() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'period % of subscription % is paid', OLD.index, OLD."subscriptionId";
END $$;

-- A payment whose status is final does not change.
CREATE FUNCTION refuse_to_reopen() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'payment % is % and never changes again', OLD.id, OLD.status;
END $$;

-- A decided refund request does not change, and none changes its payment or amount.
CREATE FUNCTION refuse_to_reopen_dispute() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'dispute % is % and never changes again', OLD.id, OLD.status;
END $$;

CREATE FUNCTION refuse_to_revive() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'subscription % is canceled and never comes back', OLD.id;
END $$;

-- For the trigger that the table of cards gets when the cards leave this database. A server that still runs with the settings
-- of before must not store a card here. The code is that of a server which takes no connections: such a call is 503.
CREATE FUNCTION vault.refuse_cards() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'The cards are in a database of their own; VAULT_DATABASE_URL leads to it.' USING ERRCODE = '57P03';
END
$$;

CREATE TABLE audit_rows (
  id text NOT NULL,
  at timestamptz(3) NOT NULL,
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
  CONSTRAINT audit_rows_mode CHECK (mode IN ('test', 'live')),
  CONSTRAINT audit_rows_values CHECK (outcome IN ('allowed', 'denied', 'failed')),
  CONSTRAINT audit_rows_pkey PRIMARY KEY (id)
);
CREATE INDEX "audit_rows_actorId_at_idx" ON audit_rows ("actorId", at DESC);
CREATE INDEX audit_rows_at_id_idx ON audit_rows (at DESC, id DESC);
CREATE INDEX "audit_rows_requestId_idx" ON audit_rows ("requestId");
CREATE UNIQUE INDEX audit_rows_sequence_key ON audit_rows (sequence);
CREATE INDEX audit_rows_target_at_idx ON audit_rows (target, at DESC);

-- The mode is part of the hash of a row that has one.
-- `npm run audit:verify` builds the same text on its own, so that a change of this function does not go unseen.
CREATE FUNCTION audit.hash_of(r audit_rows, blocks bytea) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT encode(sha256(substr(blocks, 65, 64) || sha256(substr(blocks, 1, 64) || convert_to((jsonb_build_array(
    r."previousHash", r.sequence, r.id, to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    r."actorKind", r."actorId", r."actorEmail", r.action, r.target, r.before, r.after, r.outcome, r.reason, r."requestId", r.ip, r."keyId")
    || CASE WHEN r.mode IS NULL THEN '[]'::jsonb ELSE jsonb_build_array(r.mode) END)::text, 'UTF8'))), 'hex')
$$;
CREATE TRIGGER audit_rows_are_chained BEFORE INSERT ON audit_rows FOR EACH ROW EXECUTE FUNCTION audit.chain_row();
CREATE TRIGGER audit_rows_are_not_emptied BEFORE TRUNCATE ON audit_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_rows_stay BEFORE DELETE OR UPDATE ON audit_rows FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE audit.head (
  one boolean DEFAULT true NOT NULL,
  sequence bigint NOT NULL,
  hash text NOT NULL,
  CONSTRAINT head_one_check CHECK (one),
  CONSTRAINT head_pkey PRIMARY KEY (one)
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');

-- The cell whose data this is, as of the first start. Its keys carry the tag, so it never changes.
CREATE TABLE cells.own (
  "isOwn" boolean DEFAULT true NOT NULL,
  tag text NOT NULL,
  CONSTRAINT "own_isOwn_check" CHECK ("isOwn"),
  CONSTRAINT own_tag_check CHECK (tag ~ '^[0-9a-z]{0,2}$'),
  CONSTRAINT own_pkey PRIMARY KEY ("isOwn")
);
CREATE TRIGGER own_cell_stays BEFORE DELETE OR UPDATE ON cells.own FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Figures of operators: what payments, refunds and disputes of an account and a day in UTC come to. A job sums a day when it
-- is over, so that a charge keeps no counter; what is later is summed when somebody asks (src/domains/figures).
CREATE TABLE counters.figures (
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  "platformAccountId" text NOT NULL,
  day date NOT NULL,
  currency text NOT NULL,
  -- Empty for a payment that has none.
  "processorId" text NOT NULL,
  "declineCode" text NOT NULL,
  payments bigint NOT NULL,
  approved bigint NOT NULL,
  refused bigint NOT NULL,
  volume bigint NOT NULL,
  refunds bigint NOT NULL,
  "refundedVolume" bigint NOT NULL,
  disputes bigint NOT NULL,
  "disputedVolume" bigint NOT NULL
);
CREATE INDEX figures_of_account ON counters.figures ("platformAccountId", day);
CREATE INDEX figures_of_mode ON counters.figures (mode, day);
CREATE INDEX figures_of_partner ON counters.figures ("partnerId", mode, day);

-- Days whose rows changed when they may have been summed. The job sums them again; until then they are summed when somebody asks.
CREATE TABLE counters.figures_changed (
  "platformAccountId" text NOT NULL,
  day date NOT NULL
);

-- The first day that is not summed. One row.
CREATE TABLE counters.figures_until (
  "isOnly" boolean DEFAULT true NOT NULL,
  day date NOT NULL,
  CONSTRAINT "figures_until_isOnly_check" CHECK ("isOnly"),
  CONSTRAINT figures_until_pkey PRIMARY KEY ("isOnly")
);

-- What the steps of a funnel have come to, kept in the transactions that make it so; a few rows each, so that visitors do not queue for one.
CREATE TABLE counters.funnel_figures (
  "funnelId" text NOT NULL,
  "stepId" text NOT NULL,
  "variantId" text NOT NULL,
  measure text NOT NULL,
  shard smallint NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT funnel_figures_pkey PRIMARY KEY ("funnelId", "stepId", "variantId", measure, shard)
)
WITH (fillfactor='50');

-- Where a payment counts: the step of the funnel at which it was made. What is refunded of it later counts there, too.
CREATE TABLE counters.funnel_payments (
  "paymentId" text NOT NULL,
  "funnelId" text NOT NULL,
  "stepId" text NOT NULL,
  "variantId" text NOT NULL,
  CONSTRAINT funnel_payments_pkey PRIMARY KEY ("paymentId")
);

CREATE TABLE counters.row_counts (
  relation text NOT NULL,
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  "platformAccountId" text NOT NULL,
  shard smallint NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT row_counts_pkey PRIMARY KEY (relation, "platformAccountId", shard)
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');
CREATE INDEX row_counts_of_partner ON counters.row_counts (relation, "partnerId", mode);

-- How many people the mirror has: all of them, internal staff, and those of each partner. Kept in the
-- transaction that changes people, in several rows chosen by connection, as row_counts is.
CREATE TABLE counters.user_counts (
  kind text NOT NULL,
  -- The partner's slug; empty for the other kinds.
  slug text NOT NULL,
  shard smallint NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT user_counts_kind_check CHECK (kind IN ('all', 'internal', 'partner')),
  CONSTRAINT user_counts_pkey PRIMARY KEY (kind, slug, shard)
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');

-- The keys of this installation, by setting and id ('' for a key without one), each by a value that is computed from it and
-- leads to nothing else. A start compares its keys with them. None of the keys is in the database.
CREATE TABLE keys.checks (
  setting text NOT NULL,
  "keyId" text NOT NULL,
  "check" text NOT NULL,
  -- known: recorded, and encrypts nothing yet. used: has encrypted. replaced: another key has its place after a rotation.
  -- retired: an operator does without it.
  state text NOT NULL,
  "changedAt" timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT checks_state_check CHECK (state IN ('known', 'used', 'replaced', 'retired')),
  CONSTRAINT checks_pkey PRIMARY KEY (setting, "keyId")
);

-- What stands in each account, without reading its postings. Several rows each, chosen by connection, keep writers out of each other's way.
CREATE TABLE ledger.balances (
  "platformAccountId" text NOT NULL,
  currency text NOT NULL,
  account text NOT NULL,
  shard smallint NOT NULL,
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  balance bigint NOT NULL,
  CONSTRAINT balances_pkey PRIMARY KEY ("platformAccountId", currency, account, shard)
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');
CREATE INDEX balances_of_partner ON ledger.balances ("partnerId", mode);

-- The latest result of each check of the ledger, for operators to see. It proves nothing: the check does.
CREATE TABLE ledger.checks (
  -- What was checked.
  mode text NOT NULL,
  at timestamptz(3) NOT NULL,
  "differenceCount" integer NOT NULL,
  -- The first of them: [{about, message}].
  differences jsonb NOT NULL,
  CONSTRAINT "checks_differenceCount_check" CHECK ("differenceCount" >= 0),
  CONSTRAINT checks_mode_check CHECK (mode IN ('test', 'live', 'both')),
  CONSTRAINT checks_pkey PRIMARY KEY (mode)
);

CREATE TABLE ledger.postings (
  -- The transaction at a processor, or the dispute, that moved the money. It moves it once.
  "journalEntryId" text NOT NULL,
  account text NOT NULL,
  "paymentId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  CONSTRAINT postings_values CHECK (((account IN ('processor_receivable', 'merchant_balance', 'refunds', 'fees', 'disputes', 'dispute_losses'))
    AND (amount <> 0))),
  -- A change of a dispute moves the difference of two such amounts.
  CONSTRAINT postings_amount CHECK ((amount >= '-9000000000000000'::bigint)
    AND (amount <= '9000000000000000'::bigint)),
  CONSTRAINT postings_pkey PRIMARY KEY ("journalEntryId", account)
);
CREATE INDEX postings_of_payment ON ledger.postings ("paymentId");
CREATE TRIGGER postings_are_not_emptied BEFORE TRUNCATE ON ledger.postings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER postings_balance AFTER INSERT ON ledger.postings REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION ledger.check_and_sum();
CREATE TRIGGER postings_stay BEFORE DELETE OR UPDATE ON ledger.postings FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE UNLOGGED TABLE limits.buckets (
  owner text NOT NULL,
  tokens double precision NOT NULL,
  at timestamptz(3) NOT NULL,
  rate double precision NOT NULL,
  burst double precision NOT NULL,
  allowed boolean NOT NULL,
  -- How many tokens the last statement that asked for several took from the bucket: the calls that arrive together are granted
  -- by one statement.
  granted integer DEFAULT 0 NOT NULL,
  CONSTRAINT buckets_pkey PRIMARY KEY (owner)
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');

-- Attempts of visitors to pay, by session, store and network. A running one and a declined one count, an ended one does not.
-- Logged, unlike the other limits: the declines of a session must outlive a crash of the database.
CREATE TABLE limits.card_attempts (
  id text NOT NULL,
  "sessionId" text NOT NULL,
  "storeId" text NOT NULL,
  network text NOT NULL,
  state text NOT NULL,
  at timestamptz(3) NOT NULL,
  CONSTRAINT card_attempts_state_check CHECK (state IN ('running', 'declined', 'ended')),
  CONSTRAINT card_attempts_pkey PRIMARY KEY (id)
);
CREATE INDEX card_attempts_at ON limits.card_attempts (at);
CREATE INDEX card_attempts_of_network ON limits.card_attempts (network, at) WHERE state <> 'ended';
CREATE INDEX card_attempts_of_session ON limits.card_attempts ("sessionId", at);
CREATE INDEX card_attempts_of_store ON limits.card_attempts ("storeId", at) WHERE state <> 'ended';

CREATE UNLOGGED TABLE limits.field_calls (
  identity text NOT NULL,
  minute timestamptz(3) NOT NULL,
  calls integer NOT NULL,
  CONSTRAINT field_calls_pkey PRIMARY KEY (identity)
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');

-- Due rows that a job has taken: until when it leaves them alone, longer after each failure. Not logged: after a crash
-- of the database all of them are tried again.
CREATE UNLOGGED TABLE limits.job_backoff (
  job text NOT NULL,
  id text NOT NULL,
  attempts integer NOT NULL,
  until timestamptz(3) NOT NULL,
  CONSTRAINT job_backoff_pkey PRIMARY KEY (job, id)
);

CREATE UNLOGGED TABLE limits.key_uses (
  "keyId" text NOT NULL,
  at timestamptz(3) NOT NULL,
  CONSTRAINT key_uses_pkey PRIMARY KEY ("keyId")
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');

-- The numbers that an account presented on a day (UTC), by the digits that the API shows: a hash of the keyed hash of each.
-- Logged, unlike the other limits: after a crash of the database the day's guesses still count.
CREATE TABLE limits.presented_numbers (
  "platformAccountId" text NOT NULL,
  day date NOT NULL,
  bin text NOT NULL,
  last4 text NOT NULL,
  hashes text[] NOT NULL,
  CONSTRAINT presented_numbers_pkey PRIMARY KEY ("platformAccountId", day, bin, last4)
);
CREATE INDEX presented_numbers_day ON limits.presented_numbers (day);

-- How many sign-ins and acceptances an e-mail or an address has made in this minute; nothing of it must outlive a crash.
CREATE UNLOGGED TABLE limits.sign_ins (
  subject text NOT NULL,
  minute timestamptz NOT NULL,
  calls integer NOT NULL,
  CONSTRAINT sign_ins_pkey PRIMARY KEY (subject)
);

CREATE TABLE api_keys (
  id text NOT NULL,
  kind text NOT NULL,
  mode text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text,
  prefix text NOT NULL,
  "secretHash" text NOT NULL,
  label text NOT NULL,
  status text DEFAULT 'active' NOT NULL,
  "allowedIps" text[] DEFAULT ARRAY[]::text[] NOT NULL,
  "expiresAt" timestamptz(3),
  "createdAt" timestamptz(3) NOT NULL,
  "lastUsedAt" timestamptz(3),
  "revokedAt" timestamptz(3),
  CONSTRAINT api_keys_values CHECK (((mode IN ('test', 'live'))
    AND (status IN ('active', 'revoked'))
    AND (((kind = 'partner')
    AND ("platformAccountId" IS NULL))
    OR ((kind = 'sub')
    AND ("platformAccountId" IS NOT NULL)))
    AND ((status = 'revoked') = ("revokedAt" IS NOT NULL)))),
  CONSTRAINT api_keys_pkey PRIMARY KEY (id)
);
CREATE INDEX "api_keys_mode_createdAt_id_idx" ON api_keys (mode, "createdAt" DESC, id DESC);
CREATE INDEX "api_keys_partnerId_mode_createdAt_id_idx" ON api_keys ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "api_keys_partnerId_mode_kind_createdAt_id_idx" ON api_keys ("partnerId", mode, kind, "createdAt" DESC, id DESC);
CREATE INDEX "api_keys_platformAccountId_createdAt_id_idx" ON api_keys ("platformAccountId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX api_keys_prefix_key ON api_keys (prefix);
CREATE UNIQUE INDEX "api_keys_secretHash_key" ON api_keys ("secretHash");

CREATE TABLE audit_verifications (
  id text NOT NULL,
  at timestamptz(3) NOT NULL,
  by text NOT NULL,
  ok boolean NOT NULL,
  rows bigint NOT NULL,
  anchors integer NOT NULL,
  problem text,
  CONSTRAINT audit_verifications_problem CHECK (ok = (problem IS NULL)),
  CONSTRAINT audit_verifications_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_verifications_at_id_idx ON audit_verifications (at DESC, id DESC);
CREATE TRIGGER audit_verifications_are_not_emptied BEFORE TRUNCATE ON audit_verifications
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_verifications_stay BEFORE DELETE OR UPDATE ON audit_verifications
  FOR EACH ROW
  EXECUTE FUNCTION refuse_change();

CREATE TABLE block_rules (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text,
  name text NOT NULL,
  operator text NOT NULL,
  criteria jsonb NOT NULL,
  keys text[] DEFAULT ARRAY[]::text[] NOT NULL,
  "hasPatterns" boolean NOT NULL,
  "isPermanent" boolean NOT NULL,
  "ttlHours" integer,
  "expiresAt" timestamptz(3),
  metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT block_rules_values CHECK (((operator IN ('OR', 'AND'))
    AND (criteria <> '{}'::jsonb)
    AND ((cardinality(keys) > 0) OR "hasPatterns")
    AND ("isPermanent" = ("expiresAt" IS NULL)))),
  CONSTRAINT block_rules_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX "block_rules_id_platformAccountId_partnerId_mode_key" ON block_rules (id, "platformAccountId", "partnerId", mode);
CREATE INDEX block_rules_keys_idx ON block_rules USING gin (keys);
CREATE INDEX "block_rules_partnerId_mode_createdAt_id_idx" ON block_rules ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "block_rules_partnerId_mode_name_id_idx" ON block_rules ("partnerId", mode, name, id);
CREATE INDEX "block_rules_platformAccountId_createdAt_id_idx" ON block_rules ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "block_rules_platformAccountId_name_id_idx" ON block_rules ("platformAccountId", name, id);
-- Of the rules of an account, those that a charge's keys cannot rule out.
CREATE INDEX block_rules_with_patterns ON block_rules ("platformAccountId") WHERE "hasPatterns";
CREATE TRIGGER block_rules_added AFTER INSERT ON block_rules REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER block_rules_removed AFTER DELETE ON block_rules REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();

CREATE TABLE blocked_charges (
  "paymentId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "blockRuleId" text NOT NULL,
  "ruleName" text NOT NULL,
  criteria text[],
  "createdAt" timestamptz(3) NOT NULL,
  CONSTRAINT blocked_charges_pkey PRIMARY KEY ("paymentId")
);
CREATE UNIQUE INDEX "blocked_charges_paymentId_platformAccountId_partnerId_mode_key" ON blocked_charges ("paymentId", "platformAccountId", "partnerId", mode);
CREATE TRIGGER blocked_charges_stay BEFORE DELETE OR UPDATE ON blocked_charges FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE card_testing_alerts (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  day date NOT NULL,
  bin text NOT NULL,
  last4 text NOT NULL,
  refusals integer NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT card_testing_alerts_values CHECK (((mode IN ('test', 'live')) AND (refusals > 0))),
  CONSTRAINT card_testing_alerts_pkey PRIMARY KEY (id)
);
CREATE INDEX card_testing_alerts_day_idx ON card_testing_alerts (day);
CREATE INDEX "card_testing_alerts_mode_createdAt_id_idx" ON card_testing_alerts (mode, "createdAt" DESC, id DESC);
CREATE INDEX "card_testing_alerts_partnerId_mode_createdAt_id_idx" ON card_testing_alerts ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "card_testing_alerts_platformAccountId_day_bin_last4_key" ON card_testing_alerts ("platformAccountId", day, bin, last4);

CREATE TABLE client_sessions (
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
  attempts integer DEFAULT 0 NOT NULL,
  token text,
  "cardId" text,
  "completedAt" timestamptz(3),
  "expiresAt" timestamptz(3) NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  CONSTRAINT client_sessions_values CHECK (((mode IN ('test', 'live'))
    AND ((amount IS NULL) = (currency IS NULL))
    AND (amount > 0)
    AND ((cardinality(origins) >= 1)
    AND (cardinality(origins) <= 10))
    AND ((attempts >= 0)
    AND (attempts <= 10))
    AND ((token IS NULL) = ("completedAt" IS NULL))
    AND ((token IS NULL) = ("cardId" IS NULL)))),
  CONSTRAINT client_sessions_pkey PRIMARY KEY (id)
);
CREATE INDEX "client_sessions_cardId_idx" ON client_sessions ("cardId");
CREATE INDEX "client_sessions_expiresAt_idx" ON client_sessions ("expiresAt");

CREATE TABLE connect_attempts (
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
  "createdAt" timestamptz(3) NOT NULL,
  "expiresAt" timestamptz(3) NOT NULL,
  "usedAt" timestamptz(3),
  CONSTRAINT connect_attempts_pkey PRIMARY KEY (id)
);
CREATE INDEX "connect_attempts_createdAt_idx" ON connect_attempts ("createdAt");
CREATE UNIQUE INDEX "connect_attempts_stateHash_key" ON connect_attempts ("stateHash");

CREATE TABLE customers (
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
  tags text[] DEFAULT ARRAY[]::text[] NOT NULL,
  "billingAddress" jsonb,
  "shippingAddress" jsonb,
  metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
  "lastOrderId" text,
  "paymentInstrumentCardLast4" text,
  sequence integer DEFAULT 0 NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  "testClockId" text,
  -- The e-mail address of a guest is not proved. It is unique within a session; those of the merchant's customers in a store.
  "guestSessionId" text,
  CONSTRAINT customers_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX "customers_id_platformAccountId_partnerId_mode_key" ON customers (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "customers_mode_createdAt_id_idx" ON customers (mode, "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX customers_of_merchant ON customers ("storeId", "emailLower") WHERE "guestSessionId" IS NULL;
CREATE UNIQUE INDEX customers_of_session ON customers ("guestSessionId", "emailLower") WHERE "guestSessionId" IS NOT NULL;
CREATE INDEX "customers_partnerId_mode_createdAt_id_idx" ON customers ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "customers_partnerId_mode_emailLower_id_idx" ON customers ("partnerId", mode, "emailLower", id);
CREATE INDEX "customers_partnerId_mode_firstName_id_idx" ON customers ("partnerId", mode, "firstName", id);
CREATE INDEX "customers_partnerId_mode_lastName_id_idx" ON customers ("partnerId", mode, "lastName", id);
-- Customers with a telephone number, for operators who look for one.
CREATE INDEX customers_phone ON customers ("partnerId", mode, phone) WHERE phone IS NOT NULL;
CREATE INDEX "customers_platformAccountId_createdAt_id_idx" ON customers ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "customers_platformAccountId_emailLower_id_idx" ON customers ("platformAccountId", "emailLower", id);
CREATE INDEX "customers_platformAccountId_firstName_id_idx" ON customers ("platformAccountId", "firstName", id);
CREATE INDEX "customers_platformAccountId_lastName_id_idx" ON customers ("platformAccountId", "lastName", id);
CREATE INDEX "customers_storeId_createdAt_id_idx" ON customers ("storeId", "createdAt" DESC, id DESC);
CREATE TRIGGER customers_added AFTER INSERT ON customers REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER customers_removed AFTER DELETE ON customers REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();

CREATE TABLE deferred_charges (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "subscriptionId" text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  "dueAt" timestamptz(3) NOT NULL,
  reason text NOT NULL,
  status text DEFAULT 'deferred' NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT deferred_charges_values CHECK (((amount >= 0)
    AND (reason IN ('partner_suspended', 'partner_offboarded', 'account_suspended', 'account_closed', 'account_not_approved'))
    AND (status IN ('deferred', 'charged', 'skipped', 'canceled')))),
  CONSTRAINT deferred_charges_pkey PRIMARY KEY (id)
);
CREATE INDEX "deferred_charges_mode_createdAt_id_idx" ON deferred_charges (mode, "createdAt" DESC, id DESC);
CREATE INDEX "deferred_charges_partnerId_mode_createdAt_id_idx" ON deferred_charges ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "deferred_charges_platformAccountId_createdAt_id_idx" ON deferred_charges ("platformAccountId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "deferred_charges_subscriptionId_dueAt_key" ON deferred_charges ("subscriptionId", "dueAt");

CREATE TABLE disputes (
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
  "evidenceDueAt" timestamptz(3),
  "closedAt" timestamptz(3),
  sequence integer DEFAULT 0 NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  "reportedAt" timestamptz(3),
  CONSTRAINT disputes_values CHECK (((status IN ('needs_response', 'under_review', 'won', 'lost'))
    AND (amount > 0)
    AND ((status IN ('won', 'lost')) = ("closedAt" IS NOT NULL)))),
  CONSTRAINT disputes_amount CHECK (amount <= '9000000000000000'::bigint),
  CONSTRAINT disputes_pkey PRIMARY KEY (id)
);
CREATE INDEX "disputes_mode_createdAt_id_idx" ON disputes (mode, "createdAt" DESC, id DESC);
CREATE INDEX "disputes_mode_evidenceDueAt_id_idx" ON disputes (mode, "evidenceDueAt", id);
CREATE INDEX "disputes_partnerId_mode_createdAt_id_idx" ON disputes ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "disputes_partnerId_mode_evidenceDueAt_id_idx" ON disputes ("partnerId", mode, "evidenceDueAt", id);
CREATE INDEX "disputes_paymentId_createdAt_id_idx" ON disputes ("paymentId", "createdAt", id);
CREATE INDEX "disputes_platformAccountId_createdAt_id_idx" ON disputes ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "disputes_platformAccountId_evidenceDueAt_id_idx" ON disputes ("platformAccountId", "evidenceDueAt", id);
CREATE UNIQUE INDEX "disputes_processorReference_processorId_key" ON disputes ("processorReference", "processorId");
CREATE INDEX "disputes_storeId_createdAt_id_idx" ON disputes ("storeId", "createdAt" DESC, id DESC);
CREATE TRIGGER disputes_added AFTER INSERT ON disputes REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER disputes_are_of_their_money BEFORE UPDATE OF amount, currency, "paymentId" ON disputes
  FOR EACH ROW
  WHEN (((new."paymentId" IS DISTINCT FROM old."paymentId")
    OR (((new.amount IS DISTINCT FROM old.amount)
    OR (new.currency IS DISTINCT FROM old.currency))
    AND (new.sequence <= old.sequence))))
  EXECUTE FUNCTION refuse_change();
CREATE TRIGGER disputes_changed_late AFTER UPDATE ON disputes
  FOR EACH ROW
  WHEN (((new."createdAt" < (now() - '00:30:00'::interval))
    AND ((new.amount IS DISTINCT FROM old.amount)
    OR (new.currency IS DISTINCT FROM old.currency))))
  EXECUTE FUNCTION counters.mark_figures();
CREATE TRIGGER disputes_late AFTER INSERT ON disputes
  FOR EACH ROW
  WHEN ((new."createdAt" < (now() - '00:30:00'::interval)))
  EXECUTE FUNCTION counters.mark_figures();
CREATE TRIGGER disputes_removed AFTER DELETE ON disputes REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER disputes_stay_decided BEFORE UPDATE OF status ON disputes
  FOR EACH ROW
  WHEN (((old.status IN ('won', 'lost'))
    AND (new.status IS DISTINCT FROM old.status)
    AND (new.sequence <= old.sequence)))
  EXECUTE FUNCTION refuse_to_reopen_dispute();

CREATE TABLE ended_sessions (
  "sessionId" text NOT NULL,
  "userId" text NOT NULL,
  at timestamptz(3) NOT NULL,
  CONSTRAINT ended_sessions_pkey PRIMARY KEY ("sessionId")
);
CREATE INDEX ended_sessions_at_idx ON ended_sessions (at);

CREATE TABLE events (
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
  "createdAt" timestamptz(3) NOT NULL,
  "testClockId" text,
  CONSTRAINT events_pkey PRIMARY KEY (id)
);
-- Lists by type of event, over all partners. The types that every charge has are frequent, found along the time, and not
-- in these indexes: no successful charge writes them.
CREATE INDEX events_by_type ON events (mode, type, "createdAt" DESC, id DESC)
  WHERE type NOT IN ('payment/created', 'payment/succeeded');
CREATE INDEX "events_mode_createdAt_id_idx" ON events (mode, "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "events_objectId_sequence_key" ON events ("objectId", sequence);
CREATE INDEX "events_partnerId_mode_createdAt_id_idx" ON events ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "events_platformAccountId_createdAt_id_idx" ON events ("platformAccountId", "createdAt" DESC, id DESC);
-- Events are never removed.
CREATE TRIGGER events_added AFTER INSERT ON events REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER events_are_in_order BEFORE INSERT ON events FOR EACH ROW WHEN ((new.sequence > 1)) EXECUTE FUNCTION order_event();
-- History is not emptied either.
CREATE TRIGGER events_are_not_emptied BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- The total of a list is that of the rows that are there.
CREATE TRIGGER events_removed AFTER DELETE ON events REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER events_stay BEFORE DELETE OR UPDATE ON events FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_to_webhooks AFTER INSERT ON events REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION add_webhook_deliveries();

CREATE TABLE funnel_events (
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
  "createdAt" timestamptz(3) NOT NULL,
  CONSTRAINT funnel_events_pkey PRIMARY KEY ("sessionId", "eventId")
);
CREATE UNIQUE INDEX "funnel_events_paymentId_key" ON funnel_events ("paymentId");
CREATE TRIGGER funnel_events_are_not_emptied BEFORE TRUNCATE ON funnel_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- A payment moves the session at whose order or event it stands; what was told stays as it was told.
CREATE TRIGGER funnel_events_stay BEFORE DELETE OR UPDATE ON funnel_events FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE funnel_orders (
  "orderId" text NOT NULL,
  "sessionId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "stepId" text NOT NULL,
  "variantId" text,
  kind text NOT NULL,
  open boolean NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  CONSTRAINT funnel_orders_values CHECK (kind IN ('checkout', 'offer')),
  CONSTRAINT funnel_orders_pkey PRIMARY KEY ("orderId")
);
-- Those whose payments may still move a session are few: an attempt takes seconds, a challenge half an hour.
CREATE INDEX funnel_orders_open ON funnel_orders ("createdAt") WHERE open;
CREATE UNIQUE INDEX "funnel_orders_orderId_platformAccountId_partnerId_mode_key" ON funnel_orders ("orderId", "platformAccountId", "partnerId", mode);
CREATE UNIQUE INDEX "funnel_orders_sessionId_stepId_key" ON funnel_orders ("sessionId", "stepId");

CREATE TABLE funnel_sessions (
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
  moves integer DEFAULT 0 NOT NULL,
  "convertedAt" timestamptz(3),
  "expiresAt" timestamptz(3) NOT NULL,
  sequence integer DEFAULT 0 NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT funnel_sessions_values CHECK (((status IN ('active', 'completed', 'abandoned'))
    AND (moves >= 0)
    AND (sequence >= 0))),
  CONSTRAINT funnel_sessions_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX "funnel_sessions_id_platformAccountId_partnerId_mode_key" ON funnel_sessions (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "funnel_sessions_status_expiresAt_idx" ON funnel_sessions (status, "expiresAt");
CREATE UNIQUE INDEX "funnel_sessions_tokenHash_key" ON funnel_sessions ("tokenHash");

CREATE TABLE funnel_versions (
  "funnelId" text NOT NULL,
  version integer NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  nodes jsonb NOT NULL,
  edges jsonb NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  CONSTRAINT funnel_versions_pkey PRIMARY KEY ("funnelId", version)
);
CREATE UNIQUE INDEX "funnel_versions_funnelId_version_platformAccountId_partnerI_key" ON funnel_versions ("funnelId", version, "platformAccountId", "partnerId", mode);
CREATE TRIGGER funnel_versions_are_not_emptied BEFORE TRUNCATE ON funnel_versions
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_change();
-- A version is what sessions hold on to.
CREATE TRIGGER funnel_versions_stay BEFORE UPDATE ON funnel_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE funnels (
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
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT funnels_values CHECK (((version >= 1) AND (jsonb_typeof(nodes) = 'array') AND (jsonb_typeof(edges) = 'array'))),
  CONSTRAINT funnels_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX funnels_default_of_store ON funnels ("storeId") WHERE "isDefault";
CREATE UNIQUE INDEX "funnels_id_platformAccountId_partnerId_mode_key" ON funnels (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "funnels_mode_createdAt_id_idx" ON funnels (mode, "createdAt" DESC, id DESC);
CREATE INDEX "funnels_partnerId_mode_createdAt_id_idx" ON funnels ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "funnels_partnerId_mode_name_id_idx" ON funnels ("partnerId", mode, name, id);
CREATE INDEX "funnels_platformAccountId_createdAt_id_idx" ON funnels ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "funnels_platformAccountId_name_id_idx" ON funnels ("platformAccountId", name, id);
CREATE INDEX "funnels_storeId_createdAt_id_idx" ON funnels ("storeId", "createdAt" DESC, id DESC);
CREATE TRIGGER funnels_added AFTER INSERT ON funnels REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER funnels_removed AFTER DELETE ON funnels REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();

CREATE TABLE iam_org_members (
  "organizationId" text NOT NULL,
  "userId" text NOT NULL,
  role text NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  CONSTRAINT iam_org_members_pkey PRIMARY KEY ("organizationId", "userId")
);
CREATE INDEX "iam_org_members_userId_idx" ON iam_org_members ("userId");

CREATE TABLE iam_users (
  "idpUserId" text NOT NULL,
  email text NOT NULL,
  "emailLower" text NOT NULL,
  "emailVerified" boolean DEFAULT false NOT NULL,
  "platformRoles" text[] DEFAULT ARRAY[]::text[] NOT NULL,
  "whitelabelOwnership" text,
  banned boolean DEFAULT false NOT NULL,
  "deletedAt" timestamptz(3),
  "idpUpdatedAt" timestamptz(3) NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT iam_users_values CHECK ("emailLower" = lower(email)),
  CONSTRAINT iam_users_pkey PRIMARY KEY ("idpUserId")
);
CREATE INDEX "iam_users_createdAt_idpUserId_idx" ON iam_users ("createdAt" DESC, "idpUserId" DESC);
CREATE INDEX "iam_users_emailLower_idx" ON iam_users ("emailLower");
-- Internal staff are few among the people who own merchants.
CREATE INDEX iam_users_internal ON iam_users ("createdAt" DESC, "idpUserId" DESC)
  WHERE ("deletedAt" IS NULL)
    AND ("whitelabelOwnership" IS NULL)
    AND ("platformRoles" <> '{}'::text[]);
CREATE INDEX "iam_users_whitelabelOwnership_createdAt_idpUserId_idx" ON iam_users ("whitelabelOwnership", "createdAt" DESC, "idpUserId" DESC);
CREATE TRIGGER users_added AFTER INSERT ON iam_users REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_users();
CREATE TRIGGER users_changed AFTER UPDATE ON iam_users REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_users();
CREATE TRIGGER users_removed AFTER DELETE ON iam_users REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_users();

CREATE TABLE idempotency_records (
  owner text NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  "requestHash" text NOT NULL,
  "subjectId" text,
  answer json,
  "createdAt" timestamptz(3) NOT NULL,
  -- A call of several effects under one Idempotency-Key is running while its process extends this time. Null for a call of
  -- one transaction or one payment.
  "runsUntil" timestamptz(3),
  CONSTRAINT idempotency_records_pkey PRIMARY KEY (owner, operation, key)
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='1000');
CREATE INDEX "idempotency_records_createdAt_idx" ON idempotency_records ("createdAt");
CREATE INDEX idempotency_records_running ON idempotency_records ("subjectId") WHERE answer IS NULL;

CREATE TABLE idp_processed_events (
  id text NOT NULL,
  type text NOT NULL,
  at timestamptz(3) NOT NULL,
  CONSTRAINT idp_processed_events_pkey PRIMARY KEY (id)
);
CREATE INDEX idp_processed_events_at_idx ON idp_processed_events (at);

CREATE TABLE idp_versions (
  subject text NOT NULL,
  at timestamptz(3) NOT NULL,
  CONSTRAINT idp_versions_pkey PRIMARY KEY (subject)
);

CREATE TABLE kyb_requirements (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  code text NOT NULL,
  status text DEFAULT 'missing' NOT NULL,
  value text,
  "rejectionReason" text,
  "submittedAt" timestamptz(3),
  "reviewedAt" timestamptz(3),
  -- A value is there from the moment one was sent; a decision has its time, and a rejection its reason.
  CONSTRAINT kyb_requirements_values CHECK (((status IN ('missing', 'submitted', 'approved', 'rejected'))
    AND (code IN ('business.legal_name', 'business.registration_number', 'business.tax_id', 'business.address', 'business.website', 'business.mcc', 'representative.identity', 'representative.address', 'banking.account', 'documents.registration_extract'))
    AND ((status = 'missing') = (value IS NULL))
    AND ((status = 'missing') = ("submittedAt" IS NULL))
    AND ((status IN ('approved', 'rejected')) = ("reviewedAt" IS NOT NULL))
    AND ((status = 'rejected') = ("rejectionReason" IS NOT NULL)))),
  CONSTRAINT kyb_requirements_pkey PRIMARY KEY (id)
);
-- After a rotation of the vault's key, values still under an older one are looked for every minute.
CREATE INDEX kyb_requirements_by_key ON kyb_requirements (split_part(value, '.', 2)) WHERE value IS NOT NULL;
CREATE UNIQUE INDEX "kyb_requirements_platformAccountId_code_key" ON kyb_requirements ("platformAccountId", code);

CREATE TABLE orders (
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
  metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
  sequence integer DEFAULT 0 NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT orders_values CHECK (((status IN ('pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'canceled'))
    AND ((amount >= 1)
    AND (amount <= '99999999999'::bigint))
    AND ((status NOT IN ('paid', 'partially_refunded', 'refunded'))
    OR ("paymentId" IS NOT NULL)))),
  CONSTRAINT orders_pkey PRIMARY KEY (id)
);
CREATE INDEX "orders_customerId_createdAt_id_idx" ON orders ("customerId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "orders_id_platformAccountId_partnerId_mode_key" ON orders (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "orders_mode_createdAt_id_idx" ON orders (mode, "createdAt" DESC, id DESC);
CREATE INDEX "orders_partnerId_mode_amount_id_idx" ON orders ("partnerId", mode, amount, id);
CREATE INDEX "orders_partnerId_mode_createdAt_id_idx" ON orders ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "orders_platformAccountId_amount_id_idx" ON orders ("platformAccountId", amount, id);
CREATE INDEX "orders_platformAccountId_createdAt_id_idx" ON orders ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "orders_storeId_createdAt_id_idx" ON orders ("storeId", "createdAt" DESC, id DESC);
CREATE TRIGGER orders_added AFTER INSERT ON orders REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER orders_removed AFTER DELETE ON orders REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();

CREATE TABLE organizations (
  "accountId" text NOT NULL,
  "organizationId" text,
  name text NOT NULL,
  slug text,
  kind text NOT NULL,
  "partnerId" text,
  "createdAt" timestamptz(3) NOT NULL,
  CONSTRAINT organizations_values CHECK (kind IN ('self_serve', 'partner_managed')),
  CONSTRAINT organizations_pkey PRIMARY KEY ("accountId")
);
CREATE UNIQUE INDEX "organizations_organizationId_key" ON organizations ("organizationId");
CREATE INDEX "organizations_partnerId_createdAt_accountId_idx" ON organizations ("partnerId", "createdAt" DESC, "accountId" DESC);
CREATE UNIQUE INDEX organizations_slug_key ON organizations (slug);

CREATE TABLE partner_logos (
  "partnerId" text NOT NULL,
  file text NOT NULL,
  content bytea NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  CONSTRAINT partner_logos_values CHECK (((file ~ '^[0-9a-f]{64}-[0-9]{2,4}x[0-9]{2,4}\.(png|jpg|webp)$')
    AND ((octet_length(content) >= 1)
    AND (octet_length(content) <= 32768)))),
  CONSTRAINT partner_logos_pkey PRIMARY KEY ("partnerId")
);
CREATE INDEX partner_logos_file_idx ON partner_logos (file);

CREATE TABLE partner_memberships (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "userId" text,
  email text NOT NULL,
  "emailLower" text NOT NULL,
  roles text[] DEFAULT ARRAY[]::text[] NOT NULL,
  status text NOT NULL,
  "invitationId" text,
  "invitedAt" timestamptz(3) NOT NULL,
  "joinedAt" timestamptz(3),
  "revokedAt" timestamptz(3),
  "invitedBy" text,
  CONSTRAINT partner_memberships_values CHECK (((status IN ('pending', 'active', 'revoked'))
    AND ("emailLower" = lower(email))
    AND ((status = 'active') <= (("userId" IS NOT NULL)
    AND ("joinedAt" IS NOT NULL)))
    AND ((status = 'revoked') = ("revokedAt" IS NOT NULL))
    AND (("invitationId" IS NULL)
    OR (status = 'pending')))),
  CONSTRAINT partner_memberships_pkey PRIMARY KEY (id)
);
CREATE INDEX "partner_memberships_emailLower_idx" ON partner_memberships ("emailLower");
CREATE UNIQUE INDEX "partner_memberships_partnerId_emailLower_key" ON partner_memberships ("partnerId", "emailLower");
CREATE INDEX "partner_memberships_partnerId_invitedAt_id_idx" ON partner_memberships ("partnerId", "invitedAt" DESC, id DESC);
CREATE INDEX "partner_memberships_userId_idx" ON partner_memberships ("userId");

CREATE TABLE partners (
  id text NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  status text DEFAULT 'active' NOT NULL,
  branding jsonb DEFAULT '{}'::jsonb NOT NULL,
  preferences jsonb DEFAULT '{}'::jsonb NOT NULL,
  "commercialTerms" jsonb DEFAULT '{}'::jsonb NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  -- The values a column may hold. The graph's enums are the same lists.
  CONSTRAINT partners_values CHECK (((status IN ('onboarding', 'active', 'suspended', 'offboarded'))
    AND (slug ~ '^[a-z0-9-]{3,40}$'))),
  CONSTRAINT partners_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX partners_slug_key ON partners (slug);

CREATE TABLE payment_flow_routes (
  "flowId" text NOT NULL,
  kind text NOT NULL,
  "processorId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "position" integer NOT NULL,
  weight integer,
  CONSTRAINT payment_flow_routes_values CHECK ((((kind = 'weighted')
    AND ((weight >= 1)
    AND (weight <= 10000)))
    OR ((kind = 'fallback')
    AND (weight IS NULL)
    AND (("position" >= 0)
    AND ("position" <= 100))))),
  CONSTRAINT payment_flow_routes_pkey PRIMARY KEY ("flowId", kind, "processorId")
);
-- Two fallbacks cannot both be tried next.
CREATE UNIQUE INDEX payment_flow_routes_fallback_order ON payment_flow_routes ("flowId", "position") WHERE kind = 'fallback';
CREATE INDEX "payment_flow_routes_processorId_idx" ON payment_flow_routes ("processorId");

CREATE TABLE payment_flows (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  name text NOT NULL,
  strategy text NOT NULL,
  "maxRetries" integer NOT NULL,
  sticky boolean NOT NULL,
  "threeDs" text NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT payment_flows_values CHECK (((strategy IN ('simple', 'cascade'))
    AND (("maxRetries" >= 0)
    AND ("maxRetries" <= 10))
    AND ("threeDs" IN ('automatic', 'force', 'skip'))
    AND (mode IN ('test', 'live')))),
  CONSTRAINT payment_flows_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX "payment_flows_id_platformAccountId_partnerId_mode_key" ON payment_flows (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "payment_flows_partnerId_mode_createdAt_id_idx" ON payment_flows ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "payment_flows_partnerId_mode_name_id_idx" ON payment_flows ("partnerId", mode, name, id);
CREATE INDEX "payment_flows_platformAccountId_createdAt_id_idx" ON payment_flows ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "payment_flows_platformAccountId_name_id_idx" ON payment_flows ("platformAccountId", name, id);
CREATE TRIGGER payment_flows_added AFTER INSERT ON payment_flows REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER payment_flows_removed AFTER DELETE ON payment_flows REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();

CREATE TABLE payment_instruments (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  "customerId" text NOT NULL,
  type text DEFAULT 'card' NOT NULL,
  "cardId" text NOT NULL,
  brand text NOT NULL,
  last4 text NOT NULL,
  bin text NOT NULL,
  "expMonth" integer NOT NULL,
  "expYear" integer NOT NULL,
  funding text NOT NULL,
  fingerprint text NOT NULL,
  "isActive" boolean DEFAULT true NOT NULL,
  "isDefault" boolean DEFAULT false NOT NULL,
  sequence integer DEFAULT 0 NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT payment_instruments_default_is_active CHECK ("isActive" OR (NOT "isDefault")),
  CONSTRAINT payment_instruments_pkey PRIMARY KEY (id)
);
CREATE INDEX "payment_instruments_cardId_idx" ON payment_instruments ("cardId");
CREATE INDEX "payment_instruments_customerId_createdAt_id_idx" ON payment_instruments ("customerId", "createdAt" DESC, id DESC);
CREATE INDEX payment_instruments_fingerprint_idx ON payment_instruments (fingerprint);
CREATE UNIQUE INDEX "payment_instruments_id_platformAccountId_partnerId_mode_key" ON payment_instruments (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "payment_instruments_mode_createdAt_id_idx" ON payment_instruments (mode, "createdAt" DESC, id DESC);
-- One default a customer, and only an active one.
CREATE UNIQUE INDEX payment_instruments_one_default ON payment_instruments ("customerId") WHERE "isDefault";
CREATE INDEX "payment_instruments_partnerId_mode_createdAt_id_idx" ON payment_instruments ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "payment_instruments_partnerId_mode_last4_createdAt_id_idx" ON payment_instruments ("partnerId", mode, last4, "createdAt" DESC, id DESC);
CREATE INDEX "payment_instruments_platformAccountId_createdAt_id_idx" ON payment_instruments ("platformAccountId", "createdAt" DESC, id DESC);
-- The total of a list without filters comes from a counter.
CREATE TRIGGER payment_instruments_added AFTER INSERT ON payment_instruments REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER payment_instruments_removed AFTER DELETE ON payment_instruments REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();

CREATE TABLE payments (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  "customerId" text NOT NULL,
  "paymentInstrumentId" text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  "capturedAmount" bigint DEFAULT 0 NOT NULL,
  "refundedAmount" bigint DEFAULT 0 NOT NULL,
  status text NOT NULL,
  "subStatus" text,
  "failureCode" text,
  "failureMessage" text,
  "requireAction" text,
  "requireActionData" jsonb,
  "actionExpiresAt" timestamptz(3),
  "processorId" text,
  "initiatedBy" text DEFAULT 'customer' NOT NULL,
  "reasonType" text,
  "threeDs" text DEFAULT 'automatic' NOT NULL,
  "returnUrl" text,
  "billingAddress" jsonb,
  "shippingAddress" jsonb,
  metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
  "cardLast4" text NOT NULL,
  "customerEmailLower" text NOT NULL,
  sequence integer DEFAULT 0 NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  "authorizationExpiresAt" timestamptz(3),
  "reservedAmount" bigint DEFAULT 0 NOT NULL,
  "voidedAt" timestamptz(3),
  "orderId" text,
  cascade jsonb,
  "paymentFlowId" text,
  "disputedAmount" bigint DEFAULT 0 NOT NULL,
  "testClockId" text,
  "subscriptionId" text,
  "subscriptionPeriod" integer,
  "foreignDisputes" integer DEFAULT 0 NOT NULL,
  CONSTRAINT payments_amounts_fit_status CHECK (
CASE status
    WHEN 'succeeded' THEN (("capturedAmount" > 0) AND ("refundedAmount" = 0))
    WHEN 'partially_refunded' THEN (("refundedAmount" > 0) AND ("refundedAmount" < "capturedAmount"))
    WHEN 'refunded' THEN (("refundedAmount" > 0) AND ("refundedAmount" = "capturedAmount"))
    ELSE ("capturedAmount" = 0)
END),
  -- Only a payment that is being charged can have processors left to try, and the one it is at is known.
  CONSTRAINT payments_cascade CHECK (((cascade IS NULL)
    OR ((jsonb_typeof(cascade) = 'array')
    AND ("subStatus" = 'processing')
    AND ("processorId" IS NOT NULL)))),
  CONSTRAINT payments_money CHECK ((((amount >= 1)
    AND (amount <= '99999999999'::bigint))
    AND (("capturedAmount" >= 0)
    AND ("capturedAmount" <= amount))
    AND ("refundedAmount" >= 0)
    AND ("reservedAmount" >= 0)
    AND ("disputedAmount" >= 0)
    AND ("foreignDisputes" >= 0)
    AND (("refundedAmount" + "reservedAmount") <= "capturedAmount"))),
  -- A period has one charge that has not failed: whatever the program does, there is no second.
  CONSTRAINT payments_period_of_subscription CHECK (("subscriptionPeriod" IS NULL) OR ("subscriptionId" IS NOT NULL)),
  CONSTRAINT payments_values CHECK (((status IN ('pending', 'succeeded', 'declined', 'failed', 'partially_refunded', 'refunded'))
    AND (("subStatus" IS NULL)
    OR ("subStatus" IN ('captured', 'authorized', 'requires_action', 'processing', 'voided', 'expired', 'authentication_expired', 'processing_error')))
    AND (("failureCode" IS NULL)
    OR ("failureCode" IN ('card_declined', 'insufficient_funds', 'lost_card', 'expired_card', 'incorrect_cvc', 'processing_error', 'authentication_failed', 'blocked_by_rule', 'no_processor')))
    AND ("initiatedBy" IN ('customer', 'merchant'))
    AND ("threeDs" IN ('automatic', 'force', 'skip')))),
  CONSTRAINT payments_disputed_amount CHECK ("disputedAmount" <= '9000000000000000'::bigint),
  CONSTRAINT payments_pkey PRIMARY KEY (id)
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000');
CREATE INDEX payments_authorized ON payments ("authorizationExpiresAt") WHERE "subStatus" = 'authorized';
CREATE INDEX payments_challenged ON payments ("actionExpiresAt") WHERE "subStatus" = 'requires_action';
CREATE INDEX "payments_customerId_createdAt_id_idx" ON payments ("customerId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "payments_id_platformAccountId_partnerId_mode_key" ON payments (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "payments_mode_createdAt_id_idx" ON payments (mode, "createdAt" DESC, id DESC);
CREATE INDEX payments_of_order ON payments ("orderId") WHERE "orderId" IS NOT NULL;
CREATE INDEX payments_of_subscription ON payments ("subscriptionId", "createdAt" DESC, id DESC)
  WHERE "subscriptionId" IS NOT NULL;
CREATE INDEX payments_on_test_clocks ON payments ("testClockId") WHERE "testClockId" IS NOT NULL;
CREATE UNIQUE INDEX payments_one_a_period ON payments ("subscriptionId", "subscriptionPeriod")
  WHERE (("subscriptionPeriod" IS NOT NULL)
    AND (status NOT IN ('declined', 'failed')));
CREATE INDEX "payments_partnerId_mode_amount_id_idx" ON payments ("partnerId", mode, amount, id);
CREATE INDEX "payments_partnerId_mode_createdAt_id_idx" ON payments ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "payments_partnerId_mode_status_id_idx" ON payments ("partnerId", mode, status, id);
CREATE INDEX "payments_platformAccountId_amount_id_idx" ON payments ("platformAccountId", amount, id);
CREATE INDEX "payments_platformAccountId_createdAt_id_idx" ON payments ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "payments_platformAccountId_status_id_idx" ON payments ("platformAccountId", status, id);
-- Only payments that were refused are in it, so that an approved charge writes no entry.
CREATE INDEX payments_refused ON payments (mode, "failureCode", "createdAt" DESC, id DESC) WHERE "failureCode" IS NOT NULL;
CREATE INDEX "payments_storeId_createdAt_id_idx" ON payments ("storeId", "createdAt" DESC, id DESC);
CREATE TRIGGER payments_added AFTER INSERT ON payments REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER payments_changed_late AFTER UPDATE ON payments
  FOR EACH ROW
  WHEN (((new."createdAt" < (now() - '00:30:00'::interval))
    AND ((new."processorId" IS DISTINCT FROM old."processorId")
    OR (new."failureCode" IS DISTINCT FROM old."failureCode")
    OR (((new.status IS DISTINCT FROM old.status)
    OR (new."subStatus" IS DISTINCT FROM old."subStatus"))
    AND (NOT ((new.status IN ('succeeded', 'partially_refunded', 'refunded'))
    AND (old.status IN ('succeeded', 'partially_refunded', 'refunded'))))))))
  EXECUTE FUNCTION counters.mark_figures();
-- A day is summed an hour after its end at the earliest, by the clock of the database. A row of the last half hour is in no
-- such day, so that a charge only has its time compared.
CREATE TRIGGER payments_late AFTER INSERT ON payments
  FOR EACH ROW
  WHEN ((new."createdAt" < (now() - '00:30:00'::interval)))
  EXECUTE FUNCTION counters.mark_figures();
CREATE TRIGGER payments_refunded_of_funnels AFTER UPDATE OF "refundedAmount" ON payments
  FOR EACH ROW
  WHEN ((new."refundedAmount" <> old."refundedAmount"))
  EXECUTE FUNCTION counters.count_funnel_refund();
CREATE TRIGGER payments_removed AFTER DELETE ON payments REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER payments_stay_final BEFORE UPDATE OF status, "subStatus", "capturedAmount", "refundedAmount" ON payments
  FOR EACH ROW
  WHEN (((old.status IN ('declined', 'failed', 'refunded'))
    AND ((((new.status IS DISTINCT FROM old.status)
    OR (new."subStatus" IS DISTINCT FROM old."subStatus"))
    OR (new."capturedAmount" IS DISTINCT FROM old."capturedAmount"))
    OR (new."refundedAmount" IS DISTINCT FROM old."refundedAmount"))
    AND (NOT ((old.status = 'refunded')
    AND (new.status IN ('succeeded', 'partially_refunded'))
    AND (new."capturedAmount" = old."capturedAmount")
    AND (new."refundedAmount" < old."refundedAmount")))))
  EXECUTE FUNCTION refuse_to_reopen();

CREATE TABLE pending_compensations (
  "organizationId" text NOT NULL,
  "partnerSlug" text,
  attempts integer DEFAULT 0 NOT NULL,
  "lastError" text,
  "dueAt" timestamptz(3) NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  -- A process that reverts a tag has leased its row, and asks the identity provider outside of a transaction.
  "revertingUntil" timestamptz(3),
  CONSTRAINT pending_compensations_pkey PRIMARY KEY ("organizationId")
);
CREATE INDEX "pending_compensations_dueAt_idx" ON pending_compensations ("dueAt");

CREATE TABLE plugin_assets (
  "deploymentId" text NOT NULL,
  path text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "contentType" text NOT NULL,
  size integer NOT NULL,
  sha256 text NOT NULL,
  CONSTRAINT plugin_assets_values CHECK (((size >= 0)
    AND (sha256 ~ '^[0-9a-f]{64}$')
    AND (path ~ '^[A-Za-z0-9._~@+-]+(/[A-Za-z0-9._~@+-]+)*$')
    AND (path !~ '(^|/)\.\.?(/|$)'))),
  CONSTRAINT plugin_assets_pkey PRIMARY KEY ("deploymentId", path)
);
CREATE INDEX "plugin_assets_platformAccountId_sha256_idx" ON plugin_assets ("platformAccountId", sha256);

CREATE TABLE plugin_blobs (
  "platformAccountId" text NOT NULL,
  sha256 text NOT NULL,
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  content bytea NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  CONSTRAINT plugin_blobs_values CHECK ((sha256 = encode(sha256(content), 'hex'))),
  CONSTRAINT plugin_blobs_pkey PRIMARY KEY ("platformAccountId", sha256)
);

CREATE TABLE plugin_configurations (
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
  "createdAt" timestamptz(3) NOT NULL,
  CONSTRAINT plugin_configurations_values CHECK (((version >= 1)
    AND (json_typeof(config) = 'object')
    AND (reason IN ('created', 'updated', 'rolledBack'))
    AND ((reason = 'rolledBack') = ("rolledBackTo" IS NOT NULL)))),
  CONSTRAINT plugin_configurations_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX "plugin_configurations_deploymentInstanceId_version_key" ON plugin_configurations ("deploymentInstanceId", version);

CREATE TABLE plugin_deployments (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  "pluginId" text NOT NULL,
  version text NOT NULL,
  name text NOT NULL,
  manifest json NOT NULL,
  presets json DEFAULT '{}'::json NOT NULL,
  schema json,
  "uiSchema" json,
  "assetCount" integer NOT NULL,
  "assetBytes" integer NOT NULL,
  sequence integer DEFAULT 0 NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT plugin_deployments_values CHECK ((((length("pluginId") >= 1)
    AND (length("pluginId") <= 100))
    AND ((length(version) >= 5)
    AND (length(version) <= 100))
    AND (("assetCount" >= 0)
    AND ("assetCount" <= 300))
    AND ("assetBytes" >= 0)
    AND (sequence >= 0)
    AND (json_typeof(manifest) = 'object')
    AND (json_typeof(presets) = 'object')
    AND (COALESCE(json_typeof(schema), 'object') = 'object')
    AND (COALESCE(json_typeof("uiSchema"), 'object') = 'object'))),
  CONSTRAINT plugin_deployments_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX "plugin_deployments_id_platformAccountId_partnerId_mode_key" ON plugin_deployments (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "plugin_deployments_partnerId_mode_createdAt_id_idx" ON plugin_deployments ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "plugin_deployments_partnerId_mode_name_id_idx" ON plugin_deployments ("partnerId", mode, name, id);
CREATE INDEX "plugin_deployments_platformAccountId_createdAt_id_idx" ON plugin_deployments ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "plugin_deployments_platformAccountId_name_id_idx" ON plugin_deployments ("platformAccountId", name, id);
CREATE UNIQUE INDEX "plugin_deployments_platformAccountId_pluginId_version_key" ON plugin_deployments ("platformAccountId", "pluginId", version);
CREATE INDEX "plugin_deployments_storeId_createdAt_id_idx" ON plugin_deployments ("storeId", "createdAt" DESC, id DESC);
CREATE TRIGGER plugin_deployments_added AFTER INSERT ON plugin_deployments REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER plugin_deployments_removed AFTER DELETE ON plugin_deployments REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();

CREATE TABLE plugin_instances (
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
  sequence integer DEFAULT 0 NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT plugin_instances_values CHECK ((("configVersion" >= 1) AND (sequence >= 0) AND (json_typeof(config) = 'object'))),
  CONSTRAINT plugin_instances_pkey PRIMARY KEY (id)
);
CREATE INDEX "plugin_instances_deploymentId_createdAt_id_idx" ON plugin_instances ("deploymentId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "plugin_instances_id_platformAccountId_partnerId_mode_key" ON plugin_instances (id, "platformAccountId", "partnerId", mode);
CREATE UNIQUE INDEX "plugin_instances_id_storeId_platformAccountId_partnerId_mod_key" ON plugin_instances (id, "storeId", "platformAccountId", "partnerId", mode);
CREATE INDEX "plugin_instances_partnerId_mode_createdAt_id_idx" ON plugin_instances ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "plugin_instances_partnerId_mode_name_id_idx" ON plugin_instances ("partnerId", mode, name, id);
CREATE INDEX "plugin_instances_platformAccountId_createdAt_id_idx" ON plugin_instances ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "plugin_instances_platformAccountId_name_id_idx" ON plugin_instances ("platformAccountId", name, id);
CREATE INDEX "plugin_instances_storeId_createdAt_id_idx" ON plugin_instances ("storeId", "createdAt" DESC, id DESC);
CREATE TRIGGER plugin_instances_added AFTER INSERT ON plugin_instances REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER plugin_instances_removed AFTER DELETE ON plugin_instances REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();

CREATE TABLE plugin_mounts (
  "storeId" text NOT NULL,
  alias text NOT NULL,
  "basePath" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "deploymentInstanceId" text NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  CONSTRAINT plugin_mounts_values CHECK (((alias ~ '^[a-z0-9][a-z0-9-]{0,62}$')
    AND ("basePath" ~ '^/([A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*)?$')
    AND (length("basePath") <= 200))),
  CONSTRAINT plugin_mounts_pkey PRIMARY KEY ("storeId", alias, "basePath")
);
CREATE INDEX "plugin_mounts_deploymentInstanceId_idx" ON plugin_mounts ("deploymentInstanceId");

CREATE TABLE prices (
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
  "createdAt" timestamptz(3) NOT NULL,
  CONSTRAINT prices_values CHECK ((((amount >= 1)
    AND (amount <= '99999999999'::bigint))
    AND (recurring = ("interval" IS NOT NULL))
    AND (recurring = ("intervalCount" IS NOT NULL))
    AND (("interval" IS NULL)
    OR ("interval" IN ('day', 'week', 'month', 'year')))
    AND (("intervalCount" IS NULL)
    OR (("intervalCount" >= 1)
    AND ("intervalCount" <= 1095)))
    AND (("trialDays" IS NULL)
    OR (recurring AND (("trialDays" >= 1)
    AND ("trialDays" <= 730)))))),
  CONSTRAINT prices_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX "prices_id_storeId_platformAccountId_partnerId_mode_key" ON prices (id, "storeId", "platformAccountId", "partnerId", mode);
CREATE UNIQUE INDEX "prices_productId_position_key" ON prices ("productId", "position");

CREATE TABLE processing_accounts (
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
  plan text DEFAULT 'standard' NOT NULL,
  metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
  sequence integer DEFAULT 0 NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  "kybSubmittedAt" timestamptz(3),
  CONSTRAINT processing_accounts_kyb CHECK (("kybStatus" = 'submitted') = ("kybSubmittedAt" IS NOT NULL)),
  CONSTRAINT processing_accounts_values CHECK (((mode IN ('test', 'live'))
    AND (status IN ('pending_operator_assignment', 'active', 'suspended', 'closed'))
    AND ("kybStatus" IN ('not_started', 'in_progress', 'submitted', 'approved', 'rejected'))
    AND (plan IN ('standard', 'premium')))),
  CONSTRAINT processing_accounts_pkey PRIMARY KEY (id)
);
CREATE INDEX "processing_accounts_accountId_idx" ON processing_accounts ("accountId");
-- The queue of those who wait for a reviewer, of all partners and of one. Nobody reviews an account that was closed meanwhile.
CREATE INDEX processing_accounts_awaiting_review ON processing_accounts (mode, "kybSubmittedAt", id)
  WHERE ("kybStatus" = 'submitted')
    AND (status <> 'closed');
CREATE INDEX processing_accounts_awaiting_review_of_partner ON processing_accounts ("partnerId", mode, "kybSubmittedAt", id)
  WHERE ("kybStatus" = 'submitted')
    AND (status <> 'closed');
CREATE UNIQUE INDEX "processing_accounts_id_partnerId_mode_key" ON processing_accounts (id, "partnerId", mode);
-- Operators look through one mode of all partners, or of one: each list along an index that is ordered as the list is.
CREATE INDEX "processing_accounts_mode_createdAt_id_idx" ON processing_accounts (mode, "createdAt" DESC, id DESC);
CREATE INDEX "processing_accounts_mode_legalName_id_idx" ON processing_accounts (mode, "legalName", id);
CREATE INDEX "processing_accounts_partnerId_mode_createdAt_id_idx" ON processing_accounts ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "processing_accounts_partnerId_mode_externalRef_key" ON processing_accounts ("partnerId", mode, "externalRef");
CREATE INDEX "processing_accounts_partnerId_mode_legalName_id_idx" ON processing_accounts ("partnerId", mode, "legalName", id);

CREATE TABLE processor_events (
  "processorId" text NOT NULL,
  "eventId" text NOT NULL,
  "receivedAt" timestamptz(3) NOT NULL,
  CONSTRAINT processor_events_pkey PRIMARY KEY ("processorId", "eventId")
);
CREATE INDEX "processor_events_receivedAt_idx" ON processor_events ("receivedAt");

CREATE TABLE processors (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  enabled boolean DEFAULT true NOT NULL,
  "supportedCurrencies" text[] DEFAULT ARRAY[]::text[] NOT NULL,
  options jsonb DEFAULT '{}'::jsonb NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  connected boolean DEFAULT true NOT NULL,
  secrets jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT processors_connected CHECK (((jsonb_typeof(options) = 'object')
    AND (jsonb_typeof(secrets) = 'object')
    AND ((NOT connected)
    OR (type = 'test')
    OR (secrets <> '{}'::jsonb)))),
  CONSTRAINT processors_values CHECK (((type IN ('test', 'stripe'))
    AND (mode IN ('test', 'live'))
    AND ((type <> 'test')
    OR (mode = 'test')))),
  CONSTRAINT processors_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX "processors_id_platformAccountId_partnerId_mode_key" ON processors (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "processors_mode_createdAt_id_idx" ON processors (mode, "createdAt", id);
CREATE INDEX "processors_partnerId_mode_createdAt_id_idx" ON processors ("partnerId", mode, "createdAt", id);
CREATE INDEX "processors_partnerId_mode_name_id_idx" ON processors ("partnerId", mode, name, id);
CREATE INDEX "processors_platformAccountId_createdAt_id_idx" ON processors ("platformAccountId", "createdAt", id);
CREATE INDEX "processors_platformAccountId_name_id_idx" ON processors ("platformAccountId", name, id);
CREATE TRIGGER processors_added AFTER INSERT ON processors REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER processors_removed AFTER DELETE ON processors REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();

CREATE TABLE products (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "storeId" text NOT NULL,
  name text NOT NULL,
  description text,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT products_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX "products_id_storeId_platformAccountId_partnerId_mode_key" ON products (id, "storeId", "platformAccountId", "partnerId", mode);
CREATE INDEX "products_partnerId_mode_createdAt_id_idx" ON products ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "products_partnerId_mode_name_id_idx" ON products ("partnerId", mode, name, id);
CREATE INDEX "products_platformAccountId_createdAt_id_idx" ON products ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "products_platformAccountId_name_id_idx" ON products ("platformAccountId", name, id);
CREATE INDEX "products_storeId_createdAt_id_idx" ON products ("storeId", "createdAt" DESC, id DESC);
CREATE TRIGGER products_added AFTER INSERT ON products REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER products_removed AFTER DELETE ON products REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();

CREATE TABLE refund_limits (
  mode text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT refund_limits_values CHECK (((amount > 0) AND (mode IN ('test', 'live')))),
  CONSTRAINT refund_limits_pkey PRIMARY KEY (mode, currency)
);

CREATE TABLE refund_requests (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "paymentId" text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  "cancelSubscription" boolean NOT NULL,
  reason text NOT NULL,
  status text DEFAULT 'pending' NOT NULL,
  "requestedBy" text NOT NULL,
  "requestedByEmail" text NOT NULL,
  "decidedBy" text,
  "decidedByEmail" text,
  "decisionReason" text,
  "decidedAt" timestamptz(3),
  "refundId" text,
  "expiresAt" timestamptz(3) NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  -- Four eyes, whatever the code does: who asks does not approve, and what is approved has its refund.
  CONSTRAINT refund_requests_values CHECK (((amount > 0)
    AND (status IN ('pending', 'approved', 'rejected', 'withdrawn', 'expired'))
    AND ((status IN ('approved', 'rejected', 'withdrawn')) = ("decidedBy" IS NOT NULL))
    AND ((status = 'approved') = ("refundId" IS NOT NULL))
    AND ((status NOT IN ('approved', 'rejected'))
    OR ("decidedBy" <> "requestedBy"))
    AND ((status <> 'withdrawn')
    OR ("decidedBy" = "requestedBy")))),
  CONSTRAINT refund_requests_pkey PRIMARY KEY (id)
);
CREATE INDEX refund_requests_by_expiry ON refund_requests ("expiresAt") WHERE status = 'pending';
CREATE INDEX "refund_requests_mode_createdAt_id_idx" ON refund_requests (mode, "createdAt" DESC, id DESC);
CREATE INDEX "refund_requests_partnerId_mode_createdAt_id_idx" ON refund_requests ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "refund_requests_paymentId_createdAt_id_idx" ON refund_requests ("paymentId", "createdAt" DESC, id DESC);
-- Of one payment one refund waits at a time.
CREATE UNIQUE INDEX refund_requests_pending ON refund_requests ("paymentId") WHERE status = 'pending';

CREATE TABLE refunds (
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
  metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  "requestedBy" text,
  CONSTRAINT refunds_values CHECK (((status IN ('pending', 'succeeded', 'failed')) AND (amount > 0))),
  CONSTRAINT refunds_pkey PRIMARY KEY (id)
);
CREATE INDEX "refunds_mode_createdAt_id_idx" ON refunds (mode, "createdAt" DESC, id DESC);
CREATE INDEX "refunds_partnerId_mode_createdAt_id_idx" ON refunds ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "refunds_paymentId_createdAt_id_idx" ON refunds ("paymentId", "createdAt", id);
CREATE INDEX "refunds_platformAccountId_createdAt_id_idx" ON refunds ("platformAccountId", "createdAt" DESC, id DESC);
CREATE UNIQUE INDEX "refunds_transactionId_key" ON refunds ("transactionId");
CREATE TRIGGER refunds_changed_late AFTER UPDATE ON refunds
  FOR EACH ROW
  WHEN (((new."createdAt" < (now() - '00:30:00'::interval))
    AND (new.status <> old.status)))
  EXECUTE FUNCTION counters.mark_figures();
CREATE TRIGGER refunds_late AFTER INSERT ON refunds
  FOR EACH ROW
  WHEN ((new."createdAt" < (now() - '00:30:00'::interval)))
  EXECUTE FUNCTION counters.mark_figures();

CREATE TABLE stores (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  name text NOT NULL,
  type text DEFAULT 'platform' NOT NULL,
  "baseCurrency" text NOT NULL,
  "presentmentCurrencies" text[] DEFAULT ARRAY[]::text[] NOT NULL,
  "chargeCurrencies" text[] DEFAULT ARRAY[]::text[] NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  "paymentFlowId" text,
  CONSTRAINT stores_values CHECK (((type IN ('platform', 'shopify', 'woocommerce', 'external'))
    AND (cardinality("chargeCurrencies") > 0))),
  CONSTRAINT stores_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX "stores_id_platformAccountId_partnerId_mode_key" ON stores (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "stores_partnerId_mode_createdAt_id_idx" ON stores ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "stores_partnerId_mode_name_id_idx" ON stores ("partnerId", mode, name, id);
CREATE INDEX "stores_paymentFlowId_idx" ON stores ("paymentFlowId");
CREATE INDEX "stores_platformAccountId_createdAt_id_idx" ON stores ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "stores_platformAccountId_name_id_idx" ON stores ("platformAccountId", name, id);
CREATE TRIGGER stores_added AFTER INSERT ON stores REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER stores_removed AFTER DELETE ON stores REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();

CREATE TABLE subscription_periods (
  "subscriptionId" text NOT NULL,
  index integer NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "startsAt" timestamptz(3) NOT NULL,
  "endsAt" timestamptz(3) NOT NULL,
  "anchorAt" timestamptz(3) NOT NULL,
  cycle integer NOT NULL,
  "planAmount" bigint NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  attempts integer NOT NULL,
  "paymentId" text,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  -- What of the payment of a period was refunded or lost in a dispute when a change last prorated it.
  "returnedAmount" bigint DEFAULT 0 NOT NULL,
  CONSTRAINT subscription_periods_values CHECK (((index >= 1)
    AND (attempts >= 0)
    AND (cycle >= 0)
    AND ("endsAt" > "startsAt")
    AND (("planAmount" >= 1)
    AND ("planAmount" <= '99999999999'::bigint))
    AND ((amount >= 0)
    AND (amount <= '99999999999'::bigint))
    AND (status IN ('charging', 'paid', 'failed')))),
  CONSTRAINT subscription_periods_pkey PRIMARY KEY ("subscriptionId", index)
);
CREATE UNIQUE INDEX "subscription_periods_paymentId_key" ON subscription_periods ("paymentId");
CREATE TRIGGER subscription_periods_stay_paid BEFORE UPDATE OF status, "paymentId" ON subscription_periods
  FOR EACH ROW
  WHEN (((old.status = 'paid')
    AND ((new.status IS DISTINCT FROM old.status)
    OR (new."paymentId" IS DISTINCT FROM old."paymentId"))))
  EXECUTE FUNCTION refuse_to_charge_again();

CREATE TABLE subscriptions (
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
  "trialEndsAt" timestamptz(3),
  "anchorAt" timestamptz(3) NOT NULL,
  cycle integer DEFAULT 0 NOT NULL,
  "periodIndex" integer DEFAULT 0 NOT NULL,
  "currentPeriodStart" timestamptz(3) NOT NULL,
  "currentPeriodEnd" timestamptz(3) NOT NULL,
  "nextBillingDate" timestamptz(3),
  balance bigint DEFAULT 0 NOT NULL,
  "cancelAtPeriodEnd" boolean DEFAULT false NOT NULL,
  "canceledAt" timestamptz(3),
  "cancellationReason" text,
  "pausedAt" timestamptz(3),
  "resumeAt" timestamptz(3),
  "firstFailedAt" timestamptz(3),
  "nextRetryAt" timestamptz(3),
  "latestPaymentId" text,
  "noticedFor" timestamptz(3),
  "chargingSince" timestamptz(3),
  "cancelRequestedAt" timestamptz(3),
  "dueAt" timestamptz(3),
  "testClockId" text,
  metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
  sequence integer DEFAULT 0 NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  "returnUrl" text,
  "pendingExpiresAt" timestamptz(3),
  "pendingInstrumentId" text,
  "pendingPaymentId" text,
  "pendingPriceId" text,
  "pendingQuantity" integer,
  "deferredSince" timestamptz(3),
  "actionReason" text,
  "payingInstrumentId" text,
  CONSTRAINT subscriptions_action_reason CHECK ("actionReason" IN ('authentication', 'card_expired')),
  CONSTRAINT subscriptions_fit_status CHECK ((((status = 'canceled') = ("canceledAt" IS NOT NULL))
    AND ((status = 'canceled') = ("cancellationReason" IS NOT NULL))
    AND ((status = 'paused') = ("pausedAt" IS NOT NULL))
    AND ((status = 'paused')
    OR ("resumeAt" IS NULL))
    AND ((status = 'past_due')
    OR ("nextRetryAt" IS NULL))
    AND ((status <> 'trialing')
    OR ("trialEndsAt" IS NOT NULL))
    AND ((status NOT IN ('canceled', 'paused', 'incomplete'))
    OR ("nextBillingDate" IS NULL)))),
  CONSTRAINT subscriptions_pending_update CHECK (((("pendingPriceId" IS NULL) = ("pendingQuantity" IS NULL))
    AND (("pendingPaymentId" IS NULL) = ("pendingExpiresAt" IS NULL))
    AND (("pendingPriceId" IS NOT NULL)
    OR (("pendingPaymentId" IS NULL)
    AND ("pendingInstrumentId" IS NULL)))
    AND (("pendingPriceId" IS NULL)
    OR (status IN ('active', 'past_due', 'paused')))
    AND (("pendingPaymentId" IS NULL)
    OR ((status = 'active')
    AND ("chargingSince" IS NOT NULL)))
    AND (("pendingQuantity" IS NULL)
    OR (("pendingQuantity" >= 1)
    AND ("pendingQuantity" <= 1000000))))),
  CONSTRAINT subscriptions_values CHECK (((status IN ('incomplete', 'trialing', 'active', 'past_due', 'paused', 'canceled'))
    AND ("interval" IN ('day', 'week', 'month', 'year'))
    AND (("intervalCount" >= 1)
    AND ("intervalCount" <= 1095))
    AND ((quantity >= 1)
    AND (quantity <= 1000000))
    AND ((amount >= 1)
    AND (amount <= '99999999999'::bigint))
    AND ("currentPeriodEnd" > "currentPeriodStart")
    AND ("periodIndex" >= 0)
    AND (cycle >= 0))),
  -- Amounts of one object that no amount of a payment bounds. One beyond 2^53 could not be read as a number, and every
  -- list with its row would fail. Sums of a few of them and of payments stay below 2^53.
  --
  CONSTRAINT subscriptions_balance CHECK ((balance >= '-9000000000000000'::bigint)
    AND (balance <= '9000000000000000'::bigint)),
  CONSTRAINT subscriptions_pkey PRIMARY KEY (id)
);
CREATE INDEX subscriptions_charging_by_test_clock ON subscriptions ("testClockId")
  WHERE ("testClockId" IS NOT NULL)
    AND ("chargingSince" IS NOT NULL);
CREATE INDEX "subscriptions_customerId_createdAt_id_idx" ON subscriptions ("customerId", "createdAt" DESC, id DESC);
CREATE INDEX subscriptions_deferred ON subscriptions ("partnerId", "platformAccountId") WHERE "deferredSince" IS NOT NULL;
-- What the job looks for, by the real time and by each test clock's; and what keeps a card from being removed.
CREATE INDEX subscriptions_due ON subscriptions ("dueAt") WHERE ("testClockId" IS NULL) AND ("dueAt" IS NOT NULL);
CREATE INDEX subscriptions_due_by_test_clock ON subscriptions ("testClockId", "dueAt")
  WHERE ("testClockId" IS NOT NULL)
    AND ("dueAt" IS NOT NULL);
CREATE UNIQUE INDEX "subscriptions_id_platformAccountId_partnerId_mode_key" ON subscriptions (id, "platformAccountId", "partnerId", mode);
CREATE INDEX subscriptions_live_by_instrument ON subscriptions ("paymentInstrumentId") WHERE status <> 'canceled';
-- Operators look through one mode of all partners: each list along an index that is ordered as the list is.
CREATE INDEX "subscriptions_mode_createdAt_id_idx" ON subscriptions (mode, "createdAt" DESC, id DESC);
-- The subscriptions of a test clock, also those with nothing due.
CREATE INDEX subscriptions_of_test_clocks ON subscriptions ("testClockId", "createdAt" DESC, id DESC)
  WHERE "testClockId" IS NOT NULL;
CREATE INDEX "subscriptions_partnerId_mode_createdAt_id_idx" ON subscriptions ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "subscriptions_partnerId_mode_nextBillingDate_id_idx" ON subscriptions ("partnerId", mode, "nextBillingDate", id);
CREATE INDEX "subscriptions_partnerId_mode_status_id_idx" ON subscriptions ("partnerId", mode, status, id);
-- What keeps the card from being removed with which the cardholder is paying.
CREATE INDEX subscriptions_paying_by_instrument ON subscriptions ("payingInstrumentId") WHERE "payingInstrumentId" IS NOT NULL;
-- What keeps the card of a pending change from being removed.
CREATE INDEX subscriptions_pending_by_instrument ON subscriptions ("pendingInstrumentId") WHERE "pendingInstrumentId" IS NOT NULL;
CREATE INDEX "subscriptions_platformAccountId_createdAt_id_idx" ON subscriptions ("platformAccountId", "createdAt" DESC, id DESC);
CREATE INDEX "subscriptions_platformAccountId_nextBillingDate_id_idx" ON subscriptions ("platformAccountId", "nextBillingDate", id);
CREATE INDEX "subscriptions_platformAccountId_status_id_idx" ON subscriptions ("platformAccountId", status, id);
CREATE INDEX "subscriptions_priceId_createdAt_id_idx" ON subscriptions ("priceId", "createdAt" DESC, id DESC);
CREATE TRIGGER subscriptions_added AFTER INSERT ON subscriptions REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER subscriptions_removed AFTER DELETE ON subscriptions REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER subscriptions_stay_canceled BEFORE UPDATE OF status ON subscriptions
  FOR EACH ROW
  WHEN (((old.status = 'canceled')
    AND (new.status <> 'canceled')))
  EXECUTE FUNCTION refuse_to_revive();

CREATE TABLE test_clocks (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  name text NOT NULL,
  now timestamptz(3) NOT NULL,
  status text DEFAULT 'ready' NOT NULL,
  target timestamptz(3),
  "stepsDone" integer DEFAULT 0 NOT NULL,
  "failureReason" text,
  "drivenBy" text,
  "leasedUntil" timestamptz(3),
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT test_clocks_values CHECK (((mode = 'test')
    AND (status IN ('ready', 'advancing', 'internal_failure'))
    AND ((status = 'ready') = (target IS NULL))
    AND ((target IS NULL)
    OR (target >= now))
    AND ((status = 'internal_failure') = ("failureReason" IS NOT NULL))
    AND (("drivenBy" IS NULL) = ("leasedUntil" IS NULL))
    AND (("drivenBy" IS NULL)
    OR (status = 'advancing'))
    AND ((now >= '2000-01-01 00:00:00+00'::timestamptz)
    AND (now <= '2100-01-01 00:00:00+00'::timestamptz)))),
  CONSTRAINT test_clocks_pkey PRIMARY KEY (id)
);
-- What the driving of clocks looks for: the few that are on their way, and what hangs on one of them.
CREATE INDEX test_clocks_advancing ON test_clocks ("updatedAt") WHERE status = 'advancing';
CREATE UNIQUE INDEX "test_clocks_id_platformAccountId_partnerId_mode_key" ON test_clocks (id, "platformAccountId", "partnerId", mode);
CREATE INDEX "test_clocks_mode_createdAt_id_idx" ON test_clocks (mode, "createdAt" DESC, id DESC);
CREATE INDEX "test_clocks_partnerId_mode_createdAt_id_idx" ON test_clocks ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "test_clocks_platformAccountId_createdAt_id_idx" ON test_clocks ("platformAccountId", "createdAt" DESC, id DESC);
CREATE TRIGGER test_clocks_added AFTER INSERT ON test_clocks REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER test_clocks_removed AFTER DELETE ON test_clocks REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION counters.count_rows();

CREATE TABLE threeds_sessions (
  id text NOT NULL,
  "paymentId" text NOT NULL,
  "transactionId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  status text DEFAULT 'pending' NOT NULL,
  "returnUrl" text,
  "expiresAt" timestamptz(3) NOT NULL,
  "answeredAt" timestamptz(3),
  "createdAt" timestamptz(3) NOT NULL,
  url text,
  CONSTRAINT threeds_sessions_values CHECK (status IN ('pending', 'succeeded', 'failed')),
  CONSTRAINT threeds_sessions_pkey PRIMARY KEY (id)
);
CREATE INDEX threeds_sessions_of_transaction ON threeds_sessions ("transactionId");
CREATE INDEX "threeds_sessions_paymentId_idx" ON threeds_sessions ("paymentId");

CREATE TABLE tokens (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  "cardId" text NOT NULL,
  card jsonb NOT NULL,
  "expiresAt" timestamptz(3) NOT NULL,
  "usedAt" timestamptz(3),
  "createdAt" timestamptz(3) NOT NULL,
  "customerId" text,
  CONSTRAINT tokens_pkey PRIMARY KEY (id)
);
-- For the sweep that takes cards out of the vault that nothing refers to.
CREATE INDEX "tokens_cardId_idx" ON tokens ("cardId");
CREATE INDEX "tokens_expiresAt_idx" ON tokens ("expiresAt");

CREATE TABLE transactions (
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
  "askedAt" timestamptz(3) NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT transactions_values CHECK (((type IN ('purchase', 'authorization', 'capture', 'void', 'refund'))
    AND (status IN ('processing', 'requires_action', 'succeeded', 'declined', 'failed'))
    AND (amount > 0))),
  CONSTRAINT transactions_pkey PRIMARY KEY (id)
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000');
CREATE INDEX "transactions_paymentId_createdAt_id_idx" ON transactions ("paymentId", "createdAt", id);
CREATE UNIQUE INDEX "transactions_processorReference_processorId_key" ON transactions ("processorReference", "processorId");
-- What jobs look for.
CREATE INDEX transactions_unsettled ON transactions ("askedAt") WHERE status = 'processing';

CREATE TABLE unapplied_events (
  "processorId" text NOT NULL,
  "eventId" text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  mode text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  reason text NOT NULL,
  notices jsonb,
  attempts integer DEFAULT 0 NOT NULL,
  "retryAt" timestamptz(3),
  "receivedAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  id text NOT NULL,
  CONSTRAINT unapplied_events_values CHECK (((status IN ('waiting', 'rejected', 'applied'))
    AND ((status = 'waiting') = (notices IS NOT NULL)))),
  CONSTRAINT unapplied_events_pkey PRIMARY KEY ("processorId", "eventId")
);
CREATE UNIQUE INDEX unapplied_events_id_key ON unapplied_events (id);
CREATE INDEX "unapplied_events_receivedAt_id_idx" ON unapplied_events ("receivedAt" DESC, id DESC);
CREATE INDEX unapplied_events_waiting ON unapplied_events ("retryAt") WHERE status = 'waiting';

CREATE TABLE webhook_attempts (
  "deliveryId" text NOT NULL,
  number integer NOT NULL,
  at timestamptz(3) NOT NULL,
  status integer,
  "durationMs" integer NOT NULL,
  "responseBody" text,
  error text,
  "responseHeaders" jsonb,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY ("deliveryId", number)
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='1000');

CREATE TABLE webhook_deliveries (
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
  status text DEFAULT 'pending' NOT NULL,
  "nextAttemptAt" timestamptz(3),
  "leasedUntil" timestamptz(3),
  "attemptCount" integer DEFAULT 0 NOT NULL,
  "failureCount" integer DEFAULT 0 NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "testClockId" text,
  CONSTRAINT webhook_deliveries_values CHECK (((mode IN ('test', 'live'))
    AND (status IN ('pending', 'delivered', 'failed', 'dead'))
    AND (("nextAttemptAt" IS NOT NULL) = (status IN ('pending', 'failed')))
    AND (("leasedUntil" IS NULL)
    OR ("nextAttemptAt" IS NOT NULL)))),
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id)
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='1000');
CREATE INDEX webhook_deliveries_by_type ON webhook_deliveries (mode, "eventType", "createdAt" DESC, id DESC)
  WHERE "eventType" NOT IN ('payment/created', 'payment/succeeded');
-- A dead delivery is rare, and becomes one by an update that changes the index of what is open in any case.
CREATE INDEX webhook_deliveries_dead ON webhook_deliveries ("endpointId", "createdAt" DESC, id DESC) WHERE status = 'dead';
CREATE INDEX "webhook_deliveries_endpointId_createdAt_id_idx" ON webhook_deliveries ("endpointId", "createdAt" DESC, id DESC);
CREATE INDEX "webhook_deliveries_eventId_idx" ON webhook_deliveries ("eventId");
CREATE INDEX "webhook_deliveries_mode_createdAt_id_idx" ON webhook_deliveries (mode, "createdAt" DESC, id DESC);
-- What is open on a test clock; elsewhere the index is empty.
CREATE INDEX webhook_deliveries_on_test_clocks ON webhook_deliveries ("testClockId", "nextAttemptAt")
  WHERE ("nextAttemptAt" IS NOT NULL)
    AND ("testClockId" IS NOT NULL);
-- What the sender looks for: the endpoints that have something open, what of theirs is due, and what goes before it on an ordered one.
CREATE INDEX webhook_deliveries_open ON webhook_deliveries ("endpointId", "nextAttemptAt", id) WHERE "nextAttemptAt" IS NOT NULL;
CREATE INDEX webhook_deliveries_order ON webhook_deliveries ("endpointId", "objectId", sequence)
  WHERE "nextAttemptAt" IS NOT NULL;
-- What is over and grows old.
CREATE INDEX webhook_deliveries_over ON webhook_deliveries ("createdAt")
  WHERE ("nextAttemptAt" IS NULL)
    AND ("testClockId" IS NULL);
CREATE INDEX "webhook_deliveries_partnerId_mode_createdAt_id_idx" ON webhook_deliveries ("partnerId", mode, "createdAt" DESC, id DESC);

CREATE TABLE webhook_endpoints (
  id text NOT NULL,
  "partnerId" text NOT NULL,
  "platformAccountId" text,
  mode text NOT NULL,
  "storeId" text,
  url text NOT NULL,
  "eventTypes" text[] NOT NULL,
  description text,
  ordered boolean DEFAULT false NOT NULL,
  enabled boolean DEFAULT true NOT NULL,
  "disabledReason" text,
  secret text NOT NULL,
  "previousSecret" text,
  "previousSecretUntil" timestamptz(3),
  "failingSince" timestamptz(3),
  "deletedAt" timestamptz(3),
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  "failingClockId" text,
  "leftUnanswered" boolean DEFAULT false NOT NULL,
  "lastDeliveredAt" timestamptz(3),
  CONSTRAINT webhook_endpoints_values CHECK (((mode IN ('test', 'live'))
    AND (cardinality("eventTypes") > 0)
    AND (("disabledReason" IS NULL)
    OR ("disabledReason" IN ('manual', 'gone', 'failing', 'deleted')))
    AND (enabled = ("disabledReason" IS NULL))
    AND (("deletedAt" IS NULL)
    OR (NOT enabled))
    AND (("storeId" IS NULL)
    OR ("platformAccountId" IS NOT NULL))
    AND (("previousSecret" IS NULL) = ("previousSecretUntil" IS NULL)))),
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX "webhook_endpoints_id_partnerId_mode_key" ON webhook_endpoints (id, "partnerId", mode);
CREATE INDEX "webhook_endpoints_mode_createdAt_id_idx" ON webhook_endpoints (mode, "createdAt" DESC, id DESC);
CREATE INDEX "webhook_endpoints_partnerId_mode_createdAt_id_idx" ON webhook_endpoints ("partnerId", mode, "createdAt" DESC, id DESC);
CREATE INDEX "webhook_endpoints_platformAccountId_createdAt_id_idx" ON webhook_endpoints ("platformAccountId", "createdAt" DESC, id DESC);

CREATE TABLE test_processor.charges (
  -- The asker's transaction id, which makes a repeated call the same call.
  reference text NOT NULL COLLATE pg_catalog."C",
  "processorReference" text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  -- Whether the charge takes the money or only holds it.
  capture boolean NOT NULL,
  -- Not the number nor a hash of it, which could be searched through: enough to recognize a card by.
  "cardLast4" text NOT NULL,
  -- What the issuer says once a challenge, where there is one, is passed.
  verdict text NOT NULL,
  "failureCode" text,
  challenge text NOT NULL,
  "answerLost" boolean NOT NULL,
  "capturedAmount" bigint NOT NULL,
  "refundedAmount" bigint DEFAULT 0 NOT NULL,
  "voidedAt" timestamptz(3),
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  status text GENERATED ALWAYS AS (
CASE
    WHEN (challenge = 'pending') THEN 'challenged'
    WHEN (challenge = 'failed') THEN 'declined'
    WHEN (verdict <> 'approved') THEN verdict
    WHEN ("voidedAt" IS NOT NULL) THEN 'voided'
    WHEN ("capturedAmount" > 0) THEN 'captured'
    ELSE 'authorized'
END) STORED NOT NULL,
  -- The test processor's side of it.
  "isDisputedLater" boolean DEFAULT false NOT NULL,
  -- The test processor's side of it: by which clock a cardholder lives who disputes a charge later.
  "testClockId" text,
  -- The records of the test processor: cards whose refunds succeed and fail later.
  "refundsFail" boolean DEFAULT false NOT NULL,
  CONSTRAINT charges_amount_check CHECK (amount > 0),
  CONSTRAINT charges_captured_check CHECK (("capturedAmount" >= 0) AND ("capturedAmount" <= amount)),
  CONSTRAINT charges_challenge_check CHECK (challenge IN ('none', 'pending', 'succeeded', 'failed')),
  CONSTRAINT charges_failure_check CHECK ((verdict = 'declined') = ("failureCode" IS NOT NULL)),
  -- Only what was approved, and is not let go of, can hold captured money.
  CONSTRAINT charges_money_check CHECK ((("capturedAmount" = 0)
    OR ((verdict = 'approved')
    AND (challenge IN ('none', 'succeeded'))
    AND ("voidedAt" IS NULL)))),
  CONSTRAINT charges_refunded_check CHECK (("refundedAmount" >= 0) AND ("refundedAmount" <= "capturedAmount")),
  CONSTRAINT charges_verdict_check CHECK (verdict IN ('approved', 'declined', 'error')),
  CONSTRAINT charges_pkey PRIMARY KEY (reference)
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000');
CREATE UNIQUE INDEX "charges_processorReference_key" ON test_processor.charges ("processorReference");
CREATE INDEX charges_to_dispute ON test_processor.charges (reference) WHERE "isDisputedLater";

-- What the authorization page of test mode has given out: another party's record, as its books are.
CREATE TABLE test_processor.connect_codes (
  "codeHash" text NOT NULL COLLATE pg_catalog."C",
  "codeChallenge" text NOT NULL,
  "redirectUri" text NOT NULL,
  "expiresAt" timestamptz(3) NOT NULL,
  CONSTRAINT connect_codes_pkey PRIMARY KEY ("codeHash")
);
CREATE INDEX connect_codes_expiry ON test_processor.connect_codes ("expiresAt");

CREATE TABLE test_processor.disputes (
  reference text NOT NULL COLLATE pg_catalog."C",
  "processorReference" text NOT NULL,
  "chargeReference" text NOT NULL COLLATE pg_catalog."C",
  amount bigint NOT NULL,
  currency text NOT NULL,
  reason text NOT NULL,
  status text NOT NULL,
  -- The last status we were told of.
  "reportedStatus" text,
  "evidenceDueAt" timestamptz(3) NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT disputes_values_check CHECK (((amount > 0) AND (status IN ('needs_response', 'under_review', 'won', 'lost')))),
  CONSTRAINT disputes_pkey PRIMARY KEY (reference)
);
CREATE INDEX "disputes_chargeReference_idx" ON test_processor.disputes ("chargeReference");
CREATE UNIQUE INDEX "disputes_processorReference_key" ON test_processor.disputes ("processorReference");
CREATE INDEX disputes_unreported ON test_processor.disputes ("createdAt") WHERE "reportedStatus" IS DISTINCT FROM status;

CREATE TABLE test_processor.modifications (
  reference text NOT NULL COLLATE pg_catalog."C",
  "processorReference" text NOT NULL,
  "chargeReference" text NOT NULL COLLATE pg_catalog."C",
  type text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  -- Null when it was done; else why not, for good.
  refusal text,
  "createdAt" timestamptz(3) NOT NULL,
  "failsAt" timestamptz(3),
  "failedAt" timestamptz(3),
  -- When the platform was notified of the failure.
  "reportedAt" timestamptz(3),
  CONSTRAINT modifications_type_check CHECK (type IN ('capture', 'void', 'refund')),
  CONSTRAINT modifications_pkey PRIMARY KEY (reference)
);
CREATE INDEX "modifications_chargeReference_idx" ON test_processor.modifications ("chargeReference");
CREATE INDEX modifications_to_fail ON test_processor.modifications ("failsAt")
  WHERE ("failsAt" IS NOT NULL)
    AND ("failedAt" IS NULL);
CREATE INDEX modifications_unreported ON test_processor.modifications ("chargeReference")
  WHERE ("failedAt" IS NOT NULL)
    AND ("reportedAt" IS NULL);

CREATE TABLE vault.cards (
  id text NOT NULL,
  mode text NOT NULL,
  "platformAccountId" text NOT NULL,
  -- Which key of the ring wraps this record's data key.
  "keyId" text NOT NULL,
  "wrappedKey" bytea NOT NULL,
  "sealedCard" bytea NOT NULL,
  -- Apart from the card, so that it can be erased while the card stays.
  "sealedCvc" bytea,
  "cvcExpiresAt" timestamptz(3),
  "createdAt" timestamptz(3) NOT NULL,
  -- A cvc without an end would be kept for ever.
  CONSTRAINT cards_cvc_expires_check CHECK (("sealedCvc" IS NULL) = ("cvcExpiresAt" IS NULL)),
  CONSTRAINT cards_mode_check CHECK (mode IN ('test', 'live')),
  CONSTRAINT cards_pkey PRIMARY KEY (id)
);
-- Identifiers carry their moment, by the bytes of their letters.
CREATE INDEX cards_by_age ON vault.cards (id COLLATE "C");
-- For the sweep; it holds only the few records that still have a cvc.
CREATE INDEX "cards_cvcExpiresAt_idx" ON vault.cards ("cvcExpiresAt") WHERE "cvcExpiresAt" IS NOT NULL;
-- For key rotation.
CREATE INDEX "cards_keyId_idx" ON vault.cards ("keyId");

-- Which installation this is, and whether its cards are in a database of their own (VAULT_DATABASE_URL). One row, always.
CREATE TABLE vault.place (
  "onlyRow" boolean DEFAULT true NOT NULL,
  "installationId" text DEFAULT (gen_random_uuid())::text NOT NULL,
  "isApart" boolean DEFAULT false NOT NULL,
  CONSTRAINT place_only_row_check CHECK ("onlyRow"),
  CONSTRAINT place_pkey PRIMARY KEY ("onlyRow")
);

ALTER TABLE counters.funnel_payments
  ADD CONSTRAINT "funnel_payments_paymentId_fkey" FOREIGN KEY ("paymentId") REFERENCES payments(id);
ALTER TABLE ledger.postings
  ADD CONSTRAINT postings_of_a_payment FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments(id, "platformAccountId", "partnerId", mode);
ALTER TABLE api_keys
  ADD CONSTRAINT "api_keys_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE api_keys
  ADD CONSTRAINT "api_keys_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE block_rules
  ADD CONSTRAINT "block_rules_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE blocked_charges
  ADD CONSTRAINT "blocked_charges_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE card_testing_alerts
  ADD CONSTRAINT "card_testing_alerts_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE client_sessions
  ADD CONSTRAINT "client_sessions_customerId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", mode) REFERENCES customers(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE client_sessions
  ADD CONSTRAINT "client_sessions_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE connect_attempts
  ADD CONSTRAINT "connect_attempts_processorId_platformAccountId_partnerId_m_fkey" FOREIGN KEY ("processorId", "platformAccountId", "partnerId", mode) REFERENCES processors(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE customers
  ADD CONSTRAINT "customers_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE customers
  ADD CONSTRAINT "customers_testClockId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("testClockId", "platformAccountId", "partnerId", mode) REFERENCES test_clocks(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE deferred_charges
  ADD CONSTRAINT "deferred_charges_subscriptionId_platformAccountId_partnerI_fkey" FOREIGN KEY ("subscriptionId", "platformAccountId", "partnerId", mode) REFERENCES subscriptions(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE disputes
  ADD CONSTRAINT "disputes_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE funnel_events
  ADD CONSTRAINT "funnel_events_sessionId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("sessionId", "platformAccountId", "partnerId", mode) REFERENCES funnel_sessions(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE funnel_orders
  ADD CONSTRAINT "funnel_orders_orderId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("orderId", "platformAccountId", "partnerId", mode) REFERENCES orders(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE funnel_orders
  ADD CONSTRAINT "funnel_orders_sessionId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("sessionId", "platformAccountId", "partnerId", mode) REFERENCES funnel_sessions(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE funnel_sessions
  ADD CONSTRAINT "funnel_sessions_customerId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", mode) REFERENCES customers(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE funnel_sessions
  ADD CONSTRAINT "funnel_sessions_funnelId_version_platformAccountId_partner_fkey" FOREIGN KEY ("funnelId", version, "platformAccountId", "partnerId", mode) REFERENCES funnel_versions("funnelId", version, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE funnel_sessions
  ADD CONSTRAINT "funnel_sessions_paymentInstrumentId_platformAccountId_part_fkey" FOREIGN KEY ("paymentInstrumentId", "platformAccountId", "partnerId", mode) REFERENCES payment_instruments(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE funnel_sessions
  ADD CONSTRAINT "funnel_sessions_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE funnel_versions
  ADD CONSTRAINT "funnel_versions_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE funnels
  ADD CONSTRAINT "funnels_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE kyb_requirements
  ADD CONSTRAINT "kyb_requirements_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE orders
  ADD CONSTRAINT "orders_customerId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", mode) REFERENCES customers(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE orders
  ADD CONSTRAINT "orders_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE organizations
  ADD CONSTRAINT "organizations_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE partner_logos
  ADD CONSTRAINT "partner_logos_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE partner_memberships
  ADD CONSTRAINT "partner_memberships_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE payment_flow_routes
  ADD CONSTRAINT "payment_flow_routes_flowId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("flowId", "platformAccountId", "partnerId", mode) REFERENCES payment_flows(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE payment_flow_routes
  ADD CONSTRAINT "payment_flow_routes_processorId_platformAccountId_partnerI_fkey" FOREIGN KEY ("processorId", "platformAccountId", "partnerId", mode) REFERENCES processors(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE payment_flows
  ADD CONSTRAINT "payment_flows_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE payment_instruments
  ADD CONSTRAINT "payment_instruments_customerId_platformAccountId_partnerId_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", mode) REFERENCES customers(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE payment_instruments
  ADD CONSTRAINT "payment_instruments_storeId_platformAccountId_partnerId_mo_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE payments
  ADD CONSTRAINT "payments_customerId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", mode) REFERENCES customers(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE payments
  ADD CONSTRAINT "payments_orderId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("orderId", "platformAccountId", "partnerId", mode) REFERENCES orders(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE payments
  ADD CONSTRAINT "payments_paymentInstrumentId_platformAccountId_partnerId_m_fkey" FOREIGN KEY ("paymentInstrumentId", "platformAccountId", "partnerId", mode) REFERENCES payment_instruments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE payments
  ADD CONSTRAINT "payments_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE payments
  ADD CONSTRAINT "payments_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE payments
  ADD CONSTRAINT "payments_subscriptionId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("subscriptionId", "platformAccountId", "partnerId", mode) REFERENCES subscriptions(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE payments
  ADD CONSTRAINT "payments_testClockId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("testClockId", "platformAccountId", "partnerId", mode) REFERENCES test_clocks(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE plugin_assets
  ADD CONSTRAINT "plugin_assets_deploymentId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("deploymentId", "platformAccountId", "partnerId", mode) REFERENCES plugin_deployments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE plugin_assets
  ADD CONSTRAINT "plugin_assets_platformAccountId_sha256_fkey" FOREIGN KEY ("platformAccountId", sha256) REFERENCES plugin_blobs("platformAccountId", sha256) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE plugin_blobs
  ADD CONSTRAINT "plugin_blobs_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE plugin_configurations
  ADD CONSTRAINT "plugin_configurations_deploymentInstanceId_platformAccount_fkey" FOREIGN KEY ("deploymentInstanceId", "platformAccountId", "partnerId", mode) REFERENCES plugin_instances(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE plugin_deployments
  ADD CONSTRAINT "plugin_deployments_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE plugin_deployments
  ADD CONSTRAINT "plugin_deployments_storeId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE plugin_instances
  ADD CONSTRAINT "plugin_instances_deploymentId_platformAccountId_partnerId__fkey" FOREIGN KEY ("deploymentId", "platformAccountId", "partnerId", mode) REFERENCES plugin_deployments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE plugin_instances
  ADD CONSTRAINT "plugin_instances_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE plugin_mounts
  ADD CONSTRAINT "plugin_mounts_deploymentInstanceId_storeId_platformAccount_fkey" FOREIGN KEY ("deploymentInstanceId", "storeId", "platformAccountId", "partnerId", mode) REFERENCES plugin_instances(id, "storeId", "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE prices
  ADD CONSTRAINT "prices_productId_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("productId", "storeId", "platformAccountId", "partnerId", mode) REFERENCES products(id, "storeId", "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE processing_accounts
  ADD CONSTRAINT "processing_accounts_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES organizations("accountId") ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE processing_accounts
  ADD CONSTRAINT "processing_accounts_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE processors
  ADD CONSTRAINT "processors_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE products
  ADD CONSTRAINT "products_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE refund_requests
  ADD CONSTRAINT "refund_requests_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE refunds
  ADD CONSTRAINT "refunds_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE stores
  ADD CONSTRAINT "stores_paymentFlowId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentFlowId", "platformAccountId", "partnerId", mode) REFERENCES payment_flows(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE stores
  ADD CONSTRAINT "stores_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE subscription_periods
  ADD CONSTRAINT "subscription_periods_subscriptionId_platformAccountId_part_fkey" FOREIGN KEY ("subscriptionId", "platformAccountId", "partnerId", mode) REFERENCES subscriptions(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE subscriptions
  ADD CONSTRAINT "subscriptions_customerId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", mode) REFERENCES customers(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE subscriptions
  ADD CONSTRAINT "subscriptions_payingInstrumentId_platformAccountId_partner_fkey" FOREIGN KEY ("payingInstrumentId", "platformAccountId", "partnerId", mode) REFERENCES payment_instruments(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE subscriptions
  ADD CONSTRAINT "subscriptions_paymentInstrumentId_platformAccountId_partne_fkey" FOREIGN KEY ("paymentInstrumentId", "platformAccountId", "partnerId", mode) REFERENCES payment_instruments(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE subscriptions
  ADD CONSTRAINT "subscriptions_pendingInstrumentId_platformAccountId_partne_fkey" FOREIGN KEY ("pendingInstrumentId", "platformAccountId", "partnerId", mode) REFERENCES payment_instruments(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE subscriptions
  ADD CONSTRAINT "subscriptions_pendingPriceId_storeId_platformAccountId_par_fkey" FOREIGN KEY ("pendingPriceId", "storeId", "platformAccountId", "partnerId", mode) REFERENCES prices(id, "storeId", "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE subscriptions
  ADD CONSTRAINT "subscriptions_priceId_storeId_platformAccountId_partnerId__fkey" FOREIGN KEY ("priceId", "storeId", "platformAccountId", "partnerId", mode) REFERENCES prices(id, "storeId", "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE subscriptions
  ADD CONSTRAINT "subscriptions_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE subscriptions
  ADD CONSTRAINT "subscriptions_testClockId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("testClockId", "platformAccountId", "partnerId", mode) REFERENCES test_clocks(id, "platformAccountId", "partnerId", mode) ON UPDATE RESTRICT ON DELETE RESTRICT;
ALTER TABLE test_clocks
  ADD CONSTRAINT "test_clocks_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE threeds_sessions
  ADD CONSTRAINT "threeds_sessions_paymentId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE transactions
  ADD CONSTRAINT "transactions_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE unapplied_events
  ADD CONSTRAINT "unapplied_events_processorId_platformAccountId_partnerId_m_fkey" FOREIGN KEY ("processorId", "platformAccountId", "partnerId", mode) REFERENCES processors(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE webhook_attempts
  ADD CONSTRAINT "webhook_attempts_deliveryId_fkey" FOREIGN KEY ("deliveryId") REFERENCES webhook_deliveries(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE webhook_deliveries
  ADD CONSTRAINT "webhook_deliveries_endpointId_partnerId_mode_fkey" FOREIGN KEY ("endpointId", "partnerId", mode) REFERENCES webhook_endpoints(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE webhook_endpoints
  ADD CONSTRAINT "webhook_endpoints_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE webhook_endpoints
  ADD CONSTRAINT "webhook_endpoints_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", mode) REFERENCES processing_accounts(id, "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE webhook_endpoints
  ADD CONSTRAINT "webhook_endpoints_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", mode) REFERENCES stores(id, "platformAccountId", "partnerId", mode) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE test_processor.disputes
  ADD CONSTRAINT disputes_charge_fkey FOREIGN KEY ("chargeReference") REFERENCES test_processor.charges(reference);
ALTER TABLE test_processor.modifications
  ADD CONSTRAINT modifications_charge_fkey FOREIGN KEY ("chargeReference") REFERENCES test_processor.charges(reference);

INSERT INTO audit.head (sequence, hash) VALUES (0, '');
INSERT INTO counters.figures_until (day) VALUES ('2000-01-01');
INSERT INTO vault.place DEFAULT VALUES;
