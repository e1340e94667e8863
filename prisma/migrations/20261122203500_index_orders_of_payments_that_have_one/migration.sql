-- Most payments have no order.
DROP INDEX "payments_orderId_idx";
CREATE INDEX payments_of_order ON payments ("orderId") WHERE "orderId" IS NOT NULL;

-- A statement may add rows of several accounts. The counters are locked in the order of their key, so that two writers never wait
-- for each other.
CREATE OR REPLACE FUNCTION counters.count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counters.row_counts AS c
    SELECT TG_TABLE_NAME, "partnerId", mode, "platformAccountId", pg_backend_pid() % 32, count(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
    FROM changed
    GROUP BY "partnerId", mode, "platformAccountId"
    ORDER BY "platformAccountId"
    ON CONFLICT (relation, "platformAccountId", shard) DO UPDATE SET n = c.n + excluded.n;
  RETURN NULL;
END $$;
