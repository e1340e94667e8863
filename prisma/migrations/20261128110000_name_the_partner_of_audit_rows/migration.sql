-- The partner that an audit row is about, whose people may read it. It is part of the hash of a row that has one.
ALTER TABLE audit_rows ADD COLUMN "partnerId" text;
CREATE INDEX "audit_rows_partnerId_sequence_idx" ON audit_rows ("partnerId", sequence DESC) WHERE "partnerId" IS NOT NULL;
CREATE OR REPLACE FUNCTION audit.hash_of(r audit_rows, blocks bytea) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT encode(sha256(substr(blocks, 65, 64) || sha256(substr(blocks, 1, 64) || convert_to((jsonb_build_array(
    r."previousHash", r.sequence, r.id, to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    r."actorKind", r."actorId", r."actorEmail", r.action, r.target, r.before, r.after, r.outcome, r.reason, r."requestId", r.ip, r."keyId")
    || CASE WHEN r.mode IS NULL THEN '[]'::jsonb ELSE jsonb_build_array(r.mode) END
    || CASE WHEN r."partnerId" IS NULL THEN '[]'::jsonb ELSE jsonb_build_array(jsonb_build_object('partnerId', r."partnerId")) END
    )::text, 'UTF8'))), 'hex')
$$;
