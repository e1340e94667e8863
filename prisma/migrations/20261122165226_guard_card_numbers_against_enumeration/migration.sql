-- The numbers that an account presented on a day (UTC), by the digits that the API shows: a hash of the keyed hash of each.
-- Logged, unlike the other limits: after a crash of the database the day's guesses still count.
CREATE TABLE limits.presented_numbers (
  "platformAccountId" text NOT NULL,
  day date NOT NULL,
  bin text NOT NULL,
  last4 text NOT NULL,
  hashes text[] NOT NULL,
  PRIMARY KEY ("platformAccountId", day, bin, last4)
);
CREATE INDEX presented_numbers_day ON limits.presented_numbers (day);

-- CreateTable
CREATE TABLE "enumeration_alarms" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "bin" TEXT NOT NULL,
    "last4" TEXT NOT NULL,
    "refusals" INTEGER NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "enumeration_alarms_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "enumeration_alarms_partnerId_mode_createdAt_id_idx" ON "enumeration_alarms"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "enumeration_alarms_mode_createdAt_id_idx" ON "enumeration_alarms"("mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "enumeration_alarms_day_idx" ON "enumeration_alarms"("day");

-- CreateIndex
CREATE UNIQUE INDEX "enumeration_alarms_platformAccountId_day_bin_last4_key" ON "enumeration_alarms"("platformAccountId", "day", "bin", "last4");

-- AddForeignKey
ALTER TABLE "enumeration_alarms" ADD CONSTRAINT "enumeration_alarms_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", "mode") REFERENCES "processing_accounts"("id", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE enumeration_alarms ADD CONSTRAINT enumeration_alarms_values CHECK (mode IN ('test', 'live') AND refusals > 0);
