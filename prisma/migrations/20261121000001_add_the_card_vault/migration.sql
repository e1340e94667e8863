-- The card vault. A schema of its own, so that rights to it can be given to nobody else, and so that Prisma never reads it.
CREATE SCHEMA "vault";

CREATE TABLE "vault"."cards" (
  "id" TEXT NOT NULL,
  "mode" TEXT NOT NULL,
  "platformAccountId" TEXT NOT NULL,
  -- Which key of the ring wraps this record's data key.
  "keyId" TEXT NOT NULL,
  "wrappedKey" BYTEA NOT NULL,
  "sealedCard" BYTEA NOT NULL,
  -- Apart from the card, so that it can be erased while the card stays.
  "sealedCvc" BYTEA,
  "cvcExpiresAt" TIMESTAMPTZ(3),
  "createdAt" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "cards_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "cards_mode_check" CHECK ("mode" IN ('test', 'live')),
  -- A cvc without an end would be kept for ever.
  CONSTRAINT "cards_cvc_expires_check" CHECK (("sealedCvc" IS NULL) = ("cvcExpiresAt" IS NULL))
);

-- For the sweep; it holds only the few records that still have a cvc.
CREATE INDEX "cards_cvcExpiresAt_idx" ON "vault"."cards" ("cvcExpiresAt") WHERE "cvcExpiresAt" IS NOT NULL;

-- For key rotation.
CREATE INDEX "cards_keyId_idx" ON "vault"."cards" ("keyId");
