-- Spells "canceled" as every other resource does.
-- The check goes first: no moment may have a value it refuses. orders is small; the lock is short.
ALTER TABLE orders DROP CONSTRAINT orders_values;
UPDATE orders SET status = 'canceled' WHERE status = 'cancelled';
ALTER TABLE orders ADD CONSTRAINT orders_values CHECK (
  status IN ('pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'canceled') AND amount BETWEEN 1 AND 99999999999
  AND (status NOT IN ('paid', 'partially_refunded', 'refunded') OR "paymentId" IS NOT NULL));
-- Events are never changed, but for this one spelling.
ALTER TABLE events DISABLE TRIGGER events_stay;
-- Events written before carry the type and the status of the order in their body.
-- An event keeps its id and its order in the stream; a delivery that is open is sent with the new spelling.
UPDATE events SET type = 'order/canceled' WHERE type = 'order/cancelled';
UPDATE events SET data = jsonb_set(data, '{object,status}', '"canceled"') WHERE "objectId" LIKE 'ord\_%' AND data #>> '{object,status}' = 'cancelled';
ALTER TABLE events ENABLE TRIGGER events_stay;
UPDATE webhook_deliveries SET "eventType" = 'order/canceled' WHERE "eventType" = 'order/cancelled';
UPDATE webhook_endpoints SET "eventTypes" = array_replace("eventTypes", 'order/cancelled', 'order/canceled') WHERE 'order/cancelled' = ANY ("eventTypes");
