-- The sums of days also have what was captured and what is still authorized. A row without them was summed by the
-- version before; the job sums its day again, and readers count it from its payments until then.
ALTER TABLE counters.figures RENAME TO daily_figures;
ALTER TABLE counters.daily_figures ADD COLUMN "capturedVolume" bigint, ADD COLUMN "authorizedVolume" bigint;
CREATE INDEX figures_incomplete ON counters.daily_figures (day) WHERE "capturedVolume" IS NULL;
-- Only the version before uses this view: its statements expect these columns and no others.
CREATE VIEW counters.figures AS
  SELECT "partnerId", mode, "platformAccountId", day, currency, "processorId", "declineCode",
    payments, approved, refused, volume, refunds, "refundedVolume", disputes, "disputedVolume"
  FROM counters.daily_figures;
