-- AlterTable
ALTER TABLE "payments" ADD COLUMN     "subscriptionId" TEXT,
ADD COLUMN     "subscriptionPeriod" INTEGER;

-- CreateTable
CREATE TABLE "products" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "storeId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "products_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "prices" (
    "id" TEXT NOT NULL,
    "productId" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "storeId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "recurring" BOOLEAN NOT NULL,
    "interval" TEXT,
    "intervalCount" INTEGER,
    "trialDays" INTEGER,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "prices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subscriptions" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "storeId" TEXT NOT NULL,
    "customerId" TEXT NOT NULL,
    "paymentInstrumentId" TEXT NOT NULL,
    "priceId" TEXT NOT NULL,
    "quantity" INTEGER NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "interval" TEXT NOT NULL,
    "intervalCount" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "trialEndsAt" TIMESTAMPTZ(3),
    "anchorAt" TIMESTAMPTZ(3) NOT NULL,
    "cycle" INTEGER NOT NULL DEFAULT 0,
    "periodIndex" INTEGER NOT NULL DEFAULT 0,
    "currentPeriodStart" TIMESTAMPTZ(3) NOT NULL,
    "currentPeriodEnd" TIMESTAMPTZ(3) NOT NULL,
    "nextBillingDate" TIMESTAMPTZ(3),
    "balance" BIGINT NOT NULL DEFAULT 0,
    "cancelAtPeriodEnd" BOOLEAN NOT NULL DEFAULT false,
    "canceledAt" TIMESTAMPTZ(3),
    "cancellationReason" TEXT,
    "pausedAt" TIMESTAMPTZ(3),
    "resumeAt" TIMESTAMPTZ(3),
    "firstFailedAt" TIMESTAMPTZ(3),
    "nextRetryAt" TIMESTAMPTZ(3),
    "latestPaymentId" TEXT,
    "noticedFor" TIMESTAMPTZ(3),
    "chargingSince" TIMESTAMPTZ(3),
    "cancelRequestedAt" TIMESTAMPTZ(3),
    "dueAt" TIMESTAMPTZ(3),
    "testClockId" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subscription_periods" (
    "subscriptionId" TEXT NOT NULL,
    "index" INTEGER NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "startsAt" TIMESTAMPTZ(3) NOT NULL,
    "endsAt" TIMESTAMPTZ(3) NOT NULL,
    "anchorAt" TIMESTAMPTZ(3) NOT NULL,
    "cycle" INTEGER NOT NULL,
    "planAmount" BIGINT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "paymentId" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subscription_periods_pkey" PRIMARY KEY ("subscriptionId","index")
);

