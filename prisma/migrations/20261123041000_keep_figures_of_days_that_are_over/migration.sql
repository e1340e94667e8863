-- CreateIndex
CREATE INDEX "refunds_mode_createdAt_id_idx" ON "refunds"("mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "refunds_partnerId_mode_createdAt_id_idx" ON "refunds"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "refunds_platformAccountId_createdAt_id_idx" ON "refunds"("platformAccountId", "createdAt" DESC, "id" DESC);

-- Figures of operators: what payments, refunds and disputes of an account and a day in UTC come to. A job sums a day when it
-- is over, so that a charge keeps no counter; what is later is summed when somebody asks (src/domains/figures/).
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
CREATE INDEX figures_of_partner ON counters.figures ("partnerId", mode, day);
CREATE INDEX figures_of_mode ON counters.figures (mode, day);

-- The first day that is not summed. One row.
CREATE TABLE counters.figures_until (
  "isOnly" boolean PRIMARY KEY DEFAULT true CHECK ("isOnly"),
  day date NOT NULL
);
INSERT INTO counters.figures_until (day) VALUES ('2000-01-01');

-- Days whose rows changed when they may have been summed. The job sums them again; until then they are summed when somebody asks.
CREATE TABLE counters.figures_changed (
  "platformAccountId" text NOT NULL,
  day date NOT NULL
);

CREATE FUNCTION counters.mark_figures() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO counters.figures_changed VALUES (NEW."platformAccountId", (NEW."createdAt" AT TIME ZONE 'UTC')::date);
  RETURN NULL;
END $$;

-- A day is summed an hour after its end at the earliest, by the clock of the database. A row of the last half hour is in no
-- such day, so that a charge only has its time compared.
CREATE TRIGGER payments_late AFTER INSERT ON payments FOR EACH ROW
  WHEN (NEW."createdAt" < now() - interval '30 minutes') EXECUTE FUNCTION counters.mark_figures();
CREATE TRIGGER payments_changed_late AFTER UPDATE ON payments FOR EACH ROW
  WHEN (NEW."createdAt" < now() - interval '30 minutes' AND (
    NEW."processorId" IS DISTINCT FROM OLD."processorId" OR NEW."failureCode" IS DISTINCT FROM OLD."failureCode"
    OR (NEW.status, NEW."subStatus") IS DISTINCT FROM (OLD.status, OLD."subStatus")
    AND NOT (NEW.status IN ('succeeded', 'partially_refunded', 'refunded') AND OLD.status IN ('succeeded', 'partially_refunded', 'refunded'))
  )) EXECUTE FUNCTION counters.mark_figures();
CREATE TRIGGER refunds_late AFTER INSERT ON refunds FOR EACH ROW
  WHEN (NEW."createdAt" < now() - interval '30 minutes') EXECUTE FUNCTION counters.mark_figures();
CREATE TRIGGER refunds_changed_late AFTER UPDATE ON refunds FOR EACH ROW
  WHEN (NEW."createdAt" < now() - interval '30 minutes' AND NEW.status <> OLD.status) EXECUTE FUNCTION counters.mark_figures();
CREATE TRIGGER disputes_late AFTER INSERT ON disputes FOR EACH ROW
  WHEN (NEW."createdAt" < now() - interval '30 minutes') EXECUTE FUNCTION counters.mark_figures();
CREATE TRIGGER disputes_changed_late AFTER UPDATE ON disputes FOR EACH ROW
  WHEN (NEW."createdAt" < now() - interval '30 minutes' AND (NEW.amount, NEW.currency) IS DISTINCT FROM (OLD.amount, OLD.currency))
  EXECUTE FUNCTION counters.mark_figures();
