-- AlterTable
ALTER TABLE "payments" ADD COLUMN     "disputedAmount" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "disputes" (
    "id" TEXT NOT NULL,
    "paymentId" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "storeId" TEXT NOT NULL,
    "processorId" TEXT NOT NULL,
    "processorReference" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "evidenceDueAt" TIMESTAMPTZ(3),
    "closedAt" TIMESTAMPTZ(3),
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "disputes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "disputes_platformAccountId_createdAt_id_idx" ON "disputes"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "disputes_partnerId_mode_createdAt_id_idx" ON "disputes"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "disputes_storeId_createdAt_id_idx" ON "disputes"("storeId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "disputes_paymentId_createdAt_id_idx" ON "disputes"("paymentId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "disputes_processorId_processorReference_key" ON "disputes"("processorId", "processorReference");

-- AddForeignKey
ALTER TABLE "disputes" ADD CONSTRAINT "disputes_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", "mode") REFERENCES "payments"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE disputes ADD CONSTRAINT disputes_values CHECK (
  status IN ('needs_response', 'under_review', 'won', 'lost') AND amount > 0 AND ((status IN ('won', 'lost')) = ("closedAt" IS NOT NULL)));

-- What is decided stays as it was decided, and nobody changes what it is about.
CREATE FUNCTION refuse_to_reopen_dispute() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'dispute % is % and never changes again', OLD.id, OLD.status;
END $$;
CREATE TRIGGER disputes_stay_decided BEFORE UPDATE OF status ON disputes FOR EACH ROW
  WHEN (OLD.status IN ('won', 'lost') AND NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION refuse_to_reopen_dispute();
CREATE TRIGGER disputes_are_of_their_money BEFORE UPDATE OF amount, currency, "paymentId" ON disputes FOR EACH ROW
  WHEN ((NEW.amount, NEW.currency, NEW."paymentId") IS DISTINCT FROM (OLD.amount, OLD.currency, OLD."paymentId")) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER disputes_added AFTER INSERT ON disputes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER disputes_removed AFTER DELETE ON disputes REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

-- What the bank has taken back is gone until it is won: it may not be refunded as well.
ALTER TABLE payments DROP CONSTRAINT payments_money, ADD CONSTRAINT payments_money CHECK (
  amount BETWEEN 1 AND 99999999999 AND "capturedAmount" BETWEEN 0 AND amount AND "refundedAmount" >= 0 AND "reservedAmount" >= 0 AND "disputedAmount" >= 0
  AND "refundedAmount" + "reservedAmount" + "disputedAmount" <= "capturedAmount");

-- The test processor's side of it.
ALTER TABLE "test_processor"."charges" ADD COLUMN "isDisputedLater" BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX "charges_to_dispute" ON "test_processor"."charges" ("reference") WHERE "isDisputedLater";

CREATE TABLE "test_processor"."disputes" (
  "reference" TEXT COLLATE "C" NOT NULL,
  "processorReference" TEXT NOT NULL,
  "chargeReference" TEXT COLLATE "C" NOT NULL,
  "amount" BIGINT NOT NULL,
  "currency" TEXT NOT NULL,
  "reason" TEXT NOT NULL,
  "status" TEXT NOT NULL,
  -- The last status we were told of.
  "toldStatus" TEXT,
  "evidenceDueAt" TIMESTAMPTZ(3) NOT NULL,
  "createdAt" TIMESTAMPTZ(3) NOT NULL,
  "updatedAt" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "disputes_pkey" PRIMARY KEY ("reference"),
  CONSTRAINT "disputes_charge_fkey" FOREIGN KEY ("chargeReference") REFERENCES "test_processor"."charges" ("reference"),
  CONSTRAINT "disputes_values_check" CHECK ("amount" > 0 AND "status" IN ('needs_response', 'under_review', 'won', 'lost'))
);
CREATE UNIQUE INDEX "disputes_processorReference_key" ON "test_processor"."disputes" ("processorReference");
CREATE INDEX "disputes_chargeReference_idx" ON "test_processor"."disputes" ("chargeReference");
CREATE INDEX "disputes_untold" ON "test_processor"."disputes" ("createdAt") WHERE "toldStatus" IS DISTINCT FROM "status";
