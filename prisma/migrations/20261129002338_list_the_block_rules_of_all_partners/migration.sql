-- CreateIndex
CREATE INDEX "block_rules_mode_createdAt_id_idx" ON "block_rules"("mode", "createdAt" DESC, "id" DESC);
