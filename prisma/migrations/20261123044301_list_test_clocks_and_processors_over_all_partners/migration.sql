-- CreateIndex
CREATE INDEX "processors_mode_createdAt_id_idx" ON "processors"("mode", "createdAt", "id");

-- CreateIndex
CREATE INDEX "test_clocks_mode_createdAt_id_idx" ON "test_clocks"("mode", "createdAt" DESC, "id" DESC);

-- The subscriptions of a test clock, also those with nothing due.
CREATE INDEX subscriptions_of_test_clocks ON subscriptions ("testClockId", "createdAt" DESC, id DESC) WHERE "testClockId" IS NOT NULL;
