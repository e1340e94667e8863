-- Balances are read by their account, which is the primary key.
DROP INDEX ledger.balances_of_partner;
