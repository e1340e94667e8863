-- AlterTable
ALTER TABLE "tokens" ADD COLUMN     "customerId" TEXT;

-- CreateTable
CREATE TABLE "client_sessions" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "storeId" TEXT NOT NULL,
    "customerId" TEXT,
    "amount" BIGINT,
    "currency" TEXT,
    "origins" TEXT[],
    "secretHash" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "token" TEXT,
    "cardId" TEXT,
    "completedAt" TIMESTAMPTZ(3),
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "client_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "client_sessions_expiresAt_idx" ON "client_sessions"("expiresAt");

-- CreateIndex
CREATE INDEX "client_sessions_cardId_idx" ON "client_sessions"("cardId");

-- AddForeignKey
ALTER TABLE "client_sessions" ADD CONSTRAINT "client_sessions_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", "mode") REFERENCES "stores"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "client_sessions" ADD CONSTRAINT "client_sessions_customerId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", "mode") REFERENCES "customers"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE client_sessions ADD CONSTRAINT client_sessions_values CHECK (
  mode IN ('test', 'live')
  AND (amount IS NULL) = (currency IS NULL)
  AND amount > 0
  AND cardinality(origins) BETWEEN 1 AND 10
  AND attempts BETWEEN 0 AND 10
  AND (token IS NULL) = ("completedAt" IS NULL)
  AND (token IS NULL) = ("cardId" IS NULL)
);
