-- CreateTable
CREATE TABLE "iam_users" (
    "idpUserId" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "emailLower" TEXT NOT NULL,
    "emailVerified" BOOLEAN NOT NULL DEFAULT false,
    "platformRoles" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "whitelabelOwnership" TEXT,
    "banned" BOOLEAN NOT NULL DEFAULT false,
    "deletedAt" TIMESTAMPTZ(3),
    "idpUpdatedAt" TIMESTAMPTZ(3) NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "iam_users_pkey" PRIMARY KEY ("idpUserId")
);

-- CreateTable
CREATE TABLE "iam_org_members" (
    "organizationId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "iam_org_members_pkey" PRIMARY KEY ("organizationId","userId")
);

-- CreateTable
CREATE TABLE "idp_events_seen" (
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idp_events_seen_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idp_versions" (
    "subject" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idp_versions_pkey" PRIMARY KEY ("subject")
);

-- CreateTable
CREATE TABLE "ended_sessions" (
    "sessionId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ended_sessions_pkey" PRIMARY KEY ("sessionId")
);

-- CreateIndex
CREATE INDEX "iam_users_emailLower_idx" ON "iam_users"("emailLower");

-- CreateIndex
CREATE INDEX "iam_users_whitelabelOwnership_createdAt_idpUserId_idx" ON "iam_users"("whitelabelOwnership", "createdAt" DESC, "idpUserId" DESC);

-- CreateIndex
CREATE INDEX "iam_users_createdAt_idpUserId_idx" ON "iam_users"("createdAt" DESC, "idpUserId" DESC);

-- CreateIndex
CREATE INDEX "iam_org_members_userId_idx" ON "iam_org_members"("userId");

-- CreateIndex
CREATE INDEX "idp_events_seen_at_idx" ON "idp_events_seen"("at");

-- CreateIndex
CREATE INDEX "ended_sessions_at_idx" ON "ended_sessions"("at");

ALTER TABLE iam_users ALTER COLUMN "platformRoles" SET NOT NULL;
ALTER TABLE iam_users ADD CONSTRAINT iam_users_values CHECK ("emailLower" = lower(email));

-- How many sign-ins and acceptances an e-mail or an address has made in this minute; nothing of it must outlive a crash.
CREATE UNLOGGED TABLE limits.sign_ins (
  subject text PRIMARY KEY,
  minute timestamptz NOT NULL,
  calls int NOT NULL
);
