-- A reference is looked for with its processor, and by an operator without: with the reference first, one index serves both.
-- DropIndex
DROP INDEX "transactions_processorId_processorReference_key";

-- DropIndex
DROP INDEX "disputes_processorId_processorReference_key";

-- CreateIndex
CREATE UNIQUE INDEX "transactions_processorReference_processorId_key" ON "transactions"("processorReference", "processorId");

-- CreateIndex
CREATE UNIQUE INDEX "disputes_processorReference_processorId_key" ON "disputes"("processorReference", "processorId");

-- CreateIndex
CREATE INDEX "payment_instruments_partnerId_mode_last4_createdAt_id_idx" ON "payment_instruments"("partnerId", "mode", "last4", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "audit_rows_requestId_idx" ON "audit_rows"("requestId");
