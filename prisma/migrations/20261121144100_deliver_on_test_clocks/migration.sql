-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "testClockId" TEXT;

-- AlterTable
ALTER TABLE "webhook_endpoints" ADD COLUMN     "failingClockId" TEXT;

-- What is open on a test clock; elsewhere the index is empty.
CREATE INDEX webhook_deliveries_on_test_clocks ON webhook_deliveries ("testClockId", "nextAttemptAt") WHERE "nextAttemptAt" IS NOT NULL AND "testClockId" IS NOT NULL;
-- What is over and grows old.
CREATE INDEX webhook_deliveries_over ON webhook_deliveries ("createdAt") WHERE "nextAttemptAt" IS NULL AND "testClockId" IS NULL;

CREATE OR REPLACE FUNCTION add_webhook_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_deliveries (id, "partnerId", "platformAccountId", mode, "endpointId", "eventId", "eventType", "objectId", sequence, status, "nextAttemptAt", "createdAt", "testClockId")
  SELECT 'whd_' || substr(e.id, 5, 8) || replace(gen_random_uuid()::text, '-', ''), w."partnerId", w."platformAccountId", w.mode, w.id, e.id, e.type, e."objectId", e.sequence,
    CASE WHEN w.enabled THEN 'pending' ELSE 'dead' END, CASE WHEN w.enabled THEN e."createdAt" END, e."createdAt", e."testClockId"
  FROM added e JOIN webhook_endpoints w ON w."partnerId" = e."partnerId" AND w.mode = e.mode AND w."deletedAt" IS NULL
    AND (w."platformAccountId" IS NULL OR w."platformAccountId" = e."platformAccountId") AND (w."storeId" IS NULL OR w."storeId" = e."storeId") AND e.type = ANY (w."eventTypes");
  RETURN NULL;
END $$;