-- CreateIndex
CREATE INDEX "products_platformAccountId_createdAt_id_idx" ON "products"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "products_partnerId_mode_createdAt_id_idx" ON "products"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "products_storeId_createdAt_id_idx" ON "products"("storeId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "products_platformAccountId_name_id_idx" ON "products"("platformAccountId", "name", "id");

-- CreateIndex
CREATE INDEX "products_partnerId_mode_name_id_idx" ON "products"("partnerId", "mode", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "products_id_storeId_platformAccountId_partnerId_mode_key" ON "products"("id", "storeId", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE UNIQUE INDEX "prices_productId_position_key" ON "prices"("productId", "position");

-- CreateIndex
CREATE UNIQUE INDEX "prices_id_storeId_platformAccountId_partnerId_mode_key" ON "prices"("id", "storeId", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE INDEX "subscriptions_platformAccountId_createdAt_id_idx" ON "subscriptions"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "subscriptions_partnerId_mode_createdAt_id_idx" ON "subscriptions"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "subscriptions_platformAccountId_nextBillingDate_id_idx" ON "subscriptions"("platformAccountId", "nextBillingDate", "id");

-- CreateIndex
CREATE INDEX "subscriptions_partnerId_mode_nextBillingDate_id_idx" ON "subscriptions"("partnerId", "mode", "nextBillingDate", "id");

-- CreateIndex
CREATE INDEX "subscriptions_platformAccountId_status_id_idx" ON "subscriptions"("platformAccountId", "status", "id");

-- CreateIndex
CREATE INDEX "subscriptions_partnerId_mode_status_id_idx" ON "subscriptions"("partnerId", "mode", "status", "id");

-- CreateIndex
CREATE INDEX "subscriptions_customerId_createdAt_id_idx" ON "subscriptions"("customerId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "subscriptions_priceId_createdAt_id_idx" ON "subscriptions"("priceId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "subscriptions_id_platformAccountId_partnerId_mode_key" ON "subscriptions"("id", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_periods_paymentId_key" ON "subscription_periods"("paymentId");

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_subscriptionId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("subscriptionId", "platformAccountId", "partnerId", "mode") REFERENCES "subscriptions"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "products" ADD CONSTRAINT "products_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", "mode") REFERENCES "stores"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "prices" ADD CONSTRAINT "prices_productId_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("productId", "storeId", "platformAccountId", "partnerId", "mode") REFERENCES "products"("id", "storeId", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", "mode") REFERENCES "stores"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_customerId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", "mode") REFERENCES "customers"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_paymentInstrumentId_platformAccountId_partne_fkey" FOREIGN KEY ("paymentInstrumentId", "platformAccountId", "partnerId", "mode") REFERENCES "payment_instruments"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_priceId_storeId_platformAccountId_partnerId__fkey" FOREIGN KEY ("priceId", "storeId", "platformAccountId", "partnerId", "mode") REFERENCES "prices"("id", "storeId", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_testClockId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("testClockId", "platformAccountId", "partnerId", "mode") REFERENCES "test_clocks"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "subscription_periods" ADD CONSTRAINT "subscription_periods_subscriptionId_platformAccountId_part_fkey" FOREIGN KEY ("subscriptionId", "platformAccountId", "partnerId", "mode") REFERENCES "subscriptions"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE prices ADD CONSTRAINT prices_values CHECK (
  amount BETWEEN 1 AND 99999999999 AND recurring = (interval IS NOT NULL) AND recurring = ("intervalCount" IS NOT NULL)
  AND (interval IS NULL OR interval IN ('day', 'week', 'month', 'year')) AND ("intervalCount" IS NULL OR "intervalCount" BETWEEN 1 AND 1095)
  AND ("trialDays" IS NULL OR (recurring AND "trialDays" BETWEEN 1 AND 730)));
CREATE TRIGGER products_added AFTER INSERT ON products REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER products_removed AFTER DELETE ON products REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

ALTER TABLE subscriptions ADD CONSTRAINT subscriptions_values CHECK (
  status IN ('incomplete', 'trialing', 'active', 'past_due', 'paused', 'canceled') AND interval IN ('day', 'week', 'month', 'year') AND "intervalCount" BETWEEN 1 AND 1095
  AND quantity BETWEEN 1 AND 1000000 AND amount BETWEEN 1 AND 99999999999 AND "currentPeriodEnd" > "currentPeriodStart" AND "periodIndex" >= 0 AND cycle >= 0);
ALTER TABLE subscriptions ADD CONSTRAINT subscriptions_fit_status CHECK (
  (status = 'canceled') = ("canceledAt" IS NOT NULL) AND (status = 'canceled') = ("cancellationReason" IS NOT NULL) AND (status = 'paused') = ("pausedAt" IS NOT NULL)
  AND (status = 'paused' OR "resumeAt" IS NULL) AND (status = 'past_due' OR "nextRetryAt" IS NULL) AND (status <> 'trialing' OR "trialEndsAt" IS NOT NULL)
  AND (status NOT IN ('canceled', 'paused', 'incomplete') OR "nextBillingDate" IS NULL));
CREATE TRIGGER subscriptions_added AFTER INSERT ON subscriptions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER subscriptions_removed AFTER DELETE ON subscriptions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

CREATE FUNCTION refuse_to_revive() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'subscription % is canceled and never comes back', OLD.id;
END $$;
CREATE TRIGGER subscriptions_stay_canceled BEFORE UPDATE OF status ON subscriptions FOR EACH ROW WHEN (OLD.status = 'canceled' AND NEW.status <> 'canceled') EXECUTE FUNCTION refuse_to_revive();

ALTER TABLE subscription_periods ADD CONSTRAINT subscription_periods_values CHECK (
  index >= 1 AND attempts >= 0 AND cycle >= 0 AND "endsAt" > "startsAt" AND "planAmount" BETWEEN 1 AND 99999999999 AND amount BETWEEN 0 AND 99999999999
  AND status IN ('charging', 'paid', 'failed'));
-- What is paid is paid, and by that payment.
CREATE FUNCTION refuse_to_charge_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'period % of subscription % is paid', OLD.index, OLD."subscriptionId";
END $$;
CREATE TRIGGER subscription_periods_stay_paid BEFORE UPDATE OF status, "paymentId" ON subscription_periods FOR EACH ROW
  WHEN (OLD.status = 'paid' AND (NEW.status, NEW."paymentId") IS DISTINCT FROM (OLD.status, OLD."paymentId")) EXECUTE FUNCTION refuse_to_charge_again();

-- A period has one charge that has not failed: whatever the program does, there is no second.
ALTER TABLE payments ADD CONSTRAINT payments_period_of_subscription CHECK ("subscriptionPeriod" IS NULL OR "subscriptionId" IS NOT NULL);
CREATE UNIQUE INDEX payments_one_a_period ON payments ("subscriptionId", "subscriptionPeriod") WHERE "subscriptionPeriod" IS NOT NULL AND status NOT IN ('declined', 'failed');
CREATE INDEX payments_of_subscription ON payments ("subscriptionId", "createdAt" DESC, id DESC) WHERE "subscriptionId" IS NOT NULL;

-- What the job looks for, by the real time and by each test clock's; and what keeps a card from being removed.
CREATE INDEX subscriptions_due ON subscriptions ("dueAt") WHERE "testClockId" IS NULL AND "dueAt" IS NOT NULL;
CREATE INDEX subscriptions_due_by_test_clock ON subscriptions ("testClockId", "dueAt") WHERE "testClockId" IS NOT NULL AND "dueAt" IS NOT NULL;
CREATE INDEX subscriptions_charging_by_test_clock ON subscriptions ("testClockId") WHERE "testClockId" IS NOT NULL AND "chargingSince" IS NOT NULL;
CREATE INDEX subscriptions_live_by_instrument ON subscriptions ("paymentInstrumentId") WHERE status <> 'canceled';
