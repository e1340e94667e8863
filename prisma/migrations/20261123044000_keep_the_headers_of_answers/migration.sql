-- AlterTable
ALTER TABLE "webhook_attempts" ADD COLUMN     "responseHeaders" JSONB;
