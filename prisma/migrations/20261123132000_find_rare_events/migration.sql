-- Lists by type of event, over all partners. The types that every charge has are frequent, found along the time, and not
-- in these indexes: no successful charge writes them.
CREATE INDEX events_by_type ON events (mode, type, "createdAt" DESC, id DESC)
  WHERE type NOT IN ('payment/created', 'payment/succeeded');

CREATE INDEX webhook_deliveries_by_type ON webhook_deliveries (mode, "eventType", "createdAt" DESC, id DESC)
  WHERE "eventType" NOT IN ('payment/created', 'payment/succeeded');
