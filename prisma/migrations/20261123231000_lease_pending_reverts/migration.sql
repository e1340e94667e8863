-- A process that reverts a tag has leased its row, and asks the identity provider outside of a transaction.
ALTER TABLE pending_reverts ADD COLUMN "revertingUntil" TIMESTAMPTZ(3);
