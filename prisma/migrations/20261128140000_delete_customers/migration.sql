-- When a customer was deleted, and its personal data erased. Null for the others.
ALTER TABLE customers ADD COLUMN "deletedAt" timestamptz(3);

-- Events are never changed, but for the personal data of a customer that is deleted: only `data` of its own events, and
-- only by erase_customer_events, which alone has the setting.
CREATE FUNCTION refuse_change_but_erasure() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND current_setting('platform.erases', true) = NEW."objectId"
    AND to_jsonb(NEW) - 'data' = to_jsonb(OLD) - 'data' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME;
END $$;
DROP TRIGGER events_stay ON events;
CREATE TRIGGER events_stay BEFORE DELETE OR UPDATE ON events FOR EACH ROW EXECUTE FUNCTION refuse_change_but_erasure();

-- Replaces the customer in the events of a customer that was deleted in the same transaction. The server's role has no
-- right to change events.
CREATE FUNCTION erase_customer_events(customer_id text, erased jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM public.customers c WHERE c.id = customer_id AND c."deletedAt" IS NOT NULL) THEN
    RAISE EXCEPTION 'the customer % is not deleted', customer_id;
  END IF;
  PERFORM set_config('platform.erases', customer_id, true);
  UPDATE public.events e SET data = jsonb_set(e.data, '{object}', (e.data -> 'object') || erased)
  WHERE e."objectId" = customer_id;
  PERFORM set_config('platform.erases', '', true);
END $$;
