-- AlterTable
ALTER TABLE "processing_accounts" ADD COLUMN "kybSubmittedAt" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "kyb_requirements" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'missing',
    "value" TEXT,
    "rejectionReason" TEXT,
    "submittedAt" TIMESTAMPTZ(3),
    "reviewedAt" TIMESTAMPTZ(3),

    CONSTRAINT "kyb_requirements_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "kyb_requirements_platformAccountId_code_key" ON "kyb_requirements"("platformAccountId", "code");

-- AddForeignKey
ALTER TABLE "kyb_requirements" ADD CONSTRAINT "kyb_requirements_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", "mode") REFERENCES "processing_accounts"("id", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A value is there from the moment one was sent; a decision has its time, and a rejection its reason.
ALTER TABLE kyb_requirements ADD CONSTRAINT kyb_requirements_values CHECK (
  status IN ('missing', 'submitted', 'approved', 'rejected')
  AND code IN ('business.legal_name', 'business.registration_number', 'business.tax_id', 'business.address', 'business.website', 'business.mcc',
    'representative.identity', 'representative.address', 'banking.account', 'documents.registration_extract')
  AND (status = 'missing') = (value IS NULL) AND (status = 'missing') = ("submittedAt" IS NULL)
  AND (status IN ('approved', 'rejected')) = ("reviewedAt" IS NOT NULL) AND (status = 'rejected') = ("rejectionReason" IS NOT NULL));
ALTER TABLE processing_accounts ADD CONSTRAINT processing_accounts_kyb CHECK (("kybStatus" = 'submitted') = ("kybSubmittedAt" IS NOT NULL));

-- The queue of those who wait for a reviewer, of all partners and of one. Nobody reviews an account that was closed meanwhile.
CREATE INDEX processing_accounts_awaiting_review ON processing_accounts (mode, "kybSubmittedAt", id) WHERE "kybStatus" = 'submitted' AND status <> 'closed';
CREATE INDEX processing_accounts_awaiting_review_of_partner ON processing_accounts ("partnerId", mode, "kybSubmittedAt", id) WHERE "kybStatus" = 'submitted' AND status <> 'closed';
-- After a rotation of the vault's key, values still under an older one are looked for every minute.
CREATE INDEX kyb_requirements_by_key ON kyb_requirements (split_part(value, '.', 2)) WHERE value IS NOT NULL;

-- Accounts that are there already are asked for the same as new ones.
INSERT INTO kyb_requirements (id, "partnerId", "platformAccountId", mode, code)
SELECT 'kyb_' || replace(gen_random_uuid()::text, '-', ''), a."partnerId", a.id, a.mode, c.code
FROM processing_accounts a CROSS JOIN unnest(ARRAY['business.legal_name', 'business.registration_number', 'business.tax_id', 'business.address', 'business.website', 'business.mcc',
  'representative.identity', 'representative.address', 'banking.account', 'documents.registration_extract']) AS c (code);
