-- Operators look through one mode of all partners: each list along an index that is ordered as the list is.
CREATE INDEX "subscriptions_mode_createdAt_id_idx" ON "subscriptions"("mode", "createdAt" DESC, "id" DESC);
CREATE INDEX "disputes_mode_createdAt_id_idx" ON "disputes"("mode", "createdAt" DESC, "id" DESC);
CREATE INDEX "funnels_mode_createdAt_id_idx" ON "funnels"("mode", "createdAt" DESC, "id" DESC);
CREATE INDEX "processing_accounts_mode_legalName_id_idx" ON "processing_accounts"("mode", "legalName", "id");
