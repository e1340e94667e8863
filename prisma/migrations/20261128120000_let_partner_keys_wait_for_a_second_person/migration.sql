-- A partner key that a person asked for and a second person must approve. The person who asked then makes the key.
CREATE TABLE partner_key_requests (
  id text PRIMARY KEY,
  "partnerId" text NOT NULL REFERENCES partners (id) ON DELETE RESTRICT ON UPDATE RESTRICT,
  mode text NOT NULL,
  label text NOT NULL,
  "keyExpiresAt" timestamptz(3),
  "allowedIps" text[] NOT NULL,
  reason text NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  "requestedBy" text NOT NULL,
  "requestedByEmail" text NOT NULL,
  "decidedBy" text,
  "decidedByEmail" text,
  "decisionReason" text,
  "decidedAt" timestamptz(3),
  "keyId" text,
  "expiresAt" timestamptz(3) NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT partner_key_requests_values CHECK (
    mode IN ('test', 'live')
    AND status IN ('pending', 'approved', 'rejected', 'withdrawn', 'issued')
    AND (status = 'pending') = ("decidedAt" IS NULL)
    AND (status = 'issued') = ("keyId" IS NOT NULL)
  )
);
CREATE INDEX "partner_key_requests_mode_createdAt_id_idx" ON partner_key_requests (mode, "createdAt" DESC, id DESC);
CREATE INDEX "partner_key_requests_partnerId_mode_createdAt_id_idx" ON partner_key_requests ("partnerId", mode, "createdAt" DESC, id DESC);
