-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN     "returnUrl" TEXT;
