-- For the sweep that takes cards out of the vault that nothing refers to.
CREATE INDEX "tokens_cardId_idx" ON "tokens"("cardId");
CREATE INDEX "payment_instruments_cardId_idx" ON "payment_instruments"("cardId");
-- Identifiers carry their moment, by the bytes of their letters.
CREATE INDEX cards_by_age ON vault.cards (id COLLATE "C");
