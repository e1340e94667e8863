-- CreateIndex
CREATE INDEX "processors_partnerId_mode_createdAt_id_idx" ON "processors"("partnerId", "mode", "createdAt", "id");

-- CreateIndex
CREATE INDEX "processors_platformAccountId_name_id_idx" ON "processors"("platformAccountId", "name", "id");

-- CreateIndex
CREATE INDEX "processors_partnerId_mode_name_id_idx" ON "processors"("partnerId", "mode", "name", "id");

ALTER TABLE processors ADD CONSTRAINT processors_values CHECK (
  type IN ('test', 'stripe') AND mode IN ('test', 'live') AND (type <> 'test' OR mode = 'test'));
CREATE TRIGGER processors_added AFTER INSERT ON processors REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER processors_removed AFTER DELETE ON processors REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
INSERT INTO counters.row_counts (relation, "partnerId", mode, "platformAccountId", shard, n)
SELECT 'processors', "partnerId", mode, "platformAccountId", 0, count(*) FROM processors GROUP BY "partnerId", mode, "platformAccountId";
