-- Where a payment counts: the step of the funnel at which it was made. What is refunded of it later counts there, too.
CREATE TABLE counters.funnel_payments (
  "paymentId" text PRIMARY KEY REFERENCES payments (id),
  "funnelId" text NOT NULL,
  "stepId" text NOT NULL,
  "variantId" text NOT NULL
);

-- In the transaction of the refund, whichever path it takes. Payments of no funnel cost one look at a key, and other changes of payments nothing.
CREATE FUNCTION counters.count_funnel_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counters.funnel_figures AS f ("funnelId", "stepId", "variantId", measure, shard, n)
  SELECT p."funnelId", p."stepId", p."variantId", 'refunded/' || NEW.currency, pg_backend_pid() % 8, NEW."refundedAmount" - OLD."refundedAmount" FROM counters.funnel_payments p WHERE p."paymentId" = NEW.id
  ON CONFLICT ("funnelId", "stepId", "variantId", measure, shard) DO UPDATE SET n = f.n + excluded.n;
  RETURN NULL;
END $$;
CREATE TRIGGER payments_refunded_of_funnels AFTER UPDATE OF "refundedAmount" ON payments FOR EACH ROW WHEN (NEW."refundedAmount" <> OLD."refundedAmount") EXECUTE FUNCTION counters.count_funnel_refund();

-- Those that count already, with what was refunded of them, and the sessions that were abandoned.
INSERT INTO counters.funnel_payments ("paymentId", "funnelId", "stepId", "variantId")
SELECT e."paymentId", s."funnelId", coalesce(o."stepId", e."fromStepId"), coalesce(o."variantId", '')
FROM funnel_events e JOIN funnel_sessions s ON s.id = e."sessionId" JOIN payments p ON p.id = e."paymentId" LEFT JOIN funnel_orders o ON o."orderId" = p."orderId"
WHERE e.type <> 'payment_declined';
INSERT INTO counters.funnel_figures ("funnelId", "stepId", "variantId", measure, shard, n)
SELECT f."funnelId", f."stepId", f."variantId", 'refunded/' || p.currency, 0, sum(p."refundedAmount") FROM counters.funnel_payments f JOIN payments p ON p.id = f."paymentId" WHERE p."refundedAmount" > 0 GROUP BY 1, 2, 3, 4;
INSERT INTO counters.funnel_figures ("funnelId", "stepId", "variantId", measure, shard, n)
SELECT "funnelId", "currentStepId", coalesce("variantId", ''), 'abandoned', 0, count(*) FROM funnel_sessions WHERE status = 'abandoned' GROUP BY 1, 2, 3;
