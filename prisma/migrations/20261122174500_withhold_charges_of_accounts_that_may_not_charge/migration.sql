-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN     "withheldSince" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "withheld_charges" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "subscriptionId" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "dueAt" TIMESTAMPTZ(3) NOT NULL,
    "reason" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'withheld',
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "withheld_charges_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "withheld_charges_platformAccountId_createdAt_id_idx" ON "withheld_charges"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "withheld_charges_partnerId_mode_createdAt_id_idx" ON "withheld_charges"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "withheld_charges_mode_createdAt_id_idx" ON "withheld_charges"("mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "withheld_charges_subscriptionId_dueAt_key" ON "withheld_charges"("subscriptionId", "dueAt");

-- AddForeignKey
ALTER TABLE "withheld_charges" ADD CONSTRAINT "withheld_charges_subscriptionId_platformAccountId_partnerI_fkey" FOREIGN KEY ("subscriptionId", "platformAccountId", "partnerId", "mode") REFERENCES "subscriptions"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE withheld_charges ADD CONSTRAINT withheld_charges_values CHECK (
  amount >= 0
  AND reason IN ('partner_suspended', 'partner_offboarded', 'account_suspended', 'account_closed', 'account_not_approved')
  AND status IN ('withheld', 'charged', 'skipped', 'canceled'));

-- The subscriptions that go on when their account or partner is active again.
CREATE INDEX subscriptions_withheld ON subscriptions ("partnerId", "platformAccountId") WHERE "withheldSince" IS NOT NULL;
