CREATE SCHEMA keys;

-- The keys of this installation, by setting and id ('' for a key without one), each by a value that is computed from it and
-- leads to nothing else. A start compares its keys with them. None of the keys is in the database.
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
