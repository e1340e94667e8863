-- AlterTable
ALTER TABLE "stores" ADD COLUMN     "paymentFlowId" TEXT;

-- AlterTable
ALTER TABLE "payments" ADD COLUMN     "cascade" JSONB,
ADD COLUMN     "paymentFlowId" TEXT;

-- CreateTable
CREATE TABLE "payment_flows" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "strategy" TEXT NOT NULL,
    "maxRetries" INTEGER NOT NULL,
    "sticky" BOOLEAN NOT NULL,
    "threeDs" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_flows_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payment_flow_routes" (
    "flowId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "processorId" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "weight" INTEGER,

    CONSTRAINT "payment_flow_routes_pkey" PRIMARY KEY ("flowId","kind","processorId")
);

-- CreateIndex
CREATE UNIQUE INDEX "payment_flows_id_platformAccountId_partnerId_mode_key" ON "payment_flows"("id", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE INDEX "payment_flows_platformAccountId_createdAt_id_idx" ON "payment_flows"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payment_flows_partnerId_mode_createdAt_id_idx" ON "payment_flows"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payment_flows_platformAccountId_name_id_idx" ON "payment_flows"("platformAccountId", "name", "id");

-- CreateIndex
CREATE INDEX "payment_flows_partnerId_mode_name_id_idx" ON "payment_flows"("partnerId", "mode", "name", "id");

-- CreateIndex
CREATE INDEX "payment_flow_routes_processorId_idx" ON "payment_flow_routes"("processorId");

-- CreateIndex
CREATE INDEX "stores_paymentFlowId_idx" ON "stores"("paymentFlowId");

-- AddForeignKey
ALTER TABLE "payment_flows" ADD CONSTRAINT "payment_flows_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", "mode") REFERENCES "processing_accounts"("id", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_flow_routes" ADD CONSTRAINT "payment_flow_routes_flowId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("flowId", "platformAccountId", "partnerId", "mode") REFERENCES "payment_flows"("id", "platformAccountId", "partnerId", "mode") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_flow_routes" ADD CONSTRAINT "payment_flow_routes_processorId_platformAccountId_partnerI_fkey" FOREIGN KEY ("processorId", "platformAccountId", "partnerId", "mode") REFERENCES "processors"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stores" ADD CONSTRAINT "stores_paymentFlowId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentFlowId", "platformAccountId", "partnerId", "mode") REFERENCES "payment_flows"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE payment_flows ADD CONSTRAINT payment_flows_values CHECK (
  strategy IN ('simple', 'cascade') AND "maxRetries" BETWEEN 0 AND 10 AND "threeDs" IN ('automatic', 'force', 'skip') AND mode IN ('test', 'live'));
ALTER TABLE payment_flow_routes ADD CONSTRAINT payment_flow_routes_values CHECK (
  (kind = 'weighted' AND weight BETWEEN 1 AND 10000) OR (kind = 'fallback' AND weight IS NULL AND "position" BETWEEN 0 AND 100));
-- Two fallbacks cannot both be tried next.
CREATE UNIQUE INDEX payment_flow_routes_fallback_order ON payment_flow_routes ("flowId", "position") WHERE kind = 'fallback';
-- Only a payment that is being charged can have processors left to try, and the one it is at is known.
ALTER TABLE payments ADD CONSTRAINT payments_cascade CHECK (
  "cascade" IS NULL OR (jsonb_typeof("cascade") = 'array' AND "subStatus" = 'processing' AND "processorId" IS NOT NULL));
CREATE TRIGGER payment_flows_added AFTER INSERT ON payment_flows REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER payment_flows_removed AFTER DELETE ON payment_flows REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
