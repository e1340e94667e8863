-- `payment/refund_failed` and `order/refund_failed` are named as all other events are. Their rows are few: refunds that
-- failed after they had succeeded. An event keeps all else that it says.
ALTER TABLE events DISABLE TRIGGER events_stay;
UPDATE events SET type = replace(type, 'refund_failed', 'refundFailed')
  WHERE mode IN ('test', 'live') AND type IN ('payment/refund_failed', 'order/refund_failed');
ALTER TABLE events ENABLE TRIGGER events_stay;
UPDATE webhook_deliveries SET "eventType" = replace("eventType", 'refund_failed', 'refundFailed')
  WHERE mode IN ('test', 'live') AND "eventType" IN ('payment/refund_failed', 'order/refund_failed');
UPDATE webhook_endpoints SET "eventTypes" = array_replace(
    array_replace("eventTypes", 'payment/refund_failed', 'payment/refundFailed'), 'order/refund_failed', 'order/refundFailed')
  WHERE "eventTypes" && ARRAY['payment/refund_failed', 'order/refund_failed'];
