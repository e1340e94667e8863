-- Amounts of one object that no amount of a payment bounds. One beyond 2^53 could not be read as a number, and every
-- list with its row would fail. Sums of a few of them and of payments stay below 2^53.
--
-- NOT VALID: rows of before are not read, so that the tables are locked for a moment only. None is beyond.
ALTER TABLE subscriptions ADD CONSTRAINT subscriptions_balance
  CHECK (balance BETWEEN -9000000000000000 AND 9000000000000000) NOT VALID;
ALTER TABLE payments ADD CONSTRAINT payments_disputed_amount
  CHECK ("disputedAmount" <= 9000000000000000) NOT VALID;
ALTER TABLE disputes ADD CONSTRAINT disputes_amount
  CHECK (amount <= 9000000000000000) NOT VALID;
-- A change of a dispute moves the difference of two such amounts.
ALTER TABLE ledger.postings ADD CONSTRAINT postings_amount
  CHECK (amount BETWEEN -9000000000000000 AND 9000000000000000) NOT VALID;
