-- AlterTable
ALTER TABLE "webhook_endpoints" ADD COLUMN     "leftUnanswered" BOOLEAN NOT NULL DEFAULT false;

-- The test processor's side of it: by which clock a cardholder lives who disputes a charge later.
ALTER TABLE "test_processor"."charges" ADD COLUMN "testClockId" TEXT;
