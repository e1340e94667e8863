-- CreateTable
CREATE TABLE "block_rules" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "storeId" TEXT,
    "name" TEXT NOT NULL,
    "operator" TEXT NOT NULL,
    "criteria" JSONB NOT NULL,
    "keys" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "hasPatterns" BOOLEAN NOT NULL,
    "isPermanent" BOOLEAN NOT NULL,
    "ttlHours" INTEGER,
    "expiresAt" TIMESTAMPTZ(3),
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "block_rules_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "block_rules_platformAccountId_createdAt_id_idx" ON "block_rules"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "block_rules_partnerId_mode_createdAt_id_idx" ON "block_rules"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "block_rules_platformAccountId_name_id_idx" ON "block_rules"("platformAccountId", "name", "id");

-- CreateIndex
CREATE INDEX "block_rules_partnerId_mode_name_id_idx" ON "block_rules"("partnerId", "mode", "name", "id");

-- CreateIndex
CREATE INDEX "block_rules_keys_idx" ON "block_rules" USING GIN ("keys");

-- CreateIndex
CREATE UNIQUE INDEX "block_rules_id_platformAccountId_partnerId_mode_key" ON "block_rules"("id", "platformAccountId", "partnerId", "mode");

-- AddForeignKey
ALTER TABLE "block_rules" ADD CONSTRAINT "block_rules_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", "mode") REFERENCES "processing_accounts"("id", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE block_rules ADD CONSTRAINT block_rules_values CHECK (
  operator IN ('OR', 'AND') AND criteria <> '{}'::jsonb AND (cardinality(keys) > 0 OR "hasPatterns") AND "isPermanent" = ("expiresAt" IS NULL));
ALTER TABLE block_rules ALTER COLUMN keys SET NOT NULL;
-- Of the rules of an account, those that a charge's keys cannot rule out.
CREATE INDEX block_rules_with_patterns ON block_rules ("platformAccountId") WHERE "hasPatterns";
CREATE TRIGGER block_rules_added AFTER INSERT ON block_rules REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER block_rules_removed AFTER DELETE ON block_rules REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
