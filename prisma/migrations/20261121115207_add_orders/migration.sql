-- AlterTable
ALTER TABLE "payments" ADD COLUMN     "orderId" TEXT;

-- CreateTable
CREATE TABLE "orders" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "storeId" TEXT NOT NULL,
    "customerId" TEXT,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "items" JSONB NOT NULL,
    "status" TEXT NOT NULL,
    "paymentId" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "orders_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "orders_platformAccountId_createdAt_id_idx" ON "orders"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "orders_partnerId_mode_createdAt_id_idx" ON "orders"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "orders_storeId_createdAt_id_idx" ON "orders"("storeId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "orders_customerId_createdAt_id_idx" ON "orders"("customerId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "orders_platformAccountId_amount_id_idx" ON "orders"("platformAccountId", "amount", "id");

-- CreateIndex
CREATE INDEX "orders_partnerId_mode_amount_id_idx" ON "orders"("partnerId", "mode", "amount", "id");

-- CreateIndex
CREATE UNIQUE INDEX "orders_id_platformAccountId_partnerId_mode_key" ON "orders"("id", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE INDEX "payments_orderId_idx" ON "payments"("orderId");

-- AddForeignKey
ALTER TABLE "orders" ADD CONSTRAINT "orders_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", "mode") REFERENCES "stores"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "orders" ADD CONSTRAINT "orders_customerId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", "mode") REFERENCES "customers"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_orderId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("orderId", "platformAccountId", "partnerId", "mode") REFERENCES "orders"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE orders ADD CONSTRAINT orders_values CHECK (
  status IN ('pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'cancelled') AND amount BETWEEN 1 AND 99999999999
  AND (status NOT IN ('paid', 'partially_refunded', 'refunded') OR "paymentId" IS NOT NULL));
CREATE TRIGGER orders_added AFTER INSERT ON orders REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER orders_removed AFTER DELETE ON orders REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
