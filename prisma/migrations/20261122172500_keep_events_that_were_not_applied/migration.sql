-- CreateTable
CREATE TABLE "unapplied_events" (
    "processorId" TEXT NOT NULL,
    "eventId" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "notices" JSONB,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "retryAt" TIMESTAMPTZ(3),
    "receivedAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "unapplied_events_pkey" PRIMARY KEY ("processorId","eventId")
);

-- CreateIndex
CREATE INDEX "unapplied_events_receivedAt_processorId_eventId_idx" ON "unapplied_events"("receivedAt" DESC, "processorId", "eventId");

-- AddForeignKey
ALTER TABLE "unapplied_events" ADD CONSTRAINT "unapplied_events_processorId_platformAccountId_partnerId_m_fkey" FOREIGN KEY ("processorId", "platformAccountId", "partnerId", "mode") REFERENCES "processors"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE unapplied_events ADD CONSTRAINT unapplied_events_values CHECK (
  status IN ('waiting', 'rejected', 'applied') AND (status = 'waiting') = (notices IS NOT NULL));
CREATE INDEX unapplied_events_waiting ON unapplied_events ("retryAt") WHERE status = 'waiting';
