-- AlterTable
ALTER TABLE "disputes" ADD COLUMN     "reportedAt" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "payments" ADD COLUMN     "foreignDisputes" INTEGER NOT NULL DEFAULT 0;
-- A processor may report disputes beyond what was captured, and in another currency. Refunds alone stay within the
-- captured amount.
ALTER TABLE payments DROP CONSTRAINT payments_money, ADD CONSTRAINT payments_money CHECK (
  amount BETWEEN 1 AND 99999999999 AND "capturedAmount" BETWEEN 0 AND amount AND "refundedAmount" >= 0
  AND "reservedAmount" >= 0 AND "disputedAmount" >= 0 AND "foreignDisputes" >= 0
  AND "refundedAmount" + "reservedAmount" <= "capturedAmount");

-- What disputes take beyond the captured amount, or in another currency, is a loss.
ALTER TABLE ledger.postings DROP CONSTRAINT postings_values, ADD CONSTRAINT postings_values CHECK (
  account IN ('processor_receivable', 'merchant_balance', 'refunds', 'fees', 'disputes', 'dispute_losses')
  AND amount <> 0);

-- A processor may reopen a dispute and change its amount. Each such change has an event, which the sequence counts.
DROP TRIGGER disputes_stay_decided ON disputes;
CREATE TRIGGER disputes_stay_decided BEFORE UPDATE OF status ON disputes FOR EACH ROW
  WHEN (OLD.status IN ('won', 'lost') AND NEW.status IS DISTINCT FROM OLD.status AND NEW.sequence <= OLD.sequence)
  EXECUTE FUNCTION refuse_to_reopen_dispute();
DROP TRIGGER disputes_are_of_their_money ON disputes;
CREATE TRIGGER disputes_are_of_their_money BEFORE UPDATE OF amount, currency, "paymentId" ON disputes FOR EACH ROW
  WHEN (
    NEW."paymentId" IS DISTINCT FROM OLD."paymentId"
    OR ((NEW.amount, NEW.currency) IS DISTINCT FROM (OLD.amount, OLD.currency) AND NEW.sequence <= OLD.sequence)
  )
  EXECUTE FUNCTION refuse_change();
