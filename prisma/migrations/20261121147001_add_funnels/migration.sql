-- CreateTable
CREATE TABLE "funnels" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "storeId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "isDefault" BOOLEAN NOT NULL,
    "version" INTEGER NOT NULL,
    "nodes" JSONB NOT NULL,
    "edges" JSONB NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "funnels_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "funnel_versions" (
    "funnelId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "nodes" JSONB NOT NULL,
    "edges" JSONB NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "funnel_versions_pkey" PRIMARY KEY ("funnelId","version")
);

-- CreateTable
CREATE TABLE "funnel_sessions" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "storeId" TEXT NOT NULL,
    "funnelId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "customerId" TEXT,
    "paymentInstrumentId" TEXT,
    "variantKey" TEXT NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "currentStepId" TEXT NOT NULL,
    "variantId" TEXT,
    "status" TEXT NOT NULL,
    "moves" INTEGER NOT NULL DEFAULT 0,
    "convertedAt" TIMESTAMPTZ(3),
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "funnel_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "funnel_events" (
    "sessionId" TEXT NOT NULL,
    "eventId" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "fromStepId" TEXT NOT NULL,
    "toStepId" TEXT NOT NULL,
    "variantId" TEXT,
    "paymentId" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "funnel_events_pkey" PRIMARY KEY ("sessionId","eventId")
);

-- CreateTable
CREATE TABLE "funnel_orders" (
    "orderId" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "stepId" TEXT NOT NULL,
    "variantId" TEXT,
    "kind" TEXT NOT NULL,
    "open" BOOLEAN NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "funnel_orders_pkey" PRIMARY KEY ("orderId")
);

-- CreateIndex
CREATE INDEX "funnels_platformAccountId_createdAt_id_idx" ON "funnels"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "funnels_partnerId_mode_createdAt_id_idx" ON "funnels"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "funnels_storeId_createdAt_id_idx" ON "funnels"("storeId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "funnels_platformAccountId_name_id_idx" ON "funnels"("platformAccountId", "name", "id");

-- CreateIndex
CREATE INDEX "funnels_partnerId_mode_name_id_idx" ON "funnels"("partnerId", "mode", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "funnels_id_platformAccountId_partnerId_mode_key" ON "funnels"("id", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE UNIQUE INDEX "funnel_versions_funnelId_version_platformAccountId_partnerI_key" ON "funnel_versions"("funnelId", "version", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE UNIQUE INDEX "funnel_sessions_tokenHash_key" ON "funnel_sessions"("tokenHash");

-- CreateIndex
CREATE INDEX "funnel_sessions_status_expiresAt_idx" ON "funnel_sessions"("status", "expiresAt");

-- CreateIndex
CREATE UNIQUE INDEX "funnel_sessions_id_platformAccountId_partnerId_mode_key" ON "funnel_sessions"("id", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE UNIQUE INDEX "funnel_events_paymentId_key" ON "funnel_events"("paymentId");

-- CreateIndex
CREATE UNIQUE INDEX "funnel_orders_orderId_platformAccountId_partnerId_mode_key" ON "funnel_orders"("orderId", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE UNIQUE INDEX "funnel_orders_sessionId_stepId_key" ON "funnel_orders"("sessionId", "stepId");

-- AddForeignKey
ALTER TABLE "funnels" ADD CONSTRAINT "funnels_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", "mode") REFERENCES "stores"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel_versions" ADD CONSTRAINT "funnel_versions_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", "mode") REFERENCES "processing_accounts"("id", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel_sessions" ADD CONSTRAINT "funnel_sessions_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", "mode") REFERENCES "stores"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel_sessions" ADD CONSTRAINT "funnel_sessions_funnelId_version_platformAccountId_partner_fkey" FOREIGN KEY ("funnelId", "version", "platformAccountId", "partnerId", "mode") REFERENCES "funnel_versions"("funnelId", "version", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel_sessions" ADD CONSTRAINT "funnel_sessions_customerId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", "mode") REFERENCES "customers"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "funnel_sessions" ADD CONSTRAINT "funnel_sessions_paymentInstrumentId_platformAccountId_part_fkey" FOREIGN KEY ("paymentInstrumentId", "platformAccountId", "partnerId", "mode") REFERENCES "payment_instruments"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "funnel_events" ADD CONSTRAINT "funnel_events_sessionId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("sessionId", "platformAccountId", "partnerId", "mode") REFERENCES "funnel_sessions"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel_orders" ADD CONSTRAINT "funnel_orders_sessionId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("sessionId", "platformAccountId", "partnerId", "mode") REFERENCES "funnel_sessions"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel_orders" ADD CONSTRAINT "funnel_orders_orderId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("orderId", "platformAccountId", "partnerId", "mode") REFERENCES "orders"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE funnels ADD CONSTRAINT funnels_values CHECK (version >= 1 AND jsonb_typeof(nodes) = 'array' AND jsonb_typeof(edges) = 'array');
CREATE UNIQUE INDEX funnels_default_of_store ON funnels ("storeId") WHERE "isDefault";
CREATE TRIGGER funnels_added AFTER INSERT ON funnels REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER funnels_removed AFTER DELETE ON funnels REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

-- A version is what sessions hold on to.
CREATE TRIGGER funnel_versions_stay BEFORE UPDATE ON funnel_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();

ALTER TABLE funnel_sessions ADD CONSTRAINT funnel_sessions_values CHECK (status IN ('active', 'completed', 'abandoned') AND moves >= 0 AND sequence >= 0);
ALTER TABLE funnel_orders ADD CONSTRAINT funnel_orders_values CHECK (kind IN ('checkout', 'offer'));
-- Those whose payments may still move a session are few: an attempt takes seconds, a challenge half an hour.
CREATE INDEX funnel_orders_open ON funnel_orders ("createdAt") WHERE open;
-- A payment moves the session at whose order or event it stands; what was told stays as it was told.
CREATE TRIGGER funnel_events_stay BEFORE UPDATE OR DELETE ON funnel_events FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- What the steps of a funnel have come to, kept in the transactions that make it so; a few rows each, so that visitors do not queue for one.
CREATE TABLE counters.funnel_figures (
  "funnelId" text NOT NULL,
  "stepId" text NOT NULL,
  "variantId" text NOT NULL,
  measure text NOT NULL,
  shard smallint NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY ("funnelId", "stepId", "variantId", measure, shard)
) WITH (fillfactor = 50);
