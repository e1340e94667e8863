-- DropIndex
DROP INDEX "unapplied_events_receivedAt_processorId_eventId_idx";

-- AlterTable
ALTER TABLE "unapplied_events" ADD COLUMN     "id" TEXT;
UPDATE unapplied_events SET id = 'uev_' || substr(md5("processorId" || ' ' || "eventId"), 1, 22);
ALTER TABLE "unapplied_events" ALTER COLUMN "id" SET NOT NULL;

-- CreateTable
CREATE TABLE "blocked_charges" (
    "paymentId" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "blockRuleId" TEXT NOT NULL,
    "ruleName" TEXT NOT NULL,
    "criteria" TEXT[],
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "blocked_charges_pkey" PRIMARY KEY ("paymentId")
);

-- CreateIndex
CREATE UNIQUE INDEX "blocked_charges_paymentId_platformAccountId_partnerId_mode_key" ON "blocked_charges"("paymentId", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE UNIQUE INDEX "unapplied_events_id_key" ON "unapplied_events"("id");

-- CreateIndex
CREATE INDEX "unapplied_events_receivedAt_id_idx" ON "unapplied_events"("receivedAt" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "blocked_charges" ADD CONSTRAINT "blocked_charges_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", "mode") REFERENCES "payments"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TRIGGER blocked_charges_stay BEFORE UPDATE OR DELETE ON blocked_charges FOR EACH ROW EXECUTE FUNCTION refuse_change();
