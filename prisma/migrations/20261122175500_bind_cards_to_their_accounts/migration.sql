-- Whether the data key of a card is bound to its account. Those of earlier versions are not; the job that rewraps binds them.
ALTER TABLE vault.cards ADD COLUMN "accountBound" boolean NOT NULL DEFAULT false;
CREATE INDEX cards_not_bound ON vault.cards (id) WHERE NOT "accountBound";
