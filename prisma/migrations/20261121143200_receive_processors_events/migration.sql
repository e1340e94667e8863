-- AlterTable
ALTER TABLE "threeds_sessions" ADD COLUMN     "url" TEXT;

-- CreateTable
CREATE TABLE "processor_events" (
    "processorId" TEXT NOT NULL,
    "eventId" TEXT NOT NULL,
    "receivedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "processor_events_pkey" PRIMARY KEY ("processorId","eventId")
);

-- CreateIndex
CREATE INDEX "processor_events_receivedAt_idx" ON "processor_events"("receivedAt");

CREATE INDEX threeds_sessions_of_transaction ON threeds_sessions ("transactionId");
