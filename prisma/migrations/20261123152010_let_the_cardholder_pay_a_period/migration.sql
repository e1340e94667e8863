-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN     "actionReason" TEXT,
ADD COLUMN     "payingInstrumentId" TEXT;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_payingInstrumentId_platformAccountId_partner_fkey" FOREIGN KEY ("payingInstrumentId", "platformAccountId", "partnerId", "mode") REFERENCES "payment_instruments"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- Not tied to the status: a server of the released version, which ends a subscription, does not know the column.
ALTER TABLE subscriptions ADD CONSTRAINT subscriptions_action_reason
  CHECK ("actionReason" IN ('authentication', 'card_expired'));
-- What keeps the card from being removed with which the cardholder is paying.
CREATE INDEX subscriptions_paying_by_instrument ON subscriptions ("payingInstrumentId")
  WHERE "payingInstrumentId" IS NOT NULL;
