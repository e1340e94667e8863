-- CreateTable
CREATE TABLE "test_clocks" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "now" TIMESTAMPTZ(3) NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'ready',
    "target" TIMESTAMPTZ(3),
    "stepsDone" INTEGER NOT NULL DEFAULT 0,
    "failureReason" TEXT,
    "drivenBy" TEXT,
    "leasedUntil" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "test_clocks_pkey" PRIMARY KEY ("id")
);

-- AlterTable
ALTER TABLE "customers" ADD COLUMN "testClockId" TEXT;
ALTER TABLE "payments" ADD COLUMN "testClockId" TEXT;
ALTER TABLE "events" ADD COLUMN "testClockId" TEXT;

-- CreateIndex
CREATE INDEX "test_clocks_platformAccountId_createdAt_id_idx" ON "test_clocks"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "test_clocks_partnerId_mode_createdAt_id_idx" ON "test_clocks"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "test_clocks_id_platformAccountId_partnerId_mode_key" ON "test_clocks"("id", "platformAccountId", "partnerId", "mode");

-- AddForeignKey
ALTER TABLE "test_clocks" ADD CONSTRAINT "test_clocks_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", "mode") REFERENCES "processing_accounts"("id", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "customers" ADD CONSTRAINT "customers_testClockId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("testClockId", "platformAccountId", "partnerId", "mode") REFERENCES "test_clocks"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_testClockId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("testClockId", "platformAccountId", "partnerId", "mode") REFERENCES "test_clocks"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE test_clocks ADD CONSTRAINT test_clocks_values CHECK (
  mode = 'test' AND status IN ('ready', 'advancing', 'internal_failure') AND (status = 'ready') = (target IS NULL) AND (target IS NULL OR target >= now)
  AND (status = 'internal_failure') = ("failureReason" IS NOT NULL) AND ("drivenBy" IS NULL) = ("leasedUntil" IS NULL) AND ("drivenBy" IS NULL OR status = 'advancing')
  AND now BETWEEN '2000-01-01Z' AND '2100-01-01Z');
-- What the driving of clocks looks for: the few that are on their way, and what hangs on one of them.
CREATE INDEX test_clocks_advancing ON test_clocks ("updatedAt") WHERE status = 'advancing';
CREATE INDEX payments_on_test_clocks ON payments ("testClockId") WHERE "testClockId" IS NOT NULL;
CREATE TRIGGER test_clocks_added AFTER INSERT ON test_clocks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER test_clocks_removed AFTER DELETE ON test_clocks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
