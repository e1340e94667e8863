-- Their lists without filters counted every row at each page; now the total comes from a counter, as that of customers and payments.
CREATE TRIGGER payment_instruments_added AFTER INSERT ON payment_instruments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER payment_instruments_removed AFTER DELETE ON payment_instruments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER stores_added AFTER INSERT ON stores REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER stores_removed AFTER DELETE ON stores REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
-- Events are never removed.
CREATE TRIGGER events_added AFTER INSERT ON events REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();

INSERT INTO counters.row_counts (relation, "partnerId", mode, "platformAccountId", shard, n)
SELECT 'payment_instruments', "partnerId", mode, "platformAccountId", 0, count(*) FROM payment_instruments GROUP BY "partnerId", mode, "platformAccountId"
UNION ALL
SELECT 'stores', "partnerId", mode, "platformAccountId", 0, count(*) FROM stores GROUP BY "partnerId", mode, "platformAccountId"
UNION ALL
SELECT 'events', "partnerId", mode, "platformAccountId", 0, count(*) FROM events GROUP BY "partnerId", mode, "platformAccountId";
