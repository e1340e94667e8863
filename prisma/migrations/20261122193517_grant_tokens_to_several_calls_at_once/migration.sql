-- How many tokens the last statement that asked for several took from the bucket: the calls that arrive together are granted
-- by one statement.
ALTER TABLE limits.buckets ADD COLUMN granted integer NOT NULL DEFAULT 0;
