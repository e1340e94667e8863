-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "processing_accounts" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "legalName" TEXT NOT NULL,
    "country" TEXT,
    "currency" TEXT NOT NULL,
    "externalRef" TEXT,
    "status" TEXT NOT NULL,
    "kybStatus" TEXT NOT NULL,
    "plan" TEXT NOT NULL DEFAULT 'standard',
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "processing_accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "stores" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL DEFAULT 'platform',
    "baseCurrency" TEXT NOT NULL,
    "presentmentCurrencies" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "chargeCurrencies" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stores_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "processors" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "supportedCurrencies" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "options" JSONB NOT NULL DEFAULT '{}',
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "processors_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "customers" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "storeId" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "emailLower" TEXT NOT NULL,
    "firstName" TEXT,
    "lastName" TEXT,
    "phone" TEXT,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "billingAddress" JSONB,
    "shippingAddress" JSONB,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "lastOrderId" TEXT,
    "paymentInstrumentCardLast4" TEXT,
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "customers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tokens" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "cardId" TEXT NOT NULL,
    "card" JSONB NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "usedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payment_instruments" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "storeId" TEXT NOT NULL,
    "customerId" TEXT NOT NULL,
    "type" TEXT NOT NULL DEFAULT 'card',
    "cardId" TEXT NOT NULL,
    "brand" TEXT NOT NULL,
    "last4" TEXT NOT NULL,
    "bin" TEXT NOT NULL,
    "expMonth" INTEGER NOT NULL,
    "expYear" INTEGER NOT NULL,
    "funding" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "isActive" BOOLEAN NOT NULL DEFAULT true,
    "isDefault" BOOLEAN NOT NULL DEFAULT false,
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_instruments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT,
    "prefix" TEXT NOT NULL,
    "secretHash" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "allowedIps" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "expiresAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "lastUsedAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "partners" (
    "id" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "branding" JSONB NOT NULL DEFAULT '{}',
    "preferences" JSONB NOT NULL DEFAULT '{}',
    "commercialTerms" JSONB NOT NULL DEFAULT '{}',
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "partners_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "organizations" (
    "accountId" TEXT NOT NULL,
    "organizationId" TEXT,
    "name" TEXT NOT NULL,
    "slug" TEXT,
    "kind" TEXT NOT NULL,
    "partnerId" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "organizations_pkey" PRIMARY KEY ("accountId")
);

