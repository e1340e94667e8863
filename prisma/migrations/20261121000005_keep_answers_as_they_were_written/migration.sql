-- A repeat gets the very bytes of the first answer; jsonb would sort the keys of metadata.
ALTER TABLE "idempotency_records" ALTER COLUMN "answer" SET DATA TYPE JSON;
