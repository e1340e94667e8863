-- AlterTable
ALTER TABLE "refunds" ADD COLUMN     "requestedBy" TEXT;

-- CreateTable
CREATE TABLE "refund_limits" (
    "mode" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "refund_limits_pkey" PRIMARY KEY ("mode","currency")
);

-- CreateTable
CREATE TABLE "refund_requests" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "paymentId" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "cancelSubscription" BOOLEAN NOT NULL,
    "reason" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "requestedBy" TEXT NOT NULL,
    "requestedByEmail" TEXT NOT NULL,
    "decidedBy" TEXT,
    "decidedByEmail" TEXT,
    "decisionReason" TEXT,
    "decidedAt" TIMESTAMPTZ(3),
    "refundId" TEXT,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "refund_requests_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "refund_requests_paymentId_createdAt_id_idx" ON "refund_requests"("paymentId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "refund_requests_mode_createdAt_id_idx" ON "refund_requests"("mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "refund_requests_partnerId_mode_createdAt_id_idx" ON "refund_requests"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "refund_requests" ADD CONSTRAINT "refund_requests_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", "mode") REFERENCES "payments"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE refund_limits ADD CONSTRAINT refund_limits_values CHECK (amount > 0 AND mode IN ('test', 'live'));
-- Four eyes, whatever the code does: who asks does not approve, and what is approved has its refund.
ALTER TABLE refund_requests ADD CONSTRAINT refund_requests_values CHECK (
  amount > 0
  AND status IN ('pending', 'approved', 'rejected', 'withdrawn', 'expired')
  AND (status IN ('approved', 'rejected', 'withdrawn')) = ("decidedBy" IS NOT NULL)
  AND (status = 'approved') = ("refundId" IS NOT NULL)
  AND (status NOT IN ('approved', 'rejected') OR "decidedBy" <> "requestedBy")
  AND (status <> 'withdrawn' OR "decidedBy" = "requestedBy"));

-- Of one payment one refund waits at a time.
CREATE UNIQUE INDEX refund_requests_pending ON refund_requests ("paymentId") WHERE status = 'pending';
CREATE INDEX refund_requests_by_expiry ON refund_requests ("expiresAt") WHERE status = 'pending';
