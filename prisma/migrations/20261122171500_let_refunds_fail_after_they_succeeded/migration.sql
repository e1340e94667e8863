-- A refund may fail after it succeeded. Then a refunded payment goes back by the amount of that refund. Nothing else
-- changes a payment that is final.
DROP TRIGGER payments_stay_final ON payments;
CREATE TRIGGER payments_stay_final BEFORE UPDATE OF status, "subStatus", "capturedAmount", "refundedAmount" ON payments
  FOR EACH ROW
  WHEN (
    OLD.status IN ('declined', 'failed', 'refunded')
    AND (NEW.status, NEW."subStatus", NEW."capturedAmount", NEW."refundedAmount")
      IS DISTINCT FROM (OLD.status, OLD."subStatus", OLD."capturedAmount", OLD."refundedAmount")
    AND NOT (
      OLD.status = 'refunded' AND NEW.status IN ('succeeded', 'partially_refunded')
      AND NEW."capturedAmount" = OLD."capturedAmount" AND NEW."refundedAmount" < OLD."refundedAmount"
    )
  )
  EXECUTE FUNCTION refuse_to_reopen();

-- The records of the test processor: cards whose refunds succeed and fail later.
ALTER TABLE test_processor.charges ADD COLUMN "refundsFail" boolean NOT NULL DEFAULT false;
ALTER TABLE test_processor.follow_ups
  ADD COLUMN "failsAt" timestamptz(3),
  ADD COLUMN "failedAt" timestamptz(3),
  -- When the platform was notified of the failure.
  ADD COLUMN "toldAt" timestamptz(3);
CREATE INDEX follow_ups_to_fail ON test_processor.follow_ups ("failsAt") WHERE "failsAt" IS NOT NULL AND "failedAt" IS NULL;
CREATE INDEX follow_ups_untold ON test_processor.follow_ups ("chargeReference")
  WHERE "failedAt" IS NOT NULL AND "toldAt" IS NULL;
