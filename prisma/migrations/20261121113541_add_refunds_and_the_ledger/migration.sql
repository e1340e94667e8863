-- AlterTable
ALTER TABLE "payments" ADD COLUMN     "authorizationExpiresAt" TIMESTAMPTZ(3),
ADD COLUMN     "reservedAmount" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "voidedAt" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "refunds" (
    "id" TEXT NOT NULL,
    "paymentId" TEXT NOT NULL,
    "transactionId" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "reason" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "refunds_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "refunds_transactionId_key" ON "refunds"("transactionId");

-- CreateIndex
CREATE INDEX "refunds_paymentId_createdAt_id_idx" ON "refunds"("paymentId", "createdAt", "id");

-- AddForeignKey
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_paymentId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", "mode") REFERENCES "payments"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE refunds ADD CONSTRAINT refunds_values CHECK (status IN ('pending', 'succeeded', 'failed') AND amount > 0);

-- What is being refunded is as good as gone: it may not be promised twice.
ALTER TABLE payments DROP CONSTRAINT payments_money, ADD CONSTRAINT payments_money CHECK (
  amount BETWEEN 1 AND 99999999999 AND "capturedAmount" BETWEEN 0 AND amount AND "refundedAmount" >= 0 AND "reservedAmount" >= 0
  AND "refundedAmount" + "reservedAmount" <= "capturedAmount");
ALTER TABLE payments ADD CONSTRAINT payments_amounts_fit_status CHECK (
  CASE status WHEN 'succeeded' THEN "capturedAmount" > 0 AND "refundedAmount" = 0
              WHEN 'partially_refunded' THEN "refundedAmount" > 0 AND "refundedAmount" < "capturedAmount"
              WHEN 'refunded' THEN "refundedAmount" > 0 AND "refundedAmount" = "capturedAmount"
              ELSE "capturedAmount" = 0 END);

-- What is over stays as it was left.
CREATE FUNCTION refuse_to_reopen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'payment % is % and never changes again', OLD.id, OLD.status;
END $$;
CREATE TRIGGER payments_stay_final BEFORE UPDATE OF status, "subStatus", "capturedAmount", "refundedAmount" ON payments FOR EACH ROW
  WHEN (OLD.status IN ('declined', 'failed', 'refunded')
    AND (NEW.status, NEW."subStatus", NEW."capturedAmount", NEW."refundedAmount") IS DISTINCT FROM (OLD.status, OLD."subStatus", OLD."capturedAmount", OLD."refundedAmount"))
  EXECUTE FUNCTION refuse_to_reopen();

CREATE INDEX payments_authorized ON payments ("authorizationExpiresAt") WHERE "subStatus" = 'authorized';

-- The ledger. A movement of money is a group of postings that sum to zero, written in one statement within the transaction that
-- changes the payment. Positive amounts are debits, negative ones credits.
CREATE SCHEMA ledger;

CREATE TABLE ledger.postings (
  -- The transaction at a processor, or the dispute, that moved the money. It moves it once.
  "movementId" text NOT NULL,
  account text NOT NULL,
  "paymentId" text NOT NULL,
  "platformAccountId" text NOT NULL,
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  PRIMARY KEY ("movementId", account),
  CONSTRAINT postings_of_a_payment FOREIGN KEY ("paymentId", "platformAccountId", "partnerId", mode) REFERENCES payments (id, "platformAccountId", "partnerId", mode),
  CONSTRAINT postings_values CHECK (account IN ('processor_receivable', 'merchant_balance', 'refunds', 'fees', 'disputes') AND amount <> 0)
);
CREATE INDEX postings_of_payment ON ledger.postings ("paymentId");

-- What stands in each account, without reading its postings. Several rows each, chosen by connection, keep writers out of each other's way.
CREATE TABLE ledger.balances (
  "platformAccountId" text NOT NULL,
  currency text NOT NULL,
  account text NOT NULL,
  shard smallint NOT NULL,
  "partnerId" text NOT NULL,
  mode text NOT NULL,
  balance bigint NOT NULL,
  PRIMARY KEY ("platformAccountId", currency, account, shard)
) WITH (fillfactor = 50);
CREATE INDEX balances_of_partner ON ledger.balances ("partnerId", mode);

CREATE FUNCTION ledger.check_and_sum() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  uneven text;
BEGIN
  SELECT "movementId" INTO uneven FROM added GROUP BY "movementId", "platformAccountId", mode, currency HAVING sum(amount) <> 0 LIMIT 1;
  IF uneven IS NOT NULL THEN
    RAISE EXCEPTION 'the postings of % do not sum to zero', uneven USING ERRCODE = 'check_violation';
  END IF;
  -- In the order of the key, so that two writers never wait for each other.
  INSERT INTO ledger.balances AS b ("platformAccountId", currency, account, shard, "partnerId", mode, balance)
    SELECT "platformAccountId", currency, account, pg_backend_pid() % 32, "partnerId", mode, sum(amount) FROM added
    GROUP BY "platformAccountId", currency, account, "partnerId", mode ORDER BY "platformAccountId", currency, account
    ON CONFLICT ("platformAccountId", currency, account, shard) DO UPDATE SET balance = b.balance + excluded.balance;
  RETURN NULL;
END $$;
CREATE TRIGGER postings_balance AFTER INSERT ON ledger.postings REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger.check_and_sum();
CREATE TRIGGER postings_stay BEFORE UPDATE OR DELETE ON ledger.postings FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER postings_are_not_emptied BEFORE TRUNCATE ON ledger.postings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Payments of before the ledger: what was captured then moved money as well.
INSERT INTO ledger.postings SELECT t.id, l.account, p.id, p."platformAccountId", p."partnerId", p.mode, p.currency, l.sign * p."capturedAmount", p."createdAt"
  FROM payments p
  JOIN LATERAL (SELECT id FROM transactions t WHERE t."paymentId" = p.id AND t.type = 'purchase' AND t.status = 'succeeded' LIMIT 1) t ON true
  CROSS JOIN (VALUES ('processor_receivable', 1), ('merchant_balance', -1)) l(account, sign) WHERE p."capturedAmount" > 0;
