-- When the calls of a field were made that still count, by the field and the identity that has a limit, oldest first.
-- Nothing of it must outlive a crash.
CREATE UNLOGGED TABLE limits.field_calls (
  subject text PRIMARY KEY,
  calls timestamptz(3)[] NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
