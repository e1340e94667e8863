-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN     "pendingExpiresAt" TIMESTAMPTZ(3),
ADD COLUMN     "pendingInstrumentId" TEXT,
ADD COLUMN     "pendingPaymentId" TEXT,
ADD COLUMN     "pendingPriceId" TEXT,
ADD COLUMN     "pendingQuantity" INTEGER;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_pendingInstrumentId_platformAccountId_partne_fkey" FOREIGN KEY ("pendingInstrumentId", "platformAccountId", "partnerId", "mode") REFERENCES "payment_instruments"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_pendingPriceId_storeId_platformAccountId_par_fkey" FOREIGN KEY ("pendingPriceId", "storeId", "platformAccountId", "partnerId", "mode") REFERENCES "prices"("id", "storeId", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE subscriptions ADD CONSTRAINT subscriptions_pending_update CHECK (
  ("pendingPriceId" IS NULL) = ("pendingQuantity" IS NULL) AND ("pendingPaymentId" IS NULL) = ("pendingExpiresAt" IS NULL)
  AND ("pendingPriceId" IS NOT NULL OR ("pendingPaymentId" IS NULL AND "pendingInstrumentId" IS NULL))
  AND ("pendingPriceId" IS NULL OR status IN ('active', 'past_due', 'paused'))
  AND ("pendingPaymentId" IS NULL OR (status = 'active' AND "chargingSince" IS NOT NULL))
  AND ("pendingQuantity" IS NULL OR "pendingQuantity" BETWEEN 1 AND 1000000));
-- What keeps the card of a pending change from being removed.
CREATE INDEX subscriptions_pending_by_instrument ON subscriptions ("pendingInstrumentId") WHERE "pendingInstrumentId" IS NOT NULL;
