-- When the number of a deleted card is erased from the vault. Null while the card may be charged, and once it is erased.
ALTER TABLE payment_instruments ADD COLUMN "eraseNumberAt" timestamptz(3);
UPDATE payment_instruments SET "eraseNumberAt" = now() WHERE NOT "isActive";
ALTER TABLE payment_instruments ADD CONSTRAINT payment_instruments_erased CHECK ("eraseNumberAt" IS NULL OR NOT "isActive");
CREATE INDEX payment_instruments_to_erase ON payment_instruments ("eraseNumberAt") WHERE "eraseNumberAt" IS NOT NULL;
