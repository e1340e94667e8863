-- A call of several effects under one Idempotency-Key is running while its process extends this time. Null for a call of
-- one transaction or one payment, and for those of servers of before: they know nothing of it.
ALTER TABLE idempotency_records ADD COLUMN "runsUntil" timestamptz(3);
