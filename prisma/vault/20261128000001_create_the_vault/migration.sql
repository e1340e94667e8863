CREATE SCHEMA keys;
CREATE SCHEMA vault;

-- The functions refer to tables that are created below.
SET LOCAL check_function_bodies = false;

CREATE TABLE keys.checks (
  setting text NOT NULL,
  "keyId" text NOT NULL,
  "check" text NOT NULL,
  -- known: recorded, and encrypts nothing yet. used: has encrypted. replaced: another key has its place after a rotation.
  -- retired: an operator does without it.
  state text NOT NULL,
  "changedAt" timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT checks_state_check CHECK (state IN ('known', 'used', 'replaced', 'retired')),
  CONSTRAINT checks_pkey PRIMARY KEY (setting, "keyId")
);

CREATE TABLE vault.cards (
  id text NOT NULL,
  mode text NOT NULL,
  "platformAccountId" text NOT NULL,
  -- Which key of the ring wraps this record's data key.
  "keyId" text NOT NULL,
  "wrappedKey" bytea NOT NULL,
  "sealedCard" bytea NOT NULL,
  -- Apart from the card, so that it can be erased while the card stays.
  "sealedCvc" bytea,
  "cvcExpiresAt" timestamptz(3),
  "createdAt" timestamptz(3) NOT NULL,
  -- A cvc without an end would be kept for ever.
  CONSTRAINT cards_cvc_expires_check CHECK (("sealedCvc" IS NULL) = ("cvcExpiresAt" IS NULL)),
  CONSTRAINT cards_mode_check CHECK (mode IN ('test', 'live')),
  CONSTRAINT cards_pkey PRIMARY KEY (id)
);
-- Identifiers carry their moment, by the bytes of their letters.
CREATE INDEX cards_by_age ON vault.cards (id COLLATE "C");
-- For the job that purges; it holds only the few records that still have a cvc.
CREATE INDEX "cards_cvcExpiresAt_idx" ON vault.cards ("cvcExpiresAt") WHERE "cvcExpiresAt" IS NOT NULL;
-- For key rotation.
CREATE INDEX "cards_keyId_idx" ON vault.cards ("keyId");

-- Whose cards these are: the id in vault.place of the other database. Null until that has taken this one. One row, always.
CREATE TABLE vault.installation (
  "onlyRow" boolean DEFAULT true NOT NULL,
  id text,
  CONSTRAINT installation_only_row_check CHECK ("onlyRow"),
  CONSTRAINT installation_pkey PRIMARY KEY ("onlyRow")
);

INSERT INTO vault.installation DEFAULT VALUES;
