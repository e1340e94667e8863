-- Tables and columns get the names of the glossary. Their indexes and constraints follow below.
ALTER TABLE limits.put_off RENAME TO job_backoff;
ALTER TABLE test_processor.follow_ups RENAME TO modifications;
ALTER TABLE test_processor.modifications RENAME COLUMN "toldAt" TO "reportedAt";
ALTER TABLE test_processor.disputes RENAME COLUMN "toldStatus" TO "reportedStatus";
ALTER TABLE pending_reverts RENAME TO pending_compensations;
ALTER TABLE idp_events_seen RENAME TO idp_processed_events;
ALTER TABLE enumeration_alarms RENAME TO card_testing_alerts;
ALTER TABLE withheld_charges RENAME TO deferred_charges;
ALTER TABLE subscriptions RENAME COLUMN "withheldSince" TO "deferredSince";
ALTER TABLE ledger.postings RENAME COLUMN "movementId" TO "journalEntryId";

ALTER TABLE deferred_charges DROP CONSTRAINT withheld_charges_values;
UPDATE deferred_charges SET status = 'deferred' WHERE status = 'withheld';
ALTER TABLE deferred_charges
  ALTER COLUMN status SET DEFAULT 'deferred',
  ADD CONSTRAINT deferred_charges_values CHECK (
    amount >= 0
    AND reason IN ('partner_suspended', 'partner_offboarded', 'account_suspended', 'account_closed', 'account_not_approved')
    AND status IN ('deferred', 'charged', 'skipped', 'canceled'));

DO $$
DECLARE
  -- The old part of a name, and the new one.
  names CONSTANT text[][] := ARRAY[
    ['put_off', 'job_backoff'], ['follow_ups', 'modifications'], ['disputes_untold', 'disputes_unreported'],
    ['modifications_untold', 'modifications_unreported'], ['pending_reverts', 'pending_compensations'],
    ['idp_events_seen', 'idp_processed_events'], ['enumeration_alarms', 'card_testing_alerts'],
    ['withheld_charges', 'deferred_charges'], ['subscriptions_withheld', 'subscriptions_deferred']];
  pair text[];
  found record;
BEGIN
  FOREACH pair SLICE 1 IN ARRAY names LOOP
    FOR found IN
      SELECT c.conrelid::regclass AS owner, c.conname AS name FROM pg_constraint c
      WHERE c.conrelid <> 0 AND position(pair[1] IN c.conname) > 0
    LOOP
      EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', found.owner, found.name,
        left(replace(found.name, pair[1], pair[2]), 63));
    END LOOP;
    FOR found IN
      SELECT i.oid::regclass AS owner, i.relname AS name FROM pg_class i
      WHERE i.relkind = 'i' AND position(pair[1] IN i.relname) > 0
        AND i.relnamespace::regnamespace::text NOT LIKE 'pg\_%'
    LOOP
      EXECUTE format('ALTER INDEX %s RENAME TO %I', found.owner, left(replace(found.name, pair[1], pair[2]), 63));
    END LOOP;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION ledger.check_and_sum() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