-- CreateTable
CREATE TABLE "payments" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "storeId" TEXT NOT NULL,
    "customerId" TEXT NOT NULL,
    "paymentInstrumentId" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "capturedAmount" BIGINT NOT NULL DEFAULT 0,
    "refundedAmount" BIGINT NOT NULL DEFAULT 0,
    "status" TEXT NOT NULL,
    "subStatus" TEXT,
    "failureCode" TEXT,
    "failureMessage" TEXT,
    "requireAction" TEXT,
    "requireActionData" JSONB,
    "actionExpiresAt" TIMESTAMPTZ(3),
    "processorId" TEXT,
    "initiatedBy" TEXT NOT NULL DEFAULT 'customer',
    "reasonType" TEXT,
    "threeDs" TEXT NOT NULL DEFAULT 'automatic',
    "returnUrl" TEXT,
    "billingAddress" JSONB,
    "shippingAddress" JSONB,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "cardLast4" TEXT NOT NULL,
    "customerEmailLower" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "transactions" (
    "id" TEXT NOT NULL,
    "paymentId" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "processorId" TEXT,
    "processorType" TEXT,
    "processorReference" TEXT,
    "failureCode" TEXT,
    "askedAt" TIMESTAMPTZ(3) NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "transactions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "threeds_sessions" (
    "id" TEXT NOT NULL,
    "paymentId" TEXT NOT NULL,
    "transactionId" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "returnUrl" TEXT,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "answeredAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "threeds_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "storeId" TEXT,
    "objectId" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "requestId" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_rows" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actorKind" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "actorEmail" TEXT,
    "action" TEXT NOT NULL,
    "target" TEXT,
    "before" JSONB,
    "after" JSONB,
    "outcome" TEXT NOT NULL,
    "reason" TEXT,
    "requestId" TEXT NOT NULL,
    "ip" TEXT,

    CONSTRAINT "audit_rows_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_records" (
    "owner" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "requestHash" TEXT NOT NULL,
    "subjectId" TEXT,
    "answer" JSONB,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_records_pkey" PRIMARY KEY ("owner","operation","key")
);

-- CreateIndex
CREATE INDEX "processing_accounts_partnerId_mode_createdAt_id_idx" ON "processing_accounts"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "processing_accounts_partnerId_mode_legalName_id_idx" ON "processing_accounts"("partnerId", "mode", "legalName", "id");

-- CreateIndex
CREATE INDEX "processing_accounts_accountId_idx" ON "processing_accounts"("accountId");

-- CreateIndex
CREATE UNIQUE INDEX "processing_accounts_id_partnerId_mode_key" ON "processing_accounts"("id", "partnerId", "mode");

-- CreateIndex
CREATE UNIQUE INDEX "processing_accounts_partnerId_mode_externalRef_key" ON "processing_accounts"("partnerId", "mode", "externalRef");

-- CreateIndex
CREATE INDEX "stores_platformAccountId_createdAt_id_idx" ON "stores"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "stores_partnerId_mode_createdAt_id_idx" ON "stores"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "stores_platformAccountId_name_id_idx" ON "stores"("platformAccountId", "name", "id");

-- CreateIndex
CREATE INDEX "stores_partnerId_mode_name_id_idx" ON "stores"("partnerId", "mode", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "stores_id_platformAccountId_partnerId_mode_key" ON "stores"("id", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE INDEX "processors_platformAccountId_createdAt_id_idx" ON "processors"("platformAccountId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "processors_id_platformAccountId_partnerId_mode_key" ON "processors"("id", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE INDEX "customers_platformAccountId_createdAt_id_idx" ON "customers"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "customers_partnerId_mode_createdAt_id_idx" ON "customers"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "customers_storeId_createdAt_id_idx" ON "customers"("storeId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "customers_platformAccountId_emailLower_id_idx" ON "customers"("platformAccountId", "emailLower", "id");

-- CreateIndex
CREATE INDEX "customers_partnerId_mode_emailLower_id_idx" ON "customers"("partnerId", "mode", "emailLower", "id");

-- CreateIndex
CREATE INDEX "customers_platformAccountId_firstName_id_idx" ON "customers"("platformAccountId", "firstName", "id");

-- CreateIndex
CREATE INDEX "customers_partnerId_mode_firstName_id_idx" ON "customers"("partnerId", "mode", "firstName", "id");

-- CreateIndex
CREATE INDEX "customers_platformAccountId_lastName_id_idx" ON "customers"("platformAccountId", "lastName", "id");

-- CreateIndex
CREATE INDEX "customers_partnerId_mode_lastName_id_idx" ON "customers"("partnerId", "mode", "lastName", "id");

-- CreateIndex
CREATE UNIQUE INDEX "customers_storeId_emailLower_key" ON "customers"("storeId", "emailLower");

-- CreateIndex
CREATE UNIQUE INDEX "customers_id_platformAccountId_partnerId_mode_key" ON "customers"("id", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE INDEX "tokens_expiresAt_idx" ON "tokens"("expiresAt");

-- CreateIndex
CREATE INDEX "payment_instruments_platformAccountId_createdAt_id_idx" ON "payment_instruments"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payment_instruments_partnerId_mode_createdAt_id_idx" ON "payment_instruments"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payment_instruments_customerId_createdAt_id_idx" ON "payment_instruments"("customerId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "payment_instruments_id_platformAccountId_partnerId_mode_key" ON "payment_instruments"("id", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_prefix_key" ON "api_keys"("prefix");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_secretHash_key" ON "api_keys"("secretHash");

-- CreateIndex
CREATE INDEX "api_keys_platformAccountId_createdAt_id_idx" ON "api_keys"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "api_keys_partnerId_mode_kind_createdAt_id_idx" ON "api_keys"("partnerId", "mode", "kind", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "partners_slug_key" ON "partners"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "organizations_organizationId_key" ON "organizations"("organizationId");

-- CreateIndex
CREATE UNIQUE INDEX "organizations_slug_key" ON "organizations"("slug");

-- CreateIndex
CREATE INDEX "organizations_partnerId_createdAt_accountId_idx" ON "organizations"("partnerId", "createdAt" DESC, "accountId" DESC);

-- CreateIndex
CREATE INDEX "payments_platformAccountId_createdAt_id_idx" ON "payments"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payments_partnerId_mode_createdAt_id_idx" ON "payments"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payments_storeId_createdAt_id_idx" ON "payments"("storeId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payments_customerId_createdAt_id_idx" ON "payments"("customerId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payments_platformAccountId_amount_id_idx" ON "payments"("platformAccountId", "amount", "id");

-- CreateIndex
CREATE INDEX "payments_partnerId_mode_amount_id_idx" ON "payments"("partnerId", "mode", "amount", "id");

-- CreateIndex
CREATE INDEX "payments_platformAccountId_status_id_idx" ON "payments"("platformAccountId", "status", "id");

-- CreateIndex
CREATE INDEX "payments_partnerId_mode_status_id_idx" ON "payments"("partnerId", "mode", "status", "id");

-- CreateIndex
CREATE UNIQUE INDEX "payments_id_platformAccountId_partnerId_mode_key" ON "payments"("id", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE INDEX "transactions_paymentId_createdAt_id_idx" ON "transactions"("paymentId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "transactions_processorId_processorReference_key" ON "transactions"("processorId", "processorReference");

-- CreateIndex
CREATE INDEX "threeds_sessions_paymentId_idx" ON "threeds_sessions"("paymentId");

-- CreateIndex
CREATE INDEX "events_platformAccountId_createdAt_id_idx" ON "events"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "events_partnerId_mode_createdAt_id_idx" ON "events"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "events_objectId_sequence_key" ON "events"("objectId", "sequence");

-- CreateIndex
CREATE INDEX "audit_rows_at_id_idx" ON "audit_rows"("at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "audit_rows_target_at_idx" ON "audit_rows"("target", "at" DESC);

-- CreateIndex
CREATE INDEX "idempotency_records_createdAt_idx" ON "idempotency_records"("createdAt");

-- AddForeignKey
ALTER TABLE "processing_accounts" ADD CONSTRAINT "processing_accounts_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES "partners"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "processing_accounts" ADD CONSTRAINT "processing_accounts_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "organizations"("accountId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stores" ADD CONSTRAINT "stores_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", "mode") REFERENCES "processing_accounts"("id", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "processors" ADD CONSTRAINT "processors_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", "mode") REFERENCES "processing_accounts"("id", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "customers" ADD CONSTRAINT "customers_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", "mode") REFERENCES "stores"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_instruments" ADD CONSTRAINT "payment_instruments_storeId_platformAccountId_partnerId_mo_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", "mode") REFERENCES "stores"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_instruments" ADD CONSTRAINT "payment_instruments_customerId_platformAccountId_partnerId_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", "mode") REFERENCES "customers"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES "partners"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", "mode") REFERENCES "processing_accounts"("id", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES "partners"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", "mode") REFERENCES "processing_accounts"("id", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", "mode") REFERENCES "stores"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_customerId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("customerId", "platformAccountId", "partnerId", "mode") REFERENCES "customers"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_paymentInstrumentId_platformAccountId_partnerId_m_fkey" FOREIGN KEY ("paymentInstrumentId", "platformAccountId", "partnerId", "mode") REFERENCES "payment_instruments"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", "mode") REFERENCES "payments"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "threeds_sessions" ADD CONSTRAINT "threeds_sessions_paymentId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", "mode") REFERENCES "payments"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;
