-- What of the payment of a period was refunded or lost in a dispute when a change last prorated it.
ALTER TABLE subscription_periods ADD COLUMN "returnedAmount" BIGINT NOT NULL DEFAULT 0;
