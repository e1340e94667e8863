-- A list of events is ordered by time and id. Within one object that order is the order of `sequence`: an event is never earlier
-- than the one before it, whatever the clocks of the processes say, and the ids of one millisecond sort by the number in them.
-- The event before it is committed, or was written by this transaction: the object is locked by whoever writes its next event.
CREATE FUNCTION order_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before record;
BEGIN
  SELECT e."createdAt", e.id, e."testClockId" INTO before FROM public.events e WHERE e."objectId" = NEW."objectId" AND e.sequence = NEW.sequence - 1;
  IF NOT FOUND OR (NEW."createdAt", NEW.id) > (before."createdAt", before.id) THEN
    RETURN NEW;
  END IF;
  NEW."createdAt" := before."createdAt";
  -- A time of a test clock stays in the time of that clock, or its delivery would wait for the real one.
  NEW."testClockId" := coalesce(NEW."testClockId", before."testClockId");
  NEW.id := left(before.id, 12) || substr(NEW.id, 13);
  -- An id of an earlier version has no number, and a number of more than six digits does not fit.
  IF NEW.id <= before.id THEN
    NEW."createdAt" := before."createdAt" + interval '1 millisecond';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER events_are_in_order BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.sequence > 1) EXECUTE FUNCTION order_event();

-- Events of earlier versions that stand in the wrong order are moved apart, by a millisecond where two had the same time.
ALTER TABLE events DISABLE TRIGGER events_stay;
UPDATE events e SET "createdAt" = o.at
  FROM (
    SELECT id, max("createdAt" - sequence * interval '1 millisecond') OVER (PARTITION BY "objectId" ORDER BY sequence) + sequence * interval '1 millisecond' AS at
    FROM events
    WHERE "objectId" IN (
      SELECT "objectId"
      FROM (SELECT "objectId", ("createdAt", id) < (lag("createdAt") OVER w, lag(id) OVER w) AS contradicts FROM events WINDOW w AS (PARTITION BY "objectId" ORDER BY sequence)) n
      WHERE contradicts)
  ) o
  WHERE o.id = e.id AND o.at <> e."createdAt";
ALTER TABLE events ENABLE TRIGGER events_stay;

-- Delivery ids contain the same number, so that deliveries list in this order, too.
CREATE OR REPLACE FUNCTION add_webhook_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_deliveries (id, "partnerId", "platformAccountId", mode, "endpointId", "eventId", "eventType", "objectId", sequence, status, "nextAttemptAt", "createdAt", "testClockId")
  SELECT 'whd_' || substr(e.id, 5, 14) || substr(replace(gen_random_uuid()::text, '-', ''), 1, 26), w."partnerId", w."platformAccountId", w.mode, w.id, e.id, e.type, e."objectId", e.sequence,
    CASE WHEN w.enabled THEN 'pending' ELSE 'dead' END, CASE WHEN w.enabled THEN e."createdAt" END, e."createdAt", e."testClockId"
  FROM added e JOIN webhook_endpoints w ON w."partnerId" = e."partnerId" AND w.mode = e.mode AND w."deletedAt" IS NULL
    AND (w."platformAccountId" IS NULL OR w."platformAccountId" = e."platformAccountId") AND (w."storeId" IS NULL OR w."storeId" = e."storeId") AND e.type = ANY (w."eventTypes");
  RETURN NULL;
END $$;

-- History is not emptied either.
CREATE TRIGGER events_are_not_emptied BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER funnel_versions_are_not_emptied BEFORE TRUNCATE ON funnel_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER funnel_events_are_not_emptied BEFORE TRUNCATE ON funnel_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- GET of a `webhook/test` event.
CREATE INDEX webhook_deliveries_tests ON webhook_deliveries ("eventId") WHERE "testBody" IS NOT NULL;
