-- AlterTable
ALTER TABLE "webhook_endpoints" ADD COLUMN     "lastDeliveredAt" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "webhook_endpoints_mode_createdAt_id_idx" ON "webhook_endpoints"("mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_deliveries_eventId_idx" ON "webhook_deliveries"("eventId");

-- The index of all deliveries of an event finds those of tests as well.
DROP INDEX webhook_deliveries_tests;

-- A dead delivery is rare, and becomes one by an update that changes the index of what is open in any case.
CREATE INDEX webhook_deliveries_dead ON webhook_deliveries ("endpointId", "createdAt" DESC, id DESC) WHERE status = 'dead';
