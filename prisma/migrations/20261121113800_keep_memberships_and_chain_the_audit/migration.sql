-- CreateTable
CREATE TABLE "partner_memberships" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "userId" TEXT,
    "email" TEXT NOT NULL,
    "emailLower" TEXT NOT NULL,
    "roles" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "status" TEXT NOT NULL,
    "invitationId" TEXT,
    "invitedAt" TIMESTAMPTZ(3) NOT NULL,
    "joinedAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "invitedBy" TEXT,

    CONSTRAINT "partner_memberships_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pending_reverts" (
    "organizationId" TEXT NOT NULL,
    "partnerSlug" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "lastError" TEXT,
    "dueAt" TIMESTAMPTZ(3) NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pending_reverts_pkey" PRIMARY KEY ("organizationId")
);

-- CreateIndex
CREATE INDEX "partner_memberships_partnerId_invitedAt_id_idx" ON "partner_memberships"("partnerId", "invitedAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "partner_memberships_userId_idx" ON "partner_memberships"("userId");

-- CreateIndex
CREATE INDEX "partner_memberships_emailLower_idx" ON "partner_memberships"("emailLower");

-- CreateIndex
CREATE UNIQUE INDEX "partner_memberships_partnerId_emailLower_key" ON "partner_memberships"("partnerId", "emailLower");

-- CreateIndex
CREATE INDEX "pending_reverts_dueAt_idx" ON "pending_reverts"("dueAt");

-- AddForeignKey
ALTER TABLE "partner_memberships" ADD CONSTRAINT "partner_memberships_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES "partners"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE partner_memberships ALTER COLUMN roles SET NOT NULL;
ALTER TABLE partner_memberships ADD CONSTRAINT partner_memberships_values CHECK (
  status IN ('pending', 'active', 'revoked') AND "emailLower" = lower(email)
  AND (status = 'active') <= ("userId" IS NOT NULL AND "joinedAt" IS NOT NULL) AND (status = 'revoked') = ("revokedAt" IS NOT NULL)
  AND ("invitationId" IS NULL OR status = 'pending'));

-- The audit log is a chain: every row carries the hash of the one before, and the head says how long the chain is, so that also
-- the removal of the newest rows shows. The head's row is locked by whoever writes until its transaction ends: the order of the
-- chain is the order of the commits.
CREATE SCHEMA audit;

CREATE TABLE audit.head (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  sequence bigint NOT NULL,
  hash text NOT NULL
);
INSERT INTO audit.head (sequence, hash) VALUES (0, '');

ALTER TABLE audit_rows ADD COLUMN sequence bigint, ADD COLUMN "previousHash" text, ADD COLUMN hash text;

-- `npm run audit:verify` builds the same text on its own, so that a change of this function does not go unseen.
CREATE FUNCTION audit.hash_of(r audit_rows) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT encode(sha256(convert_to(jsonb_build_array(r."previousHash", r.sequence, r.id, to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    r."actorKind", r."actorId", r."actorEmail", r.action, r.target, r.before, r.after, r.outcome, r.reason, r."requestId", r.ip)::text, 'UTF8')), 'hex')
$$;

CREATE FUNCTION audit.chain_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE audit.head SET sequence = sequence + 1 RETURNING sequence, hash INTO NEW.sequence, NEW."previousHash";
  NEW.hash := audit.hash_of(NEW);
  UPDATE audit.head SET hash = NEW.hash;
  RETURN NEW;
END $$;

-- Rows from before the chain are put into it in the order of their time.
ALTER TABLE audit_rows DISABLE TRIGGER audit_rows_stay;
DO $$
DECLARE
  r audit_rows;
BEGIN
  FOR r IN SELECT * FROM audit_rows ORDER BY at, id LOOP
    UPDATE audit.head SET sequence = sequence + 1 RETURNING sequence, hash INTO r.sequence, r."previousHash";
    r.hash := audit.hash_of(r);
    UPDATE audit.head SET hash = r.hash;
    UPDATE audit_rows SET sequence = r.sequence, "previousHash" = r."previousHash", hash = r.hash WHERE id = r.id;
  END LOOP;
END $$;
ALTER TABLE audit_rows ENABLE TRIGGER audit_rows_stay;

ALTER TABLE audit_rows ALTER COLUMN sequence SET NOT NULL, ALTER COLUMN "previousHash" SET NOT NULL, ALTER COLUMN hash SET NOT NULL;
ALTER TABLE audit_rows ADD CONSTRAINT audit_rows_values CHECK (outcome IN ('allowed', 'denied', 'failed'));

-- CreateIndex
CREATE UNIQUE INDEX "audit_rows_sequence_key" ON "audit_rows"("sequence");

-- CreateIndex
CREATE INDEX "audit_rows_actorId_at_idx" ON "audit_rows"("actorId", "at" DESC);

CREATE TRIGGER audit_rows_are_chained BEFORE INSERT ON audit_rows FOR EACH ROW EXECUTE FUNCTION audit.chain_row();
