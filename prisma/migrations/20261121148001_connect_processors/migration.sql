-- CreateTable
CREATE TABLE "connect_attempts" (
    "id" TEXT NOT NULL,
    "stateHash" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "processorId" TEXT NOT NULL,
    "verifier" TEXT NOT NULL,
    "returnUrl" TEXT,
    "isFromOnboarding" BOOLEAN NOT NULL,
    "actorKind" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "usedAt" TIMESTAMPTZ(3),

    CONSTRAINT "connect_attempts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "connect_attempts_stateHash_key" ON "connect_attempts"("stateHash");

-- CreateIndex
CREATE INDEX "connect_attempts_createdAt_idx" ON "connect_attempts"("createdAt");

-- AddForeignKey
ALTER TABLE "connect_attempts" ADD CONSTRAINT "connect_attempts_processorId_platformAccountId_partnerId_m_fkey" FOREIGN KEY ("processorId", "platformAccountId", "partnerId", "mode") REFERENCES "processors"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What the authorization page of test mode has given out: another party's record, as its books are.
CREATE TABLE test_processor.connect_codes (
  "codeHash" text COLLATE "C" PRIMARY KEY,
  "codeChallenge" text NOT NULL,
  "redirectUri" text NOT NULL,
  "expiresAt" timestamptz(3) NOT NULL
);
CREATE INDEX connect_codes_expiry ON test_processor.connect_codes ("expiresAt");
