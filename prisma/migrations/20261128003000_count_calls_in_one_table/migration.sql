-- How many calls or attempts a subject has made since the start of its window. Nothing of it must outlive a crash.
CREATE UNLOGGED TABLE limits.windows (
  subject text PRIMARY KEY,
  start timestamptz(3) NOT NULL,
  calls integer NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

DROP TABLE limits.sign_ins, limits.field_calls;
