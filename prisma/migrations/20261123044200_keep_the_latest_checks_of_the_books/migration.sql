-- The latest result of each check of the ledger, for operators to see. It proves nothing: the check does.
CREATE TABLE ledger.checks (
  kind text NOT NULL CHECK (kind IN ('ledger', 'reconciliation')),
  -- What was checked.
  mode text NOT NULL CHECK (mode IN ('test', 'live', 'both')),
  at timestamptz(3) NOT NULL,
  "differenceCount" integer NOT NULL CHECK ("differenceCount" >= 0),
  -- The first of them: [{about, message}].
  differences jsonb NOT NULL,
  PRIMARY KEY (kind, mode)
);
