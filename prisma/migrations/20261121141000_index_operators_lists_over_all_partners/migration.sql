-- Operators look through one mode of all partners, or of one: each list along an index that is ordered as the list is.
CREATE INDEX "processing_accounts_mode_createdAt_id_idx" ON "processing_accounts"("mode", "createdAt" DESC, "id" DESC);
CREATE INDEX "payments_mode_createdAt_id_idx" ON "payments"("mode", "createdAt" DESC, "id" DESC);
CREATE INDEX "api_keys_mode_createdAt_id_idx" ON "api_keys"("mode", "createdAt" DESC, "id" DESC);
CREATE INDEX "events_mode_createdAt_id_idx" ON "events"("mode", "createdAt" DESC, "id" DESC);
CREATE INDEX "webhook_deliveries_mode_createdAt_id_idx" ON "webhook_deliveries"("mode", "createdAt" DESC, "id" DESC);
CREATE INDEX "api_keys_partnerId_mode_createdAt_id_idx" ON "api_keys"("partnerId", "mode", "createdAt" DESC, "id" DESC);
CREATE INDEX "webhook_deliveries_partnerId_mode_createdAt_id_idx" ON "webhook_deliveries"("partnerId", "mode", "createdAt" DESC, "id" DESC);
