-- CreateIndex
CREATE INDEX "disputes_platformAccountId_evidenceDueAt_id_idx" ON "disputes"("platformAccountId", "evidenceDueAt", "id");

-- CreateIndex
CREATE INDEX "disputes_partnerId_mode_evidenceDueAt_id_idx" ON "disputes"("partnerId", "mode", "evidenceDueAt", "id");

-- CreateIndex
CREATE INDEX "disputes_mode_evidenceDueAt_id_idx" ON "disputes"("mode", "evidenceDueAt", "id");

-- CreateIndex
CREATE INDEX "customers_mode_createdAt_id_idx" ON "customers"("mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "orders_mode_createdAt_id_idx" ON "orders"("mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payment_instruments_mode_createdAt_id_idx" ON "payment_instruments"("mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payment_instruments_fingerprint_idx" ON "payment_instruments"("fingerprint");

-- Customers with a telephone number, for operators who look for one.
CREATE INDEX customers_phone ON customers ("partnerId", mode, phone) WHERE phone IS NOT NULL;

-- Only payments that were refused are in it, so that an approved charge writes no entry.
CREATE INDEX payments_refused ON payments (mode, "failureCode", "createdAt" DESC, id DESC) WHERE "failureCode" IS NOT NULL;
