-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT,
    "mode" TEXT NOT NULL,
    "storeId" TEXT,
    "url" TEXT NOT NULL,
    "eventTypes" TEXT[],
    "description" TEXT,
    "ordered" BOOLEAN NOT NULL DEFAULT false,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabledReason" TEXT,
    "secret" TEXT NOT NULL,
    "previousSecret" TEXT,
    "previousSecretUntil" TIMESTAMPTZ(3),
    "failingSince" TIMESTAMPTZ(3),
    "deletedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT,
    "mode" TEXT NOT NULL,
    "endpointId" TEXT NOT NULL,
    "eventId" TEXT NOT NULL,
    "eventType" TEXT NOT NULL,
    "objectId" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "testBody" JSONB,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "nextAttemptAt" TIMESTAMPTZ(3),
    "leasedUntil" TIMESTAMPTZ(3),
    "attemptCount" INTEGER NOT NULL DEFAULT 0,
    "failureCount" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_attempts" (
    "deliveryId" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "status" INTEGER,
    "durationMs" INTEGER NOT NULL,
    "responseBody" TEXT,
    "error" TEXT,

    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("deliveryId","number")
);

-- CreateIndex
CREATE INDEX "webhook_endpoints_platformAccountId_createdAt_id_idx" ON "webhook_endpoints"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_endpoints_partnerId_mode_createdAt_id_idx" ON "webhook_endpoints"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "webhook_endpoints_id_partnerId_mode_key" ON "webhook_endpoints"("id", "partnerId", "mode");

-- CreateIndex
CREATE INDEX "webhook_deliveries_endpointId_createdAt_id_idx" ON "webhook_deliveries"("endpointId", "createdAt" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES "partners"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", "mode") REFERENCES "processing_accounts"("id", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", "mode") REFERENCES "stores"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpointId_partnerId_mode_fkey" FOREIGN KEY ("endpointId", "partnerId", "mode") REFERENCES "webhook_endpoints"("id", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_deliveryId_fkey" FOREIGN KEY ("deliveryId") REFERENCES "webhook_deliveries"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE webhook_endpoints ALTER COLUMN "eventTypes" SET NOT NULL;
ALTER TABLE webhook_endpoints ADD CONSTRAINT webhook_endpoints_values CHECK (
  mode IN ('test', 'live') AND cardinality("eventTypes") > 0 AND ("disabledReason" IS NULL OR "disabledReason" IN ('manual', 'gone', 'failing', 'deleted'))
  AND enabled = ("disabledReason" IS NULL) AND ("deletedAt" IS NULL OR NOT enabled) AND ("storeId" IS NULL OR "platformAccountId" IS NOT NULL)
  AND ("previousSecret" IS NULL) = ("previousSecretUntil" IS NULL));
ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_values CHECK (
  mode IN ('test', 'live') AND status IN ('pending', 'delivered', 'failed', 'dead') AND ("nextAttemptAt" IS NOT NULL) = (status IN ('pending', 'failed'))
  AND ("leasedUntil" IS NULL OR "nextAttemptAt" IS NOT NULL));

-- What the sender looks for: the endpoints that have something open, what of theirs is due, and what goes before it on an ordered one.
CREATE INDEX webhook_deliveries_open ON webhook_deliveries ("endpointId", "nextAttemptAt", id) WHERE "nextAttemptAt" IS NOT NULL;
CREATE INDEX webhook_deliveries_order ON webhook_deliveries ("endpointId", "objectId", sequence) WHERE "nextAttemptAt" IS NOT NULL;

-- Events become deliveries here, in the transaction that writes them: with the event they are there, without it they are not,
-- whoever writes it and whenever it commits. A worker that reads events afterwards would have to know which it has seen, and
-- neither ids nor moments say so, since a transaction that began earlier may commit later. Where nobody listens, which is
-- nearly everywhere, it costs one look into an index. A disabled endpoint gets its deliveries, too, dead from the beginning:
-- they can be seen, and redelivered when the endpoint works again.
CREATE FUNCTION add_webhook_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_deliveries (id, "partnerId", "platformAccountId", mode, "endpointId", "eventId", "eventType", "objectId", sequence, status, "nextAttemptAt", "createdAt")
  SELECT 'whd_' || substr(e.id, 5, 8) || replace(gen_random_uuid()::text, '-', ''), w."partnerId", w."platformAccountId", w.mode, w.id, e.id, e.type, e."objectId", e.sequence,
    CASE WHEN w.enabled THEN 'pending' ELSE 'dead' END, CASE WHEN w.enabled THEN e."createdAt" END, e."createdAt"
  FROM added e JOIN webhook_endpoints w ON w."partnerId" = e."partnerId" AND w.mode = e.mode AND w."deletedAt" IS NULL
    AND (w."platformAccountId" IS NULL OR w."platformAccountId" = e."platformAccountId") AND (w."storeId" IS NULL OR w."storeId" = e."storeId") AND e.type = ANY (w."eventTypes");
  RETURN NULL;
END $$;
CREATE TRIGGER events_to_webhooks AFTER INSERT ON events REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_webhook_deliveries();
