-- The database of the vault: VAULT_DATABASE_URL. The table is that of prisma/migrations, where the cards are without it; a
-- test compares the two.
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
  -- Whether the data key is bound to the account.
  "accountBound" boolean NOT NULL DEFAULT false,
  CONSTRAINT "cards_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "cards_mode_check" CHECK ("mode" IN ('test', 'live')),
  -- A cvc without an end would be kept for ever.
  CONSTRAINT "cards_cvc_expires_check" CHECK (("sealedCvc" IS NULL) = ("cvcExpiresAt" IS NULL))
);

-- For the job that purges; it holds only the few records that still have a cvc.
CREATE INDEX "cards_cvcExpiresAt_idx" ON "vault"."cards" ("cvcExpiresAt") WHERE "cvcExpiresAt" IS NOT NULL;
-- For key rotation.
CREATE INDEX "cards_keyId_idx" ON "vault"."cards" ("keyId");
CREATE INDEX cards_not_bound ON vault.cards (id) WHERE NOT "accountBound";
-- Identifiers carry their moment, by the bytes of their letters.
CREATE INDEX cards_by_age ON vault.cards (id COLLATE "C");

-- Whose cards these are: the id in vault.place of the other database. Null until that has taken this one. One row, always.
CREATE TABLE vault.installation (
  "onlyRow" boolean PRIMARY KEY DEFAULT true,
  "id" text,
  CONSTRAINT "installation_only_row_check" CHECK ("onlyRow")
);
INSERT INTO vault.installation DEFAULT VALUES;
