-- The same table as in the other database, for the keys of the cards.
CREATE SCHEMA keys;

CREATE TABLE keys.checks (
  setting text NOT NULL,
  "keyId" text NOT NULL,
  "check" text NOT NULL,
  -- announced: known, and encrypts nothing yet. first: encrypts. former: encrypted before. lost: given
  -- up by the operator.
  state text NOT NULL CHECK (state IN ('announced', 'first', 'former', 'lost')),
  "changedAt" timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (setting, "keyId")
);
