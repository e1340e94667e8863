-- Closed months of events and of the audit log can be moved to files (src/database/archive/). Each file is planned here before it is
-- written, and only rows that a whole and verified file contains may be removed.
CREATE SCHEMA archive;

CREATE TABLE archive.files (
  name text PRIMARY KEY,
  series text NOT NULL CHECK (series IN ('events-live', 'events-test', 'audit')),
  month date NOT NULL,
  -- The chain positions of audit rows.
  "firstSequence" bigint,
  "lastSequence" bigint,
  status text NOT NULL CHECK (status IN ('planned', 'written', 'removed')),
  rows bigint,
  sha256 text,
  "plannedAt" timestamptz(3) NOT NULL,
  "removedAt" timestamptz(3),
  CHECK ((series = 'audit') = ("firstSequence" IS NOT NULL AND "lastSequence" IS NOT NULL)),
  CHECK (status = 'planned' OR (rows IS NOT NULL AND sha256 IS NOT NULL)),
  CHECK ((status = 'removed') = ("removedAt" IS NOT NULL))
);

-- The transaction that removes rows names their file in `platform.archive`. The server's role may delete neither.
CREATE FUNCTION archive.keep_event() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (
    SELECT FROM archive.files f
    WHERE f.name = current_setting('platform.archive', true) AND f.status = 'written' AND f.series = 'events-' || OLD.mode
      AND OLD."createdAt" >= f.month::timestamp AT TIME ZONE 'UTC' AND OLD."createdAt" < (f.month + interval '1 month') AT TIME ZONE 'UTC'
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME;
END $$;

CREATE FUNCTION archive.keep_audit_row() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (
    SELECT FROM archive.files f
    WHERE f.name = current_setting('platform.archive', true) AND f.status = 'written' AND f.series = 'audit'
      AND OLD.sequence BETWEEN f."firstSequence" AND f."lastSequence"
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME;
END $$;

CREATE OR REPLACE TRIGGER events_stay BEFORE UPDATE OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION archive.keep_event();
CREATE OR REPLACE TRIGGER audit_rows_stay BEFORE UPDATE OR DELETE ON audit_rows FOR EACH ROW EXECUTE FUNCTION archive.keep_audit_row();

-- The total of a list is that of the rows that are there.
CREATE TRIGGER events_removed AFTER DELETE ON events REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
