-- The books of the built-in test processor. They are written over a connection of its own and never joined with ours: another
-- party's record, for ours to be checked against.
CREATE SCHEMA "test_processor";

CREATE TABLE "test_processor"."charges" (
  -- The asker's transaction id, which makes a repeated call the same call.
  "reference" TEXT COLLATE "C" NOT NULL,
  "processorReference" TEXT NOT NULL,
  "amount" BIGINT NOT NULL,
  "currency" TEXT NOT NULL,
  -- Whether the charge takes the money or only holds it.
  "capture" BOOLEAN NOT NULL,
  -- Not the number nor a hash of it, which could be searched through: enough to recognize a card by.
  "cardLast4" TEXT NOT NULL,
  -- What the issuer says once a challenge, where there is one, is passed.
  "verdict" TEXT NOT NULL,
  "failureCode" TEXT,
  "challenge" TEXT NOT NULL,
  "answerLost" BOOLEAN NOT NULL,
  "capturedAmount" BIGINT NOT NULL,
  "refundedAmount" BIGINT NOT NULL DEFAULT 0,
  "voidedAt" TIMESTAMPTZ(3),
  "createdAt" TIMESTAMPTZ(3) NOT NULL,
  "updatedAt" TIMESTAMPTZ(3) NOT NULL,
  "status" TEXT NOT NULL GENERATED ALWAYS AS (
    CASE
      WHEN "challenge" = 'pending' THEN 'challenged'
      WHEN "challenge" = 'failed' THEN 'declined'
      WHEN "verdict" <> 'approved' THEN "verdict"
      WHEN "voidedAt" IS NOT NULL THEN 'voided'
      WHEN "capturedAmount" > 0 THEN 'captured'
      ELSE 'authorized'
    END
  ) STORED,
  CONSTRAINT "charges_pkey" PRIMARY KEY ("reference"),
  CONSTRAINT "charges_amount_check" CHECK ("amount" > 0),
  CONSTRAINT "charges_verdict_check" CHECK ("verdict" IN ('approved', 'declined', 'error')),
  CONSTRAINT "charges_failure_check" CHECK (("verdict" = 'declined') = ("failureCode" IS NOT NULL)),
  CONSTRAINT "charges_challenge_check" CHECK ("challenge" IN ('none', 'pending', 'succeeded', 'failed')),
  CONSTRAINT "charges_captured_check" CHECK ("capturedAmount" BETWEEN 0 AND "amount"),
  CONSTRAINT "charges_refunded_check" CHECK ("refundedAmount" BETWEEN 0 AND "capturedAmount"),
  -- Only what was approved, and is not let go of, can hold captured money.
  CONSTRAINT "charges_money_check" CHECK (
    "capturedAmount" = 0 OR ("verdict" = 'approved' AND "challenge" IN ('none', 'succeeded') AND "voidedAt" IS NULL)
  )
);

CREATE UNIQUE INDEX "charges_processorReference_key" ON "test_processor"."charges" ("processorReference");

CREATE TABLE "test_processor"."follow_ups" (
  "reference" TEXT COLLATE "C" NOT NULL,
  "processorReference" TEXT NOT NULL,
  "chargeReference" TEXT COLLATE "C" NOT NULL,
  "type" TEXT NOT NULL,
  "amount" BIGINT NOT NULL,
  "currency" TEXT NOT NULL,
  -- Null when it was done; else why not, for good.
  "refusal" TEXT,
  "createdAt" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "follow_ups_pkey" PRIMARY KEY ("reference"),
  CONSTRAINT "follow_ups_charge_fkey" FOREIGN KEY ("chargeReference") REFERENCES "test_processor"."charges" ("reference"),
  CONSTRAINT "follow_ups_type_check" CHECK ("type" IN ('capture', 'void', 'refund'))
);

CREATE INDEX "follow_ups_chargeReference_idx" ON "test_processor"."follow_ups" ("chargeReference");
