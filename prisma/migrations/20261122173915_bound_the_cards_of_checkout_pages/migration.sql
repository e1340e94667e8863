-- Attempts of visitors to pay, by session, store and network. A running one and a declined one count, an ended one does not.
-- Logged, unlike the other limits: the declines of a session must outlive a crash of the database.
CREATE TABLE limits.card_attempts (
  id text PRIMARY KEY,
  "sessionId" text NOT NULL,
  "storeId" text NOT NULL,
  network text NOT NULL,
  state text NOT NULL CHECK (state IN ('running', 'declined', 'ended')),
  at timestamptz(3) NOT NULL
);
CREATE INDEX card_attempts_of_session ON limits.card_attempts ("sessionId", at);
CREATE INDEX card_attempts_of_store ON limits.card_attempts ("storeId", at) WHERE state <> 'ended';
CREATE INDEX card_attempts_of_network ON limits.card_attempts (network, at) WHERE state <> 'ended';
CREATE INDEX card_attempts_at ON limits.card_attempts (at);

-- The e-mail address of a guest is not proved. It is unique within a session; those of the merchant's customers in a store.
ALTER TABLE "customers" ADD COLUMN "guestSessionId" TEXT;
CREATE UNIQUE INDEX customers_of_merchant ON customers ("storeId", "emailLower") WHERE "guestSessionId" IS NULL;
CREATE UNIQUE INDEX customers_of_session ON customers ("guestSessionId", "emailLower") WHERE "guestSessionId" IS NOT NULL;
DROP INDEX "customers_storeId_emailLower_key";
