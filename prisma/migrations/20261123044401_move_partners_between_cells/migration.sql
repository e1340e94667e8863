-- Partners that are moved to another cell, or were.
CREATE TABLE cells.moves (
  "partnerId" text PRIMARY KEY,
  slug text NOT NULL,
  -- stopped: its keys are refused. aside: its rows are in a schema of their own. moved: they are in the other cell, too.
  state text NOT NULL CHECK (state IN ('stopped', 'aside', 'moved')),
  -- The tag of the cell it is moved to.
  cell text NOT NULL,
  at timestamptz(3) NOT NULL
);

-- The keys of these partners, which are refused.
CREATE TABLE cells.stopped_keys (
  "secretHash" text PRIMARY KEY,
  "partnerId" text NOT NULL REFERENCES cells.moves ON DELETE CASCADE
);
CREATE INDEX stopped_keys_of_partner ON cells.stopped_keys ("partnerId");
