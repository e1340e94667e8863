-- Which installation this is, and whether its cards are in a database of their own (VAULT_DATABASE_URL). One row, always.
CREATE TABLE vault.place (
  "onlyRow" boolean PRIMARY KEY DEFAULT true,
  "installationId" text NOT NULL DEFAULT gen_random_uuid()::text,
  "isApart" boolean NOT NULL DEFAULT false,
  CONSTRAINT "place_only_row_check" CHECK ("onlyRow")
);
INSERT INTO vault.place DEFAULT VALUES;

-- For the trigger that the table of cards gets when the cards leave this database. A server that still runs with the settings
-- of before must not store a card here. The code is that of a server which takes no connections: such a call is 503.
CREATE FUNCTION vault.refuse_cards() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The cards are in a database of their own; VAULT_DATABASE_URL leads to it.' USING ERRCODE = '57P03';
END
$$;
