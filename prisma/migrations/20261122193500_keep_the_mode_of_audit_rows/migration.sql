-- AlterTable
ALTER TABLE "audit_rows" ADD COLUMN     "mode" TEXT;

ALTER TABLE audit_rows ADD CONSTRAINT audit_rows_mode CHECK (mode IN ('test', 'live'));

-- The mode is part of the hash of a row that has one, so that rows of earlier versions keep theirs.
CREATE OR REPLACE FUNCTION audit.keyed_hash_of(r public.audit_rows, blocks bytea) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT encode(sha256(substr(blocks, 65, 64) || sha256(substr(blocks, 1, 64) || convert_to((jsonb_build_array(
    r."previousHash", r.sequence, r.id, to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    r."actorKind", r."actorId", r."actorEmail", r.action, r.target, r.before, r.after, r.outcome, r.reason, r."requestId", r.ip, r."keyId")
    || CASE WHEN r.mode IS NULL THEN '[]'::jsonb ELSE jsonb_build_array(r.mode) END)::text, 'UTF8'))), 'hex')
$$;
